// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// id is an identifier of 17 digits. Instagram sends it as a string or as a number too large for a float.
type id string

func (i *id) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*i = id(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	if strings.ContainsAny(n.String(), ".eE-") {
		return fmt.Errorf("%s is not an identifier", n)
	}
	*i = id(n.String())
	return nil
}

// list is a list of strings. Instagram sends it as an array or as one comma-separated string.
type list []string

func (l *list) UnmarshalJSON(b []byte) error {
	var a []string
	if err := json.Unmarshal(b, &a); err == nil {
		*l = a
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*l = nil
	for _, v := range strings.Split(s, ",") {
		if v = strings.TrimSpace(v); v != "" {
			*l = append(*l, v)
		}
	}
	return nil
}

// one decodes an object that is sent flat or as the only element of data.
func one(body []byte, into any) error {
	var w struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return err
	}
	if len(w.Data) > 0 {
		body = w.Data[0]
	}
	return json.Unmarshal(body, into)
}

type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	ExpiresIn   int64  `json:"expires_in"`
	Permissions list   `json:"permissions"`
}

type meAnswer struct {
	UserID      id     `json:"user_id"`
	Username    string `json:"username"`
	Name        string `json:"name"`
	AccountType string `json:"account_type"`
	Picture     string `json:"profile_picture_url"`
}

type totalsAnswer struct {
	Followers *int64 `json:"followers_count"`
	Media     *int64 `json:"media_count"`
}

// insightsAnswer holds metrics by name. A metric without data has no values or is absent.
type insightsAnswer struct {
	Data []metric `json:"data"`
}

type metric struct {
	Name   string  `json:"name"`
	Values []value `json:"values"`
	Total  *value  `json:"total_value"`
}

// number returns the only value of a metric; nil if there is none.
func (m *metric) number() *int64 {
	switch {
	case len(m.Values) > 0:
		return m.Values[0].number()
	case m.Total != nil:
		return m.Total.number()
	}
	return nil
}

type value struct {
	Value json.RawMessage `json:"value"`
}

// number returns the value as an integer; nil if it is not an integer.
func (v *value) number() *int64 {
	var n int64
	if len(v.Value) == 0 || string(v.Value) == "null" || json.Unmarshal(v.Value, &n) != nil {
		return nil
	}
	return &n
}

type idAnswer struct {
	ID id `json:"id"`
}

type containerAnswer struct {
	StatusCode string `json:"status_code"`
	Status     string `json:"status"`
}

type limitAnswer struct {
	QuotaUsage int `json:"quota_usage"`
	Config     struct {
		QuotaTotal    int   `json:"quota_total"`
		QuotaDuration int64 `json:"quota_duration"`
	} `json:"config"`
}

// media is a post as the account shows it.
type media struct {
	ID          id     `json:"id"`
	Caption     string `json:"caption"`
	Permalink   string `json:"permalink"`
	Timestamp   stamp  `json:"timestamp"`
	MediaType   string `json:"media_type"`
	ProductType string `json:"media_product_type"`
	// Likes are absent if the owner hides them. Both metrics are absent if they were not requested.
	Likes    *int64 `json:"like_count"`
	Comments *int64 `json:"comments_count"`
	// Thumbnail is set for a video. MediaURL is the video or the image itself; for a carousel, the first one.
	Thumbnail string `json:"thumbnail_url"`
	MediaURL  string `json:"media_url"`
}

type mediaPage struct {
	Data   []media `json:"data"`
	Paging struct {
		Cursors struct {
			After string `json:"after"`
		} `json:"cursors"`
		Next string `json:"next"`
	} `json:"paging"`
}

// stamp is a time in the API's format: 2026-08-01T07:00:00+0000.
type stamp struct{ time.Time }

func (s *stamp) UnmarshalJSON(b []byte) error {
	var v string
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	for _, layout := range []string{"2006-01-02T15:04:05-0700", time.RFC3339} {
		if t, err := time.Parse(layout, v); err == nil {
			s.Time = t.UTC()
			return nil
		}
	}
	return errors.New("a time is not like 2026-08-01T07:00:00+0000")
}

// get reads a response into a value.
func (p *Platform) get(ctx context.Context, token, path string, q url.Values, into func([]byte) error) error {
	a, err := p.read(ctx, token, path, q)
	if err != nil {
		return err
	}
	if err := into(a.Body); err != nil {
		return unreadable(err, reading)
	}
	return nil
}

// read sends a GET request. The token is in a header, so that no address contains it.
func (p *Platform) read(ctx context.Context, token, path string, q url.Values) (*publish.Answer, error) {
	address := p.c.GraphBase + "/" + path
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	req, err := publish.Once(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, misconfigured(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return p.do(req, reading)
}

// post sends a JSON object.
func (p *Platform) post(ctx context.Context, token, path string, what call, body, into any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return fmt.Errorf("writing the request: %w", err)
	}
	req, err := publish.Once(ctx, http.MethodPost, p.c.GraphBase+"/"+path, buf.Bytes())
	if err != nil {
		return misconfigured(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	a, err := p.do(req, what)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(a.Body, into); err != nil {
		return unreadable(err, what)
	}
	return nil
}

// do sends one request and classifies the response. A body with an error object is a failure regardless of the status.
func (p *Platform) do(req *http.Request, what call) (*publish.Answer, error) {
	req.Header.Set("Accept", "application/json")
	a, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return nil, unanswered(err, what)
	}
	if e := classify(a, what, p.c.Clock.Now()); e != nil {
		return nil, e
	}
	return a, nil
}

// versioned returns the path of a versioned call.
func (p *Platform) versioned(parts ...string) string {
	out := p.c.Version
	for _, s := range parts {
		out += "/" + url.PathEscape(s)
	}
	return out
}
