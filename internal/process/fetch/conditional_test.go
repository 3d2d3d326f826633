// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestGetIfModified(t *testing.T) {
	const modified = "Sun, 01 Mar 2026 00:00:00 GMT"
	w := play(t, func(rw http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/from", "/inward":
			http.Redirect(rw, r, map[string]string{"/from": "/file", "/inward": "https://169.254.169.254/"}[r.URL.Path], http.StatusFound)
		case "/always":
			rw.WriteHeader(http.StatusNotModified)
		case "/long":
			rw.Header().Set("ETag", `"`+strings.Repeat("x", 2000)+`"`)
			_, _ = io.WriteString(rw, "a file")
		default:
			rw.Header().Set("ETag", `"1"`)
			rw.Header().Set("Last-Modified", modified)
			rw.Header().Set("Content-Type", "text/plain")
			if r.Header.Get("If-None-Match") == `"1"` || r.Header.Get("If-Modified-Since") == modified {
				rw.WriteHeader(http.StatusNotModified)
				return
			}
			_, _ = io.WriteString(rw, "a file")
		}
	})
	current := Validators{URL: "https://example.com/file", ETag: `"1"`, LastModified: modified}
	for _, c := range []struct {
		why, path string
		sent      Validators
		headers   string // those of the last request
		modified  bool
		want      Validators
		err       error
	}{
		{"the first request", "/file", Validators{}, "", true, current, nil},
		{"both validators", "/file", current, `"1" ` + modified, false, current, nil},
		{
			"the tag alone", "/file",
			Validators{URL: current.URL, ETag: `"1"`},
			`"1"`, false,
			Validators{URL: current.URL, ETag: `"1"`},
			nil,
		},
		{
			"the date alone", "/file",
			Validators{URL: current.URL, LastModified: modified},
			modified, false,
			Validators{URL: current.URL, LastModified: modified},
			nil,
		},
		{"an older tag", "/file", Validators{URL: current.URL, ETag: `"0"`}, `"0"`, true, current, nil},
		{"after a redirect", "/from", current, `"1" ` + modified, false, current, nil},
		{
			"validators of another URL", "/file",
			Validators{URL: "https://example.com/other", ETag: `"1"`},
			"", true, current,
			nil,
		},
		{
			"validators that would add a header", "/file",
			Validators{URL: current.URL, ETag: "\"1\"\r\nX: y"},
			"", true,
			current, nil,
		},
		{
			"validators that are too long", "/file",
			Validators{URL: current.URL, ETag: strings.Repeat("x", 2000)},
			"", true,
			current, nil,
		},
		{"a tag that is too long", "/long", Validators{}, "", true, Validators{URL: "https://example.com/long"}, nil},
		{"not modified without validators", "/always", Validators{}, "", false, Validators{}, StatusError(304)},
		{"a redirect inward", "/inward", current, "", false, Validators{}, ErrForbidden},
	} {
		d, err := w.client.GetIfModified(t.Context(), "https://example.com"+c.path, 1000, c.sent)
		if !errors.Is(err, c.err) || (d.Body != nil) != c.modified || d.Validators != c.want {
			t.Errorf("%s: got %+v, %v; want body %v, %+v, %v", c.why, d, err, c.modified, c.want, c.err)
		}
		w.mu.Lock()
		h := w.headers[len(w.headers)-1]
		w.mu.Unlock()
		if got := strings.TrimSpace(h.Get("If-None-Match") + " " + h.Get("If-Modified-Since")); got != c.headers {
			t.Errorf("%s: got headers %q, want %q", c.why, got, c.headers)
		}
		if d.Body == nil {
			continue
		}
		if all, err := io.ReadAll(d.Body); string(all) != "a file" || err != nil {
			t.Errorf("%s: got %q, %v", c.why, all, err)
		}
		_ = d.Body.Close()
	}
}
