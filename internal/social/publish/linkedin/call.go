// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/reelops/reelops/internal/social/publish"
)

// call is one call of the API. The path includes the query: LinkedIn's own brackets, commas and colons in it are not
// escaped.
type call struct {
	method, path, token string
	// finder reports whether the query names one of the resource's finders.
	finder bool
	body   any
	// publishes reports whether the call may publish: if its outcome is unknown, the error is Ambiguous.
	publishes bool
}

// request sends a call and decodes the response. Its errors are *publish.Error, except for a body that cannot be encoded
// and an invalid address.
func (p *Platform) request(ctx context.Context, c call, into any) (*publish.Answer, error) {
	var body []byte
	if c.body != nil {
		var err error
		if body, err = encode(c.body); err != nil {
			return nil, err
		}
	}
	req, err := publish.Once(ctx, c.method, p.c.APIBase+c.path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/json")
	if strings.HasPrefix(c.path, "/rest/") {
		req.Header.Set("LinkedIn-Version", p.c.Version)
		req.Header.Set("X-Restli-Protocol-Version", "2.0.0")
	}
	if c.finder {
		req.Header.Set("X-RestLi-Method", "FINDER")
	}
	if c.method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	a, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return nil, transportError(err, c.publishes)
	}
	if a.Status < 200 || a.Status > 299 {
		return nil, refused(a, c.publishes, p.c.Clock.Now())
	}
	if into != nil && json.Unmarshal(a.Body, into) != nil {
		return nil, inconclusive(c.publishes)
	}
	return a, nil
}

func (p *Platform) get(ctx context.Context, token, path string, into any) error {
	_, err := p.request(ctx, call{method: http.MethodGet, path: path, token: token}, into)
	return err
}

func (p *Platform) find(ctx context.Context, token, path string, into any) error {
	_, err := p.request(ctx, call{method: http.MethodGet, path: path, token: token, finder: true}, into)
	return err
}

// encode returns JSON without HTML escaping: < and & in a text are not changed.
func encode(v any) ([]byte, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}
