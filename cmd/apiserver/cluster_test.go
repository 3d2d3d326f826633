// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// shared is one cluster for all tests, in which the front end has the permissions of its roles.
var shared struct {
	once  sync.Once
	env   *envtest.Environment
	admin client.Client
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.env != nil {
		if err := shared.env.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the test cluster:", err)
		}
	}
	os.Exit(code)
}

// cluster is started by the first test that needs it.
func cluster(t *testing.T) (*envtest.Environment, client.Client) {
	t.Helper()
	testkit.NeedCluster(t)
	shared.once.Do(func() {
		env := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("..", "..", "config", "crd", "bases")}, ErrorIfCRDPathMissing: true}
		config, err := env.Start()
		must(t, err)
		shared.env = env
		scheme := runtime.NewScheme()
		must(t, clientgoscheme.AddToScheme(scheme))
		must(t, v1beta1.AddToScheme(scheme))
		admin, err := client.New(config, client.Options{Scheme: scheme})
		must(t, err)
		must(t, admin.Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "reelops-system"}}))
		grant(t, admin, filepath.Join("..", "..", "config", "rbac", "apiserver", "role.yaml"))
		shared.admin = admin
	})
	if shared.admin == nil {
		t.Fatal("the test cluster did not start")
	}
	return shared.env, shared.admin
}

func frontEndUser(t *testing.T, env *envtest.Environment) *envtest.AuthenticatedUser {
	t.Helper()
	user, err := env.AddUser(envtest.User{Name: "apiserver", Groups: []string{group}}, nil)
	must(t, err)
	return user
}
