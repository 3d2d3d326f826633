// SPDX-License-Identifier: Apache-2.0

package fetch_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/process/fetch"
)

func TestPost(t *testing.T) {
	inner := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if string(body) != "hello" || r.Header.Get("X-Test") != "1" || r.Method != http.MethodPost {
			t.Errorf("got %s %q, %v", r.Method, body, r.Header)
		}
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/inner", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/inner", func(http.ResponseWriter, *http.Request) { inner++ })
	mux.HandleFunc("/close", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices a closed connection only after the body
		<-r.Context().Done()
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	for _, c := range []struct {
		path    string
		timeout time.Duration
		code    int
		err     error
	}{
		{"/ok", time.Minute, http.StatusAccepted, nil},
		{"/redirect", time.Minute, http.StatusTemporaryRedirect, nil},
		{"/close", time.Minute, 0, fetch.ErrUnreachable},
		{"/slow", 200 * time.Millisecond, 0, fetch.ErrTooSlow},
	} {
		code, err := fetch.New(c.timeout, host).Post(t.Context(), server.URL+c.path, http.Header{"X-Test": {"1"}}, []byte("hello"))
		if code != c.code || !errors.Is(err, c.err) {
			t.Errorf("%s: got %d, %v, want %d, %v", c.path, code, err, c.code, c.err)
		}
	}
	if inner > 0 {
		t.Error("a redirect was followed")
	}
	for _, url := range []string{server.URL + "/ok", "https://127.0.0.1/", "https://[::1]/", "https://localhost/", "https://169.254.169.254/", "ftp://example.com/"} {
		if _, err := fetch.New(time.Minute).Post(t.Context(), url, nil, nil); !errors.Is(err, fetch.ErrForbidden) {
			t.Errorf("%s: got %v, want ErrForbidden", url, err)
		}
	}
}
