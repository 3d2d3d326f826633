// SPDX-License-Identifier: Apache-2.0

package slides

import (
	"container/list"
	"image"
	"sync"
)

// Backgrounds keeps decoded backgrounds of slides by blob key, the most recently used ones. An editor previews the same
// slide again and again, and decoding its background takes longer than drawing its text. The file of a key never
// changes. Backgrounds is safe for concurrent use.
type Backgrounds struct {
	most int

	mu     sync.Mutex
	bytes  int
	recent *list.List // of *background, the most recently used one first
	byKey  map[string]*list.Element
}

type background struct {
	key   string
	image image.Image
	bytes int
}

// NewBackgrounds returns an empty cache of at most the given number of bytes of pixels.
func NewBackgrounds(most int) *Backgrounds {
	return &Backgrounds{most: most, recent: list.New(), byKey: map[string]*list.Element{}}
}

// get returns an image, which must not be changed; nil if the cache does not have it.
func (b *Backgrounds) get(key string) image.Image {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.byKey[key]
	if e == nil {
		return nil
	}
	b.recent.MoveToFront(e)
	return e.Value.(*background).image
}

// put keeps an image, and drops the least recently used ones that do not fit with it. An image that is too large by
// itself, and one of an unknown size, is not kept.
func (b *Backgrounds) put(key string, img image.Image) {
	size := pixelBytes(img)
	if b == nil || size == 0 || size > b.most {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.byKey[key] != nil { // another call was faster
		return
	}
	b.byKey[key] = b.recent.PushFront(&background{key, img, size})
	for b.bytes += size; b.bytes > b.most; {
		last := b.recent.Remove(b.recent.Back()).(*background)
		delete(b.byKey, last.key)
		b.bytes -= last.bytes
	}
}

// pixelBytes returns the memory of an image's pixels; 0 for kinds that no decoder of backgrounds returns.
func pixelBytes(img image.Image) int {
	switch m := img.(type) {
	case *image.YCbCr:
		return len(m.Y) + len(m.Cb) + len(m.Cr)
	case *image.RGBA:
		return len(m.Pix)
	case *image.NRGBA:
		return len(m.Pix)
	case *image.Gray:
		return len(m.Pix)
	}
	return 0
}
