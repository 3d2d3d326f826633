// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/linkedin"
)

// Members and pages post videos, one image, and several images.
func TestPublish_AllKinds(t *testing.T) {
	for name, c := range map[string]struct {
		draft  func(*rig) publish.Draft
		images int
	}{
		"a video":   {func(r *rig) publish.Draft { return r.film(0) }, 0},
		"an image":  {func(r *rig) publish.Draft { return r.photos(1) }, 1},
		"3 images":  {func(r *rig) publish.Draft { return r.photos(3) }, 3},
		"20 images": {func(r *rig) publish.Draft { return r.photos(20) }, 20},
	} {
		t.Run(name, func(t *testing.T) {
			for _, who := range []string{"maya", "acme"} {
				r := newRig(t)
				a := map[string]publish.Account{"maya": r.maya, "acme": r.acme}[who]
				d := c.draft(r)
				receipt, err := r.Commit(t.Context(), a, d, r.prepared(a, d))
				if err != nil {
					t.Fatalf("%s: got %v", who, err)
				}
				l := r.one()
				want := []any{who, d.Kind, d.Caption, c.images, true, l.ID, l.URL}
				got := []any{l.Account, l.Kind, l.Caption, len(l.Files), receipt.View.Settled, receipt.View.PostID, receipt.View.URL}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", who, diff)
				}
				if title := map[bool]string{true: d.Title}[c.images == 0]; l.Title != title {
					t.Errorf("%s: the title is %q, want %q", who, l.Title, title)
				}
				for i, f := range l.Files {
					if f.Bytes != d.Photos[i].Bytes {
						t.Errorf("%s: image %d differs", who, i+1)
					}
				}
			}
		})
	}
}

// A member may not read the state of images. The adapter waits some seconds and does not poll.
func TestPrepare_ImagesOfMembersAreNotPolled(t *testing.T) {
	r := newRig(t)
	d := r.photos(3)
	s, err := r.Prepare(t.Context(), r.maya, d, nil, unsaved)
	if err != nil || s.Ready || s.Wait != 10*time.Second {
		t.Fatalf("got %+v, %v", s, err)
	}
	r.clock.Step(s.Wait)
	if s, err = r.Prepare(t.Context(), r.maya, d, s.Note, unsaved); err != nil || !s.Ready || s.ExpiresAt != noon.Add(12*time.Hour) {
		t.Errorf("got %+v, %v", s, err)
	}
	if n := r.calls("images.get"); n != 1 {
		t.Errorf("got %d polls", n)
	}
}

// While LinkedIn processes a page's images, one call is enough to see it, and the note stays the same.
func TestPrepare_PollingIsCheap(t *testing.T) {
	r := newRig(t)
	d := r.photos(20)
	s, err := r.Prepare(t.Context(), r.acme, d, nil, unsaved)
	if err != nil || s.Ready || s.Wait != 2*time.Second {
		t.Fatalf("got %+v, %v", s, err)
	}
	again, err := r.Prepare(t.Context(), r.acme, d, s.Note, unsaved)
	if err != nil || again.Ready || string(again.Note) != string(s.Note) {
		t.Errorf("got %+v, %v", again, err)
	}
	if n := r.calls("images.get"); n != 2 {
		t.Errorf("two polls took %d calls", n)
	}
	r.clock.Step(5 * time.Second)
	if again, err = r.Prepare(t.Context(), r.acme, d, again.Note, unsaved); err != nil || !again.Ready {
		t.Errorf("got %+v, %v", again, err)
	}
	if n := r.calls("images.initializeUpload"); n != 20 {
		t.Errorf("got %d uploaded images", n)
	}
}

// An upload resumes after the last part that is known to have arrived.
func TestPrepare_ResumesAnUpload(t *testing.T) {
	r := newRig(t)
	d := r.film(11 << 20) // three parts
	r.fault(sandbox.Fault{Call: "upload.part", Do: sandbox.Drop, Skip: 2})
	var note []byte
	_, err := r.Prepare(t.Context(), r.acme, d, nil, func(doc []byte) error {
		note = doc
		return nil
	})
	kind(t, err, publish.Transient)
	r.open(r.config) // another process
	s, err := r.Prepare(t.Context(), r.acme, d, note, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if n := r.calls("upload.part"); n != 4 {
		t.Errorf("three parts with one failure took %d calls", n)
	}
	r.clock.Step(5 * time.Second)
	if s, err = r.Prepare(t.Context(), r.acme, d, s.Note, unsaved); err != nil || !s.Ready {
		t.Fatalf("got %+v, %v", s, err)
	}
	if _, err := r.Commit(t.Context(), r.acme, d, s.Note); err != nil {
		t.Fatal(err)
	}
	if l := r.one(); l.Bytes != d.Video.Bytes {
		t.Errorf("got %d of %d bytes", l.Bytes, d.Video.Bytes)
	}
}

// If all parts were sent and the outcome of finalizing is unknown, the adapter reads the state from LinkedIn.
func TestPrepare_LostFinalization(t *testing.T) {
	for _, when := range []string{sandbox.Before, sandbox.After} {
		r := newRig(t)
		d := r.film(8 << 20) // two parts: the note is recorded after the second
		r.fault(sandbox.Fault{Call: "videos.finalizeUpload", Do: sandbox.Drop, When: when})
		var note []byte
		_, err := r.Prepare(t.Context(), r.acme, d, nil, func(doc []byte) error {
			note = doc
			return nil
		})
		kind(t, err, publish.Transient)
		if _, err := r.Prepare(t.Context(), r.acme, d, note, unsaved); err != nil {
			t.Fatal(err)
		}
		want := map[string]int{sandbox.Before: 2, sandbox.After: 1}[when]
		if n := r.calls("videos.finalizeUpload"); n != want || r.calls("upload.part") != 2 {
			t.Errorf("lost %s: finalized %d times, want %d; %d parts uploaded", when, n, want, r.calls("upload.part"))
		}
	}
}

// A note that cannot be recorded stops the upload, because the work would otherwise run twice.
func TestPrepare_StopsWithoutARecord(t *testing.T) {
	r := newRig(t)
	stale := errors.New("stale")
	if _, err := r.Prepare(t.Context(), r.acme, r.film(11<<20), nil, func([]byte) error { return stale }); !errors.Is(err, stale) {
		t.Errorf("got %v", err)
	}
	if n := r.calls("upload.part"); n != 1 {
		t.Errorf("got %d uploaded parts", n)
	}
}

func TestPrepare_ExpiredUploadURLs(t *testing.T) {
	r := newRig(t)
	r.stand.SetRules(stand.Rules{UploadLife: time.Minute})
	d := r.film(8 << 20)
	var note []byte
	r.fault(sandbox.Fault{Call: "upload.part", Do: sandbox.Drop, Skip: 1})
	_, err := r.Prepare(t.Context(), r.acme, d, nil, func(doc []byte) error {
		note = doc
		return nil
	})
	kind(t, err, publish.Transient)
	r.clock.Step(time.Minute)
	_, err = r.Prepare(t.Context(), r.acme, d, note, unsaved)
	kind(t, err, publish.Expired)
}

// A file that LinkedIn could not process is uploaded once more. After a second failure the file is rejected.
func TestPrepare_ProcessingFails(t *testing.T) {
	for times, want := range map[int]string{1: "ready", 2: "refused"} {
		r := newRig(t)
		r.fault(sandbox.Fault{Call: sandbox.CallProcessing, Do: sandbox.Fail, Times: times})
		d := r.film(0)
		var note []byte
		got := ""
		for range 10 {
			s, err := r.Prepare(t.Context(), r.acme, d, note, unsaved)
			if err != nil {
				kind(t, err, publish.Rejected)
				got = "refused"
				break
			}
			if note = s.Note; s.Ready {
				got = "ready"
				break
			}
			r.clock.Step(s.Wait)
		}
		if got != want || r.calls("videos.initializeUpload") != 2 {
			t.Errorf("failed %d times: got %q after %d uploads, want %q", times, got, r.calls("videos.initializeUpload"), want)
		}
	}
}

// LinkedIn may process a file for half an hour, and uploads are considered valid for half a day.
func TestPrepare_Timeouts(t *testing.T) {
	r := newRig(t)
	d := r.film(0)
	s, err := r.Prepare(t.Context(), r.acme, d, nil, unsaved)
	if err != nil {
		t.Fatal(err)
	}
	ready := r.prepared(r.acme, d)
	r.fault(sandbox.Fault{Call: "videos.get", Do: sandbox.Status, Status: 503, Times: -1})
	_, err = r.Prepare(t.Context(), r.acme, d, s.Note, unsaved)
	kind(t, err, publish.Transient)
	r.clock.Step(12 * time.Hour)
	_, err = r.Prepare(t.Context(), r.acme, d, ready, unsaved)
	kind(t, err, publish.Expired)
}

// Notes of other drafts and invalid notes are Expired.
func TestPrepare_ForeignNotes(t *testing.T) {
	r := newRig(t)
	film, set := r.film(0), r.photos(2)
	note := r.prepared(r.acme, film)
	for name, doc := range map[string][]byte{"nonsense": []byte("{"), "of a video": note} {
		_, err := r.Prepare(t.Context(), r.acme, set, doc, unsaved)
		kind(t, err, publish.Expired)
		if _, err = r.Commit(t.Context(), r.acme, set, doc); publish.KindOf(err) != publish.Expired {
			t.Errorf("%s: got %v", name, err)
		}
	}
	s, err := r.Prepare(t.Context(), r.acme, set, nil, unsaved)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Commit(t.Context(), r.acme, set, s.Note) // not ready
	kind(t, err, publish.Expired)
	if len(r.core.Landed("linkedin")) > 0 {
		t.Error("a post was published")
	}
}

// Files and tokens are sent to LinkedIn only.
func TestUploadHosts(t *testing.T) {
	r := newRig(t)
	r.core.SetBaseURL("http://127.0.0.1:1") // the host to which the fake platform directs uploads
	_, err := r.Prepare(t.Context(), r.acme, r.film(0), nil, unsaved)
	kind(t, err, publish.Misconfigured)
}

// A file that cannot be read is reported as such.
func TestPrepare_UnreadableFile(t *testing.T) {
	r := newRig(t)
	gone := errors.New("gone")
	d := r.film(0)
	d.Video.Open = func(context.Context, int64) (io.ReadCloser, error) { return nil, gone }
	if _, err := r.Prepare(t.Context(), r.acme, d, nil, unsaved); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
}

// The author's audience and cover reach LinkedIn; a page has no connections.
func TestSettings(t *testing.T) {
	r := newRig(t)
	d := r.film(0)
	cover := r.photos(1).Photos[0]
	d.Cover = &publish.Cover{Image: &cover}
	d.Settings.LinkedIn = &v1beta1.LinkedInSettings{Visibility: "connections"}
	_, err := r.Prepare(t.Context(), r.acme, d, nil, unsaved)
	kind(t, err, publish.Rejected)
	if _, err := r.Commit(t.Context(), r.maya, d, r.prepared(r.maya, d)); err != nil {
		t.Fatal(err)
	}
	if l := r.one(); l.Audience != "CONNECTIONS" || len(l.Cover) != 64 {
		t.Errorf("got audience %q, cover %q", l.Audience, l.Cover)
	}
	offset := time.Second
	d.Cover = &publish.Cover{Offset: &offset}
	if got, err := r.Commit(t.Context(), r.maya, d, r.prepared(r.maya, d)); err != nil || len(got.View.Warnings) != 1 {
		t.Errorf("with a time offset as cover: got %+v, %v", got, err)
	}
}

// A cover whose upload was interrupted is sent once, before the upload is finalized.
func TestPrepare_ResumesACoverUpload(t *testing.T) {
	r := newRig(t)
	d := r.film(8 << 20) // two parts: the note is recorded after each
	cover := r.photos(1).Photos[0]
	d.Cover = &publish.Cover{Image: &cover}
	r.fault(sandbox.Fault{Call: "upload.part", Do: sandbox.Drop, Skip: 2})
	var note []byte
	save := func(doc []byte) error {
		note = doc
		return nil
	}
	_, err := r.Prepare(t.Context(), r.acme, d, nil, save)
	kind(t, err, publish.Transient)
	s, err := r.Prepare(t.Context(), r.acme, d, note, save)
	if err != nil {
		t.Fatal(err)
	}
	r.clock.Step(5 * time.Second)
	if s, err = r.Prepare(t.Context(), r.acme, d, s.Note, unsaved); err != nil || !s.Ready || r.calls("upload.part") != 4 {
		t.Fatalf("got %+v, %v after %d uploads", s, err, r.calls("upload.part"))
	}
	if _, err := r.Commit(t.Context(), r.acme, d, s.Note); err != nil || len(r.one().Cover) != 64 {
		t.Errorf("got %v, cover %q", err, r.one().Cover)
	}
}

// A video that LinkedIn cannot process with its cover is published without it.
func TestPrepare_UnusableCover(t *testing.T) {
	for times, want := range map[int]publish.Kind{2: "", -1: publish.Rejected} {
		r := newRig(t)
		d := r.film(0)
		cover := r.photos(1).Photos[0]
		d.Cover = &publish.Cover{Image: &cover}
		r.fault(sandbox.Fault{Call: sandbox.CallProcessing, Do: sandbox.Fail, Times: times})
		var s publish.Step
		var err error
		for err == nil && !s.Ready {
			s, err = r.Prepare(t.Context(), r.acme, d, s.Note, func([]byte) error { return nil })
			r.clock.Step(s.Wait)
		}
		if want != "" {
			kind(t, err, want)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Commit(t.Context(), r.acme, d, s.Note); err != nil || len(got.View.Warnings) != 1 || r.one().Cover != "" {
			t.Errorf("got %+v, %v", got, err)
		}
	}
}
