// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/testkit"
)

func TestDelete_KeepsTheCoverOfAScheduledPost(t *testing.T) {
	st := theStage
	everyFault(t, "pinned", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
		st.put(t, "uploads/"+ns+"/7", pngOf(600, 900))
		u := st.start(t, ns, n, f, uploaded())
		u.settle()
		m := u.live()
		p := testkit.ScheduledPost(ns, v1beta1.PostMedia{Kind: "video", VideoKey: "film.mp4", Cover: &v1beta1.PostMediaCover{ImageKey: m.Status.BlobKey}})
		if err := st.cluster.Client.Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if err := st.cluster.Client.Delete(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		u.settle()
		return u
	}, func(t *testing.T, _, u *run) {
		u.t = t
		if u.live() != nil {
			t.Fatal("the MediaAsset waits for the post")
		}
		if diff := cmp.Diff([]string{"media/file.png"}, u.blobs()); diff != "" {
			t.Errorf("in the store while the post is scheduled (-want +got):\n%s", diff)
		}
		if err := st.cluster.Client.Delete(t.Context(), testkit.ScheduledPost(u.key.Namespace, v1beta1.PostMedia{})); err != nil {
			t.Fatal(err)
		}
		if err := pinned.CollectAll(t.Context(), u.rec, st.store); err != nil {
			t.Fatal(err)
		}
		if left := u.blobs(); len(left) > 0 {
			t.Errorf("in the store after the post: %v", left)
		}
	})
}
