// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func TestSettled(t *testing.T) {
	video := func(u *unit) { u.short = settledVideo("acme", u.id) }
	for _, c := range []struct {
		name   string
		change func(*unit, *needs)
		want   string
	}{
		{"a published slideshow", func(*unit, *needs) {}, ""},
		{"a video", func(u *unit, _ *needs) { video(u) }, ""},
		{"posts of a deleted short", func(u *unit, _ *needs) { u.short, u.renders, u.media = nil, nil, nil }, ""},
		{"a render of a hidden short", func(u *unit, _ *needs) { u.short, u.media = nil, nil }, "not in view"},
		{"two shorts with an id", func(u *unit, _ *needs) { u.add(settledVideo("acme", u.id)) }, "id"},
		{"a deletion", func(u *unit, _ *needs) { u.renders[0].DeletionTimestamp = ptr.To(metav1.Now()) }, "deleted"},
		{"a draft", func(u *unit, _ *needs) { show(u).Spec.Suspend = true }, "suspended"},
		{"no work yet", func(u *unit, _ *needs) { show(u).Status.Work = nil }, "work"},
		{"work in progress", func(u *unit, _ *needs) { show(u).Status.Work.State = v1beta1.WorkProcessing }, "work"},
		{"failed work", func(u *unit, _ *needs) { show(u).Status.Work.State = v1beta1.WorkFailed }, ""},
		{"an edit", func(u *unit, _ *needs) { show(u).Generation++ }, "work"},
		{"a render is owed", func(u *unit, _ *needs) {
			show(u).Status.Job = &v1beta1.ShortJob{Kind: "render", Work: v1beta1.Work{State: v1beta1.WorkQueued}}
		}, "work"},
		{"a video whose render runs", func(u *unit, _ *needs) {
			video(u)
			u.short.(*v1beta1.Video).Status.Render = &v1beta1.RenderSummary{State: v1beta1.WorkProcessing}
		}, "work"},
		{"a render runs", func(u *unit, _ *needs) { u.renders[0].Status.Work.State = v1beta1.WorkProcessing }, "render"},
		{"a media item is fetched", func(u *unit, _ *needs) { u.media[0].Status.Work = nil }, "media"},
		{"a media item of two shorts", func(u *unit, _ *needs) {
			u.media[0].OwnerReferences = append(u.media[0].OwnerReferences, metav1.OwnerReference{UID: "other"})
		}, "media"},
		{"an open batch", func(u *unit, _ *needs) { u.batches[0].Status.Open = 1 }, "batch"},
		{"a batch without targets", func(u *unit, _ *needs) { u.batches[0].Status.Targets = nil }, "batch"},
		{"a changed batch", func(u *unit, _ *needs) { u.batches[0].Generation++ }, "batch"},
		{"an open target", func(u *unit, _ *needs) {
			u.batches[0].Status.Targets[0].State = v1beta1.PostScheduled
		}, "batch"},
		{"a scheduled post", func(u *unit, _ *needs) { u.posts[0].Status.State = v1beta1.PostScheduled }, "post"},
		{"a post without an id", func(u *unit, _ *needs) { delete(u.posts[0].Labels, v1beta1.LabelID) }, "post"},
		{"a changed post", func(u *unit, _ *needs) { u.posts[0].Generation++ }, "post"},
		{"an unknown outcome", func(u *unit, _ *needs) {
			u.posts[0].Status.Attempts[0].State = v1beta1.AttemptUnknown
		}, "post"},
		{"a recheck", func(u *unit, _ *needs) { u.posts[0].Status.RecheckAt = ptr.To(metav1.Now()) }, "post"},
		{"a first comment", func(u *unit, _ *needs) {
			u.posts[0].Spec.Settings = &v1beta1.PostSettings{FirstComment: ptr.To("hello")}
		}, "post"},
		{"a post that counts", func(u *unit, n *needs) {
			u.posts[0].Status.Attempts[0].StartedAt = metav1.NewMicroTime(n.now.Add(-time.Hour))
		}, "post"},
		{"a post that counts by the platform", func(_ *unit, n *needs) {
			n.windows["tiktok-1"] = 365 * 24 * time.Hour
		}, "post"},
		{"a run in progress", func(u *unit, n *needs) {
			u.short.SetLabels(map[string]string{v1beta1.LabelAutomationRun: "run-1"})
			n.runs["run-1"] = true
		}, "run"},
		{"a run that has ended", func(u *unit, n *needs) {
			u.short.SetLabels(map[string]string{v1beta1.LabelAutomationRun: "run-1"})
			n.runs["run-1"] = false
		}, ""},
		{"a queue", func(_ *unit, n *needs) { n.queues["brand"] = true }, "queue"},
		{"a short taken from a queue", func(u *unit, n *needs) {
			n.queues["brand"] = true
			u.short.SetLabels(map[string]string{v1beta1.LabelAutomationRun: "run-1"})
		}, ""},
		{"the queue of another brand", func(_ *unit, n *needs) { n.queues["other"] = true }, ""},
		{"evergreen", func(_ *unit, n *needs) { n.evergreens["brand"] = true }, "again"},
	} {
		u := settledUnit("acme", 7)
		n := &needs{
			now: longAgo.Add(100 * 24 * time.Hour), queues: map[string]bool{}, evergreens: map[string]bool{},
			runs: map[string]bool{}, windows: map[string]time.Duration{},
		}
		c.change(u, n)
		got := settled(u, n)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func show(u *unit) *v1beta1.Slideshow { return u.short.(*v1beta1.Slideshow) }

func TestDeclared(t *testing.T) {
	u := settledUnit("acme", 7)
	if declared(u) {
		t.Error("a unit that the front end created counts as declared")
	}
	u.batches[0].ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "flux", Operation: metav1.ManagedFieldsOperationApply,
		FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:shortRef":{}}}`),
	}}
	if !declared(u) {
		t.Error("a unit with a batch from a manifest does not count as declared")
	}
}

func TestTouched(t *testing.T) {
	later := metav1.NewTime(longAgo.Add(time.Hour))
	for _, c := range []struct {
		name   string
		change func(*unit)
		want   time.Time
	}{
		{"nothing", func(*unit) {}, longAgo},
		{"a write of a spec", func(u *unit) {
			u.batches[0].ManagedFields = []metav1.ManagedFieldsEntry{{Time: &later}}
		}, later.Time},
		{"a write of a status", func(u *unit) {
			u.posts[0].ManagedFields = []metav1.ManagedFieldsEntry{{Time: &later, Subresource: "status"}}
		}, longAgo},
		{"the end of work", func(u *unit) { show(u).Status.Work.FinishedAt = &later }, later.Time},
		{"the end of a render", func(u *unit) { u.renders[0].Status.Work.FinishedAt = &later }, later.Time},
		{"the end of a post", func(u *unit) { u.posts[0].Status.FinishedAt = &later }, later.Time},
		{"a restore", func(u *unit) { u.short.SetCreationTimestamp(later) }, later.Time},
	} {
		u := settledUnit("acme", 7)
		c.change(u)
		if got := u.touched(); !got.Equal(c.want) {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestToMerge(t *testing.T) {
	seg := func(name string, shorts int32, removed ...int64) v1beta1.ArchiveSegment {
		return v1beta1.ArchiveSegment{Name: name, Shorts: shorts, Removed: removed}
	}
	small := func(month string, n int, shorts int32) (out []v1beta1.ArchiveSegment) {
		for i := range n {
			out = append(out, seg(month+"/"+strings.Repeat("a", i+8), shorts))
		}
		return out
	}
	leaving := small("2026-10", fewSegments, 10)
	leaving[0].Phase = v1beta1.ArchiveDeleting
	for _, c := range []struct {
		name string
		in   []v1beta1.ArchiveSegment
		want int
	}{
		{"none", nil, 0},
		{"a few", small("2026-10", fewSegments-1, 10), 0},
		{"many", small("2026-10", fewSegments, 10), fewSegments},
		{"many, one of which is leaving", leaving, 0},
		{"many in two months", append(small("2026-10", fewSegments-1, 10), small("2026-09", 1, 10)...), 0},
		{"many and a large one", append(small("2026-10", fewSegments, 10), small("2026-10", 1, 1500)...), fewSegments},
		{"a few and a large one", append(small("2026-10", fewSegments-1, 10), small("2026-10", 1, 1500)...), 0},
		{"a few of each size", append(append(small("2026-10", fewSegments-1, 1), small("2026-10", fewSegments-1, 10)...),
			small("2026-10", manySegments-2*fewSegments+2, 100)...), manySegments},
		{"full ones", small("2026-10", 2*fewSegments, fullSegment), 0},
		{"as many as fit", small("2026-10", 10, fullSegment-1), 2},
		{"a few removed shorts", []v1beta1.ArchiveSegment{seg("2026-10/a", 9, 1, 2)}, 0},
		{"many removed shorts", []v1beta1.ArchiveSegment{seg("2026-10/a", 8, 1, 2)}, 1},
	} {
		if got := toMerge(c.in); len(got) != c.want {
			t.Errorf("%s: got %d segments, want %d", c.name, len(got), c.want)
		}
	}
}
