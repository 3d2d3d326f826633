// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// file describes a file of the blob store. A text has its content. A picture, a sound or a video is generated with
// the same size, duration and shape.
type file struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Text   string `json:"text,omitempty"`
	// Width and Height of a picture or a video in pixels.
	Width  int `json:"width,omitempty"`
	Height int `json:"height,omitempty"`
	// Seconds of a video or a sound, and whether a video has sound.
	Seconds string `json:"seconds,omitempty"`
	Sound   bool   `json:"sound,omitempty"`
}

// describe lists the files of the store.
func (w *world) describe(t *testing.T) (out []file) {
	t.Helper()
	root := w.path("blobs")
	must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, ".attrs") || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		doc, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(doc)
		f := file{Path: name, Bytes: int64(len(doc)), SHA256: hex.EncodeToString(sum[:])}
		switch filepath.Ext(name) {
		case ".png", ".jpg":
			if c, _, err := image.DecodeConfig(bytes.NewReader(doc)); err == nil {
				f.Width, f.Height = c.Width, c.Height
			} else {
				f.Text = string(doc) // it is meant to be none
			}
		case ".mp4", ".wav", ".mp3", ".m4a":
			if err := f.probe(path); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		default:
			if !utf8.Valid(doc) || len(doc) > 64<<10 {
				t.Logf("not recorded: %s, %d bytes", name, len(doc))
				return nil
			}
			f.Text = w.portable(string(doc))
		}
		out = append(out, f)
		return nil
	}))
	return out
}

// probe reads the shape and duration of a video or a sound.
func (f *file) probe(path string) error {
	out, err := exec.Command("ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json", path).Output()
	if err != nil {
		return err
	}
	var p struct {
		Streams []struct {
			Type          string `json:"codec_type"`
			Width, Height int
		}
		Format struct{ Duration string }
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return err
	}
	f.Seconds = p.Format.Duration
	for _, s := range p.Streams {
		if s.Type == "video" {
			f.Width, f.Height = s.Width, s.Height
		} else {
			f.Sound = true
		}
	}
	return nil
}

// generate writes files like the recorded ones into the store. It returns pairs for strings.NewReplacer: the recorded
// digest of each generated file, and its present one.
func (w *world) generate(t *testing.T, files []file) (digests []string) {
	t.Helper()
	made := map[string][]byte{} // by what they look like
	for _, f := range files {
		like := fmt.Sprint(filepath.Ext(f.Path), f.Width, f.Height, f.Seconds, f.Sound)
		doc := made[like]
		switch {
		case f.Text != "":
			doc = []byte(w.local(f.Text))
		case doc == nil && f.Seconds != "":
			doc = f.media(t, w.path("generated"+filepath.Ext(f.Path)))
		case doc == nil:
			doc = f.picture(t)
		}
		if f.Text == "" {
			made[like] = doc
			doc = f.filled(doc)
		}
		path := w.path("blobs", filepath.FromSlash(f.Path))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, doc, 0o600))
		sum := sha256.Sum256(doc)
		if now := hex.EncodeToString(sum[:]); now != f.SHA256 {
			digests = append(digests, f.SHA256, now)
		}
	}
	return digests
}

// filled appends what players pass over, so that a video has the recorded size. Its place in the store makes the
// bytes differ from those of other videos.
func (f *file) filled(doc []byte) []byte {
	n := f.Bytes - int64(len(doc))
	if filepath.Ext(f.Path) != ".mp4" || n < 16 {
		return doc
	}
	box := binary.BigEndian.AppendUint32(nil, uint32(n))
	box = append(append(box, "free"...), f.Path...)
	box = append(box[:min(int64(len(box)), n)], make([]byte, max(0, n-int64(len(box))))...)
	return append(append([]byte{}, doc...), box...)
}

func (f *file) picture(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if filepath.Ext(f.Path) == ".jpg" {
		must(t, jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, f.Width, f.Height)), nil))
	} else { // transparent, as the layers with the texts of slides are
		must(t, png.Encode(&out, image.NewPaletted(image.Rect(0, 0, f.Width, f.Height), color.Palette{
			color.NRGBA{},
			color.NRGBA{A: 255},
		})))
	}
	return out.Bytes()
}

func (f *file) media(t *testing.T, path string) []byte {
	t.Helper()
	seconds, err := strconv.ParseFloat(f.Seconds, 64)
	must(t, err)
	args := []string{"-hide_banner", "-loglevel", "error", "-nostdin", "-y"}
	sound := fmt.Sprintf("sine=frequency=330:sample_rate=48000:duration=%.3f", seconds)
	if f.Width == 0 {
		args = append(args, "-f", "lavfi", "-i", sound)
	} else {
		args = append(args, "-f", "lavfi", "-i", fmt.Sprintf("color=c=black:s=%dx%d:r=30:d=%.3f", f.Width, f.Height, seconds))
		if f.Sound {
			args = append(args, "-f", "lavfi", "-i", sound, "-c:a", "aac", "-b:a", "32k")
		}
		args = append(args, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "45", "-pix_fmt", "yuv420p", "-movflags",
			"+faststart")
	}
	if out, err := exec.CommandContext(t.Context(), "ffmpeg", append(args, path)...).CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	doc, err := os.ReadFile(path)
	must(t, err)
	return doc
}
