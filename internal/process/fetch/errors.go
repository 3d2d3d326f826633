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

// ReasonForbidden is the machine-readable reason for a URL that callers may not access.
const ReasonForbidden = "forbidden_address"

// Errors that callers can distinguish.
var (
	// ErrForbidden means that callers may not access the URL. It is permanent.
	ErrForbidden = errors.New("the address is not allowed")
	// ErrTooLarge means that the file exceeds the limit. It is permanent.
	ErrTooLarge = errors.New("the file is too large")
	// ErrTooSlow means that the server did not respond, or did not send the file, in time.
	ErrTooSlow = errors.New("the server is too slow")
	// ErrUnreachable means that there is no server, or that the connection to it failed.
	ErrUnreachable = errors.New("the server cannot be reached")
	// ErrUnknownHost means that the name in the URL has no address.
	ErrUnknownHost = errors.New("the name has no address")
	// ErrUnusable means that the server's response contains no usable file.
	ErrUnusable = errors.New("the response cannot be used")
)

// StatusError is a response status other than 200.
type StatusError int

func (e StatusError) Error() string { return fmt.Sprintf("the server answered %d", int(e)) }

// fault is one of the errors above with a short reason. Neither contains a resolved address.
type fault struct {
	kind error
	why  string
}

func (f *fault) Error() string { return f.kind.Error() + ": " + f.why }

func (f *fault) Unwrap() error { return f.kind }

func forbidden(why string) error { return &fault{ErrForbidden, why} }

// converted converts an error of net/http to an error of this package. The original texts contain addresses, and whole URLs
// with their signatures, so they are dropped.
func converted(ctx context.Context, err error) error {
	var own *fault
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled // the caller canceled the request
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &fault{ErrTooSlow, "it did not respond in time"}
	case errors.As(err, &dns) && dns.IsNotFound:
		return ErrUnknownHost
	case errors.As(err, &dns):
		return &fault{ErrUnreachable, "its name could not be resolved"}
	case errors.As(err, &certificate):
		return &fault{ErrUnreachable, "it has no certificate for this name that can be trusted"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &fault{ErrUnusable, "it ended before the end of the file"}
	}
	return &fault{ErrUnreachable, "the connection failed"}
}
