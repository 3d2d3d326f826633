// SPDX-License-Identifier: Apache-2.0

// Package authority issues certificates of a private authority for tests.
package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority is a certificate authority that no program trusts by itself.
type Authority struct {
	cert   *x509.Certificate
	key    *ecdsa.PrivateKey
	issued int64
}

// New creates an authority.
func New(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert = sign(t, template, template, a.key, a.key)
	return a
}

// PEM returns the authority's certificate.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

// TLS returns the configuration of clients that trust this authority and no other.
func (a *Authority) TLS() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return &tls.Config{RootCAs: pool}
}

// Client returns a client that trusts this authority and no other. Each of its requests opens a connection.
func (a *Authority) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: a.TLS(), DisableKeepAlives: true}}
}

// Issue writes tls.crt, tls.key and ca.crt for 127.0.0.1 and names into a folder, as cert-manager does into a Secret, and returns the
// serial number of the certificate. A reader sees each file whole.
func (a *Authority) Issue(t testing.TB, dir string, names ...string) (serial *big.Int) {
	t.Helper()
	a.issued++
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1000 + a.issued), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(12 * time.Hour),
		DNSNames: names, IPAddresses: []net.IP{{127, 0, 0, 1}}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert := sign(t, template, a.cert, key, a.key)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"tls.crt": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}),
		"tls.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		"ca.crt":  a.PEM(),
	} {
		temporary := filepath.Join(dir, "."+name)
		if err := os.WriteFile(temporary, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(temporary, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return template.SerialNumber
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// sign returns the certificate of a template for a key.
func sign(t testing.TB, template, parent *x509.Certificate, key, by *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}
