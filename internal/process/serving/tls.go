// SPDX-License-Identifier: Apache-2.0

package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"

	certutil "k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
)

// Files are the paths of a certificate, with its intermediate authorities, and of its key, in PEM. The zero value has
// none.
type Files struct{ Cert, Key string }

// Flags adds the flags PREFIXtls-cert-file and PREFIXtls-key-file. The purpose completes "certificate of".
func (f *Files) Flags(set *flag.FlagSet, prefix, purpose string) {
	set.StringVar(&f.Cert, prefix+"tls-cert-file", "", "PEM file with the certificate of "+purpose)
	set.StringVar(&f.Key, prefix+"tls-key-file", "", "PEM file with the key of --"+prefix+"tls-cert-file; both are reloaded when they change")
}

// Set reports whether there is a certificate.
func (f Files) Set() bool { return f.Cert != "" }

// Check returns an error unless both files are named or neither is.
func (f Files) Check() error {
	if (f.Cert == "") != (f.Key == "") {
		return errors.New("a certificate needs its key: set both files or neither")
	}
	return nil
}

// Watch returns a configuration that serves the certificate of the files. Until the context ends it reloads them when
// they change, and at least every 10 s. A pair that cannot be read is logged, and the previous one stays in use. The
// first pair must be readable.
func Watch(ctx context.Context, f Files, log *slog.Logger) (*tls.Config, error) {
	w, err := certwatcher.New(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate %s: %w", f.Cert, err)
	}
	go func() {
		if err := w.Start(ctx); err != nil && ctx.Err() == nil {
			log.Error("watching the certificate failed: restart the program after its next change", "file", f.Cert, "error", err.Error())
		}
	}()
	c := base()
	c.GetCertificate = w.GetCertificate
	return c, nil
}

// SelfSigned returns a configuration with a certificate for localhost that exists only in this process.
func SelfSigned() (*tls.Config, error) {
	cert, key, err := certutil.GenerateSelfSignedCertKeyWithFixtures("localhost", []net.IP{{127, 0, 0, 1}}, nil, "")
	if err != nil {
		return nil, fmt.Errorf("creating a self-signed certificate: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("creating a self-signed certificate: %w", err)
	}
	c := base()
	c.Certificates = []tls.Certificate{pair}
	return c, nil
}

// base returns the configuration that all listeners share. They use HTTP/1.1, because the limits on connections and
// time apply to it.
func base() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
}
