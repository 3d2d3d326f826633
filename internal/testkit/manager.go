// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// SystemNamespace is the namespace of the installation in config/rbac.
const SystemNamespace = "reelops-system"

// ManagerCluster starts a cluster and returns it with the client of Manager. It stops the cluster at the end of the
// test.
func ManagerCluster(t testing.TB, account string) (*Cluster, client.Client) {
	t.Helper()
	c := Start(t)
	return c, c.Manager(t, account)
}

// Manager creates the namespace of an account, and returns the client of asManager. The policies of the manager do not
// concern other users.
func (c *Cluster) Manager(t testing.TB, account string) client.Client {
	t.Helper()
	space := Namespace(account)
	space.Labels = map[string]string{v1beta1.LabelAccount: account}
	if err := c.Client.Create(t.Context(), space); err != nil {
		t.Fatal(err)
	}
	manager, err := c.asManager(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return manager
}

// asManager applies the permissions of config/rbac and the policies of config/policy, and returns a client with the
// identity of the manager's service account. It returns once the cluster enforces the policies.
func (c *Cluster) asManager(ctx context.Context) (client.Client, error) {
	for _, file := range []string{
		"rbac/namespace.yaml", "rbac/manager/role.yaml", "rbac/apiserver/role.yaml", "rbac/bindings.yaml", "policy/manager.yaml",
	} {
		if err := c.Apply(ctx, file); err != nil {
			return nil, err
		}
	}
	manager, err := c.AsServiceAccount("reelops-manager")
	if err != nil {
		return nil, err
	}
	// The cluster enforces each policy a moment after its creation, in the order of the file. This object violates the
	// last one.
	bare := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: SystemNamespace, Name: "bare"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "reelops-manager-account"},
	}
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, 2*time.Minute, true, func(ctx context.Context) (bool, error) {
		err := manager.Create(ctx, bare.DeepCopy(), client.DryRunAll)
		return err != nil && strings.Contains(err.Error(), "ValidatingAdmissionPolicy 'reelops-manager-bindings'"), nil
	})
	return manager, err
}

// AsServiceAccount returns a client with the identity of a service account of SystemNamespace.
func (c *Cluster) AsServiceAccount(name string) (client.Client, error) {
	return c.As("system:serviceaccount:"+SystemNamespace+":"+name, "system:serviceaccounts", "system:authenticated")
}

// As returns a client with the identity of a user.
func (c *Cluster) As(user string, groups ...string) (client.Client, error) {
	config := rest.CopyConfig(c.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	return client.New(config, client.Options{Scheme: Scheme()})
}

// Apply creates the objects of a file of config/ that do not exist yet.
func (c *Cluster) Apply(ctx context.Context, file string) error {
	f, err := os.Open(filepath.Join(root(), "config", file))
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	for d := utilyaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		o := &unstructured.Unstructured{}
		if err := d.Decode(o); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := client.IgnoreAlreadyExists(c.Client.Create(ctx, o)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}
