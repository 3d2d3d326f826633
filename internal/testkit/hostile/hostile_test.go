// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"bytes"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "golang.org/x/image/webp"

	"github.com/reelops/reelops/internal/media/sniff"
)

// TestHostileFiles_ReachTheBait opens hostile files without protection and checks that they reach the bait. Otherwise
// the corpus would prove nothing.
func TestHostileFiles_ReachTheBait(t *testing.T) {
	s, b := NewSeeds(t), lay(t)
	careless := func(name string, f func(path string)) {
		t.Helper()
		for _, file := range append(s.Films(b), s.Pictures(b)...) {
			if file.Name == name {
				path := filepath.Join(t.TempDir(), "file")
				if err := os.WriteFile(path, file.Data, 0o600); err != nil {
					t.Fatal(err)
				}
				f(path)
				return
			}
		}
		t.Fatalf("there is no %q", name)
	}
	follows := func(args ...string) func(string) {
		return func(path string) {
			before := len(b.Taken())
			out, _ := exec.CommandContext(t.Context(), "ffprobe", append(append([]string{"-v", "trace"}, args...), path)...).CombinedOutput()
			if len(b.Taken()) == before && !strings.Contains(string(out), "Opening '"+b.File) {
				t.Errorf("the file does not reach the bait:\n%s", out)
			}
		}
	}
	careless("HLS declared as video/mp4", follows("-protocol_whitelist", "file,http,tcp,crypto", "-f", "hls"))
	careless("concat script declared as video/mp4", follows("-f", "concat", "-safe", "0"))
	careless("MOV whose content is at an alias of a file", follows("-enable_drefs", "1", "-use_absolute_path", "1"))
}

// TestCorpus_IsAsIntended checks the properties of the files of the corpus.
func TestCorpus_IsAsIntended(t *testing.T) {
	s, b := NewSeeds(t), lay(t)
	seen := map[string]bool{}
	for _, f := range append(append(s.Pictures(b), s.Films(b)...), s.Mistaken()...) {
		if seen[f.Name] {
			t.Errorf("two files have the name %q", f.Name)
		}
		seen[f.Name] = true
		found := sniff.ContentType(f.Data[:min(len(f.Data), sniff.Bytes)])
		if f.Want == Taken && !sniff.Agree(f.Type, found) {
			t.Errorf("%s begins like %q", f.Name, found)
		}
		if len(f.Data) > 10<<20 && strings.HasPrefix(f.Type, "image/") {
			t.Errorf("%s has %d bytes: too large to be opened", f.Name, len(f.Data))
		}
		if f.Want == Taken && strings.HasPrefix(f.Type, "image/") && !strings.HasPrefix(f.Type, "image/hei") && f.Name != "moving WebP" && f.Name != "WebP of 1,000 frames" {
			if _, _, err := image.Decode(bytes.NewReader(f.Data)); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
		}
	}
	for _, want := range []string{"GIF of 600,000 frames", "PNG of 50,000 x 50,000", "MP4 of 1,000 tracks", "MP4 cut at 5%", "WebM cut at 95%", "HEIC cut at 50%"} {
		if !seen[want] {
			t.Errorf("there is no %q", want)
		}
	}
	t.Logf("%d files", len(seen))
}
