// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/testkit/redisserver"
)

// TestLeastPermissions uses a Redis whose user has the documented permissions and no others.
func TestLeastPermissions(t *testing.T) {
	acl := append([]string{"--user", "reelops", "on", ">secret", "resetkeys", "-@all"}, strings.Fields(Permissions)...)
	server := redisserver.Start(t, append(acl, "--user", "default", "off")...)
	r := newReplica(t, "redis://reelops@"+server.Addr+"/3"+patient, "secret", Ceilings{Generation: {2, time.Hour}})
	_, ticket := r.Take(t.Context(), Generation, "key")
	ticket.Return(t.Context())
	if n := r.takes(t, 3, "key"); n != 2 || !r.shares() || r.alone() != 0 {
		t.Errorf("%d of 2 requests were accepted, up %t, %d local decisions: %s",
			n, r.shares(), r.alone(), r.said.lines())
	}
}

// TestTLS connects to a server with an untrusted certificate: only explicit configuration accepts it.
func TestTLS(t *testing.T) {
	cert, key := selfSigned(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	_, port, _ := net.SplitHostPort(address)
	redisserver.Start(t, "--tls-port", port, "--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert, "--tls-auth-clients", "no")

	trusting := newReplica(t, "rediss://"+address+patient+"&skip_verify=true", "", Ceilings{Generation: {2, time.Hour}})
	if n := trusting.takes(t, 3, "key"); n != 2 || !trusting.shares() {
		t.Errorf("%d of 2 requests were accepted, up %t: %s", n, trusting.shares(), trusting.said.lines())
	}
	careful := newReplica(t, "rediss://"+address+patient, "", Ceilings{Generation: {2, time.Hour}})
	if careful.shares() || !strings.Contains(careful.said.lines()[0], "certificate") {
		t.Errorf("a self-signed certificate was accepted: %s", careful.said.lines())
	}
}

// selfSigned writes a certificate of 127.0.0.1 and its key.
func selfSigned(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", cert), write("key.pem", "PRIVATE KEY", key)
}
