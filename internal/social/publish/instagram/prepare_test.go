// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	sandboxinstagram "github.com/reelops/reelops/internal/social/sandbox/instagram"
)

func never([]byte) error { return nil }

// However often the preparation resumes from its last note, each container is created once.
func TestPrepare_ResumesWithoutNewContainers(t *testing.T) {
	for name, c := range map[string]struct {
		draft func(*world) publish.Draft
		want  int
	}{
		"reel":     {func(w *world) publish.Draft { return w.reel("Bread") }, 1},
		"picture":  {func(w *world) publish.Draft { return w.photos("Bread", 1) }, 1},
		"carousel": {func(w *world) publish.Draft { return w.photos("Bread", 4) }, 5},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, _ := w.connect("studio")
			d := c.draft(w)
			note := w.prepare(a, d)
			for range 3 {
				s, err := w.p.Prepare(t.Context(), a, d, note, never)
				if err != nil || !s.Ready {
					t.Fatalf("got %+v, %v", s, err)
				}
				if want := begin.Add(24 * time.Hour); s.ExpiresAt.Before(want) || s.ExpiresAt.After(want.Add(time.Minute)) {
					t.Errorf("got expiry %v", s.ExpiresAt)
				}
			}
			if n := w.calls(sandboxinstagram.CallCreate); n != c.want {
				t.Errorf("got %d containers, want %d", n, c.want)
			}
		})
	}
}

// A failure in the middle of a carousel preserves the created containers with one save before the error is returned.
func TestPrepare_SavesCreatedContainers(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("studio")
	d := w.photos("Bread", 4)
	w.faults(sandbox.Fault{Call: sandboxinstagram.CallCreate, Do: sandbox.Status, Status: 500, Skip: 2})
	var saved [][]byte
	_, err := w.p.Prepare(t.Context(), a, d, nil, func(n []byte) error {
		saved = append(saved, slices.Clone(n))
		return nil
	})
	if publish.KindOf(err) != publish.Transient || len(saved) != 1 {
		t.Fatalf("got %v, saved %d times", err, len(saved))
	}
	note := saved[0]
	for range 10 {
		s, err := w.p.Prepare(t.Context(), a, d, note, never)
		if err != nil {
			t.Fatal(err)
		}
		if note = s.Note; s.Ready {
			break
		}
		w.clock.Step(s.Wait)
	}
	if n := w.calls(sandboxinstagram.CallCreate); n != 6 { // two, the failure, two more, the carousel
		t.Errorf("got %d calls", n)
	}
	// A failed save is returned, so that no step depends on unrecorded state.
	w.faults(sandbox.Fault{Call: sandboxinstagram.CallCreate, Do: sandbox.Status, Status: 500, Skip: 1})
	full := errors.New("no room")
	if _, err := w.p.Prepare(t.Context(), a, d, nil, func([]byte) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

// While Instagram processes the container, the note stays the same: no write is needed between two polls.
func TestPrepare_PollingWritesNothing(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	s, err := w.p.Prepare(t.Context(), a, d, nil, never)
	if err != nil || s.Ready || s.Wait <= 0 {
		t.Fatalf("got %+v, %v", s, err)
	}
	w.clock.Step(s.Wait)
	again, err := w.p.Prepare(t.Context(), a, d, s.Note, never)
	if err != nil || again.Ready || string(again.Note) != string(s.Note) {
		t.Errorf("got %+v, %v, want the note %s", again, err, s.Note)
	}
}

// A file that cannot be fetched is tried three times. Then the error is returned.
func TestPrepare_FileIsNotFetched(t *testing.T) {
	for name, draft := range map[string]func(*world) publish.Draft{
		"reel":     func(w *world) publish.Draft { return w.reel("Bread") },
		"carousel": func(w *world) publish.Draft { return w.photos("Bread", 2) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, _ := w.connect("maya")
			d := draft(w)
			clear(w.media)
			var note []byte
			for range 20 {
				s, err := w.p.Prepare(t.Context(), a, d, note, never)
				if err != nil {
					if publish.KindOf(err) != publish.Rejected || w.calls(sandboxinstagram.CallCreate) != 3 {
						t.Errorf("got %v after %d calls", err, w.calls(sandboxinstagram.CallCreate))
					}
					return
				}
				note = s.Note
				w.clock.Step(s.Wait)
			}
			t.Error("the preparation is retried without end")
		})
	}
}

// Only the failed image of a carousel is created again.
func TestPrepare_OneImageFails(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	d := w.photos("Bread", 3)
	w.faults(sandbox.Fault{Call: sandbox.CallProcessing, Do: sandbox.Fail, Skip: 1})
	w.prepare(a, d)
	if n := w.calls(sandboxinstagram.CallCreate); n != 5 {
		t.Errorf("got %d calls, want three images, one again, and the carousel", n)
	}
}

func TestPrepare_Rejections(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	for name, b := range map[string][]byte{
		"a PNG": []byte("\x89PNG\r\n\x1a\n0000"), "too tall": picture(400, 700), "too wide": picture(700, 300),
	} {
		d := w.photos("Bread", 1)
		d.Photos[0] = w.file("x.jpg", b)
		if _, err := w.p.Prepare(t.Context(), a, d, nil, never); publish.KindOf(err) != publish.Rejected {
			t.Errorf("%s: got %v", name, err)
		}
	}
	d := w.reel("Bread")
	m := w.file("text.mp4", []byte("this is no film at all"))
	d.Video = &m
	var note []byte
	for {
		s, err := w.p.Prepare(t.Context(), a, d, note, never)
		if err != nil {
			if publish.KindOf(err) != publish.Rejected {
				t.Error(err)
			}
			break
		}
		note = s.Note
		w.clock.Step(s.Wait)
	}
}

// A container that stays in processing for half an hour is replaced.
func TestPrepare_EndlessProcessing(t *testing.T) {
	w := newWorld(t)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	s, err := w.p.Prepare(t.Context(), a, d, nil, never)
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Step(25 * time.Hour)
	if _, err := w.p.Prepare(t.Context(), a, d, s.Note, never); publish.KindOf(err) != publish.Expired {
		t.Errorf("a day later: got %v", err)
	}
	if _, err := w.p.Prepare(t.Context(), a, d, []byte("{"), never); publish.KindOf(err) != publish.Expired {
		t.Errorf("with an invalid note: got %v", err)
	}
	if _, err := w.p.Commit(t.Context(), a, d, s.Note); publish.KindOf(err) != publish.Expired {
		t.Errorf("committed before it is ready: got %v", err)
	}
}

// In an outage Instagram does not show new containers for minutes. The adapter waits for them instead of replacing
// them. A container that is not shown for ten minutes is lost.
func TestPrepare_FreshContainersThatAreNotShown(t *testing.T) {
	for name, draft := range map[string]func(*world) publish.Draft{
		"reel":     func(w *world) publish.Draft { return w.reel("Bread") },
		"carousel": func(w *world) publish.Draft { return w.photos("Bread", 2) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, _ := w.connect("maya")
			d := draft(w)
			b := sandboxinstagram.Usual
			b.StatusOutage = sandboxinstagram.Seconds(30 * time.Second)
			w.there.Behave(b)
			w.prepare(a, d)
			if n, want := w.calls(sandboxinstagram.CallCreate), map[string]int{"reel": 1, "carousel": 3}[name]; n != want {
				t.Errorf("got %d containers, want %d", n, want)
			}
			b.StatusOutage = sandboxinstagram.Seconds(time.Hour)
			w.there.Behave(b)
			s, err := w.p.Prepare(t.Context(), a, d, nil, never)
			if err != nil {
				t.Fatal(err)
			}
			w.clock.Step(9 * time.Minute)
			again, err := w.p.Prepare(t.Context(), a, d, s.Note, never)
			if err != nil || again.Ready || again.Wait <= 0 || string(again.Note) != string(s.Note) {
				t.Fatalf("after nine minutes: got %+v, %v", again, err)
			}
			w.clock.Step(time.Minute)
			if _, err := w.p.Prepare(t.Context(), a, d, s.Note, never); publish.KindOf(err) != publish.Expired {
				t.Errorf("after ten minutes: got %v", err)
			}
		})
	}
}

// The author's settings for a reel reach Instagram. An image takes precedence over an offset, and the cover's offset
// over that of the reel settings.
func TestSettings(t *testing.T) {
	no, at, early := false, 1500*time.Millisecond, int64(250)
	for name, c := range map[string]struct {
		change  func(*world, *publish.Draft)
		cover   string
		offFeed bool
	}{
		"nothing": {func(*world, *publish.Draft) {}, "", false},
		"out of the feed, with a time offset": {func(_ *world, d *publish.Draft) {
			d.Settings.Instagram = &v1beta1.InstagramSettings{ShareToFeed: &no, CoverOffsetMillis: &early}
		}, "250 ms", true},
		"a time offset of the cover": {func(_ *world, d *publish.Draft) {
			d.Settings.Instagram = &v1beta1.InstagramSettings{CoverOffsetMillis: &early}
			d.Cover = &publish.Cover{Offset: &at}
		}, "1500 ms", false},
		"an image": {func(w *world, d *publish.Draft) {
			d.Settings.Instagram = &v1beta1.InstagramSettings{CoverOffsetMillis: &early}
			m := w.file("cover.jpg", picture(90, 160))
			d.Cover = &publish.Cover{Image: &m}
		}, "picture", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			a, _ := w.connect("maya")
			d := w.reel("Bread")
			c.change(w, &d)
			if _, err := w.p.Commit(t.Context(), a, d, w.prepare(a, d)); err != nil {
				t.Fatal(err)
			}
			l := w.core.Landed("instagram")[0]
			if l.OffFeed != c.offFeed || c.cover == "picture" && len(l.Cover) != 64 || c.cover != "picture" && l.Cover != c.cover {
				t.Errorf("out of the feed %v, cover %q", l.OffFeed, l.Cover)
			}
		})
	}
	w := newWorld(t)
	a, _ := w.connect("maya")
	d := w.reel("Bread")
	late := time.Minute
	d.Cover = &publish.Cover{Offset: &late}
	s, err := w.p.Prepare(t.Context(), a, d, nil, never)
	for err == nil && !s.Ready {
		w.clock.Step(s.Wait)
		s, err = w.p.Prepare(t.Context(), a, d, s.Note, never)
	}
	if err != nil {
		t.Fatal("a time offset after the end:", err)
	}
	if r, err := w.p.Commit(t.Context(), a, d, s.Note); err != nil || len(r.View.Warnings) != 1 || w.core.Landed("instagram")[0].Cover != "" {
		t.Errorf("a time offset after the end: got %+v, %v", r, err)
	}
}
