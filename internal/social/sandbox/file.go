// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/media/probe"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/work/child"
)

// File is a media file uploaded to a platform. It is safe for concurrent use.
type File struct {
	ID, ContentType string

	s    *Sandbox
	path string
	mu   sync.Mutex
	size int64
	sum  string
}

// Probe holds the properties of a video file.
type Probe struct {
	// Format as ffprobe names it, for example "mov,mp4,m4a,3gp,3g2,mj2".
	Format string
	// Duration of the video.
	Duration time.Duration
	// Width and Height in pixels, FrameRate in frames per second.
	Width, Height int
	FrameRate     float64
	// VideoCodec and AudioCodec as ffprobe names them. AudioCodec is empty when the file has no audio.
	VideoCodec, AudioCodec string
}

// NewFile creates an empty file.
func (s *Sandbox) NewFile(contentType string) (*File, error) {
	f := &File{ID: Letters(24), ContentType: contentType, s: s}
	f.path = filepath.Join(s.cfg.Dir, "files", f.ID)
	created, err := os.OpenFile(f.path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	return f, created.Close()
}

// Path returns the path of the file on disk.
func (f *File) Path() string { return f.path }

// Size returns the offset after the last byte written.
func (f *File) Size() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.size
}

// WriteFrom copies r to the file at the given offset and returns the number of bytes copied. Bytes copied before an
// error stay in the file.
func (f *File) WriteFrom(r io.Reader, offset int64) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out, err := os.OpenFile(f.path, os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.NewOffsetWriter(out, offset), r)
	f.size, f.sum = max(f.size, offset+n), ""
	return n, errors.Join(err, out.Close())
}

// Truncate changes the size of the file.
func (f *File) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size, f.sum = size, ""
	return os.Truncate(f.path, size)
}

// Open opens the file for reading.
func (f *File) Open() (*os.File, error) { return os.Open(f.path) }

// SHA256 returns the hash of the content, in hex.
func (f *File) SHA256() (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.sum != "" {
		return f.sum, nil
	}
	in, err := os.Open(f.path)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return "", err
	}
	f.sum = hex.EncodeToString(h.Sum(nil))
	return f.sum, nil
}

// Remove deletes the file.
func (f *File) Remove() { _ = os.Remove(f.path) }

// URL returns the address at which the sandbox serves the file.
func (f *File) URL() string { return f.s.URL("files", "/"+f.ID) }

// Probe returns the properties of the video. It returns an error when the file is not a playable video. Results are
// cached by the hash of the content.
func (f *File) Probe(ctx context.Context) (*Probe, error) {
	sum, err := f.SHA256()
	if err != nil {
		return nil, err
	}
	f.s.mu.Lock()
	known := f.s.probes[sum]
	f.s.mu.Unlock()
	if known != nil {
		return known, nil
	}
	p, err := f.s.probe(ctx, f.path)
	if err != nil {
		return nil, err
	}
	f.s.mu.Lock()
	f.s.probes[sum] = p
	f.s.mu.Unlock()
	return p, nil
}

// Limits of the ffprobe process.
const (
	probeTime    = 30 * time.Second
	probeSeconds = 20      // CPU time in seconds
	probeMemory  = 1 << 30 // address space in bytes
	probeAnswer  = 1 << 20 // output in bytes
	probeTracks  = 32
)

// probe runs ffprobe on a file with the renderer's confinement. The content type of the first bytes determines which
// formats ffprobe may read.
func (s *Sandbox) probe(ctx context.Context, path string) (*Probe, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	head, err := firstBytes(path)
	if err != nil {
		return nil, err
	}
	guard, ok := probe.Guard(sniff.ContentType(head), 1, probeTracks)
	if !ok {
		return nil, errors.New("the file is not a video of a supported type")
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	out := &child.Bounded{Limit: probeAnswer}
	_, err = child.Child{
		Name: s.cfg.FFprobe, Args: append(guard, "-show_entries", probeEntries, "-of", "json", "file:"+path), Stdout: out,
		Limits: child.Limits{unix.RLIMIT_CPU: probeSeconds, unix.RLIMIT_AS: probeMemory}, May: child.Files{Read: []string{path}},
	}.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("the file is not a readable video: %w", err)
	}
	var doc struct {
		Format struct {
			Name     string `json:"format_name"`
			Duration string `json:"duration"`
		} `json:"format"`
		Streams []struct {
			Type   string `json:"codec_type"`
			Codec  string `json:"codec_name"`
			Rate   string `json:"avg_frame_rate"`
			Width  int    `json:"width"`
			Height int    `json:"height"`
		} `json:"streams"`
	}
	if err := json.Unmarshal(out.Bytes, &doc); err != nil {
		return nil, err
	}
	p := &Probe{Format: doc.Format.Name}
	seconds, _ := strconv.ParseFloat(doc.Format.Duration, 64)
	p.Duration = time.Duration(seconds * float64(time.Second))
	for _, st := range doc.Streams {
		switch {
		case st.Type == "video" && p.VideoCodec == "":
			p.VideoCodec, p.Width, p.Height = st.Codec, st.Width, st.Height
			over, under, _ := strings.Cut(st.Rate, "/")
			a, _ := strconv.ParseFloat(over, 64)
			if b, _ := strconv.ParseFloat(under, 64); b > 0 {
				p.FrameRate = a / b
			}
		case st.Type == "audio" && p.AudioCodec == "":
			p.AudioCodec = st.Codec
		}
	}
	if p.VideoCodec == "" || p.Duration <= 0 || p.Width == 0 {
		return nil, errors.New("the file has no video stream")
	}
	return p, nil
}

const probeEntries = "format=format_name,duration:stream=codec_type,codec_name,avg_frame_rate,width,height"

// firstBytes returns the first bytes of a file.
func firstBytes(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, sniff.Bytes))
}

// restoredFile returns a file that an earlier run wrote.
func (s *Sandbox) restoredFile(id, contentType string) *File {
	f := &File{ID: id, ContentType: contentType, s: s, path: filepath.Join(s.cfg.Dir, "files", id)}
	if info, err := os.Stat(f.path); err == nil {
		f.size = info.Size()
	}
	return f
}
