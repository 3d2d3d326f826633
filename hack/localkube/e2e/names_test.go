// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestBinary_OtherNames(t *testing.T) {
	bin := t.TempDir()
	real, err := filepath.Abs(binary(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []string{"etcd", "kube-apiserver", "kubectl"} {
		if err := os.Symlink(real, filepath.Join(bin, n)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(filepath.Join(bin, "kubectl"), "version", "--client").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Client Version: v1.") {
		t.Errorf("got kubectl output %q (%v)", out, err)
	}
	out, err = exec.Command(filepath.Join(bin, "kube-apiserver"), "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "Kubernetes v1.") {
		t.Errorf("got kube-apiserver output %q (%v)", out, err)
	}
	out, err = exec.Command(filepath.Join(bin, "etcd"), "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "etcd Version: 3.") {
		t.Errorf("got etcd output %q (%v)", out, err)
	}
	t.Run("etcd and kube-apiserver like in envtest", func(t *testing.T) { startLikeEnvtest(t, bin) })
	t.Run("a plugin of kubectl", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "kubectl-hello"), []byte("#!/bin/sh\necho hello $1\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(bin, "kubectl"), "hello", "you")
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "hello you\n" {
			t.Errorf("got output %q (%v)", out, err)
		}
	})
}

// startLikeEnvtest starts the programs with the flags of controller-runtime's envtest.
func startLikeEnvtest(t *testing.T, bin string) {
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(dir, "sa.key")
	if err := os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	etcd, api := freePort(t), freePort(t)
	etcdURL := "http://127.0.0.1:" + etcd
	program(t, filepath.Join(bin, "etcd"), "--data-dir="+filepath.Join(dir, "etcd"), "--unsafe-no-fsync",
		"--listen-peer-urls=http://localhost:0", "--advertise-client-urls="+etcdURL, "--listen-client-urls="+etcdURL)
	until(t, etcdURL+"/health")
	program(t, filepath.Join(bin, "kube-apiserver"), "--etcd-servers="+etcdURL, "--bind-address=127.0.0.1", "--secure-port="+api,
		"--cert-dir="+filepath.Join(dir, "certs"), "--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true", "--authorization-mode=RBAC",
		"--disable-admission-plugins=ServiceAccount", "--service-account-issuer=https://127.0.0.1/", "--service-account-key-file="+keyFile,
		"--service-account-signing-key-file="+keyFile)
	until(t, "https://127.0.0.1:"+api+"/readyz")
}

func program(t *testing.T, path string, args ...string) {
	t.Helper()
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
}

// until polls url until it responds with status 200.
func until(t *testing.T, url string) {
	t.Helper()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	get := func() error {
		resp, err := client.Get(url)
		if err != nil {
			return err
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return errors.New(resp.Status)
		}
		return nil
	}
	deadline, tick := time.After(patience), time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for {
		err := get()
		if err == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatal(fmt.Errorf("waiting for %s: %w", url, err))
		case <-tick.C:
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
