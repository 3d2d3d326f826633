// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/testkit/authority"
)

// quickWeb does not wait between attempts.
func quickWeb() *web {
	w := newWeb(slog.New(slog.DiscardHandler), nil)
	w.pause = 1
	return w
}

func TestGet(t *testing.T) {
	for name, tc := range map[string]struct {
		answers []int // status of each attempt; the last one repeats
		calls   int32
		ok      bool
	}{
		"the first attempt succeeds":            {[]int{200}, 1, true},
		"succeeds after two temporary failures": {[]int{503, 429, 200}, 3, true},
		"never":                                 {[]int{500}, attempts, false},
		"forbidden":                             {[]int{403}, 1, false},
		"does not follow redirects":             {[]int{302}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := int(calls.Add(1))
				w.Header().Set("Location", "http://"+r.Host+"/elsewhere")
				w.WriteHeader(tc.answers[min(n, len(tc.answers))-1])
				io.WriteString(w, "hello")
			}))
			defer s.Close()
			got, err := quickWeb().get(t.Context(), s.URL+"/?"+signature, 5)
			if calls.Load() != tc.calls || (err == nil) != tc.ok || tc.ok && string(got) != "hello" {
				t.Errorf("got %d calls, %q, %v; want %d calls", calls.Load(), got, err, tc.calls)
			}
			if err != nil && strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("the error contains the signature: %v", err)
			}
		})
	}
}

func TestErrors_ContainNoURL(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	address := s.URL + "/?" + signature
	s.Close() // the listener is closed
	_, err := quickWeb().get(t.Context(), address, 5)
	if err == nil || strings.Contains(err.Error(), "s3cr3t") {
		t.Errorf("got %v, want an error without the signature", err)
	}
}

func TestDownload_AbortsOnAStall(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "first bytes")
		w.(http.Flusher).Flush()
		<-release
	}))
	defer s.Close()
	defer close(release)
	w := quickWeb()
	w.stall = time.Millisecond
	_, err := w.get(t.Context(), s.URL, 1000)
	if err == nil || !strings.Contains(err.Error(), "no progress") {
		t.Errorf("got %v, want an error about the stall", err)
	}
}

func TestDownload_DeletesAPartialFile(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "breaks off") // fewer bytes than promised
	}))
	defer s.Close()
	path := filepath.Join(t.TempDir(), "file")
	err := quickWeb().download(t.Context(), s.URL, 1000, path, sha256.New())
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want an error about the truncated transfer", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("the partial file was not deleted")
	}
}

// TestProgressNeitherBlocksNorFloods uses a listener that never responds.
func TestProgressNeitherBlocksNorFloods(t *testing.T) {
	var calls atomic.Int32
	arrived, release := make(chan struct{}, 100), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(release)
	p := newProgress(quickWeb(), s.URL, time.Now)
	for n := range 1000 {
		p.set(n, 1000)
	}
	<-arrived
	for n := range 1000 {
		p.set(n, 1000)
	}
	if r := p.report(); r.Frame != 999 || r.Percent != 99 {
		t.Errorf("report %+v, want the furthest frame", r)
	}
	p.close() // returns although the listener has not responded
	if n := calls.Load(); n != 1 {
		t.Errorf("got %d reports within an interval, want 1", n)
	}
}

func TestRetryEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	w := quickWeb()
	w.pause = time.Hour
	err := w.retry(ctx, "thing", "http://host", func(context.Context) error {
		stop(errStopped)
		return io.ErrUnexpectedEOF
	})
	if !errors.Is(err, errStopped) {
		t.Errorf("got %v, want %v", err, errStopped)
	}
}

func TestCA_IsTrustedBesideTheSystems(t *testing.T) {
	dir := t.TempDir()
	a := authority.New(t)
	a.Issue(t, dir)
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}}
	s.StartTLS()
	defer s.Close()
	for ca, trusted := range map[string]bool{"": false, string(a.PEM()): true, string(authority.New(t).PEM()): false} {
		env := map[string]string{"REELOPS_ORDER_URL": s.URL, "REELOPS_CA": ca}
		o, err := readOptions(nil, func(name string) string { return env[name] }, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newWeb(slog.New(slog.DiscardHandler), o.authorities).once().get(t.Context(), s.URL, 5); (err == nil) != trusted {
			t.Errorf("with the authorities %.40q: %v, want trusted %v", ca, err, trusted)
		}
	}
	env := map[string]string{"REELOPS_ORDER_URL": s.URL, "REELOPS_CA": "hello"}
	if _, err := readOptions(nil, func(name string) string { return env[name] }, io.Discard); err == nil {
		t.Error("a text without a certificate is accepted")
	}
}
