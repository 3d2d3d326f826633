// SPDX-License-Identifier: Apache-2.0

// Package stock serves the drawn backgrounds of the starter library without a key. Lists of stock contain their
// addresses, and browsers open them. Each image has two sizes with known names and no others exist, so callers cannot
// make the process draw more.
//
// An image that is in the blob store is served from there. Otherwise it is drawn, one image at a time, and stored under
// the same key that the controllers use.
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
	// quality of the JPEG; the controllers use the same.
	quality = 92
	// maxFile limits the size of a stored image, in bytes. The largest have 1 MB.
	maxFile = 8 << 20
	// drawTime is the timeout for reading, drawing and storing one image, including the wait for its turn.
	drawTime = time.Minute
	// fresh is the max-age for browsers. It is limited because an image may be redrawn under the same address.
	fresh = 7 * 24 * time.Hour
)

// Store holds the images; *blob.Store implements it.
type Store interface {
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	Put(ctx context.Context, key, contentType string, r io.Reader) error
}

// Handler serves paths below stock.StarterPath.
type Handler struct {
	store  Store
	log    *slog.Logger
	flight singleflight.Group
	turn   chan struct{} // capacity 1: held while drawing
}

// New returns a handler.
func New(store Store, log *slog.Logger) *Handler {
	return &Handler{store: store, log: log, turn: make(chan struct{}, 1)}
}

// Serves reports whether the handler serves a path.
func Serves(path string) bool { return strings.HasPrefix(path, stock.StarterPath) }

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are supported", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, stock.StarterPath)
	p, size, ok := named(name)
	if !ok {
		http.Error(w, "no such image", http.StatusNotFound)
		return
	}
	key := stock.StarterKey(p.ID, size)
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	// Pages of other origins may embed the image: it is public.
	header.Set("Cross-Origin-Resource-Policy", "cross-origin")
	// The key identifies everything that determines the image.
	tag := tagOf(key)
	if r.Header.Get("If-None-Match") == tag {
		cached(header, tag)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	file, err := h.file(r.Context(), key, p, size)
	if err != nil {
		if r.Context().Err() == nil {
			h.log.Warn("serving generated image failed", "picture", p.ID, "error", err.Error())
		}
		header.Set("Retry-After", "5")
		http.Error(w, "the image is temporarily unavailable", http.StatusServiceUnavailable)
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

// named parses the last part of an address.
func named(file string) (starter.Picture, stock.Size, bool) {
	for _, size := range []stock.Size{stock.StarterFull, stock.StarterThumbnail} {
		if id, ok := strings.CutSuffix(file, stock.StarterFile("", size)); ok {
			p, ok := starter.ByID(id)
			return p, size, ok
		}
	}
	return starter.Picture{}, stock.Size{}, false
}

// file returns an image's bytes. Concurrent requests for the same image share one read or drawing, which continues when
// one of them disconnects.
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

// draw draws an image when the turn is free. An image that cannot be stored is served nevertheless.
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
		h.log.Warn("storing generated image failed: it is generated again on the next request", "picture", p.ID, "error", err.Error())
	}
	return b.Bytes(), nil
}
