// SPDX-License-Identifier: Apache-2.0

package postbatch_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/testkit"
)

// archiveOf archives shorts of the brand acme and returns the Archive.
func (u *run) archiveOf(shorts ...archive.Short) *v1beta1.Archive {
	u.t.Helper()
	u.r.Archive = archive.New(testkit.Files(u.t, u.clock), 0)
	for i := range shorts {
		shorts[i].CreatedAt = u.clock.Now()
	}
	seg, err := u.r.Archive.Write(u.t.Context(), u.ns, shorts, nil)
	u.must(err)
	a := &v1beta1.Archive{ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: v1beta1.ArchiveName}}
	u.must(cluster.Client.Create(u.t.Context(), a))
	a.Status.Segments = []v1beta1.ArchiveSegment{seg}
	u.must(cluster.Client.Status().Update(u.t.Context(), a))
	return a
}

// requested returns the ids of the shorts whose restore is requested.
func (u *run) requested() []int64 {
	u.t.Helper()
	a := &v1beta1.Archive{}
	u.must(cluster.Client.Get(u.t.Context(), u.key(v1beta1.ArchiveName), a))
	return a.Spec.Restore
}

// setRequested replaces the ids of the shorts whose restore is requested.
func (u *run) setRequested(ids []int64) {
	u.t.Helper()
	a := &v1beta1.Archive{}
	u.must(cluster.Client.Get(u.t.Context(), u.key(v1beta1.ArchiveName), a))
	a.Spec.Restore = ids
	u.must(cluster.Client.Update(u.t.Context(), a))
}

func (u *run) archiveWrites() int {
	return len(slices.DeleteFunc(slices.Clone(u.rec.Writes), func(w string) bool { return !strings.Contains(w, "Archive") }))
}

const archivedID = 900_000_001

// archivedShort starts a run with an archived short and a batch that names it by id.
func archivedShort(t *testing.T) *run {
	t.Helper()
	u := start(t)
	u.account("tiktok", "tik")
	u.archiveOf(archive.Short{ID: archivedID, Kind: v1beta1.KindSlideshow, Brand: "acme", State: "succeeded"})
	u.batch("promo", func(b *v1beta1.PostBatch) {
		b.Spec.Accounts, b.Spec.ShortRef = accounts("tik"), v1beta1.ShortRef{ID: archivedID}
	})
	return u
}

func TestArchivedShort_IsRestoredOnce(t *testing.T) {
	u := archivedShort(t)
	u.settle("promo")
	if got := u.requested(); !slices.Equal(got, []int64{archivedID}) {
		t.Fatalf("requested %v", got)
	}
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonShortNotReady, false)
	if message := u.live("promo").Status.Conditions[0].Message; !strings.Contains(message, "restored from the archive") {
		t.Errorf("got message %q", message)
	}
	for range 3 {
		res, err := u.pass("promo")
		if err != nil || res.RequeueAfter <= 0 || res.RequeueAfter > 10*time.Minute {
			t.Errorf("got %v, %v", res, err)
		}
	}
	if n := u.archiveWrites(); n != 1 {
		t.Errorf("the Archive was written %d times", n)
	}
	s := u.show("tidy")
	s.Labels[v1beta1.LabelID] = strconv.Itoa(archivedID)
	status := s.Status
	u.must(cluster.Client.Update(t.Context(), s))
	s.Status = status
	u.must(cluster.Client.Status().Update(t.Context(), s))
	u.settle("promo")
	if posts := u.posts(); len(posts) != 1 || posts[0].Spec.ShortID != archivedID {
		t.Errorf("got %d posts", len(posts))
	}
}

func TestArchivedShort_RestoreAtTheTimeOfTheBatch(t *testing.T) {
	u := archivedShort(t)
	u.clock.Step(time.Hour)
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonShortNotReady, false)
	if got := u.requested(); len(got) != 1 {
		t.Errorf("requested %v", got)
	}
	// The short cannot be restored: the request was removed.
	u.setRequested(nil)
	u.clock.Step(time.Minute)
	u.settle("promo")
	if st := u.live("promo").Status; st.Overall != "failed" || !strings.Contains(st.Targets[0].Error.Message, "no such short") {
		t.Errorf("got %+v", st)
	}
	if n := u.archiveWrites(); n != 1 {
		t.Errorf("the Archive was written %d times", n)
	}
}

func TestArchivedShort_TooManyRestores(t *testing.T) {
	u := archivedShort(t)
	full := make([]int64, v1beta1.MaxArchiveRestores)
	for i := range full {
		full[i] = int64(i + 1)
	}
	u.setRequested(full)
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonShortNotReady, false)
	if got := u.requested(); !slices.Equal(got, full) {
		t.Errorf("requested %d shorts", len(got))
	}
	u.setRequested(nil)
	u.settle("promo")
	if got := u.requested(); !slices.Equal(got, []int64{archivedID}) {
		t.Errorf("requested %v", got)
	}
}

// TestArchivedShort_Faults ends the process at the request, before and after it is applied.
func TestArchivedShort_Faults(t *testing.T) {
	calm := archivedShort(t)
	calm.settle("promo")
	for _, cell := range testkit.Cells(calm.rec.Writes) {
		t.Run(cell.String(), func(t *testing.T) {
			u := archivedShort(t)
			u.rec.FailAt, u.rec.Fault = cell.At, cell.Fault
			_, _ = u.pass("promo")
			u.settle("promo")
			if got := u.requested(); !slices.Equal(got, []int64{archivedID}) {
				t.Errorf("requested %v", got)
			}
		})
	}
}

func TestShortThatIsNotArchived_IsNotRequested(t *testing.T) {
	for _, c := range []struct {
		why    string
		short  archive.Short
		change func(*v1beta1.Archive, *v1beta1.PostBatch)
	}{
		{"another short", archive.Short{ID: archivedID + 1, Kind: v1beta1.KindSlideshow, Brand: "acme"}, nil},
		{"a short of another brand", archive.Short{ID: archivedID, Kind: v1beta1.KindSlideshow, Brand: "other"}, nil},
		{"posts of a deleted short", archive.Short{ID: archivedID, Brand: "acme"}, nil},
		{"a removed short", archive.Short{ID: archivedID, Kind: v1beta1.KindVideo, Brand: "acme"}, func(a *v1beta1.Archive, _ *v1beta1.PostBatch) {
			a.Status.Segments[0].Removed = []int64{archivedID}
		}},
		{"an expired short", archive.Short{ID: archivedID, Kind: v1beta1.KindVideo, Brand: "acme"}, func(a *v1beta1.Archive, _ *v1beta1.PostBatch) {
			a.Status.Segments[0].Expired = []int64{archivedID}
		}},
		{"a damaged segment", archive.Short{ID: archivedID, Kind: v1beta1.KindVideo, Brand: "acme"}, func(a *v1beta1.Archive, _ *v1beta1.PostBatch) {
			a.Status.Segments[0].Name = "2026-10/damaged1"
		}},
		{"a batch that is too far ahead", archive.Short{ID: archivedID, Kind: v1beta1.KindVideo, Brand: "acme"}, func(_ *v1beta1.Archive, b *v1beta1.PostBatch) {
			b.Spec.ScheduledAt = &metav1.Time{Time: time.Now().AddDate(5, 0, 0).Truncate(time.Second)}
		}},
	} {
		t.Run(c.why, func(t *testing.T) {
			u := start(t)
			u.account("tiktok", "tik")
			a := u.archiveOf(c.short)
			u.batch("promo", func(b *v1beta1.PostBatch) {
				b.Spec.Accounts, b.Spec.ShortRef = accounts("tik"), v1beta1.ShortRef{ID: archivedID}
				if c.change != nil {
					c.change(a, b)
				}
			})
			u.must(cluster.Client.Status().Update(t.Context(), a))
			u.settle("promo")
			if n, got := u.archiveWrites(), u.requested(); n != 0 || len(got) > 0 {
				t.Errorf("%d writes, requested %v", n, got)
			}
		})
	}
	t.Run("without an Archive", func(t *testing.T) {
		u := archivedShort(t)
		u.must(cluster.Client.Delete(t.Context(), &v1beta1.Archive{ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: v1beta1.ArchiveName}}))
		u.settle("promo")
		u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonShortNotReady, false)
	})
}
