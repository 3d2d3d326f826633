// SPDX-License-Identifier: Apache-2.0

package post

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/photoset"
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

// movedOncePrepared moves the first post to another revision after its preparation on the platform.
func (w *world) movedOncePrepared() {
	w.t.Helper()
	w.until(55*time.Minute, func() bool { return w.platform.sessions["session 1 of uid-1"] })
	w.move()
}

func TestMoved_PostIsPreparedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		before       func(*world)
		restart      bool
		preparations int
	}{
		"before it is prepared":             {func(w *world) { w.until(time.Minute, func() bool { return false }); w.move() }, false, 1},
		"after it is prepared":              {(*world).movedOncePrepared, false, 2},
		"after another process prepared it": {(*world).movedOncePrepared, true, 2},
		"while the platform processes it": {func(w *world) {
			w.until(55*time.Minute, func() bool { return w.platform.preparations == 1 })
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
			if w.platform.preparations != c.preparations || w.platform.lastCaption != movedCaption {
				t.Errorf("got %d preparations, published %q", w.platform.preparations, w.platform.lastCaption)
			}
			if p := w.post("post-1"); last(p).Digest != digest(p) {
				t.Errorf("got attempt %+v", last(p))
			}
		})
	}
}

// TestEdited_PreparationOfAnEarlierReleaseIsNotUsed edits a post that release v0.1.0 has prepared, which recorded no
// digest of the content.
func TestEdited_PreparationOfAnEarlierReleaseIsNotUsed(t *testing.T) {
	w := newWorld(t, 0, none, inAnHour()...)
	w.until(55*time.Minute, func() bool { return w.platform.sessions["session 1 of uid-1"] })
	p := w.post("post-1")
	before := p.DeepCopy()
	p.Status.Preparation.Digest = ""
	if err := w.live.Status().Patch(t.Context(), p, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	before = p.DeepCopy()
	p.Spec.Caption, p.Spec.Edit = movedCaption, &v1beta1.PostEdit{Number: 1, At: metav1.NewTime(noon), AcceptedFor: p.Spec.ScheduledAt}
	if err := w.live.Patch(t.Context(), p, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		t.Fatal(err)
	}
	w.start()
	w.settle()
	w.once(t)
	if w.platform.preparations != 2 || w.platform.lastCaption != movedCaption {
		t.Errorf("got %d preparations, published %q", w.platform.preparations, w.platform.lastCaption)
	}
}

// TestMoved_TimeIsThatOfTheEdit moves a post to another time, also after its preparation. The post is published once, at
// the new time, and a preparation that is still valid is used.
func TestMoved_TimeIsThatOfTheEdit(t *testing.T) {
	prepared := func(w *world) {
		w.until(55*time.Minute, func() bool { return w.platform.sessions["session 1 of uid-1"] })
	}
	for name, c := range map[string]struct {
		before func(*world)
		at     time.Duration
	}{
		"later":                     {func(*world) {}, 3 * time.Hour},
		"later, once prepared":      {prepared, 70 * time.Minute},
		"much later, once prepared": {prepared, 20 * time.Hour},
		"earlier":                   {func(*world) {}, 40 * time.Minute},
		"earlier, once prepared":    {prepared, 50 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0, none, inAnHour()...)
			c.before(w)
			p := w.post("post-1")
			before := p.DeepCopy()
			p.Spec.ScheduledAt = metav1.NewMicroTime(noon.Add(c.at))
			p.Spec.Edit = &v1beta1.PostEdit{At: metav1.NewTime(noon), AcceptedFor: before.Spec.ScheduledAt}
			if err := w.live.Patch(t.Context(), p, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
				t.Fatal(err)
			}
			w.event(client.ObjectKeyFromObject(p))
			w.settle()
			w.once(t)
			if late := last(w.post("post-1")).StartedAt.Sub(noon.Add(c.at)); late < 0 || late > time.Minute {
				t.Errorf("published %s after the new time", late)
			}
		})
	}
}

// TestMadePrefix_DiffersByContent checks that the images rendered for a post are stored separately for each content.
// Images of an earlier content cannot be published.
func TestMadePrefix_DiffersByContent(t *testing.T) {
	p := aPost("1", noon)
	first := imagePrefix(p)
	p.Spec.Caption = movedCaption
	if second := imagePrefix(p); first == second {
		t.Errorf("both prefixes are %s", first)
	}
	for _, prefix := range []string{first, imagePrefix(p)} {
		if !strings.HasPrefix(prefix, photoset.Prefix(p.Namespace, string(v1beta1.Origin(p)))) {
			t.Errorf("%s is not deleted with the post", prefix)
		}
	}
}
