// SPDX-License-Identifier: Apache-2.0

package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	testclock "k8s.io/utils/clock/testing"

	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/store/blob"
)

// served opens a folder store whose signed URLs point to a real server.
func served(t *testing.T) (*blob.Store, string) {
	t.Helper()
	st, dir, _ := servedWithClock(t)
	return st, dir
}

func servedWithClock(t *testing.T) (*blob.Store, string, *testclock.FakePassiveClock) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "blobs")
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	clk := testclock.NewFakePassiveClock(time.Now())
	s, err := blob.Open(t.Context(), blob.Config{URL: "file://" + dir, BaseURL: srv.URL, SigningKey: bytes.Repeat([]byte{7}, 32), Clock: clk})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	mux.Handle(blob.HandlerPath, s.Handler(100))
	return s, dir, clk
}

func do(t *testing.T, method, url, contentType, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

func TestSignedURL_RoundTrip(t *testing.T) {
	s, _ := served(t)
	for _, key := range []string{
		"shorts/acme/0b1c2d3e-0000-4000-8000-000000000001/preview_1.mp4", "shorts/a b/ünï/film.mp4", "a:b/100%25+1?x=1&y#z.mp4", "~.mp4",
	} {
		put, _, err := s.SignedPut(t.Context(), key, "video/mp4", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if code, body := do(t, http.MethodPut, put, "video/mp4", "film"); code != http.StatusNoContent {
			t.Fatalf("PUT %s: %d %s", put, code, body)
		}
		get, err := s.SignedGet(t.Context(), key, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if code, body := do(t, http.MethodGet, get, "", ""); code != http.StatusOK || body != "film" {
			t.Errorf("GET %s: %d %q", get, code, body)
		}
		if n, err := s.Size(t.Context(), key); err != nil || n != 4 {
			t.Errorf("%s: got size %d, %v", key, n, err)
		}
	}
}

func TestSignedURL_RejectedRequests(t *testing.T) {
	s, _ := served(t)
	ctx := t.Context()
	if err := s.Put(ctx, "a.png", "image/png", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	get, _ := s.SignedGet(ctx, "a.png", time.Minute)
	put, _, _ := s.SignedPut(ctx, "b.png", "image/png", time.Minute)
	gone, _ := s.SignedGet(ctx, "gone.png", time.Minute)
	for _, c := range []struct {
		why, method, url, contentType, body string
		want                                int
	}{
		{"another key under the same signature", "GET", strings.Replace(get, "a.png", "b.png", 1), "", "", 403},
		{"no signature", "GET", strings.SplitN(get, "?", 2)[0], "", "", 403},
		{"read URL used for writing", "PUT", get, "image/png", "y", 403},
		{"write URL used for reading", "GET", put, "", "", 403},
		{"another content type than signed", "PUT", put, "text/html", "y", 403},
		{"above the maximum size", "PUT", put, "image/png", strings.Repeat("y", 101), 413},
		{"missing object", "GET", gone, "", "", 404},
	} {
		t.Run(c.why, func(t *testing.T) {
			if code, body := do(t, c.method, c.url, c.contentType, c.body); code != c.want {
				t.Errorf("got %d %q, want %d", code, body, c.want)
			}
		})
	}
	if ok, _ := s.Exists(ctx, "b.png"); ok {
		t.Error("a rejected write left an object")
	}
}

func TestSignedURL_Expires(t *testing.T) {
	s, _, clk := servedWithClock(t)
	if err := s.Put(t.Context(), "a.png", "image/png", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	get, _ := s.SignedGet(t.Context(), "a.png", time.Minute)
	if code, _ := do(t, http.MethodGet, get, "", ""); code != http.StatusOK {
		t.Fatalf("before the expiry: got %d", code)
	}
	clk.SetTime(clk.Now().Add(2 * time.Minute))
	if code, _ := do(t, http.MethodGet, get, "", ""); code != http.StatusForbidden {
		t.Errorf("after the expiry: got %d", code)
	}
}

func TestPut_BrokenWriteLeavesNothing(t *testing.T) {
	s, dir := served(t)
	broken := io.MultiReader(strings.NewReader("half"), errReader{})
	if err := s.Put(t.Context(), "half.png", "image/png", broken); err == nil {
		t.Fatal("a broken write returned no error")
	}
	if _, err := s.Get(t.Context(), "half.png"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("the partial object exists: %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

// An input that fails before its end is the caller's fault and must not count as a failure of the store.
func TestPut_BrokenSourceIsNoFailureOfTheStore(t *testing.T) {
	s, dir := served(t)
	failed := testutil.ToFloat64(metric.StoreCalls.WithLabelValues("put", "failed"))
	if err := s.Put(t.Context(), "a", "image/png", iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
	if n := testutil.ToFloat64(metric.StoreCalls.WithLabelValues("put", "failed")) - failed; n != 0 {
		t.Errorf("got %v failures of the store", n)
	}
	if err := os.Mkdir(filepath.Join(dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "a", "image/png", strings.NewReader("whole")); err == nil {
		t.Error("a folder has the name")
	}
	if n := testutil.ToFloat64(metric.StoreCalls.WithLabelValues("put", "failed")) - failed; n != 1 {
		t.Errorf("got %v failures of the store", n)
	}
}

func TestOpen_SweepsUnfinishedWrites(t *testing.T) {
	dir := t.TempDir()
	old, young := filepath.Join(dir, "a.png.17f.tmp"), filepath.Join(dir, "b.png.18f.tmp")
	for _, p := range []string{old, young} {
		if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	s, err := blob.Open(context.Background(), blob.Config{URL: "file://" + dir, BaseURL: "http://127.0.0.1", SigningKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("an old unfinished file is left")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error("a file that may still be written was deleted")
	}
}

func TestDeletePrefix(t *testing.T) {
	s, _ := served(t)
	for _, k := range []string{"x/1", "x/2", "xy/1"} {
		if err := s.Put(t.Context(), k, "", strings.NewReader("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeletePrefix(t.Context(), "x/"); err != nil {
		t.Fatal(err)
	}
	for k, want := range map[string]bool{"x/1": false, "x/2": false, "xy/1": true} {
		if ok, _ := s.Exists(t.Context(), k); ok != want {
			t.Errorf("%s exists: %v", k, ok)
		}
	}
}

func TestOpenRange(t *testing.T) {
	s, _ := served(t)
	if err := s.Put(t.Context(), "a", "", strings.NewReader("0123456789")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		offset, n int64
		want      string
	}{{0, 10, "0123456789"}, {3, 4, "3456"}, {8, 5, "89"}, {9, 1, "9"}, {4, -1, "456789"}} {
		r, err := s.OpenRange(t.Context(), "a", c.offset, c.n)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if string(got) != c.want || err != nil {
			t.Errorf("%d bytes from %d: got %q, %v; want %q", c.n, c.offset, got, err, c.want)
		}
		_ = r.Close()
	}
	if _, err := s.OpenRange(t.Context(), "b", 0, 1); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a missing object: got %v", err)
	}
}

type errReader struct{}

func (errReader) Read([]byte) (int, error) { return 0, errors.New("the line broke") }
