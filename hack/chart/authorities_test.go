// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// fetchVariable makes the test program fetch a URL and exit. Its exit code is 0 if the server's certificate was
// trusted.
const fetchVariable = "CHART_TEST_FETCH"

// fetchAndExit fetches the URL in fetchVariable, if set, and exits. A process reads the certificate authorities once,
// so each case needs its own process.
func fetchAndExit() {
	address := os.Getenv(fetchVariable)
	if address == "" {
		return
	}
	resp, err := http.Get(address)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	_ = resp.Body.Close()
	os.Exit(0)
}

// TestCABundle_IsTrustedFromAMountedDirectory lays out a directory like kubelet's volume of a ConfigMap. With the
// variable that the chart sets, it fetches from a server whose authority is in the directory.
func TestCABundle_IsTrustedFromAMountedDirectory(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	dir := t.TempDir()
	bundle := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.Mkdir(filepath.Join(dir, "..2026"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "..2026", "ca.crt"), bundle, 0o644); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"..data": "..2026", "ca.crt": filepath.Join("..data", "ca.crt")} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		env     string
		trusted bool
	}{{"SSL_CERT_DIR=" + dir, true}, {"SSL_CERT_DIR=" + t.TempDir(), false}} {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{c.env, fetchVariable + "=" + server.URL}
		if out, err := cmd.CombinedOutput(); (err == nil) != c.trusted {
			t.Errorf("%s: trusted %v, want %v: %s", c.env, err == nil, c.trusted, out)
		}
	}
}
