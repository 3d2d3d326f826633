// SPDX-License-Identifier: Apache-2.0

package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/reelops/reelops/internal/textgen"
)

// failure makes the port's error of whatever a call ended with. Server texts stay out of it: they may repeat the request.
func (w *Writer) failure(err error) error {
	var api *sdk.Error
	switch {
	case errors.Is(err, errRefused):
		return textgen.Fail("The language model refused to write about this context", false, err)
	case errors.Is(err, errRedirect):
		return textgen.Fail("The address of the language model leads elsewhere", false, errRedirect)
	case errors.Is(err, context.Canceled):
		return textgen.Fail("Writing was stopped", true, context.Canceled)
	case errors.Is(err, context.DeadlineExceeded):
		return textgen.Fail("The language model took too long", true, context.DeadlineExceeded)
	case errors.As(err, &api):
		cause := fmt.Errorf("status %d, type %q, code %q", api.StatusCode, w.redact(clip(api.Type, 80)), w.redact(clip(api.Code, 80)))
		switch s := api.StatusCode; {
		case s == http.StatusTooManyRequests:
			return textgen.Fail("The language model is busy", true, cause)
		case s == http.StatusUnauthorized || s == http.StatusForbidden:
			return textgen.Fail("The language model does not accept the configured key", false, cause)
		case s == http.StatusRequestTimeout || s >= http.StatusInternalServerError:
			return textgen.Fail("The language model is not available", true, cause)
		}
		return textgen.Fail("The language model does not accept the request", false, cause)
	}
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err // without the address
	}
	return textgen.Fail("The language model could not be reached or understood", true, errors.New(w.redact(clip(err.Error(), 300))))
}

func (w *Writer) redact(s string) string {
	if w.key == "" {
		return s
	}
	return strings.ReplaceAll(s, w.key, "[key]")
}

var errRedirect = errors.New("the server answered with a redirect")

// limited ends a response that is far larger than any answer.
type limited struct{ next http.RoundTripper }

func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err == nil && res.StatusCode >= 300 && res.StatusCode < 400 {
		_ = res.Body.Close()
		return nil, errRedirect // a key must not travel to where nobody sent it
	}
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxAnswer), res.Body}
	}
	return res, err
}
