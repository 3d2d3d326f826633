// SPDX-License-Identifier: Apache-2.0

package photoset

import (
	"bytes"
	"context"
	"fmt"
	"image/jpeg"

	"github.com/reelops/reelops/internal/social/publish"
)

// Limits on the sides of a cover in pixels, above what any platform displays.
const (
	coverShort = 1080
	coverLong  = 1920
)

// Cover returns the cover of a video: a JPEG of at most most bytes, rendered from the image stored under the key
// source, and stored below the prefix. A cover that is already stored is returned unchanged. A missing source is a
// blob.ErrNotFound. An unreadable source is an error of package imagery.
func Cover(ctx context.Context, store Store, prefix, source string, most int64) (*publish.Media, error) {
	key := prefix + "cover.jpg"
	m := &maker{store: store, rule: rule{short: coverShort, long: coverLong, bytes: int(most)}}
	there, err := store.Exists(ctx, key)
	if err != nil {
		return nil, err
	}
	var data []byte
	if there {
		data, err = m.read(ctx, key)
	} else {
		data, err = m.cover(ctx, source, key)
	}
	if err != nil {
		return nil, fmt.Errorf("the cover: %w", err)
	}
	c, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the cover, as it was stored: %w", err)
	}
	out := media(store, key, int64(len(data)), c.Width, c.Height)
	return &out, nil
}

func (m *maker) cover(ctx context.Context, source, key string) ([]byte, error) {
	src, err := m.decode(ctx, source)
	if err != nil {
		return nil, err
	}
	data, err := m.draw(src)
	if err != nil {
		return nil, err
	}
	return data, m.store.Put(ctx, key, ContentType, bytes.NewReader(data))
}
