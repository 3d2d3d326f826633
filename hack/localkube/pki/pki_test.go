// SPDX-License-Identifier: Apache-2.0

package pki

import (
	"bytes"
	"crypto/x509"
	"os"
	"testing"
	"time"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func open(t *testing.T, dir string, now time.Time) *Store {
	t.Helper()
	s, err := Open(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func pair(t *testing.T, s *Store, want Leaf) (ca, leaf *Pair) {
	t.Helper()
	ca, err := s.Authority("ca")
	if err != nil {
		t.Fatal(err)
	}
	if leaf, err = s.Leaf("leaf", ca, want); err != nil {
		t.Fatal(err)
	}
	return ca, leaf
}

func TestCertificates_KeptAndRenewed(t *testing.T) {
	dir := t.TempDir()
	want := Leaf{Name: "me", Groups: []string{"us"}, Server: true, Hosts: []string{"127.0.0.1"}}
	ca, leaf := pair(t, open(t, dir, t0), want)
	roots := x509.NewCertPool()
	roots.AddCert(ca.Cert)
	if _, err := leaf.Cert.Verify(x509.VerifyOptions{Roots: roots, DNSName: "127.0.0.1", CurrentTime: t0}); err != nil {
		t.Errorf("the certificate does not verify: %v", err)
	}
	for _, c := range []struct {
		name            string
		at              time.Time
		want            Leaf
		sameCA, sameTop bool
	}{
		{"a day later both are kept", t0.Add(24 * time.Hour), want, true, true},
		{"another host gets a new leaf", t0, Leaf{Name: "me", Groups: []string{"us"}, Server: true, Hosts: []string{"127.0.0.2"}}, true, false},
		{"another group gets a new leaf", t0, Leaf{Name: "me", Groups: []string{"them"}, Server: true, Hosts: []string{"127.0.0.2"}}, true, false},
		{"near the leaf's expiry it is renewed", t0.Add(leafLife - renewBefore), want, true, false},
		{"near the authority's expiry both are renewed", t0.Add(authorityLife - renewBefore), want, false, false},
	} {
		nextCA, next := pair(t, open(t, dir, c.at), c.want)
		if bytes.Equal(nextCA.CertPEM, ca.CertPEM) != c.sameCA || bytes.Equal(next.CertPEM, leaf.CertPEM) != c.sameTop {
			t.Errorf("%s: authority kept %t, leaf kept %t", c.name, bytes.Equal(nextCA.CertPEM, ca.CertPEM), bytes.Equal(next.CertPEM, leaf.CertPEM))
		}
		ca, leaf = nextCA, next
	}
}

func TestCertificates_HalfAPairIsReplaced(t *testing.T) {
	dir := t.TempDir()
	_, leaf := pair(t, open(t, dir, t0), Leaf{Name: "me", Client: true})
	if err := os.Remove(leaf.KeyFile); err != nil {
		t.Fatal(err)
	}
	_, next := pair(t, open(t, dir, t0), Leaf{Name: "me", Client: true})
	if bytes.Equal(next.CertPEM, leaf.CertPEM) {
		t.Error("a certificate without its key was kept")
	}
	if fi, err := os.Stat(next.KeyFile); err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("got key file %v (%v)", fi, err)
	}
}

func TestSigningKey_IsKept(t *testing.T) {
	dir := t.TempDir()
	file, err := open(t, dir, t0).SigningKey("k")
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(file)
	if _, err := open(t, dir, t0.Add(10*authorityLife)).SigningKey("k"); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Error("earlier tokens are invalid now")
	}
}
