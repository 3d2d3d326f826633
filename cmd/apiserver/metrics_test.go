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

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/reelops/reelops/internal/testkit"
)

// TestMetricsSecure_TheFrontEndAuthenticatesPrometheusAndNoProbe runs the program with the permissions that the chart
// adds to its roles.
func TestMetricsSecure_TheFrontEndAuthenticatesPrometheusAndNoProbe(t *testing.T) {
	env, admin := cluster(t)
	testkit.Grant(t, admin, "reelops-metrics-authentication", rbacv1.Subject{Kind: "Group", APIGroup: rbacv1.GroupName, Name: group},
		rbacv1.PolicyRule{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}, Verbs: []string{"create"}},
		rbacv1.PolicyRule{APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}, Verbs: []string{"create"}})
	token := testkit.Prometheus(t, admin)

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
		{"/metrics", token, http.StatusOK},
	} {
		got := 0
		if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
			// the program is starting, and the authorizer receives the bindings with a delay
			got = status(c.path, c.token)
			return got == c.want, nil
		}); err != nil {
			t.Errorf("%s with the token %.8q: %d, want %d", c.path, c.token, got, c.want)
		}
	}
}
