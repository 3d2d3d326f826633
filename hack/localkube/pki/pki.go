// SPDX-License-Identifier: Apache-2.0

package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const (
	authorityLife = 20 * 365 * 24 * time.Hour
	leafLife      = 10 * 365 * 24 * time.Hour
	// renewBefore is how long before its expiry a certificate is replaced. Certificates are not renewed while a process
	// runs, so this is also the longest safe uptime.
	renewBefore = 90 * 24 * time.Hour
	// clockSkew is by how much certificates are backdated, in case the machine's clock is set back.
	clockSkew = time.Hour
)

// Pair is a certificate and its key, as files and as PEM.
type Pair struct {
	CertFile, KeyFile string
	CertPEM, KeyPEM   []byte
	Cert              *x509.Certificate
	key               *ecdsa.PrivateKey
}

// Leaf describes a certificate.
type Leaf struct {
	// Name is the common name. For a client, it is the user.
	Name string
	// Groups are the organizations. For a client, they are the user's groups.
	Groups []string
	// Server adds server authentication for Hosts.
	Server bool
	// Hosts are DNS names or addresses; only used with Server.
	Hosts []string
	// Client adds client authentication.
	Client bool
}

// Store is a folder of certificates.
type Store struct {
	dir string
	now time.Time
}

// Open creates the folder (mode 0700) if it is missing. now is the time for checking validity.
func Open(dir string, now time.Time) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("creating the certificate folder: %w", err)
	}
	return &Store{dir: dir, now: now}, nil
}

// Authority returns the signing pair with the given name. It creates the pair if it is missing or about to expire.
func (s *Store) Authority(name string) (*Pair, error) {
	if p, err := s.load(name); err != nil {
		return nil, err
	} else if p != nil && s.fresh(p.Cert) && p.Cert.IsCA {
		return p, nil
	}
	tmpl := &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		NotAfter:              s.now.Add(authorityLife),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	return s.issue(name, tmpl, nil)
}

// Leaf returns the pair stored as name and signed by ca. It creates the pair again if it is missing, about to expire,
// signed by another authority, or if its names differ from want.
func (s *Store) Leaf(name string, ca *Pair, want Leaf) (*Pair, error) {
	if p, err := s.load(name); err != nil {
		return nil, err
	} else if p != nil && s.fresh(p.Cert) && p.Cert.CheckSignatureFrom(ca.Cert) == nil && matches(p.Cert, want) {
		return p, nil
	}
	return s.issue(name, s.template(want), ca)
}

// Issue returns a new client or server pair that is not stored in the folder. Only the PEM fields, Cert and the key are
// set.
func (s *Store) Issue(ca *Pair, want Leaf) (*Pair, error) {
	return s.sign(s.template(want), ca)
}

// SigningKey returns the file of a private key that signs service-account tokens. It creates the file if it is missing.
func (s *Store) SigningKey(name string) (string, error) {
	file := filepath.Join(s.dir, name+".key")
	if raw, err := os.ReadFile(file); err == nil {
		if _, err := parseKey(raw); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		return file, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	_, raw, err := newKey()
	if err != nil {
		return "", err
	}
	return file, writeFile(file, raw)
}

func (s *Store) fresh(c *x509.Certificate) bool {
	return s.now.After(c.NotBefore) && s.now.Add(renewBefore).Before(c.NotAfter)
}

func (s *Store) template(want Leaf) *x509.Certificate {
	t := &x509.Certificate{
		Subject:               pkix.Name{CommonName: want.Name, Organization: want.Groups},
		NotAfter:              s.now.Add(leafLife),
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature,
	}
	if want.Client {
		t.ExtKeyUsage = append(t.ExtKeyUsage, x509.ExtKeyUsageClientAuth)
	}
	if want.Server {
		t.ExtKeyUsage = append(t.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		for _, h := range want.Hosts {
			if ip := net.ParseIP(h); ip != nil {
				t.IPAddresses = append(t.IPAddresses, ip)
			} else {
				t.DNSNames = append(t.DNSNames, h)
			}
		}
	}
	return t
}

func (s *Store) issue(name string, tmpl *x509.Certificate, ca *Pair) (*Pair, error) {
	p, err := s.sign(tmpl, ca)
	if err != nil {
		return nil, err
	}
	p.CertFile, p.KeyFile = s.files(name)
	// Write the key first: a crash between the two writes leaves a pair that does not match. load reports such a pair
	// as missing, and both files are created again.
	if err := writeFile(p.KeyFile, p.KeyPEM); err != nil {
		return nil, err
	}
	return p, writeFile(p.CertFile, p.CertPEM)
}

// sign creates a new key and its certificate. A nil ca means self-signed.
func (s *Store) sign(tmpl *x509.Certificate, ca *Pair) (*Pair, error) {
	key, keyPEM, err := newKey()
	if err != nil {
		return nil, err
	}
	tmpl.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	tmpl.NotBefore = s.now.Add(-clockSkew)
	parent, signer := tmpl, key
	if ca != nil {
		parent, signer = ca.Cert, ca.key
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, parent, &key.PublicKey, signer)
	if err != nil {
		return nil, fmt.Errorf("signing a certificate for %q: %w", tmpl.Subject.CommonName, err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Pair{
		CertPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		KeyPEM:  keyPEM, Cert: cert, key: key,
	}, nil
}

func (s *Store) files(name string) (cert, key string) {
	return filepath.Join(s.dir, name+".crt"), filepath.Join(s.dir, name+".key")
}

// load returns nil without an error if the pair is missing, unreadable, or its two halves do not match.
func (s *Store) load(name string) (*Pair, error) {
	certFile, keyFile := s.files(name)
	certPEM, err := os.ReadFile(certFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	keyPEM, err := os.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(certPEM)
	if block == nil {
		return nil, nil
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, nil
	}
	key, err := parseKey(keyPEM)
	if err != nil || !key.PublicKey.Equal(cert.PublicKey) {
		return nil, nil
	}
	return &Pair{CertFile: certFile, KeyFile: keyFile, CertPEM: certPEM, KeyPEM: keyPEM, Cert: cert, key: key}, nil
}

func matches(c *x509.Certificate, want Leaf) bool {
	if c.Subject.CommonName != want.Name || len(c.Subject.Organization) != len(want.Groups) {
		return false
	}
	have := map[string]bool{}
	for _, g := range c.Subject.Organization {
		have[g] = true
	}
	for _, g := range want.Groups {
		if !have[g] {
			return false
		}
	}
	for _, h := range want.Hosts {
		if c.VerifyHostname(h) != nil {
			return false
		}
	}
	return true
}

func newKey() (*ecdsa.PrivateKey, []byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, nil, err
	}
	return key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), nil
}

func parseKey(raw []byte) (*ecdsa.PrivateKey, error) {
	block, _ := pem.Decode(raw)
	if block == nil {
		return nil, errors.New("no PEM block in the key file")
	}
	return x509.ParseECPrivateKey(block.Bytes)
}

// writeFile replaces file atomically, so that a crash leaves either the old or the new file.
func writeFile(file string, raw []byte) error {
	tmp := file + ".new"
	if err := os.WriteFile(tmp, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
