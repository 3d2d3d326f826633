// SPDX-License-Identifier: Apache-2.0

package photoset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blobkey"
)

// validFor is the lifetime of the signed URL of an image: longer than the day in which platforms fetch it.
const validFor = 25 * time.Hour

// maxSource is the maximum size of a source image in bytes.
const maxSource = 64 << 20

// ContentType of every image.
const ContentType = "image/jpeg"

// Store is the part of the blob store that the package uses.
type Store interface {
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	Put(ctx context.Context, key, contentType string, r io.Reader) error
	Exists(ctx context.Context, key string) (bool, error)
	SignedGet(ctx context.Context, key string, valid time.Duration) (string, error)
}

// Root is the key prefix of the images of all posts.
const Root = "posts/"

// Prefix returns the key prefix of the images of a post. No other blobs have this prefix.
func Prefix(namespace, postUID string) string { return Root + namespace + "/" + postUID + "/" }

// Key returns the key of an image, counted from 0.
func Key(prefix string, i int) string { return fmt.Sprintf("%sphoto-%02d.jpg", prefix, i+1) }

// Make renders the images of a set for a platform from the images stored under keys, in order, and stores them below
// the prefix. Images that are already stored are returned unchanged: one prefix holds one set for one platform. A
// missing source is a blob.ErrNotFound, and an unreadable source is an error of package imagery; retrying helps with
// neither. The caller enforces the platform's limit on the number of images and supplies alternative texts.
func Make(ctx context.Context, store Store, prefix string, keys []string, platform v1beta1.Platform) ([]publish.Media, error) {
	r, ok := rules[string(platform)]
	if !ok {
		return nil, fmt.Errorf("%s accepts no photo sets", platform)
	}
	if len(keys) == 0 {
		return nil, errors.New("a photo set without images")
	}
	m := &maker{store: store, rule: r, prefix: prefix, keys: keys}
	out := make([]publish.Media, len(keys))
	for i := range keys {
		data, err := m.photo(ctx, i)
		if err != nil {
			return nil, fmt.Errorf("image %d of the set: %w", i+1, err)
		}
		c, err := jpeg.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("image %d of the set, as stored: %w", i+1, err)
		}
		out[i] = media(store, Key(prefix, i), int64(len(data)), c.Width, c.Height)
	}
	return out, nil
}

type maker struct {
	store  Store
	rule   rule
	prefix string
	keys   []string
	// canvas is the common size of all images, once computed.
	canvas image.Point
}

// photo returns an image of the set. It renders and stores the image if it is missing.
func (m *maker) photo(ctx context.Context, i int) ([]byte, error) {
	key := Key(m.prefix, i)
	there, err := m.store.Exists(ctx, key)
	if err != nil {
		return nil, err
	}
	if there {
		return m.read(ctx, key)
	}
	if m.rule.shaped() && m.canvas.X == 0 {
		if err := m.measure(ctx); err != nil {
			return nil, err
		}
	}
	src, err := m.decode(ctx, m.keys[i])
	if err != nil {
		return nil, err
	}
	data, err := m.draw(src)
	if err != nil {
		return nil, err
	}
	if err := m.store.Put(ctx, key, ContentType, bytes.NewReader(data)); err != nil {
		return nil, err
	}
	return data, nil
}

// measure computes the canvas from all sources, so that the canvas does not depend on which images are already stored.
func (m *maker) measure(ctx context.Context) error {
	sizes := make([]image.Point, len(m.keys))
	for i, key := range m.keys {
		src, err := m.decode(ctx, key)
		if err != nil {
			return err
		}
		sizes[i] = src.Bounds().Size()
	}
	m.canvas = m.rule.canvas(sizes)
	return nil
}

// draw returns the JPEG of one image. If no quality makes the file small enough and the platform accepts any size, draw
// reduces the size.
func (m *maker) draw(src image.Image) ([]byte, error) {
	if m.rule.shaped() {
		img, err := padded(src, m.canvas)
		if err != nil {
			return nil, err
		}
		return encoded(img, m.rule.bytes)
	}
	size := m.rule.fit(src.Bounds().Size())
	for {
		data, err := encoded(scaled(src, size), m.rule.bytes)
		if !errors.Is(err, errTooLarge) || size.X < 2 || size.Y < 2 {
			return data, err
		}
		size = size.Div(2)
	}
}

func (m *maker) decode(ctx context.Context, key string) (image.Image, error) {
	r, err := m.store.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	img, _, err := imagery.DecodeFor(blobkey.Namespace(key), io.LimitReader(r, maxSource), catalog.MaxImagePixels)
	return img, err
}

func (m *maker) read(ctx context.Context, key string) ([]byte, error) {
	r, err := m.store.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(io.LimitReader(r, maxSource))
}

// media returns a stored image in the form that adapters take.
func media(store Store, key string, size int64, width, height int) publish.Media {
	return publish.Media{
		ContentType: ContentType, Bytes: size, Width: width, Height: height,
		Open: func(ctx context.Context, offset int64) (io.ReadCloser, error) {
			r, err := store.Get(ctx, key)
			if err != nil {
				return nil, err
			}
			if _, err := io.CopyN(io.Discard, r, offset); err != nil && offset > 0 {
				_ = r.Close()
				return nil, fmt.Errorf("reading a picture from byte %d on: %w", offset, err)
			}
			return r, nil
		},
		URL: func(ctx context.Context) (string, error) { return store.SignedGet(ctx, key, validFor) },
	}
}
