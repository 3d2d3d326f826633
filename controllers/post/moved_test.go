// SPDX-License-Identifier: Apache-2.0

package post

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/blob"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/photoset"
)

const movedCaption = "Six teas #tea"

// move gives the first post the content of another revision, as the controller of batches does.
func (w *world) move() {
	w.t.Helper()
	p := w.post("post-1")
	before := p.DeepCopy()
	p.Spec.Revision, p.Spec.Caption, p.Spec.Media.VideoKey = 2, movedCaption, "shorts/tea-2.mp4"
	if err := w.live.Patch(w.t.Context(), p, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		w.t.Fatal(err)
	}
	w.event(client.ObjectKeyFromObject(p))
}

// movedOncePrepared moves the first post when the platform has all of it.
func (w *world) movedOncePrepared() {
	w.t.Helper()
	w.until(55*time.Minute, func() bool { return w.platform.sessions["session 1 of uid-1"] })
	w.move()
}

func TestMoved_PostIsPreparedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		before  func(*world)
		restart bool
		begun   int
	}{
		"before it was prepared":                   {func(w *world) { w.until(time.Minute, func() bool { return false }); w.move() }, false, 1},
		"after it was prepared":                    {(*world).movedOncePrepared, false, 2},
		"after it was prepared by another process": {(*world).movedOncePrepared, true, 2},
		"while the platform processes it": {func(w *world) {
			w.until(55*time.Minute, func() bool { return w.platform.begun == 1 })
			w.move()
		}, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0, none, inAnHour()...)
			c.before(w)
			if c.restart {
				w.start()
			}
			w.settle()
			w.once(t)
			if w.platform.begun != c.begun || w.platform.lastCaption != movedCaption {
				t.Errorf("%d preparations, and %q was published", w.platform.begun, w.platform.lastCaption)
			}
			if p := w.post("post-1"); last(p).Digest != digest(p) {
				t.Errorf("attempt %+v", last(p))
			}
		})
	}
}

// files gives the world a store, with or without the file of the first post.
func (w *world) files(there bool) *blob.Store {
	w.t.Helper()
	s, err := blob.Open(w.t.Context(), blob.Config{URL: "file://" + w.t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		w.t.Fatal(err)
	}
	w.r.Store = s
	w.film(there)
	return s
}

func (w *world) film(there bool) {
	w.t.Helper()
	var err error
	if there {
		err = w.r.Store.Put(w.t.Context(), "shorts/tea.mp4", "video/mp4", strings.NewReader("film"))
	} else {
		err = w.r.Store.Delete(w.t.Context(), "shorts/tea.mp4")
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// reason returns that of the first post's condition Ready.
func (w *world) reason() v1beta1.Reason {
	c := meta.FindStatusCondition(w.post("post-1").Status.Conditions, string(v1beta1.ConditionReady))
	if c == nil {
		return ""
	}
	return v1beta1.Reason(c.Reason)
}

func (w *world) announced() (out []string) {
	for {
		select {
		case e := <-w.events.Events:
			out = append(out, e)
		default:
			return out
		}
	}
}

// inADay returns a post of a video that is due a day later. Its file is compared with a digest.
func inADay() []client.Object {
	at := noon.Add(24 * time.Hour)
	p := aPost("1", at)
	p.Spec.Media.SHA256 = strings.Repeat("0", 64)
	return []client.Object{socialAccount(), postBatch(at), p}
}

func TestMissingFile_IsReportedBeforeTheTimeAndHeals(t *testing.T) {
	w := newWorld(t, 0, none, inADay()...)
	w.files(false)
	after := func(d time.Duration) { w.until(d, func() bool { return false }) }
	after(time.Minute)
	if w.reason() != v1beta1.ReasonFileNotFound || w.post("post-1").Status.State != v1beta1.PostScheduled {
		t.Fatalf("%s: %+v", w.reason(), w.post("post-1").Status)
	}
	if got := w.announced(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning FileNotFound ") {
		t.Errorf("events %q", got)
	}
	w.film(true)
	after(2 * time.Minute)
	if w.reason() != v1beta1.ReasonScheduled || w.post("post-1").Status.Error != nil {
		t.Errorf("after the file was restored: %s", w.reason())
	}
	w.film(false)
	after(filesTime + time.Minute)
	if w.reason() != v1beta1.ReasonFileNotFound {
		t.Errorf("after it was lost again: %s", w.reason())
	}
	writes := w.writes
	after(2 * time.Hour)
	if w.writes != writes {
		t.Errorf("%d writes while nothing changes", w.writes-writes)
	}
}

func TestMissingFile_FailsThePostWhenItIsDue(t *testing.T) {
	w := newWorld(t, 0, none, inADay()...)
	w.files(true)
	due := noon.Add(24 * time.Hour)
	w.until(due.Sub(noon)-prepareAhead-time.Minute, func() bool { return false })
	if w.reason() != v1beta1.ReasonScheduled {
		t.Fatalf("with the file: %s", w.reason())
	}
	w.film(false) // since the last look, and before the preparation
	w.until(20*time.Minute, func() bool { return false })
	if w.reason() != v1beta1.ReasonFileNotFound || w.ended() {
		t.Errorf("before its time: %s, %+v", w.reason(), w.post("post-1").Status)
	}
	w.settle()
	p := w.post("post-1")
	if e := p.Status.Error; p.Status.State != v1beta1.PostFailed || e == nil || e.Code != string(catalog.ShortNotPostable) || w.clock.Now().Before(due) || w.landed("1") > 0 {
		t.Errorf("%+v", p.Status)
	}
}

// A store that does not answer proves nothing: the preparation reports it, if it still does not.
func TestMissingFile_StoreThatDoesNotAnswer(t *testing.T) {
	w := newWorld(t, 0, none, inADay()...)
	s := w.files(false)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	w.until(time.Minute, func() bool { return false })
	if w.reason() != v1beta1.ReasonScheduled {
		t.Errorf("%s", w.reason())
	}
}

// The pictures that are made for a post are stored apart for each content: those of an earlier one cannot be published.
func TestMadePrefix_DiffersByContent(t *testing.T) {
	p := aPost("1", noon)
	first := madePrefix(p)
	p.Spec.Caption = movedCaption
	if second := madePrefix(p); first == second {
		t.Errorf("both are %s", first)
	}
	for _, prefix := range []string{first, madePrefix(p)} {
		if !strings.HasPrefix(prefix, photoset.Prefix(p.Namespace, string(v1beta1.Origin(p)))) {
			t.Errorf("%s is not deleted with the post", prefix)
		}
	}
}
