// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/media/sniff"
)

// writeFile writes the bytes to a file.
func writeFile(t *testing.T, doc []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// soundly probes a file as intake does: the track, then its loudness. Every failure must be a Refusal; an accepted
// track is within the length limit.
func soundly(t *testing.T, doc []byte, contentType string) (*Track, error) {
	t.Helper()
	path, l := writeFile(t, doc), limits()
	k, err := tools().Track(t.Context(), path, contentType, l)
	if err == nil {
		_, err = tools().Loudness(t.Context(), path, contentType, k, l)
	}
	var r *Refusal
	if err != nil && !errors.As(err, &r) {
		t.Errorf("neither accepted nor rejected: %v", err)
	}
	if err == nil && (k.Duration <= 0 || k.Duration > l.Duration) {
		t.Errorf("accepted with a length of %s", k.Duration)
	}
	return k, err
}

func sounds(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	doc, err := os.ReadFile(film(t, name, append([]string{"-f", "lavfi", "-i", "sine=f=440:d=4:r=44100"}, args...)...))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// Playlists and scripts name other files; they are rejected as tracks of every type.
func TestTrack_RejectsPlaylists(t *testing.T) {
	lists := map[string]string{
		"m3u":    "#EXTM3U\n#EXTINF:10,x\nhttp://127.0.0.1:9/x.mp3\n",
		"hls":    "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
		"pls":    "[playlist]\nFile1=file:///etc/passwd\nNumberOfEntries=1\n",
		"concat": "ffconcat version 1.0\nfile '/etc/passwd'\n",
		"ffmeta": ";FFMETADATA1\ntitle=x\n",
		"empty":  "",
	}
	for name, doc := range lists {
		if got := sniff.Audio([]byte(doc)); got != "" {
			t.Errorf("%s is detected as %s", name, got)
		}
		for _, ct := range []string{sniff.MP3, sniff.AAC, sniff.M4A, sniff.WAV, sniff.FLAC, sniff.Ogg} {
			if k, err := soundly(t, []byte(doc), ct); err == nil {
				t.Errorf("%s as %s: got %+v", name, ct, k)
			}
		}
	}
}

// A truncated track is rejected, or has the length of its remaining part.
func TestTrack_Truncated(t *testing.T) {
	for name, args := range map[string][]string{
		"a.mp3": nil, "a.m4a": nil, "a.wav": nil, "a.flac": nil, "a.ogg": {"-c:a", "libvorbis"}, "a.aac": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := sounds(t, name, args...)
			ct := sniff.Audio(doc[:min(len(doc), sniff.Bytes)])
			for part := range 20 {
				cut := doc[:len(doc)*part/20]
				if k, err := soundly(t, cut, ct); err == nil && k.Duration > 4*time.Second*time.Duration(part+2)/20+200*time.Millisecond {
					t.Errorf("%d%% of the file: got %s", part*5, k.Duration)
				}
			}
		})
	}
}

// Headers with a false duration of hours do not change the measured duration.
func TestTrack_FalseDurations(t *testing.T) {
	wav := sounds(t, "a.wav")
	at := bytes.Index(wav, []byte("data"))
	long := bytes.Clone(wav)
	binary.LittleEndian.PutUint32(long[4:], 0xfffffff0)
	binary.LittleEndian.PutUint32(long[at+4:], 0xfffffff0) // ten hours
	if k, err := soundly(t, long, sniff.WAV); err == nil && k.Duration > 5*time.Second {
		t.Errorf("four seconds are measured as %s", k.Duration)
	}
	flac := sounds(t, "a.flac")
	for i := range 5 { // the number of samples: the low half of byte 21 and the next four bytes
		flac[21+i] |= 0x0f
	}
	if k, err := soundly(t, flac, sniff.FLAC); err == nil && k.Duration > 5*time.Second {
		t.Errorf("four seconds are measured as %s", k.Duration)
	}
	// The largest channel count and sample rate that a header can declare.
	odd := bytes.Clone(wav)
	fmtAt := bytes.Index(odd, []byte("fmt "))
	binary.LittleEndian.PutUint16(odd[fmtAt+10:], 0xffff)
	binary.LittleEndian.PutUint32(odd[fmtAt+12:], 0x7fffffff)
	_, _ = soundly(t, odd, sniff.WAV)
}

// A tag with megabytes of invalid image data is harmless.
func TestTrack_LargeTags(t *testing.T) {
	mp3 := sounds(t, "a.mp3")
	picture := append([]byte("\x00image/png\x00\x03\x00\x89PNG\r\n\x1a\n"), make([]byte, 8<<20)...)
	frame := append([]byte("APIC"), byte(len(picture)>>24), byte(len(picture)>>16), byte(len(picture)>>8), byte(len(picture)), 0, 0)
	frame = append(frame, picture...)
	n := len(frame)
	tag := append([]byte("ID3\x03\x00\x00"), byte(n>>21)&0x7f, byte(n>>14)&0x7f, byte(n>>7)&0x7f, byte(n)&0x7f)
	if k, err := soundly(t, append(append(tag, frame...), mp3...), sniff.MP3); err == nil && k.Duration > 5*time.Second {
		t.Errorf("got a length of %s", k.Duration)
	}
	// A tag that declares more bytes than the file has.
	if _, err := soundly(t, append([]byte("ID3\x03\x00\x00\x7f\x7f\x7f\x7f"), mp3...), sniff.MP3); err == nil {
		t.Log("the declared length of the tag was not used")
	}
}

// Bytes of one type with the name of another.
func TestTrack_OtherTypes(t *testing.T) {
	for i, file := range []string{"a.mp3", "a.wav", "a.flac"} {
		doc := sounds(t, file)
		for k, ct := range []string{sniff.MP3, sniff.WAV, sniff.FLAC, sniff.M4A, sniff.Ogg} {
			t.Run(fmt.Sprint(file, " as ", ct), func(t *testing.T) {
				if track, err := soundly(t, doc, ct); err == nil && i != k && ct != sniff.MP3 {
					t.Errorf("accepted as %+v", track)
				}
			})
		}
	}
}
