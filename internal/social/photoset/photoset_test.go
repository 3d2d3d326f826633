// SPDX-License-Identifier: Apache-2.0

package photoset_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/photoset"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
)

func open(t *testing.T) *blob.Store {
	t.Helper()
	s, err := blob.Open(t.Context(), blob.Config{
		URL: "file://" + t.TempDir(), SigningKey: bytes.Repeat([]byte("k"), 32), BaseURL: "http://127.0.0.1:1",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// bars returns an image whose outermost rows and columns are red, green, blue and white, so that a test detects
// cropping.
func bars(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	const edge = 24
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(90 + x*80/w), uint8(90 + y*80/h), 120, 255}
			switch {
			case y < edge:
				c = color.NRGBA{255, 0, 0, 255}
			case y >= h-edge:
				c = color.NRGBA{0, 255, 0, 255}
			case x < edge:
				c = color.NRGBA{0, 0, 255, 255}
			case x >= w-edge:
				c = color.NRGBA{255, 255, 255, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func put(t *testing.T, s *blob.Store, key string, img image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), key, "image/png", &b); err != nil {
		t.Fatal(err)
	}
}

func sources(t *testing.T, s *blob.Store, sizes ...image.Point) []string {
	t.Helper()
	var keys []string
	for i, size := range sizes {
		key := fmt.Sprintf("slides/%d.png", i)
		put(t, s, key, bars(size.X, size.Y))
		keys = append(keys, key)
	}
	return keys
}

func read(t *testing.T, m publish.Media) []byte {
	t.Helper()
	r, err := m.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestMake_Sizes(t *testing.T) {
	for name, c := range map[string]struct {
		platform v1beta1.Platform
		sources  []image.Point
		want     []image.Point
	}{
		"instagram limits the height to 4:5, so a tall image needs a wide canvas": {
			"instagram", []image.Point{{1080, 1920}}, []image.Point{{1440, 1800}},
		},
		"instagram accepts 4:5 unchanged":          {"instagram", []image.Point{{1080, 1350}}, []image.Point{{1080, 1350}}},
		"instagram limits the width to 1.91:1":     {"instagram", []image.Point{{1200, 300}}, []image.Point{{1200, 629}}},
		"instagram requires a width of 320 pixels": {"instagram", []image.Point{{100, 100}}, []image.Point{{320, 320}}},
		"all images of a carousel have the shape of the first": {
			"instagram", []image.Point{{1080, 1080}, {1080, 1920}, {1600, 900}}, []image.Point{{1440, 1440}, {1440, 1440}, {1440, 1440}},
		},
		"tiktok accepts 1080p of any shape": {
			"tiktok", []image.Point{{1080, 1920}, {1440, 2560}, {3000, 1000}, {400, 300}}, []image.Point{{1080, 1920}, {1080, 1920}, {1920, 640}, {400, 300}},
		},
		"linkedin accepts a slide unchanged": {"linkedin", []image.Point{{1080, 1920}}, []image.Point{{1080, 1920}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			got, err := photoset.Make(t.Context(), s, "posts/ns/uid/", sources(t, s, c.sources...), c.platform)
			if err != nil {
				t.Fatal(err)
			}
			for i, m := range got {
				data := read(t, m)
				img, err := jpeg.Decode(bytes.NewReader(data))
				if err != nil {
					t.Fatalf("image %d is not a JPEG: %v", i, err)
				}
				if diff := cmp.Diff(c.want[i], img.Bounds().Size()); diff != "" {
					t.Errorf("image %d (-want +got):\n%s", i, diff)
				}
				if m.Width != img.Bounds().Dx() || m.Height != img.Bounds().Dy() || m.Bytes != int64(len(data)) || m.ContentType != "image/jpeg" {
					t.Errorf("image %d is described as %dx%d, %d bytes, %s", i, m.Width, m.Height, m.Bytes, m.ContentType)
				}
			}
		})
	}
}

// All four edges of the image must be visible on its blurred copy.
func TestMake_CropsNothing(t *testing.T) {
	for name, size := range map[string]image.Point{"tall": {1080, 1920}, "very tall": {300, 2000}, "wide": {2000, 400}, "panorama": {1900, 990}} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			got, err := photoset.Make(t.Context(), s, "p/", sources(t, s, size), "instagram")
			if err != nil {
				t.Fatal(err)
			}
			img, err := jpeg.Decode(bytes.NewReader(read(t, got[0])))
			if err != nil {
				t.Fatal(err)
			}
			b := img.Bounds()
			k := min(float64(b.Dx())/float64(size.X), float64(b.Dy())/float64(size.Y))
			w, h := float64(size.X)*k, float64(size.Y)*k
			x0, y0 := (float64(b.Dx())-w)/2, (float64(b.Dy())-h)/2
			in := 12 * k // the middle of an edge's bar
			for _, at := range []struct {
				what string
				x, y float64
				ok   func(r, g, b uint32) bool
			}{
				{"upper edge", x0 + w/2, y0 + in, func(r, g, b uint32) bool { return r > 200 && g < 70 && b < 70 }},
				{"lower edge", x0 + w/2, y0 + h - in, func(r, g, b uint32) bool { return r < 70 && g > 200 && b < 70 }},
				{"left edge", x0 + in, y0 + h/2, func(r, g, b uint32) bool { return r < 90 && g < 90 && b > 170 }},
				{"right edge", x0 + w - in, y0 + h/2, func(r, g, b uint32) bool { return r > 200 && g > 200 && b > 200 }},
			} {
				r, g, bl, _ := img.At(int(at.x), int(at.y)).RGBA()
				if !at.ok(r>>8, g>>8, bl>>8) {
					t.Errorf("the %s is not at %.0f,%.0f: got %d %d %d", at.what, at.x, at.y, r>>8, g>>8, bl>>8)
				}
			}
		})
	}
}

// counted records which objects were read and written.
type counted struct {
	*blob.Store
	read, wrote []string
	failAt      int // fails the n-th write, counted from 1
}

func (c *counted) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	c.read = append(c.read, key)
	return c.Store.Get(ctx, key)
}

var errCrash = errors.New("crash")

func (c *counted) Put(ctx context.Context, key, contentType string, r io.Reader) error {
	if c.failAt > 0 && len(c.wrote)+1 == c.failAt {
		return errCrash
	}
	c.wrote = append(c.wrote, key)
	return c.Store.Put(ctx, key, contentType, r)
}

func TestMake_SurvivesFaults(t *testing.T) {
	s := open(t)
	keys := sources(t, s, image.Pt(1080, 1080), image.Pt(540, 960), image.Pt(1000, 300))
	sums := func(prefix string) []string {
		got, err := photoset.Make(t.Context(), s, prefix, keys, "instagram")
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, m := range got {
			out = append(out, fmt.Sprintf("%x", sha256.Sum256(read(t, m))))
		}
		return out
	}
	want := sums("whole/")
	for at := 1; at <= 3; at++ {
		prefix := fmt.Sprintf("broken-%d/", at)
		c := &counted{Store: s, failAt: at}
		if _, err := photoset.Make(t.Context(), c, prefix, keys, "instagram"); !errors.Is(err, errCrash) {
			t.Fatalf("write %d: got %v", at, err)
		}
		again := &counted{Store: s}
		if _, err := photoset.Make(t.Context(), again, prefix, keys, "instagram"); err != nil {
			t.Fatal(err)
		}
		if len(again.wrote) != 3-(at-1) {
			t.Errorf("after %d images: wrote %v", at-1, again.wrote)
		}
		if diff := cmp.Diff(want, sums(prefix)); diff != "" {
			t.Errorf("after a crash at write %d the images differ:\n%s", at, diff)
		}
	}
	c := &counted{Store: s}
	if _, err := photoset.Make(t.Context(), c, "whole/", keys, "instagram"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"whole/photo-01.jpg", "whole/photo-02.jpg", "whole/photo-03.jpg"}, c.read); diff != "" || c.wrote != nil {
		t.Errorf("an existing set is created again: wrote %v, read (-want +got):\n%s", c.wrote, diff)
	}
}

func TestMake_Errors(t *testing.T) {
	s := open(t)
	keys := sources(t, s, image.Pt(100, 100))
	if _, err := photoset.Make(t.Context(), s, "a/", keys, "youtube"); err == nil {
		t.Error("YouTube accepts no photo sets")
	}
	if _, err := photoset.Make(t.Context(), s, "a/", nil, "instagram"); err == nil {
		t.Error("a set without images is accepted")
	}
	if _, err := photoset.Make(t.Context(), s, "a/", []string{"slides/none.png"}, "tiktok"); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("with a missing source: got %v", err)
	}
	if err := s.Put(t.Context(), "slides/text.png", "image/png", bytes.NewReader([]byte("text"))); err != nil {
		t.Fatal(err)
	}
	if _, err := photoset.Make(t.Context(), s, "a/", []string{"slides/text.png"}, "linkedin"); err == nil {
		t.Error("a source that is not an image is accepted")
	}
}

func TestMake_TransparencyBecomesWhite(t *testing.T) {
	s := open(t)
	put(t, s, "slides/clear.png", image.NewNRGBA(image.Rect(0, 0, 400, 400)))
	got, err := photoset.Make(t.Context(), s, "a/", []string{"slides/clear.png"}, "tiktok")
	if err != nil {
		t.Fatal(err)
	}
	img, err := jpeg.Decode(bytes.NewReader(read(t, got[0])))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := img.At(200, 200).RGBA(); r>>8 < 250 || g>>8 < 250 || b>>8 < 250 {
		t.Errorf("got %d %d %d, want white", r>>8, g>>8, b>>8)
	}
}

func TestOpen_FromAnOffset(t *testing.T) {
	s := open(t)
	got, err := photoset.Make(t.Context(), s, "a/", sources(t, s, image.Pt(400, 500)), "instagram")
	if err != nil {
		t.Fatal(err)
	}
	whole := read(t, got[0])
	r, err := got[0].Open(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	rest, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(rest, whole[100:]) {
		t.Errorf("got %d bytes from 100 on of %d: %v", len(rest), len(whole), err)
	}
	if u, err := got[0].URL(t.Context()); err != nil || u == "" {
		t.Errorf("got no URL: %v", err)
	}
}

func TestCover(t *testing.T) {
	s := open(t)
	put(t, s, "media/cover.png", bars(2400, 1200))
	for range 2 { // the second time it is already stored
		got, err := photoset.Cover(t.Context(), s, "posts/a/1/", "media/cover.png", 60_000)
		if err != nil {
			t.Fatal(err)
		}
		if got.ContentType != "image/jpeg" || got.Bytes > 60_000 || got.Width != 2*got.Height || got.Width > 1920 {
			t.Fatalf("got cover %+v", got)
		}
		if err := s.Delete(t.Context(), "media/cover.png"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := photoset.Cover(t.Context(), s, "posts/a/2/", "media/cover.png", 60_000); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("with a missing image: got %v, want blob.ErrNotFound", err)
	}
}
