// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// medium is a media file with its SHA-256 checksum in hex.
type medium struct {
	publish.Media
	sum string
}

// store holds media files in memory. Media of a store open readers and return URLs from which a platform can download.
type store struct {
	server *httptest.Server
	mu     sync.Mutex
	files  map[string][]byte
}

func newStore(t *testing.T) *store {
	s := &store{files: map[string][]byte{}}
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		doc, ok := s.files[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(doc))
	}))
	t.Cleanup(s.server.Close)
	return s
}

func (s *store) add(name, contentType string, doc []byte) medium {
	s.mu.Lock()
	s.files["/"+name] = doc
	s.mu.Unlock()
	sum := sha256.Sum256(doc)
	return medium{sum: hex.EncodeToString(sum[:]), Media: publish.Media{
		ContentType: contentType, Bytes: int64(len(doc)),
		Open: func(_ context.Context, offset int64) (io.ReadCloser, error) {
			if offset > int64(len(doc)) {
				return nil, fmt.Errorf("offset %d of %d", offset, len(doc))
			}
			return io.NopCloser(bytes.NewReader(doc[offset:])), nil
		},
		URL: func(context.Context) (string, error) { return s.server.URL + "/" + name, nil },
	}}
}

// film returns a test video of five seconds with moving content and sound. ffmpeg encodes the video once per process.
var film = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "film.mp4")
	out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=30:duration=5", "-f", "lavfi", "-i", "sine=duration=5",
		"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest", "-movflags", "+faststart", path).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(path)
})

// padded returns a video enlarged to size bytes with an MP4 "free" box, which players skip. It returns the video
// unchanged if the header of the box, 8 bytes, does not fit.
func padded(doc []byte, size int64) []byte {
	if int64(len(doc))+8 > size {
		return doc
	}
	out := make([]byte, size)
	copy(out, doc)
	binary.BigEndian.PutUint32(out[len(doc):], uint32(size-int64(len(doc))))
	copy(out[len(doc)+4:], "free")
	return out
}

// photo returns a JPEG of 1080 by 1350 pixels. Its blue channel depends on n, so that photos differ.
func photo(n int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, 1080, 1350))
	for y := range 1350 {
		for x := range 1080 {
			img.SetRGBA(x, y, color.RGBA{uint8(x / 8), uint8(y / 8), uint8(n * 60), 255})
		}
	}
	var out bytes.Buffer
	_ = jpeg.Encode(&out, img, &jpeg.Options{Quality: 80})
	return out.Bytes()
}

var photos = sync.OnceValue(func() [][]byte { return [][]byte{photo(1), photo(2), photo(3)} })

// The texts of a post contain characters that some platform escapes, an emoji of two UTF-16 units, a line break and a
// hashtag.
const (
	title   = "Bread (in 5 steps) 🥖"
	caption = "Five *slow* steps: {flour}, @water | ~salt~, _time_ [heat] \\o/ & \"patience\" 🥖\nIt's worth it. #bread"
)

// draft returns a draft for a path, and the expected content of the post.
func (w *world) draft(t *testing.T, p path, key string) (publish.Draft, landed) {
	t.Helper()
	d := publish.Draft{Key: key, Kind: p.kind, Mode: p.mode, Title: title, Caption: caption, Tags: []string{"bread", "slow food"}}
	var want landed
	if p.kind == catalog.MediaVideo {
		doc, err := film()
		if err != nil {
			t.Fatal("creating a video:", err)
		}
		if p.large {
			doc = padded(doc, w.c.Large)
		}
		m := w.store.add("film.mp4", "video/mp4", doc)
		m.Width, m.Height, m.Duration = 540, 960, 5*time.Second
		d.Video = &m.Media
		want.bytes, want.sum = m.Bytes, m.sum
	} else {
		all := sha256.New()
		for i, doc := range photos() {
			m := w.store.add(fmt.Sprintf("photo-%d.jpg", i+1), "image/jpeg", doc)
			m.Width, m.Height, m.AltText = 1080, 1350, fmt.Sprintf("Step %d", i+1)
			d.Photos = append(d.Photos, m.Media)
			want.bytes += m.Bytes
			want.photos = append(want.photos, m.sum)
			_, _ = all.Write(doc)
		}
		want.sum = hex.EncodeToString(all.Sum(nil))
	}
	want.title, want.caption = w.c.expect(d)
	return d, want
}

// landed is the expected content of a post. sum is the SHA-256 checksum in hex of the video, or of all photos in order.
type landed struct {
	title, caption, sum string
	bytes               int64
	photos              []string
}

// quiet returns a text for the output of a failing test: at most 300 bytes of it, with visible line breaks.
func quiet(s string) string {
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return strings.ReplaceAll(s, "\n", "⏎")
}
