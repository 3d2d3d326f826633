// SPDX-License-Identifier: Apache-2.0

package video

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/testkit"
)

// TestDelete_KeepsTheCoverOfAScheduledPost checks the Video's own files, which can be covers. The video itself is a
// file of the RenderJob that the Video owns.
func TestDelete_KeepsTheCoverOfAScheduledPost(t *testing.T) {
	w := newWorld(t)
	u := w.run(t, "pinned", 0, "", throughDoor)
	v := u.live()
	key := v.Status.ThumbnailKey
	if !strings.HasPrefix(key, Prefix(v)) {
		t.Fatalf("the thumbnail %q is not a file of the Video", key)
	}
	p := testkit.ScheduledPost(v.Namespace, v1beta1.PostMedia{
		Kind: "video", VideoKey: v.Status.Output.BlobKey, Cover: &v1beta1.PostMediaCover{ImageKey: key},
	})
	if err := w.cluster.Client.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := w.cluster.Client.Delete(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	u.settle()
	if !u.isDeleted() {
		t.Fatal("the Video waits for the post")
	}
	if diff := cmp.Diff([]string{strings.TrimPrefix(key, Prefix(v))}, u.files(Prefix(v))); diff != "" {
		t.Errorf("in the store while the post is scheduled (-want +got):\n%s", diff)
	}
	if err := w.cluster.Client.Delete(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := pinned.CollectAll(t.Context(), u.rec, w.store); err != nil {
		t.Fatal(err)
	}
	if left := u.files(Prefix(v)); len(left) > 0 {
		t.Errorf("in the store after the post: %v", left)
	}
}
