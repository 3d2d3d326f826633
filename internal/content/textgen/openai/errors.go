// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"context"
	"errors"
	"net"
	"net/http"

	sdk "github.com/openai/openai-go/v3"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/process/modelapi"
)

// failure returns the *textgen.Error for the error of a call. It excludes texts from the server, which may repeat the
// request.
func (w *Writer) failure(err error) error {
	var api *sdk.Error
	switch {
	case errors.Is(err, errRefused):
		return textgen.Fail("The language model refused to write about this context", false, err)
	case errors.Is(err, modelapi.ErrRedirect):
		return textgen.Fail("The URL of the language model redirects", false, modelapi.ErrRedirect)
	case errors.Is(err, context.Canceled):
		return textgen.Fail("Text generation was stopped", true, context.Canceled)
	case unreached(err):
		return textgen.NotReady("The server of the language model cannot be reached", w.server.Unreached(err))
	case errors.Is(err, context.DeadlineExceeded):
		return textgen.Fail("The language model took too long", true, context.DeadlineExceeded)
	case errors.As(err, &api):
		cause := w.server.Answered(api)
		switch s := api.StatusCode; {
		case s == http.StatusNotFound:
			return textgen.NotReady("The server does not serve the language model, or not yet", cause)
		case s == http.StatusServiceUnavailable:
			return textgen.NotReady("The language model is being loaded, or its server is overloaded", cause)
		case s == http.StatusTooManyRequests:
			return textgen.Fail("The language model is busy", true, cause)
		case s == http.StatusUnauthorized || s == http.StatusForbidden:
			return textgen.Fail("The language model does not accept the configured key", false, cause)
		case s == http.StatusRequestTimeout || s >= http.StatusInternalServerError:
			return textgen.Fail("The language model is not available", true, cause)
		}
		return textgen.Fail("The language model does not accept the request", false, cause)
	}
	return textgen.Fail("The language model could not be reached or returned an invalid response", true, w.server.Unreached(err))
}

// unreached reports whether a call failed before a connection existed, so that the model received nothing.
func unreached(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &dns) || errors.As(err, &op) && op.Op == "dial"
}
