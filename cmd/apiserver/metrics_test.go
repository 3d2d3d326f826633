// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// bind creates a ClusterRole and binds it.
func bind(t *testing.T, admin client.Client, name string, to rbacv1.Subject, rules ...rbacv1.PolicyRule) {
	t.Helper()
	must(t, admin.Create(t.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}))
	must(t, admin.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}, Subjects: []rbacv1.Subject{to},
	}))
}

// TestMetricsSecure_TheFrontEndAuthenticatesPrometheusAndNoProbe runs the program with the rights that the chart adds to its roles.
func TestMetricsSecure_TheFrontEndAuthenticatesPrometheusAndNoProbe(t *testing.T) {
	env, admin := cluster(t)
	bind(t, admin, "reelops-metrics-authentication", rbacv1.Subject{Kind: "Group", APIGroup: rbacv1.GroupName, Name: group},
		rbacv1.PolicyRule{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}, Verbs: []string{"create"}},
		rbacv1.PolicyRule{APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}, Verbs: []string{"create"}})
	bind(t, admin, "reelops-metrics-reader", rbacv1.Subject{Kind: "ServiceAccount", Namespace: "default", Name: "prometheus"},
		rbacv1.PolicyRule{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}})
	account, request := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "prometheus"}}, &authenticationv1.TokenRequest{}
	must(t, admin.Create(t.Context(), account))
	must(t, admin.SubResource("token").Create(t.Context(), account, request))

	dir := t.TempDir()
	kubeconfig, err := frontEndUser(t, env).KubeConfig()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "kubeconfig"), kubeconfig, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "key"), bytes.Repeat([]byte("k"), 32), 0o600))
	metrics := freePort(t)
	o, err := parseOptions([]string{
		"--listen=" + freePort(t), "--internal-listen=" + freePort(t), "--metrics-listen=" + metrics, "--metrics-secure", "--base-url=http://reelops.example",
		"--blob-url=file://" + filepath.Join(dir, "blobs"), "--signing-key-file=" + filepath.Join(dir, "key"), "--kubeconfig=" + filepath.Join(dir, "kubeconfig"),
		"--log-level=error", "--audit-log=" + filepath.Join(dir, "audit"), "--drain-time=2s",
	}, io.Discard)
	must(t, err)
	running, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(running, o) }()
	defer func() { stop(); must(t, <-ended) }()

	scraper := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}} // self-signed
	status := func(path, token string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+metrics+path, nil)
		must(t, err)
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := scraper.Do(req)
		if err != nil {
			return 0 // not listening yet
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	for _, c := range []struct {
		path, token string
		want        int
	}{
		{"/readyz", "", http.StatusOK},
		{"/livez", "", http.StatusOK},
		{"/metrics", "", http.StatusUnauthorized},
		{"/metrics", request.Status.Token, http.StatusOK},
	} {
		got := 0
		if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
			got = status(c.path, c.token) // the program starts, and the bindings reach the authorizer
			return got == c.want, nil
		}); err != nil {
			t.Errorf("%s with the token %.8q: %d, want %d", c.path, c.token, got, c.want)
		}
	}
}
