// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/store/blob"
)

type memory struct {
	mu         sync.Mutex
	blobs      map[string][]byte
	puts       int
	full, down bool
}

func (m *memory) Get(_ context.Context, key string) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return nil, errors.New("no route to the store")
	}
	b, ok := m.blobs[key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", key, blob.ErrNotFound)
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

func (m *memory) Put(_ context.Context, key, _ string, r io.Reader) error {
	b, err := io.ReadAll(r)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full {
		return errors.New("the disk is full")
	}
	m.puts++
	m.blobs[key] = b
	return err
}

func handler() (*Handler, *memory) {
	m := &memory{blobs: map[string][]byte{}}
	return New(m, slog.New(slog.DiscardHandler)), m
}

const small = stock.StarterPath + "starter-tech_grid-02-360x640.jpg"

func call(h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestImage_IsRenderedOnceAndStored(t *testing.T) {
	h, m := handler()
	first := call(h, http.MethodGet, small)
	c, err := jpeg.DecodeConfig(first.Body)
	if first.Code != http.StatusOK || err != nil || c.Width != 360 || c.Height != 640 {
		t.Fatalf("status %d, image %v, %v", first.Code, c, err)
	}
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, max-age=604800",
	} {
		if got := first.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	m.blobs["stock/starter/v1/starter-tech_grid-02-360x640.jpg"] = []byte("as it is stored")
	if again := call(h, http.MethodGet, small); again.Body.String() != "as it is stored" || m.puts != 1 {
		t.Errorf("stored %d times, served %d bytes", m.puts, again.Body.Len())
	}
}

func TestImage_IsCachedByBrowsers(t *testing.T) {
	h, m := handler()
	tag := call(h, http.MethodHead, small).Header().Get("ETag")
	m.down = true
	if w := call(h, http.MethodGet, small, "If-None-Match", tag); w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("status %d with %d bytes", w.Code, w.Body.Len())
	}
	other := call(h, http.MethodHead, stock.StarterPath+"starter-tech_grid-03-360x640.jpg", "If-None-Match", tag)
	if other.Code == http.StatusNotModified {
		t.Error("another image has the same tag")
	}
}

func TestHeadHasNoBody(t *testing.T) {
	h, _ := handler()
	w := call(h, http.MethodHead, small)
	if w.Code != http.StatusOK || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "" {
		t.Errorf("status %d with %d bytes, length %q", w.Code, w.Body.Len(), w.Header().Get("Content-Length"))
	}
}

func TestImage_RejectsUnknownNamesAndSizes(t *testing.T) {
	h, m := handler()
	for _, path := range []string{
		"", "starter-tech_grid-02", "starter-tech_grid-02.jpg", "starter-tech_grid-02-361x640.jpg", "starter-tech_grid-02-4000x4000.jpg",
		"starter-tech_grid-99-360x640.jpg", "../../secret-360x640.jpg", "starter-tech_grid-02-360x640.jpg/", "-360x640.jpg",
		"starter-tech_grid-02-1080x1920.png", "x/starter-tech_grid-02-360x640.jpg",
	} {
		if w := call(h, http.MethodGet, stock.StarterPath+path); w.Code != http.StatusNotFound {
			t.Errorf("%q: status %d", path, w.Code)
		}
	}
	if w := call(h, http.MethodPost, small); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", w.Code)
	}
	if m.puts != 0 {
		t.Errorf("%d images were stored", m.puts)
	}
}

func TestImage_ConcurrentRequestsShareOneRendering(t *testing.T) {
	h, m := handler()
	gone, leave := context.WithCancel(t.Context())
	leave()
	r := httptest.NewRequest(http.MethodGet, small, nil).WithContext(gone)
	h.ServeHTTP(httptest.NewRecorder(), r) // a caller that disconnects does not affect the others
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if w := call(h, http.MethodGet, small); w.Code != http.StatusOK {
				t.Errorf("status %d", w.Code)
			}
		})
	}
	wg.Wait()
	if m.puts != 1 {
		t.Errorf("drawn %d times", m.puts)
	}
}

func TestImage_StoreFailures(t *testing.T) {
	h, m := handler()
	m.full = true
	if w := call(h, http.MethodGet, small); w.Code != http.StatusOK {
		t.Errorf("a full store: status %d", w.Code)
	}
	m.down = true
	w := call(h, http.MethodGet, small)
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Cache-Control") != "" || w.Header().Get("Retry-After") == "" {
		t.Errorf("an unavailable store: status %d, %v", w.Code, w.Header())
	}
}
