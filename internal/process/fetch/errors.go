// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
)

// ReasonForbidden tells programs that a URL leads where callers may not look.
const ReasonForbidden = "forbidden_address"

// Errors a caller can tell apart.
var (
	// ErrForbidden says that the URL leads where callers may not look. It lasts.
	ErrForbidden = errors.New("the address is not allowed")
	// ErrTooLarge says that the file is over the limit. It lasts.
	ErrTooLarge = errors.New("the file is too large")
	// ErrTooSlow says that the server did not answer, or did not send the file, in the time there is.
	ErrTooSlow = errors.New("the server is too slow")
	// ErrUnreachable says that there is no server, or that the connection to it failed.
	ErrUnreachable = errors.New("the server cannot be reached")
	// ErrUnknownHost means that the name in the URL has no address.
	ErrUnknownHost = errors.New("the name has no address")
	// ErrUnusable says that the server's answer is none that a file could be taken from.
	ErrUnusable = errors.New("the answer cannot be used")
)

// StatusError is an answer other than 200.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprintf("the server answered %d", int(e)) }

// fault is one of the errors above with the reason in a few words. Neither names what a name was resolved to.
type fault struct {
	kind error
	why  string
}

func (f *fault) Error() string { return f.kind.Error() + ": " + f.why }

func (f *fault) Unwrap() error { return f.kind }

func forbidden(why string) error { return &fault{ErrForbidden, why} }

// told makes one of our errors of what net/http gave. The network's own words name addresses, and whole URLs with their
// signatures, so they go no further.
func told(ctx context.Context, err error) error {
	var own *fault
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled // whoever asked does not want it any more
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &fault{ErrTooSlow, "it did not answer in time"}
	case errors.As(err, &dns) && dns.IsNotFound:
		return ErrUnknownHost
	case errors.As(err, &dns):
		return &fault{ErrUnreachable, "its name could not be resolved"}
	case errors.As(err, &certificate):
		return &fault{ErrUnreachable, "it has no certificate for this name that can be trusted"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &fault{ErrUnusable, "it ended before the file did"}
	}
	return &fault{ErrUnreachable, "the connection failed"}
}
