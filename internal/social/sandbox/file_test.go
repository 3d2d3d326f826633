// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/work/child"
)

// TestProbe_ReadsNoOtherFile posts a playlist that refers ffprobe to the video of another post.
func TestProbe_ReadsNoOtherFile(t *testing.T) {
	r := newRig(t, t.TempDir())
	video, err := r.s.NewFile("video/mp4")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(film(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := video.WriteFrom(strings.NewReader(string(doc)), 0); err != nil {
		t.Fatal(err)
	}
	script, err := r.s.NewFile("video/mp4")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := script.WriteFrom(strings.NewReader("ffconcat version 1.0\nfile "+filepath.Base(video.Path())+"\nduration 1\n"), 0); err != nil {
		t.Fatal(err)
	}
	if p, err := script.Probe(t.Context()); err == nil {
		t.Errorf("a playlist was probed as %+v", p)
	}
	if _, err := video.Probe(t.Context()); err != nil {
		t.Errorf("the video itself: got %v", err)
	}
}

// TestProbe_IsConfined runs an ffprobe that a hostile video controls: it reads another file and reports its content
// as the codec.
func TestProbe_IsConfined(t *testing.T) {
	if lacks, err := child.Lacks(); err != nil || len(lacks) > 0 {
		t.Skipf("this system cannot confine programs: %v, %v", lacks, err)
	}
	secret, program := filepath.Join(t.TempDir(), "secret"), filepath.Join(t.TempDir(), "ffprobe")
	if err := os.WriteFile(secret, []byte("theirs\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	body := "#!/bin/sh\nread word <" + secret + ` || word=refused
echo '{"format":{"duration":"1"},"streams":[{"codec_type":"video","width":1,"codec_name":"'$word'"}]}'
`
	if err := os.WriteFile(program, []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Dir: t.TempDir(), FFprobe: program})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	p, err := s.probe(t.Context(), film(t))
	if err != nil {
		t.Fatal(err)
	}
	if p.VideoCodec != "refused" {
		t.Errorf("ffprobe read %q from another file", p.VideoCodec)
	}
}
