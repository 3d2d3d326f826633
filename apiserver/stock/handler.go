// SPDX-License-Identifier: Apache-2.0

// Package stock serves the drawn backgrounds of the starter library to anybody, without a key: lists of stock name their
// addresses, and browsers open them. There are two sizes of each, known by name; nothing else can be asked for, so nobody
// can make the process draw more than that.
//
// A picture that is in the blob store is served from there. Else it is drawn, one at a time, and stored, under the key under
// which the controllers look for it and store it as well.
package stock

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"image/jpeg"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/store/blob"
)

const (
	// quality of the JPEG; the controllers' is the same.
	quality = 92
	// maxFile bounds what is read of a stored picture, in bytes. The largest have 1 MB.
	maxFile = 8 << 20
	// drawTime bounds the reading, drawing and storing of one picture, the wait for those before it included.
	drawTime = time.Minute
	// fresh is how long a browser need not ask again: the address stays when a picture is drawn better.
	fresh = 7 * 24 * time.Hour
)

// Store holds the pictures; *blob.Store is one.
type Store interface {
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	Put(ctx context.Context, key, contentType string, r io.Reader) error
}

// Handler serves what lies below stock.StarterPath.
type Handler struct {
	store  Store
	log    *slog.Logger
	flight singleflight.Group
	turn   chan struct{} // holds one: who has it draws
}

// New makes a handler.
func New(store Store, log *slog.Logger) *Handler {
	return &Handler{store: store, log: log, turn: make(chan struct{}, 1)}
}

// Serves says whether a path is the handler's.
func Serves(path string) bool { return strings.HasPrefix(path, stock.StarterPath) }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are served here", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, stock.StarterPath)
	p, size, ok := named(name)
	if !ok {
		http.Error(w, "no such picture", http.StatusNotFound)
		return
	}
	key := stock.StarterKey(p.ID, size)
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	// Pages of others may show the picture: it is public.
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	// The key tells everything that the picture follows from.
	tag := tagOf(key)
	if r.Header.Get("If-None-Match") == tag {
		cached(header, tag)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	file, err := h.file(r.Context(), key, p, size)
	if err != nil {
		if r.Context().Err() == nil {
			h.log.Warn("a drawn background could not be given", "picture", p.ID, "error", err.Error())
		}
		header.Set("Retry-After", "5")
		http.Error(w, "the picture cannot be given now", http.StatusServiceUnavailable)
		return
	}
	cached(header, tag)
	header.Set("Content-Type", "image/jpeg")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(file))
}

func cached(h http.Header, tag string) {
	h.Set("ETag", tag)
	h.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(fresh.Seconds())))
}

func tagOf(key string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	return fmt.Sprintf(`"%016x"`, h.Sum64())
}

// named reads the last part of an address.
func named(file string) (starter.Picture, stock.Size, bool) {
	for _, size := range []stock.Size{stock.StarterFull, stock.StarterThumbnail} {
		if id, ok := strings.CutSuffix(file, stock.StarterFile("", size)); ok {
			p, ok := starter.ByID(id)
			return p, size, ok
		}
	}
	return starter.Picture{}, stock.Size{}, false
}

// file gives a picture's bytes. Who asks for the same at the same time waits for one reading or drawing, which goes on when
// one of them leaves.
func (h *Handler) file(ctx context.Context, key string, p starter.Picture, size stock.Size) ([]byte, error) {
	done := h.flight.DoChan(key, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drawTime)
		defer cancel()
		file, err := h.stored(ctx, key)
		if errors.Is(err, blob.ErrNotFound) {
			return h.draw(ctx, key, p, size)
		}
		return file, err
	})
	select {
	case r := <-done:
		file, _ := r.Val.([]byte)
		return file, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (h *Handler) stored(ctx context.Context, key string) ([]byte, error) {
	r, err := h.store.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	file, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(file) > maxFile {
		err = fmt.Errorf("%s has more than %d bytes", key, maxFile)
	}
	return file, err
}

// draw makes a picture when it is its turn. One that cannot be stored is served all the same.
func (h *Handler) draw(ctx context.Context, key string, p starter.Picture, size stock.Size) ([]byte, error) {
	select {
	case h.turn <- struct{}{}:
		defer func() { <-h.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	img, err := starter.Draw(ctx, p, size.Width, size.Height)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, err
	}
	if err := h.store.Put(ctx, key, "image/jpeg", bytes.NewReader(b.Bytes())); err != nil {
		h.log.Warn("a drawn background could not be stored: it is drawn again when it is asked for", "picture", p.ID, "error", err.Error())
	}
	return b.Bytes(), nil
}
