// SPDX-License-Identifier: Apache-2.0

package renderjob

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/pinned"
	"github.com/reelops/reelops/internal/testkit"
)

// A Slideshow owns its RenderJobs: deleting, pruning or renaming it deletes them.
func TestDelete_KeepsTheVideoOfAScheduledPost(t *testing.T) {
	st := newStage(t)
	everyFault(t, "pinned", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
		u := st.run(t, ns, n, f)
		u.settle()
		u.report(u.film(), nil)
		j := u.live()
		p := testkit.ScheduledPost(ns, v1beta1.PostMedia{Kind: "video", VideoKey: j.Status.Output.BlobKey})
		if err := st.cluster.Client.Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if err := st.cluster.Client.Delete(t.Context(), j); err != nil {
			t.Fatal(err)
		}
		u.settle()
		return u
	}, func(t *testing.T, _, u *run) {
		u.t = t
		if u.live() != nil {
			t.Fatal("the RenderJob waits for the post")
		}
		if diff := cmp.Diff([]string{"film.mp4"}, u.blobs()); diff != "" {
			t.Errorf("in the store while the post is scheduled (-want +got):\n%s", diff)
		}
		p := &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Namespace: u.key.Namespace, Name: "tea-tiktok"}}
		if err := st.cluster.Client.Delete(t.Context(), p); err != nil {
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
