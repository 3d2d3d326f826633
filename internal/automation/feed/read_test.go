// SPDX-License-Identifier: Apache-2.0

package feed_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/automation/feed"
	"github.com/reelops/reelops/internal/process/fetch"
)

const document = `<rss version="2.0"><channel><title>Tea</title>` +
	`<item><title>Green</title><link>green</link></item></channel></rss>`

// serve starts a server that the reader may read, although it is on this machine.
func serve(t *testing.T, timeout time.Duration, handler http.HandlerFunc) (*feed.Reader, string) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return feed.NewReader(fetch.New(timeout, strings.TrimPrefix(s.URL, "http://"))), s.URL
}

func TestRead_Conditional(t *testing.T) {
	var tag atomic.Value
	tag.Store(`"1"`)
	reader, address := serve(t, time.Minute, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/feed" {
			http.Redirect(w, r, "/moved/feed", http.StatusMovedPermanently)
			return
		}
		w.Header().Set("ETag", tag.Load().(string))
		if r.Header.Get("If-None-Match") == tag.Load() {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = io.WriteString(w, document)
	})
	first, err := reader.Read(t.Context(), address+"/feed", feed.State{})
	if err != nil || first.NotModified || len(first.Items) != 1 || first.Title != "Tea" {
		t.Fatalf("got %+v, %v", first, err)
	}
	if got, want := first.Items[0].Link, address+"/moved/green"; got != want {
		t.Errorf("got link %s, want %s", got, want)
	}
	if want := (feed.State{URL: address + "/moved/feed", ETag: `"1"`}); first.State != want {
		t.Errorf("got state %+v, want %+v", first.State, want)
	}
	second, err := reader.Read(t.Context(), address+"/feed", first.State)
	if err != nil || !second.NotModified || len(second.Items) != 0 || second.State != first.State {
		t.Errorf("got %+v, %v; want not modified", second, err)
	}
	tag.Store(`"2"`)
	third, err := reader.Read(t.Context(), address+"/feed", first.State)
	if err != nil || third.NotModified || third.State.ETag != `"2"` {
		t.Errorf("got %+v, %v; want the new feed", third, err)
	}
	// The state of another feed, after the URL was changed.
	other, err := reader.Read(t.Context(), address+"/other", third.State)
	if err != nil || other.NotModified {
		t.Errorf("got %+v, %v; want the other feed", other, err)
	}
}

func TestRead_Errors(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/inward":
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
		case "/loopback":
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		case "/file":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, strings.Repeat(" ", 64<<20))
			_ = z.Close()
		case "/large":
			w.Header().Set("Content-Length", fmt.Sprint(feed.MaxBytes+1))
		case "/endless":
			for line := strings.Repeat("<item/>", 1000); ; {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
		case "/slow":
			for _, b := range []byte(document) {
				_, _ = w.Write([]byte{b})
				w.(http.Flusher).Flush()
				select {
				case <-r.Context().Done():
					return
				case <-time.After(100 * time.Millisecond):
				}
			}
		case "/silent":
			<-r.Context().Done()
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, document)
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<!doctype html><title>a</title>")
		case "/empty":
		case "/broken":
			_, _ = io.WriteString(w, document[:90])
		default:
			status := 0
			_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
			w.WriteHeader(status)
		}
	}
	quick, address := serve(t, time.Second, handler)
	patient := feed.NewReader(fetch.New(time.Minute, strings.TrimPrefix(address, "http://")))
	for _, c := range []struct {
		path      string
		kind      feed.Kind
		retryable bool
		part      string
	}{
		{"/inward", feed.Forbidden, false, "is not allowed (only https is allowed): use a public https address."},
		{"/loopback", feed.Forbidden, false, "use a public https address."},
		{"/file", feed.Forbidden, false, "use a public https address."},
		{"/round", feed.Unusable, true, "cannot be used (it redirects too often): check the URL"},
		{"/bomb", feed.Unusable, true, "(it is compressed, which was not requested)"},
		{"/large", feed.TooLarge, false, "The feed is larger than 8 MiB: use a feed with fewer or shorter items."},
		{"/endless", feed.TooLarge, false, "The feed is larger than 8 MiB"},
		{"/slow", feed.TooSlow, true, "it is read again later"},
		{"/silent", feed.TooSlow, true, "it is read again later"},
		{"/cut", feed.Unusable, true, "(it ended before the end of the file)"},
		{"/page", feed.NotAFeed, false, "use the RSS or Atom address of the site."},
		{"/empty", feed.NotAFeed, false, "The server sent an empty document: check the address of the feed."},
		{"/broken", feed.Malformed, true, "ask its publisher to repair it"},
		{"/404", feed.NotFound, false, "The feed does not exist (status 404): use its new address."},
		{"/410", feed.NotFound, false, "(status 410)"},
		{"/401", feed.Denied, false, "(status 401): use a feed that is public."},
		{"/403", feed.Denied, false, "(status 403)"},
		{"/429", feed.Limited, true, "(status 429): it is read again later."},
		{"/304", feed.ServerError, true, "answered 304"},
		{
			"/500", feed.ServerError, true,
			"answered 500: it is read again later; if this persists, use another feed.",
		},
	} {
		t.Run(c.path, func(t *testing.T) {
			t.Parallel()
			reader := patient
			if c.kind == feed.TooSlow {
				reader = quick
			}
			_, err := reader.Read(t.Context(), address+c.path, feed.State{})
			failed, ok := errors.AsType[*feed.Error](err)
			if !ok || failed.Kind != c.kind || failed.Retryable() != c.retryable || !strings.Contains(failed.Error(), c.part) {
				t.Fatalf("got %v, want %s: %s", err, c.kind, c.part)
			}
			text := failed.Error()
			if !strings.HasSuffix(text, ".") || strings.Contains(text, "127.0.0.1") || strings.Contains(text, "169.254") {
				t.Errorf("got %q, want a sentence without an address", text)
			}
		})
	}
	guarded := feed.NewReader(fetch.New(time.Minute))
	for address, want := range map[string]feed.Kind{
		address: feed.Forbidden, "https://127.0.0.1/": feed.Forbidden, "https://localhost/": feed.Forbidden,
		"https://10.0.0.1/feed": feed.Forbidden, "https://metadata.internal/": feed.Forbidden, "feed": feed.Forbidden,
	} {
		_, err := guarded.Read(t.Context(), address, feed.State{})
		if failed, ok := errors.AsType[*feed.Error](err); !ok || failed.Kind != want {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
	}
}

func TestRead_UnreachableAndCancelled(t *testing.T) {
	reader, address := serve(t, time.Minute, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := reader.Read(ctx, address, feed.State{})
	if failed, ok := errors.AsType[*feed.Error](err); !ok || failed.Kind != feed.TooSlow {
		t.Errorf("a deadline of the caller: got %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err = reader.Read(ctx, address, feed.State{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: got %v", err)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	reader = feed.NewReader(fetch.New(time.Minute, strings.TrimPrefix(closed.URL, "http://")))
	_, err = reader.Read(t.Context(), closed.URL, feed.State{})
	if failed, ok := errors.AsType[*feed.Error](err); !ok || failed.Kind != feed.Unreachable || !failed.Retryable() {
		t.Errorf("a closed port: got %v", err)
	}
}

// TestRead_MemoryIsBounded reads the largest feed several times at once and measures what stays and what is used.
func TestRead_MemoryIsBounded(t *testing.T) {
	item := "<item><title>t</title><description>" + strings.Repeat("word ", 2000) + "</description></item>"
	body := `<rss version="2.0"><channel>` + strings.Repeat(item, (feed.MaxBytes-1000)/len(item)) + `</channel></rss>`
	reader, address := serve(t, time.Minute, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body)
	})
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	feeds := make([]feed.Feed, 4)
	for i := range feeds {
		var err error
		if feeds[i], err = reader.Read(t.Context(), address, feed.State{}); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&m)
	if kept := (m.HeapAlloc - min(before, m.HeapAlloc)) >> 20; kept > 8 {
		t.Errorf("four feeds keep %d MiB", kept)
	}
	runtime.KeepAlive(feeds)
}
