// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

func uploaded() v1beta1.MediaAssetSpec {
	return v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: ptr.To("uploads/NAMESPACE/7")}}
}

func everyFault(t *testing.T, prefix string, scenario func(t *testing.T, namespace string, failAt int, f testkit.Fault) *run, check func(t *testing.T, clean, u *run)) {
	clean := scenario(t, prefix+"-clean", 0, "")
	check(t, clean, clean)
	if len(clean.rec.Writes) < 3 {
		t.Fatalf("want writes of %v only", clean.rec.Writes)
	}
	for _, cell := range testkit.Cells(clean.rec.Writes) {
		t.Run(cell.String(), func(t *testing.T) {
			check(t, clean, scenario(t, prefix+"-"+cell.Tag, cell.At, cell.Fault))
		})
	}
}

// same compares the final states of two runs.
func same(t *testing.T, clean, u *run, stored ...string) {
	t.Helper()
	u.t = t
	if diff := cmp.Diff(clean.final(), u.final()); diff != "" {
		t.Errorf("the final state differs (-clean +this):\n%s", diff)
	}
	if diff := cmp.Diff(stored, u.blobs()); diff != "" {
		t.Errorf("in the store (-want +got):\n%s", diff)
	}
	u.noSecrets()
}

func TestAsset_SurvivesFaults(t *testing.T) {
	st := theStage

	t.Run("an image", func(t *testing.T) {
		everyFault(t, "picture", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			st.put(t, "uploads/"+ns+"/7", pngOf(600, 900))
			u := st.start(t, ns, n, f, uploaded())
			u.settle()
			return u
		}, func(t *testing.T, clean, u *run) {
			same(t, clean, u, "media/file.png", "media/thumbnail.jpg")
			if p := u.live().Status.Probe; p == nil || p.Width != 600 || p.Height != 900 || p.ContentType != "image/png" {
				t.Errorf("got probe %+v", p)
			}
		})
	})

	t.Run("a truncated image", func(t *testing.T) {
		everyFault(t, "cut", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			whole := pngOf(600, 900)
			st.put(t, "uploads/"+ns+"/7", whole[:len(whole)/2])
			u := st.start(t, ns, n, f, uploaded())
			u.settle()
			return u
		}, func(t *testing.T, clean, u *run) {
			same(t, clean, u)
			if e := u.live().Status.Error; e == nil || e.Retryable || e.Details["reason"] != "unreadable" {
				t.Errorf("got error %+v", e)
			}
		})
	})

	t.Run("a clip at the second attempt", func(t *testing.T) {
		everyFault(t, "clip", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			st.put(t, "uploads/"+ns+"/7", film)
			u := st.start(t, ns, n, f, uploaded())
			u.settle()
			u.ends(nil)
			u.ends(clip(int64(len(film))))
			return u
		}, func(t *testing.T, clean, u *run) {
			same(t, clean, u, "media/file.mp4", "media/thumbnail.jpg")
			m := u.live()
			if m.Status.Work.State != v1beta1.WorkSucceeded || m.Status.Work.Attempt != 2 || m.Status.Probe == nil {
				t.Errorf("got work %+v, probe %+v", m.Status.Work, m.Status.Probe)
			}
			if len(u.createdJobs()) != 2 {
				t.Errorf("want one Job for each attempt: %v", u.createdJobs())
			}
		})
	})

	t.Run("a rejected clip", func(t *testing.T) {
		everyFault(t, "refused", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			st.put(t, "uploads/"+ns+"/7", film)
			u := st.start(t, ns, n, f, uploaded())
			u.settle()
			u.ends(failure(false))
			return u
		}, func(t *testing.T, clean, u *run) {
			same(t, clean, u)
			if e := u.live().Status.Error; e == nil || e.Details["reason"] != "too_long" {
				t.Errorf("got error %+v", e)
			}
		})
	})

	t.Run("deleted while it is probed", func(t *testing.T) {
		everyFault(t, "gone", func(t *testing.T, ns string, n int, f testkit.Fault) *run {
			st.put(t, "uploads/"+ns+"/7", film)
			u := st.start(t, ns, n, f, uploaded())
			u.settle()
			if err := st.cluster.Client.Delete(t.Context(), u.live()); err != nil {
				t.Fatal(err)
			}
			u.settle()
			return u
		}, func(t *testing.T, clean, u *run) {
			u.t = t
			if m := u.live(); m != nil {
				t.Fatalf("the asset still exists: %v", m.Finalizers)
			}
			if left := u.blobs(); len(left) > 0 {
				t.Errorf("left in the store: %v", left)
			}
			var jobs batchv1.JobList
			if err := u.rec.List(t.Context(), &jobs, client.InNamespace(u.key.Namespace)); err != nil {
				t.Fatal(err)
			}
			if len(jobs.Items) > 0 {
				t.Error("the Job still exists") // the garbage collector deletes the Secret with the Job
			}
		})
	})
}
