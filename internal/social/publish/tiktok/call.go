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

// call is one call of the API.
type call struct {
	method, path string
	fields       string // of the query
	token        string
	body         any
	// publishes says that the call may publish: where its outcome is not known the error is Ambiguous, otherwise Transient.
	publishes bool
}

// ask makes a call and decodes the data of its answer into what is given. Its errors are *publish.Error.
func (p *Platform) ask(ctx context.Context, c call, into any) error {
	address := *p.api
	address.Path += c.path
	if c.fields != "" {
		address.RawQuery = url.Values{"fields": {c.fields}}.Encode()
	}
	var body bytes.Buffer
	if c.body != nil {
		e := json.NewEncoder(&body)
		e.SetEscapeHTML(false) // texts go out as they are
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
		return unanswered(err, c.publishes)
	}
	var e envelope
	readable := json.Unmarshal(a.Body, &e) == nil && e.Error != nil
	if !readable || e.Error.Code != codeOK || a.Status < 200 || a.Status > 299 {
		var said *apiError
		if readable {
			said = e.Error
		}
		return p.refused(a, said, c)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(e.Data, into); err != nil {
		return unclear(c.publishes, errors.New("the data of the answer cannot be read"))
	}
	return nil
}

// unanswered is the error of a call that got no whole answer.
func unanswered(err error, publishes bool) *publish.Error {
	var unsent *publish.Unsent
	if errors.As(err, &unsent) {
		return &publish.Error{Kind: publish.Transient, Safe: "TikTok could not be reached.", Err: err}
	}
	if publishes {
		return &publish.Error{Kind: publish.Ambiguous, Safe: "TikTok's answer was lost: whether the post went out is not known yet.", Err: err}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "TikTok did not answer.", Err: err}
}

// unclear is the error of an answer that does not say what happened.
func unclear(publishes bool, err error) *publish.Error {
	if publishes {
		return &publish.Error{Kind: publish.Ambiguous, Safe: "TikTok's answer does not tell whether the post went out.", Err: err}
	}
	return &publish.Error{Kind: publish.Transient, Safe: "TikTok's answer could not be understood.", Err: err}
}
