// SPDX-License-Identifier: Apache-2.0

package mp4

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sample returns a video of numbered samples, which are not decodable but recognizable.
func sample(pictures, fps, sounds, rate int) (Video, Audio) {
	v := Video{Width: 320, Height: 180, FPS: fps, SPS: []byte{0x67, 0x64, 0, 0x1f, 0xac}, PPS: [][]byte{{0x68, 0xee}, {0x68, 0x5a, 1}}}
	var data bytes.Buffer
	for n := range pictures {
		doc := fmt.Appendf(nil, "picture %d", n)
		v.Sizes = append(v.Sizes, len(doc))
		data.Write(doc)
		if n%7 == 0 {
			v.Keys = append(v.Keys, n)
		}
	}
	v.Data = &data
	a := Audio{Rate: rate, Channels: 2}
	var sound bytes.Buffer
	for n := range sounds {
		doc := fmt.Appendf(nil, "sound %d", n)
		a.Sizes = append(a.Sizes, len(doc))
		sound.Write(doc)
	}
	a.Data = &sound
	return v, a
}

// TestWrite checks with ffprobe the position, the time and the key flag of every sample.
func TestWrite(t *testing.T) {
	for name, tc := range map[string]struct {
		pictures, fps, sounds, rate int
		early                       map[int]int
	}{
		"a video":                       {100, 30, 157, 48000, nil},
		"shorter than a second":         {1, 30, 2, 48000, nil},
		"a second, exactly":             {25, 25, 47, 48000, nil},
		"sound shorter than the video":  {90, 30, 20, 48000, nil},
		"sound longer than the video":   {10, 30, 200, 44100, nil},
		"many frames a second":          {250, 120, 98, 48000, nil},
		"pictures that are early":       {100, 30, 157, 48000, map[int]int{10: 15, 40: 1, 42: 20, 90: 9}},
		"one that is shown last":        {8, 30, 20, 48000, map[int]int{1: 6}},
		"an early picture for a moment": {5, 25, 10, 48000, map[int]int{1: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			v, a := sample(tc.pictures, tc.fps, tc.sounds, tc.rate)
			v.Early = tc.early
			var out bytes.Buffer
			if err := Write(&out, v, a); err != nil {
				t.Fatal(err)
			}
			film := out.Bytes()
			path := filepath.Join(t.TempDir(), "film.mp4")
			if err := os.WriteFile(path, film, 0o600); err != nil {
				t.Fatal(err)
			}
			if moov, mdat := bytes.Index(film, []byte("moov")), bytes.Index(film, []byte("mdat")); moov < 0 || mdat < moov {
				t.Errorf("the index is at %d, the media at %d", moov, mdat)
			}
			b, err := exec.Command("ffprobe", "-v", "error", "-f", "mov", "-fflags", "+noparse", "-show_entries", "packet=codec_type,pts_time,dts_time,pos,size,flags", "-of", "json", path).Output()
			if err != nil {
				t.Fatalf("ffprobe is needed (apt-get install ffmpeg): %v", err)
			}
			var doc struct {
				Packets []struct {
					Type  string `json:"codec_type"`
					PTS   string `json:"pts_time"`
					DTS   string `json:"dts_time"`
					Pos   string `json:"pos"`
					Size  string `json:"size"`
					Flags string `json:"flags"`
				} `json:"packets"`
			}
			if err := json.Unmarshal(b, &doc); err != nil {
				t.Fatal(err)
			}
			seen := map[string]int{}
			left := 0 // pictures that are shown before an early one
			for _, p := range doc.Packets {
				n := seen[p.Type]
				seen[p.Type]++
				says, slot, decoded := fmt.Sprintf("picture %d", n), float64(n), float64(n)
				switch early := tc.early[n]; {
				case p.Type == "audio":
				case early > 0:
					slot, left = slot+float64(early), early
				case left > 0:
					slot, left = slot-1, left-1
				}
				if p.Type == "video" && len(tc.early) > 0 {
					decoded-- // ffprobe shifts all decoding times, so that none is later than the display
				}
				at, decoding := slot/float64(tc.fps), decoded/float64(tc.fps)
				if p.Type == "audio" {
					says, at = fmt.Sprintf("sound %d", n), float64(n*frameSamples)/float64(tc.rate)
					decoding = at
				}
				pos, _ := strconv.Atoi(p.Pos)
				size, _ := strconv.Atoi(p.Size)
				if got := string(film[pos : pos+size]); got != says {
					t.Fatalf("%s %d: got %q", p.Type, n, got)
				}
				for _, time := range []struct {
					what, got string
					want      float64
				}{{"shown", p.PTS, at}, {"decoded", p.DTS, decoding}} {
					if want := fmt.Sprintf("%.6f", time.want); time.got[:len(time.got)-1] != want[:len(want)-1] {
						t.Errorf("%s %d is %s at %s, want %s", p.Type, n, time.what, time.got, want)
					}
				}
				if key := strings.HasPrefix(p.Flags, "K"); p.Type == "video" && key != (n%7 == 0) {
					t.Errorf("frame %d: got key %v", n, key)
				}
			}
			if seen["video"] != tc.pictures || seen["audio"] != tc.sounds {
				t.Errorf("got %v", seen)
			}
		})
	}
}

func TestWrite_Errors(t *testing.T) {
	for name, spoil := range map[string]func(*Video, *Audio){
		"no frames":        func(v *Video, _ *Audio) { v.Sizes = nil },
		"no sound":         func(_ *Video, a *Audio) { a.Sizes = nil },
		"no parameters":    func(v *Video, _ *Audio) { v.SPS = nil },
		"truncated frames": func(v *Video, _ *Audio) { v.Data = io.LimitReader(v.Data, 20) },
		"too large":        func(v *Video, _ *Audio) { v.Sizes[0] = 1 << 32 },
	} {
		t.Run(name, func(t *testing.T) {
			v, a := sample(10, 30, 10, 48000)
			spoil(&v, &a)
			if err := Write(io.Discard, v, a); err == nil {
				t.Error("invalid input is written")
			}
		})
	}
}

func TestADTS(t *testing.T) {
	frame := func(payload string) []byte {
		n := len(payload) + 7
		return append([]byte{0xff, 0xf1, 0x4c, 0x80 | byte(n>>11), byte(n >> 3), byte(n<<5) | 0x1f, 0xfc}, payload...)
	}
	whole := append(frame("one"), frame("three")...)
	all, err := io.ReadAll(NewADTS(bytes.NewReader(whole)))
	if err != nil || string(all) != "onethree" {
		t.Errorf("got %q, %v", all, err)
	}
	s := NewADTS(bytes.NewReader(whole))
	first, _ := s.Next()
	second, err := s.Next()
	if first != 3 || second != 5 || err != nil || s.Rate != 48000 || s.Channels != 2 {
		t.Errorf("got frames of %d and %d bytes at %d Hz, %d channels: %v", first, second, s.Rate, s.Channels, err)
	}
	for name, doc := range map[string][]byte{"truncated": whole[:len(whole)-2], "half a header": whole[:3], "another format": []byte("RIFF....WAVE")} {
		if _, err := io.ReadAll(NewADTS(bytes.NewReader(doc))); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
