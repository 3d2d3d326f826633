// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/testkit/hostile"
)

// TestProbe_HostileVideos probes the whole corpus, including files that sniffing would already reject: no reference
// in a file is followed, even after another failure.
func TestProbe_HostileVideos(t *testing.T) {
	seeds, bait := hostile.NewSeeds(t), hostile.NewBait(t)
	files := append(seeds.Films(bait), seeds.Mistaken()...)
	for _, f := range append(files, seeds.Pictures(bait)...) {
		if !strings.HasPrefix(f.Type, "video/") {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(t.TempDir(), "thumbnail.jpg")
			clip, err := tools().Clip(t.Context(), path, f.Type, limits())
			if err == nil {
				err = tools().Thumbnail(t.Context(), path, f.Type, clip, catalog.ThumbnailWidth, limits(), out)
			}
			found := sniff.ContentType(f.Data[:min(len(f.Data), sniff.Bytes)])
			t.Logf("%d bytes, starting with %q: got %+v, %v", len(f.Data), found, clip, err)
			var refusal *Refusal
			switch {
			case err != nil && !errors.As(err, &refusal):
				t.Errorf("the error does not concern the file: %v", err)
			case f.Want == hostile.Refused && err == nil && found == f.Type:
				t.Errorf("accepted: %+v", clip)
			case f.Want == hostile.Taken && err != nil:
				t.Errorf("rejected: %v", err)
			}
			thumbnail, _ := os.ReadFile(out)
			for _, said := range []string{string(thumbnail), errorText(err)} {
				if strings.Contains(said, hostile.Marker) {
					t.Errorf("the error contains data of another file: %q", said)
				}
			}
			if refusal != nil && strings.ContainsAny(refusal.Message, "/#<>\x00\n") {
				t.Errorf("the message for users contains data of the file: %q", refusal.Message)
			}
		})
	}
	t.Cleanup(func() {
		var use syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &use); err != nil {
			t.Fatal(err)
		}
		t.Logf("the largest child took %d MB", use.Maxrss>>10)
		if use.Maxrss>>10 > 600 {
			t.Error("that is more than 600 MB")
		}
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestProbe_HostileSounds checks the whole corpus of music like the intake of a track.
func TestProbe_HostileSounds(t *testing.T) {
	for _, f := range hostile.NewSeeds(t).Sounds() {
		t.Run(f.Name, func(t *testing.T) {
			if found := sniff.Audio(f.Data[:min(len(f.Data), sniff.Bytes)]); found != f.Type {
				t.Errorf("starting with %q", found)
			}
			if _, err := soundly(t, f.Data, f.Type); (err == nil) != (f.Want == hostile.Taken) {
				t.Errorf("got %v", err)
			}
			var use syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &use); err != nil {
				t.Fatal(err)
			}
			if use.Maxrss>>10 > 600 {
				t.Errorf("a child took %d MB, want at most 600", use.Maxrss>>10)
			}
		})
	}
}
