// SPDX-License-Identifier: Apache-2.0

package post

import (
	"strings"
	"testing"
	"time"

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
		before            func(*world)
		restart           bool
		batchMissingSince int
	}{
		"before it is prepared":             {func(w *world) { w.until(time.Minute, func() bool { return false }); w.move() }, false, 1},
		"after it is prepared":              {(*world).movedOncePrepared, false, 2},
		"after another process prepared it": {(*world).movedOncePrepared, true, 2},
		"while the platform processes it": {func(w *world) {
			w.until(55*time.Minute, func() bool { return w.platform.batchMissingSince == 1 })
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
			if w.platform.batchMissingSince != c.batchMissingSince || w.platform.lastCaption != movedCaption {
				t.Errorf("got %d preparations, published %q", w.platform.batchMissingSince, w.platform.lastCaption)
			}
			if p := w.post("post-1"); last(p).Digest != digest(p) {
				t.Errorf("got attempt %+v", last(p))
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
