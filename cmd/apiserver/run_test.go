// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/process/loopback"
)

const group = "front-end"

// TestRunWithTheGeneratedPermissionsOnly runs the program as it is deployed: as a user with the generated roles and no
// other permissions. It creates a slideshow, lists stock, requests analytics, stops the program and checks that the
// usage of the key was written.
func TestRunWithTheGeneratedPermissionsOnly(t *testing.T) {
	env, admin := cluster(t)
	ctx := context.Background()
	must(t, admin.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}))
	user := frontEndUser(t, env)
	kubeconfig, err := user.KubeConfig()
	must(t, err)

	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "kubeconfig"), kubeconfig, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "key"), bytes.Repeat([]byte("k"), 32), 0o600))
	secret := tenant(t, admin, "acme")
	accounts(t, admin)
	public, internal, metrics := freePort(t), freePort(t), freePort(t)
	o, err := parseOptions(append(stockArgs(t, dir),
		"--listen="+public, "--internal-listen="+internal, "--metrics-listen="+metrics, "--base-url=http://"+public,
		"--blob-url=file://"+filepath.Join(dir, "blobs"), "--signing-key-file="+filepath.Join(dir, "key"),
		"--kubeconfig="+filepath.Join(dir, "kubeconfig"), "--log-level=error", "--sandbox=http://127.0.0.1:1",
	), io.Discard)
	must(t, err)
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- run(running, o) }()
	awaitReady(t, "http://"+metrics+"/readyz", ended)

	if status, body := call(t, http.MethodPost, "http://"+public+"/api/v1/slideshows", secret, `{"context":"Sleep well."}`); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, body)
	}
	must(t, admin.Get(ctx, client.ObjectKey{Namespace: "acme", Name: "slideshow-1"}, &v1beta1.Slideshow{}))
	if text := get(t, "http://"+metrics+"/metrics"); !strings.Contains(text, `reelops_api_requests_total{method="POST",operation="create_slideshow",status="202"} 1`) {
		t.Error("the metrics do not count the request")
	}

	listsStock(t, public, secret)
	refreshes(t, admin, public, secret)

	stop()
	must(t, <-ended)
	key := &v1beta1.APIKey{}
	must(t, admin.Get(ctx, client.ObjectKey{Namespace: "acme", Name: "key"}, key))
	if key.Status.RequestCount != 4 {
		t.Errorf("got %d uses of the key in its status", key.Status.RequestCount)
	}
}

// accounts creates connected accounts: the analytics of the first were never read, those of the second were.
func accounts(t *testing.T, admin client.Client) {
	t.Helper()
	meta := func(name, id string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "acme", Name: name, Labels: map[string]string{v1beta1.LabelID: id}}
	}
	spec := v1beta1.SocialAccountSpec{
		BrandRef: v1beta1.LocalRef{Name: "brand"}, Platform: "tiktok", PlatformAccountID: "1", TokenSecretRef: v1beta1.LocalRef{Name: "tokens"},
	}
	for _, o := range []client.Object{
		&v1beta1.SocialAccount{ObjectMeta: meta("first", "1"), Spec: spec}, &v1beta1.SocialAccount{ObjectMeta: meta("second", "2"), Spec: spec},
		&v1beta1.AccountAnalytics{
			ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "second"}, Spec: v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: "second"}},
		},
	} {
		must(t, admin.Create(context.Background(), o))
	}
}

// refreshes requests the analytics of both.
func refreshes(t *testing.T, admin client.Client, public, secret string) {
	t.Helper()
	for id, name := range map[string]string{"1": "first", "2": "second"} {
		if status, body := call(t, http.MethodPost, "http://"+public+"/api/v1/analytics/accounts/"+id+"/refresh", secret, ""); status != http.StatusAccepted {
			t.Errorf("the %s account: %d %s", name, status, body)
		}
		n := &v1beta1.AccountAnalytics{}
		must(t, admin.Get(context.Background(), client.ObjectKey{Namespace: "acme", Name: name}, n))
		if n.Spec.RefreshRequestedAt == nil {
			t.Errorf("no refresh of the %s account was requested", name)
		}
	}
}

func tenant(t *testing.T, admin client.Client, namespace string) (secret string) {
	t.Helper()
	secret, hash, _ := apikey.New(apikey.DefaultPrefix)
	meta := func(name, id string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{v1beta1.LabelID: id}}
	}
	for _, o := range []client.Object{
		&v1beta1.Account{ObjectMeta: meta(v1beta1.AccountName, "1"), Spec: v1beta1.AccountSpec{Email: "a@example.com"}},
		&v1beta1.Brand{ObjectMeta: meta("brand", "1")},
		&v1beta1.APIKey{ObjectMeta: meta("key", "1"), Spec: v1beta1.APIKeySpec{
			BrandRef: v1beta1.LocalRef{Name: "brand"}, DisplayName: "k", SecretSHA256: hash, Scopes: []v1beta1.Scope{"admin"},
		}},
	} {
		must(t, admin.Create(context.Background(), o))
	}
	return secret
}

// grant creates the roles of a file and binds them to the group.
func grant(t *testing.T, admin client.Client, path string) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer func() { _ = f.Close() }()
	to := []rbacv1.Subject{{Kind: "Group", APIGroup: rbacv1.GroupName, Name: group}}
	for d := yaml.NewYAMLOrJSONDecoder(f, 4096); ; {
		role := &rbacv1.Role{} // a ClusterRole has the same members
		if err := d.Decode(role); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: role.Kind, Name: role.Name}
		switch role.Kind {
		case "Role":
			must(t, admin.Create(context.Background(), role))
			must(t, admin.Create(context.Background(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: role.Namespace, Name: role.Name}, RoleRef: ref, Subjects: to}))
		case "ClusterRole":
			must(t, admin.Create(context.Background(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: role.Name}, Rules: role.Rules}))
			must(t, admin.Create(context.Background(), &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name}, RoleRef: ref, Subjects: to}))
		}
	}
}

func awaitReady(t *testing.T, address string, ended <-chan error) {
	t.Helper()
	for {
		select {
		case err := <-ended:
			t.Fatalf("the program exited: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
		resp, err := http.Get(address)
		if err != nil {
			continue
		}
		_ = resp.Body.Close()
		if resp.StatusCode == http.StatusOK {
			return
		}
	}
}

// call makes a request with a key, and returns the response's status and body.
func call(t *testing.T, method, address, secret, body string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequest(method, address, strings.NewReader(body))
	must(t, err)
	req.Header.Set("Authorization", "Bearer "+secret)
	resp, err := http.DefaultClient.Do(req)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	doc, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, doc
}

func get(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	must(t, err)
	defer func() { _ = resp.Body.Close() }()
	doc, err := io.ReadAll(resp.Body)
	must(t, err)
	return string(doc)
}

func freePort(t *testing.T) string {
	t.Helper()
	address, err := loopback.Address()
	must(t, err)
	return address
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
