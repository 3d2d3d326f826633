// SPDX-License-Identifier: Apache-2.0

package tiktok_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/tiktok"
)

// threeParts is the size of a video with three parts, in bytes.
const threeParts = 3*partSize + 1000

func TestPrepare_ResumesAnUpload(t *testing.T) {
	for name, c := range map[string]struct {
		fault   sandbox.Fault
		repeats bool
		parts   int // calls until all three parts have arrived
	}{
		"the second part is dropped":           {fault: sandbox.Fault{Call: "upload.part", Skip: 1, Do: sandbox.Drop}, parts: 4},
		"its response is lost":                 {fault: sandbox.Fault{Call: "upload.part", Skip: 1, Do: sandbox.Drop, When: sandbox.After}, parts: 3},
		"a fault before it":                    {fault: sandbox.Fault{Call: "upload.part", Skip: 1, Do: sandbox.Status, Status: 503}, parts: 4},
		"a fault after it":                     {fault: sandbox.Fault{Call: "upload.part", Skip: 1, Do: sandbox.Status, Status: 500, When: sandbox.After}, parts: 3},
		"a fault after it, and parts go twice": {fault: sandbox.Fault{Call: "upload.part", Skip: 1, Do: sandbox.Status, Status: 500, When: sandbox.After}, repeats: true, parts: 3},
		"TikTok expects another offset":        {fault: sandbox.Fault{Call: "upload.part", Skip: 1, Do: sandbox.Status, Status: 416, When: sandbox.After}, parts: 3},
		"TikTok reports a wrong offset":        {fault: sandbox.Fault{Call: "upload.part", Skip: 1, Do: sandbox.Status, Status: 416}, parts: 4},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			l := stand.Default()
			l.Repeats = c.repeats
			r.stand.SetLimits(l)
			d := r.film(catalog.PostDirect, threeParts)
			r.fault(c.fault)
			s, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
			if err != nil {
				kind(t, err, publish.Transient)
				if len(r.core.Landed("tiktok")) > 0 {
					t.Fatal("the video is published already")
				}
				if s, err = r.Prepare(t.Context(), r.maya, d, r.saved, r.save); err != nil {
					t.Fatal("resuming:", err)
				}
			}
			if _, err := r.Commit(t.Context(), r.maya, d, s.Note); err != nil {
				t.Fatal(err)
			}
			if got := r.calls("upload.part"); got != c.parts {
				t.Errorf("got %d parts, want %d", got, c.parts)
			}
			if n := r.calls("video.init"); n != 1 {
				t.Errorf("got %d uploads", n)
			}
			in, _ := d.Video.Open(t.Context(), 0)
			want, _ := io.ReadAll(in)
			f, err := r.one().File.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if got, _ := io.ReadAll(f); !bytes.Equal(got, want) {
				t.Errorf("got %d bytes that differ from the %d of the video", len(got), len(want))
			}
		})
	}
}

func TestPrepare_SavesTheUploadBeforeItSendsParts(t *testing.T) {
	for size, saved := range map[int64]bool{0: false, threeParts: true} {
		r := newRig(t)
		s, err := r.Prepare(t.Context(), r.maya, r.film(catalog.PostDirect, size), nil, r.save)
		if err != nil || !s.Ready {
			t.Fatalf("%d bytes: got %+v, %v", size, s, err)
		}
		if got := r.saved != nil; got != saved {
			t.Errorf("%d bytes: saved before the response is %v, want %v", size, got, saved)
		}
	}
}

func TestPrepare_SendsALargeVideoInSeveralCalls(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDirect, 11*partSize)
	s, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
	if err != nil || s.Ready || r.calls("upload.part") != 8 {
		t.Fatalf("got %+v, %v after %d parts", s, err, r.calls("upload.part"))
	}
	if s, err = r.Prepare(t.Context(), r.maya, d, s.Note, r.save); err != nil || !s.Ready || r.calls("upload.part") != 10 {
		t.Fatalf("got %+v, %v after %d parts", s, err, r.calls("upload.part"))
	}
	if len(r.core.Landed("tiktok")) > 0 {
		t.Error("the video is published already")
	}
	if _, err := r.Commit(t.Context(), r.maya, d, s.Note); err != nil {
		t.Error(err)
	}
	r.one()
}

// TikTok rejects equal parts. A video that fits into one part is sent in one, and a larger one in parts of 10 MB.
func TestPrepare_PlansPartsThatTikTokAccepts(t *testing.T) {
	for size, parts := range map[int64]int{33_000_000: 1, 65_000_000: 6} {
		r := newRig(t)
		r.CutAbove(64_000_000)
		d := r.film(catalog.PostDirect, size)
		r.accepted(d)
		if got := r.calls("upload.part"); got != parts {
			t.Errorf("%d bytes: got %d parts, want %d", size, got, parts)
		}
		if l := r.one(); l.Bytes != size {
			t.Errorf("%d bytes: got %d", size, l.Bytes)
		}
	}
}

func TestPrepare_SavesTheNoteBeforeAnyByte(t *testing.T) {
	r := newRig(t)
	lost := errors.New("the cluster is away")
	_, err := r.Prepare(t.Context(), r.maya, r.film(catalog.PostDirect, threeParts), nil, func([]byte) error { return lost })
	if !errors.Is(err, lost) || r.calls("upload.part") != 0 {
		t.Errorf("got %v after %d parts", err, r.calls("upload.part"))
	}
}

// A second commit finds the outcome of the first one and never publishes again.
func TestCommit_LastPartTwice(t *testing.T) {
	for name, repeats := range map[string]bool{"TikTok rejects the last part": false, "TikTok accepts the last part again": true} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			l := stand.Default()
			l.Repeats = repeats
			r.stand.SetLimits(l)
			d := r.film(catalog.PostDirect, threeParts)
			note := r.prepared(d)
			r.fault(sandbox.Fault{Call: "upload.part", Do: sandbox.Drop, When: sandbox.After})
			_, err := r.Commit(t.Context(), r.maya, d, note)
			kind(t, err, publish.Ambiguous)
			for range 2 {
				if _, err := r.Commit(t.Context(), r.maya, d, note); err != nil {
					t.Error(err)
				}
			}
			r.clock.Step(2 * time.Hour) // the upload address has expired
			if _, err := r.Commit(t.Context(), r.maya, d, note); err != nil {
				t.Error(err)
			}
			found, err := r.Find(t.Context(), r.maya, d, note, r.clock.Now())
			if err != nil || found.View == nil || found.View.PostID != r.one().ID {
				t.Errorf("found %+v, %v", found, err)
			}
		})
	}
}

// The outcome stays unknown if the status is lost as well.
func TestCommit_UnexplainedRejection(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDirect, 0)
	note := r.prepared(d)
	r.fault(sandbox.Fault{Call: "upload.part", Do: sandbox.Status, Status: 416})
	r.fault(sandbox.Fault{Call: "status.fetch", Do: sandbox.Drop})
	_, err := r.Commit(t.Context(), r.maya, d, note)
	kind(t, err, publish.Ambiguous)
	_, err = r.Find(t.Context(), r.maya, d, note, r.clock.Now())
	if !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("with missing bytes: got %v", err)
	}
}

func TestPrepare_ExpiredUpload(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDirect, threeParts)
	s, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
	if err != nil || !s.ExpiresAt.Equal(r.clock.Now().Add(time.Hour)) {
		t.Fatalf("got %+v, %v", s, err)
	}
	parts := r.calls("upload.part")
	r.clock.Step(time.Hour)
	_, err = r.Commit(t.Context(), r.maya, d, s.Note)
	kind(t, err, publish.Expired)
	_, err = r.Prepare(t.Context(), r.maya, d, s.Note, r.save)
	kind(t, err, publish.Expired)
	if r.calls("upload.part") != parts {
		t.Error("bytes were sent to an expired URL")
	}
	r.accepted(d)
	r.one()
}

func TestCommit_ForeignNotes(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDirect, 0)
	note := r.prepared(d)
	other := r.film(catalog.PostDirect, threeParts)
	for name, c := range map[string]struct {
		d    publish.Draft
		note []byte
	}{"another video": {other, note}, "another mode": {r.film(catalog.PostDraft, 0), note}, "photos": {r.photos(catalog.PostDirect), note}, "no note": {d, nil}, "noise": {d, []byte("{")}} {
		_, err := r.Commit(t.Context(), r.maya, c.d, c.note)
		if err == nil || publish.KindOf(err) != publish.Expired {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if r.calls("upload.part")+r.calls("content.init") > 0 {
		t.Error("a request was sent")
	}
}

// A video whose source fails during the last part was not accepted, and can be sent again.
func TestCommit_SourceFails(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDirect, 0)
	note := r.prepared(d)
	whole := d.Video.Open
	d.Video.Open = func(context.Context, int64) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("only this")), nil
	}
	_, err := r.Commit(t.Context(), r.maya, d, note)
	kind(t, err, publish.Transient)
	r.core.Quiet()
	if _, err := r.Find(t.Context(), r.maya, d, note, r.clock.Now()); !errors.Is(err, publish.ErrNotFound) {
		t.Errorf("with missing bytes: got %v", err)
	}
	d.Video.Open = whole
	if _, err := r.Commit(t.Context(), r.maya, d, note); err != nil {
		t.Error(err)
	}
	r.one()
}

func TestCommit_DraftsHaveNoCaption(t *testing.T) {
	r := newRig(t)
	d := r.film(catalog.PostDraft, 0)
	d.Caption = strings.Repeat("x", 3000) // the caption is not sent, so its length is not checked
	receipt := r.accepted(d)
	r.clock.Step(5 * time.Second)
	if v := r.look(d, receipt.Handle); v.State != v1beta1.DeliveryInInbox || !v.Settled || v.URL != "" {
		t.Errorf("got %+v", v)
	}
	if l := r.one(); l.Visibility != sandbox.Inbox || l.Caption != "" {
		t.Errorf("got %+v", l)
	}
	if r.calls("creator_info.query") > 0 {
		t.Error("a draft reads the creator info, which needs a scope")
	}
}

func TestPrepare_VideoTooLongForTheAccount(t *testing.T) {
	r := newRig(t)
	l := stand.Default()
	l.MaxDuration = 3 * time.Minute
	r.stand.SetLimits(l)
	d := r.film(catalog.PostDirect, 0)
	d.Video.Duration = 3*time.Minute + time.Second
	_, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
	kind(t, err, publish.Rejected)
	if r.calls("video.init") > 0 {
		t.Error("an upload was started")
	}
}

// Video bytes are sent only to TikTok, even if a response names another host.
func TestPrepare_ForeignUploadHost(t *testing.T) {
	touched := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { touched = true }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data := `{"publish_id":"v","upload_url":"` + other.URL + `/video/"}`
		switch {
		case strings.HasSuffix(r.URL.Path, "/creator_info/query/"):
			data = `{"privacy_level_options":["SELF_ONLY"]}`
		case strings.HasSuffix(r.URL.Path, "/status/fetch/"):
			data = `{"status":"PROCESSING_UPLOAD","uploaded_bytes":0}`
		}
		_, _ = w.Write([]byte(`{"data":` + data + `,"error":{"code":"ok"}}`))
	}))
	defer server.Close()
	r := newRig(t)
	r.open(tiktok.Config{ClientID: "app", Clock: r.clock}.At(server.URL))
	d := r.film(catalog.PostDirect, threeParts)
	_, err := r.Prepare(t.Context(), r.maya, d, nil, r.save)
	kind(t, err, publish.Misconfigured)
	d = r.film(catalog.PostDirect, 0)
	_, err = r.Commit(t.Context(), r.maya, d, fmt.Appendf(nil, `{"kind":"video","mode":"direct","publish_id":"v","upload_url":"%s/video/",`+
		`"plan":{"total":%d,"size":%[2]d,"count":1},"expires_at":"2030-01-01T00:00:00Z"}`, other.URL, d.Video.Bytes))
	kind(t, err, publish.Expired)
	if touched {
		t.Error("the foreign host was called")
	}
}
