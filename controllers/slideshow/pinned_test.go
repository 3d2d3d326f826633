// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/testkit"
)

func TestDelete_KeepsTheSlidesOfAScheduledPost(t *testing.T) {
	st := newStage(t)
	u := st.run(t, "pinned", &writer{}, 0, "")
	s := u.live()
	stored := func() (n int) {
		t.Helper()
		if err := st.drawer.Store.Walk(t.Context(), slides.Prefix(s), func(blob.Object) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	media := v1beta1.PostMedia{Kind: "photo_set"}
	for i := range s.Status.Slides {
		media.PhotoKeys = append(media.PhotoKeys, deck.Drawn(s, s.Status.Slides[i].ID).PictureKey)
	}
	if n := stored(); len(media.PhotoKeys) == 0 || n <= len(media.PhotoKeys) {
		t.Fatalf("got %d files, of which a post publishes %d", n, len(media.PhotoKeys))
	}
	p := testkit.ScheduledPost(s.Namespace, media)
	if err := u.user.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	u.delete()
	u.settle()
	if err := u.rec.Get(t.Context(), u.key, &v1beta1.Slideshow{}); err == nil {
		t.Fatal("the Slideshow waits for the post")
	}
	for _, key := range media.PhotoKeys {
		if there, err := st.drawer.Store.Exists(t.Context(), key); err != nil || !there {
			t.Errorf("%s: got %v, %v", key, there, err)
		}
	}
	if n := stored(); n != len(media.PhotoKeys) {
		t.Errorf("%d files are stored, want the %d of the post", n, len(media.PhotoKeys))
	}
	if err := u.user.Delete(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := pinned.CollectAll(t.Context(), u.rec, st.drawer.Store); err != nil {
		t.Fatal(err)
	}
	if n := stored(); n > 0 {
		t.Errorf("%d files are stored after the post", n)
	}
}
