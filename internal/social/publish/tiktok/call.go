// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/reelops/reelops/internal/social/publish"
)

// call is one request to the API.
type call struct {
	method, path string
	fields       string // query parameter
	token        string
	body         any
	// publishes reports whether the call may publish. If it is set, an unknown outcome is an Ambiguous error, otherwise
	// a Transient one.
	publishes bool
}

// send sends a call and decodes the data of the response into the given value. Errors are *publish.Error, except for a
// body that cannot be encoded and an invalid address.
func (p *Platform) send(ctx context.Context, c call, into any) error {
	address := *p.api
	address.Path += c.path
	if c.fields != "" {
		address.RawQuery = url.Values{"fields": {c.fields}}.Encode()
	}
	var body bytes.Buffer
	if c.body != nil {
		e := json.NewEncoder(&body)
		e.SetEscapeHTML(false) // texts are sent unescaped
		if err := e.Encode(c.body); err != nil {
			return err
		}
	}
	req, err := publish.Once(ctx, c.method, address.String(), body.Bytes())
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/json")
	if c.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json; charset=UTF-8")
	}
	a, err := publish.Do(p.http, req)
	if err != nil {
		return transportError(err, c.publishes)
	}
	var e envelope
	readable := json.Unmarshal(a.Body, &e) == nil && e.Error != nil
	if !readable || e.Error.Code != codeOK || a.Status < 200 || a.Status > 299 {
		var apiErr *apiError
		if readable {
			apiErr = e.Error
		}
		return p.refused(a, apiErr, c)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(e.Data, into); err != nil {
		return inconclusive(c.publishes, errors.New("the data of the answer cannot be read"))
	}
	return nil
}

// transportError returns the error of a call that received no complete response.
func transportError(err error, publishes bool) *publish.Error {
	var unsent *publish.Unsent
	if errors.As(err, &unsent) {
		return &publish.Error{Kind: publish.Transient, Safe: "TikTok could not be reached.", Err: err}
	}
	if publishes {
		return &publish.Error{Kind: publish.Ambiguous, Safe: "TikTok's response was lost: the outcome of the post is not known yet.", Err: err}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "TikTok did not respond.", Err: err}
}

// inconclusive returns the error of a response that does not show whether the call succeeded.
func inconclusive(publishes bool, err error) *publish.Error {
	if publishes {
		return &publish.Error{Kind: publish.Ambiguous, Safe: "TikTok's response does not show whether the post was published.", Err: err}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "TikTok's response is invalid.", Err: err}
}
