// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
)

// scheme returns the URL scheme of the front end's listeners.
func (o options) scheme() string {
	if o.tlsDir == "" {
		return "http://"
	}
	return "https://"
}

// trust makes this program and its children trust ca.crt in addition to the system's certificate authorities. Pods of
// the local Kubernetes do not inherit that.
func (o options) trust() error {
	if o.tlsDir == "" {
		return nil
	}
	ca, err := os.ReadFile(filepath.Join(o.tlsDir, "ca.crt"))
	if err != nil {
		return err
	}
	dir := filepath.Join(o.dataDir, "authorities") // separate: Go trusts every certificate in this folder
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "ca.crt"), ca, 0o644); err != nil {
		return err
	}
	return os.Setenv("SSL_CERT_DIR", dir)
}

// managerTLS returns the manager's TLS flags.
func (o options) managerTLS() []string {
	if o.tlsDir == "" {
		return nil
	}
	return []string{"--render-ca-files", filepath.Join(o.tlsDir, "ca.crt")}
}

// frontEndTLS returns the front end's TLS flags.
func (o options) frontEndTLS() []string {
	if o.tlsDir == "" {
		return nil
	}
	return []string{"--tls-cert-file", filepath.Join(o.tlsDir, "tls.crt"), "--tls-key-file", filepath.Join(o.tlsDir, "tls.key")}
}
