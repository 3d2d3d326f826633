// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/youtube"
)

const mib = 1 << 20

func TestPrepare_UploadsInPieces(t *testing.T) {
	r := newRig(t)
	doc := aFilm(t, mib+100)
	m := newMedia(doc)
	d := draft(m, "a")
	r.ready(d)
	want := []string{
		"bytes 0-262143/1048676", "bytes 262144-524287/1048676", "bytes 524288-786431/1048676", "bytes 786432-1048575/1048676", "bytes 1048576-1048675/1048676",
	}
	if diff := cmp.Diff(want, r.wire.ranges()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if m.opened != 1 {
		t.Errorf("the file was opened %d times", m.opened)
	}
	if r.saved != 2 {
		t.Errorf("saved %d times, want the session and the video", r.saved)
	}
	v := r.youtube.Videos()
	if len(v) != 1 || v[0].Bytes != int64(len(doc)) || v[0].Privacy != "private" || !v[0].NotifiedAt.IsZero() {
		t.Errorf("got %+v in the channel", v)
	}
}

// YouTube may store less of a chunk than was sent.
func TestPrepare_PartlyStoredPieces(t *testing.T) {
	r := newRig(t)
	r.chunk = 512 << 10
	rules := stand.Generous()
	rules.Keeps = 256 << 10
	r.youtube.SetRules(rules)
	doc := aFilm(t, mib+100)
	d := draft(newMedia(doc), "a")
	r.ready(d)
	want := []string{"bytes 0-524287/1048676", "bytes 262144-786431/1048676", "bytes 524288-1048575/1048676", "bytes 786432-1048675/1048676"}
	if diff := cmp.Diff(want, r.wire.ranges()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	sum := sha256.Sum256(doc)
	if v := r.youtube.Videos(); len(v) != 1 || v[0].SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("got %+v", v)
	}
}

// awaitChunks waits until the stand-in has processed all chunks that were sent, including interrupted ones.
func (r *rig) awaitChunks() {
	r.t.Helper()
	for sent := len(r.wire.ranges()); r.t.Context().Err() == nil; runtime.Gosched() {
		n := 0
		for _, c := range r.core.Calls() {
			if c.Call == "videos.upload" {
				n++
			}
		}
		if n >= sent {
			break
		}
	}
	r.core.Quiet()
}

// An interrupted upload resumes at the offset that YouTube stored, which may be less than what was sent.
func TestPrepare_ResumesAnUpload(t *testing.T) {
	for name, breaks := range map[string]func(r *rig, m *media){
		"the connection, before a piece": func(r *rig, _ *media) { r.fault(sandbox.Fault{Call: "videos.upload", Do: sandbox.Drop, Skip: 2}) },
		"the connection, after a piece": func(r *rig, _ *media) {
			r.fault(sandbox.Fault{Call: "videos.upload", Do: sandbox.Drop, When: sandbox.After, Skip: 2})
		},
		"the connection, after the last": func(r *rig, _ *media) {
			r.fault(sandbox.Fault{Call: "videos.upload", Do: sandbox.Drop, When: sandbox.After, Skip: 4})
		},
		"the store, within a piece": func(_ *rig, m *media) { m.broken = 600_000 },
		"the token":                 func(r *rig, _ *media) { r.fault(sandbox.Fault{Call: "videos.upload", Do: sandbox.Expire, Skip: 3}) },
		"trouble": func(r *rig, _ *media) {
			r.fault(sandbox.Fault{Call: "videos.upload", Do: sandbox.Status, Status: 503, Skip: 1})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			m := newMedia(aFilm(t, mib+100))
			breaks(r, m)
			d := draft(m, "a")
			step, err := r.prepare(d)
			if name == "the token" && kindOf(err) != publish.Unauthorized || name != "the token" && (err != nil || step.Ready || step.Wait <= 0) {
				t.Fatalf("an interrupted upload with progress: got %+v, %v", step, err)
			}
			m.broken = 0
			r.awaitChunks() // a chunk still in flight would interfere with the next one
			if r.tokens, err = r.Refresh(t.Context(), r.tokens); err != nil {
				t.Fatal(err)
			}
			r.account.AccessToken = r.tokens.AccessToken
			before := len(r.wire.ranges())
			r.ready(d)
			if again := r.wire.ranges()[before:]; again[0] != "bytes */1048676" || len(again) > 5 {
				t.Errorf("resumed with %v", again)
			}
			if v := r.youtube.Videos(); len(v) != 1 || r.youtube.Sessions() != 0 {
				t.Errorf("got %d videos and %d open uploads", len(v), r.youtube.Sessions())
			}
			if r.commit(d); len(r.core.Landed("youtube")) != 1 {
				t.Errorf("got %+v", r.core.Landed("youtube"))
			}
		})
	}
}

func TestPrepare_ExpiredSession(t *testing.T) {
	lostReply := sandbox.Fault{Call: "videos.upload", Do: sandbox.Drop, When: sandbox.After, Skip: 4}
	half := sandbox.Fault{Call: "videos.upload", Do: sandbox.Drop, Skip: 2}
	for name, c := range map[string]struct {
		fault sandbox.Fault
		rules func(*stand.Rules)
		// before and between are the keys of other videos, uploaded before and while the session is lost.
		before, between []string
		videos          int
	}{
		"complete, found by its name":              {fault: lostReply, videos: 1},
		"complete, found by size and title":        {fault: lostReply, rules: func(r *stand.Rules) { r.ForgetNames = true }, videos: 1},
		"complete, others of that size before":     {fault: lostReply, before: []string{"x", "y"}, videos: 3},
		"complete, others of that size since":      {fault: lostReply, between: []string{"x", "y"}, videos: 3},
		"half":                                     {fault: half, videos: 1},
		"half, others of that size before":         {fault: half, before: []string{"x"}, rules: func(r *stand.Rules) { r.ForgetNames = true }, videos: 2},
		"half, others of that size and name since": {fault: half, between: []string{"x"}, videos: 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			if c.rules != nil {
				rules := stand.Generous()
				c.rules(&rules)
				r.youtube.SetRules(rules)
			}
			doc := aFilm(t, mib+100)
			other := func(keys []string) {
				for _, key := range keys {
					o := *r
					o.note = nil
					o.ready(draft(newMedia(doc), key))
					r.clock.Step(20 * time.Minute)
				}
			}
			other(c.before)
			if r.tokens.AccessExpiresAt.Before(r.clock.Now().Add(time.Hour)) {
				r.tokens, _ = r.Refresh(t.Context(), r.tokens)
				r.account.AccessToken = r.tokens.AccessToken
			}
			r.fault(c.fault)
			d := draft(newMedia(doc), "ours")
			if step, err := r.prepare(d); err != nil || step.Ready {
				t.Fatal(step, err)
			}
			other(c.between)
			r.tokens, _ = r.Refresh(t.Context(), r.tokens)
			r.account.AccessToken = r.tokens.AccessToken
			r.youtube.EndSessions()
			r.ready(d)
			if v := r.youtube.Videos(); len(v) != c.videos {
				t.Errorf("the channel has %d videos, want %d: %+v", len(v), c.videos, v)
			}
			rec := r.commit(d)
			for _, v := range r.youtube.Videos() {
				if v.Privacy == "public" && (v.ID != rec.Handle || v.FileName != slug("ours") && v.FileName != "unknown") {
					t.Errorf("%+v is public, want %s", v, rec.Handle)
				}
			}
		})
	}
}

// The uploads playlist has pages of 50. The adapter reads the uploads since the session was opened.
func TestReconcile_ReadsAllPages(t *testing.T) {
	r := newRig(t)
	doc := aFilm(t, 300<<10)
	r.fault(sandbox.Fault{Call: "videos.upload", Do: sandbox.Drop, When: sandbox.After, Skip: 1})
	d := draft(newMedia(doc), "ours")
	if step, err := r.prepare(d); err != nil || step.Ready {
		t.Fatal(step, err)
	}
	for i := range 60 {
		o := *r
		o.note = nil
		if _, err := o.prepare(draft(newMedia(doc), fmt.Sprint("other ", i))); err != nil {
			t.Fatal(err)
		}
	}
	r.youtube.EndSessions()
	r.ready(d)
	if n := len(r.youtube.Videos()); n != 61 {
		t.Errorf("the channel has %d videos, want 61", n)
	}
}

// A connection on which the upload does not advance is a failure.
func TestPrepare_NoProgress(t *testing.T) {
	r := newRig(t)
	d := draft(newMedia(aFilm(t, mib)), "a")
	r.fault(sandbox.Fault{Call: "videos.upload", Do: sandbox.Drop, Times: 2})
	for range 2 {
		if step, err := r.prepare(d); kindOf(err) != publish.Transient {
			t.Errorf("got %+v, %v", step, err)
		}
	}
	r.ready(d)
}

// A channel without uploads has no uploads playlist.
func TestReconcile_WithoutAPlaylist(t *testing.T) {
	r := newRig(t)
	d := draft(newMedia(aFilm(t, mib)), "a")
	r.fault(sandbox.Fault{Call: "videos.upload", Do: sandbox.Drop})
	if _, err := r.prepare(d); kindOf(err) != publish.Transient {
		t.Fatal(err)
	}
	r.youtube.EndSessions()
	r.fault(sandbox.Fault{Call: "playlistItems.list", Do: sandbox.Status, Status: 404, Code: "playlistNotFound"})
	r.ready(d)
	if left := r.core.Faults(); len(left) > 0 {
		t.Errorf("the list was not read: %+v", left)
	}
}

func TestPrepare_NoteOfAnotherFile(t *testing.T) {
	r := newRig(t)
	r.fault(sandbox.Fault{Call: "videos.upload", Do: sandbox.Drop, Skip: 1})
	if step, err := r.prepare(draft(newMedia(aFilm(t, mib)), "a")); err != nil || step.Ready {
		t.Fatal(step, err)
	}
	if _, err := r.prepare(draft(newMedia(aFilm(t, mib+1)), "a")); kindOf(err) != publish.Expired {
		t.Errorf("another file resumes the upload: %v", err)
	}
	r.note = []byte("{")
	if _, err := r.prepare(draft(newMedia(aFilm(t, mib)), "a")); kindOf(err) != publish.Expired {
		t.Errorf("with an invalid note: got %v", err)
	}
}

func TestPrepare_SaveFails(t *testing.T) {
	r := newRig(t)
	_, err := r.Prepare(t.Context(), r.account, draft(newMedia(aFilm(t, mib)), "a"), nil, func([]byte) error { return io.ErrShortWrite })
	if err == nil || len(r.wire.ranges()) != 0 {
		t.Errorf("bytes were sent to an unknown session: %v, %v", r.wire.ranges(), err)
	}
}

func TestPrepare_StoreHasFewerBytes(t *testing.T) {
	r := newRig(t)
	doc := aFilm(t, mib)
	m := newMedia(doc)
	m.Bytes = mib + 50
	d := draft(m, "a")
	for i := range 3 { // the upload advances at first, and then stops
		if _, err := r.prepare(d); i > 0 && kindOf(err) != publish.Transient {
			t.Errorf("got %v", err)
		}
	}
	if n := len(r.youtube.Videos()); n != 0 {
		t.Errorf("got %d videos of half a file", n)
	}
}

// A transport may read from a request's body after it returned a response, but not after takeBack.
func TestLoan(t *testing.T) {
	f := &mediaReader{media: &publish.Media{}}
	f.r, f.at = io.NopCloser(bytes.NewReader([]byte("abcdefgh"))), 0
	l, err := f.lend(t.Context(), 0, 4)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 3)
	if n, err := l.Read(b); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	if err := f.takeBack(l); err != nil {
		t.Fatal(err)
	}
	if n, err := l.Read(b); n != 0 || err == nil {
		t.Errorf("after takeBack %d more bytes were read", n)
	}
	if f.at != 3 {
		t.Errorf("the file is at offset %d, want 3", f.at)
	}
}
