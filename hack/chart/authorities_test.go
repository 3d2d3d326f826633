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

// fetchVariable makes the test's program fetch an address and end; its exit code is 0 when the server's certificate was trusted.
const fetchVariable = "CHART_TEST_FETCH"

// fetchAndExit ends the program if fetchVariable is set. A program reads authorities once, so each case needs a program of its own.
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

// TestCABundle_IsTrustedFromAMountedDirectory lays a directory out as kubelet lays out a volume of a ConfigMap, and fetches from a server
// whose authority is in it, with the variable that the chart sets.
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
