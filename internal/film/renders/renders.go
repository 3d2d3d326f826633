// SPDX-License-Identifier: Apache-2.0

// Package renders implements the rules for the RenderJobs of shorts: their names and contents, the revision of each,
// which one produced the current video, and whether autoRender still requests one.
package renders

import (
	"cmp"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/kube/naming"
	"github.com/reelops/reelops/internal/work/outcome"
)

// Name returns the name of the next RenderJob of the current revision of a Slideshow: the first one that none of its
// renders has. Two requests for one revision at the same time compute the same name, so only one of them creates it.
func Name(s *v1beta1.Slideshow, all []v1beta1.RenderJob) string {
	return naming.Render(s.Name, s.Status.Revision, func(name string) bool {
		return slices.ContainsFunc(all, func(r v1beta1.RenderJob) bool { return r.Name == name })
	})
}

// NameOfVideo returns the name of the only RenderJob of a Video.
func NameOfVideo(v *v1beta1.Video) string { return v.Name + "-film" }

// New returns the RenderJob of a revision of a Slideshow or Video, which owns it. It fails if the short has another
// kind.
func New(short client.Object, name string, revision int64, scheme *runtime.Scheme) (*v1beta1.RenderJob, error) {
	source := v1beta1.RenderSource{Name: short.GetName()}
	switch short.(type) {
	case *v1beta1.Slideshow:
		source.Kind = v1beta1.KindSlideshow
	case *v1beta1.Video:
		source.Kind = v1beta1.KindVideo
	default:
		return nil, fmt.Errorf("a %T cannot be rendered", short)
	}
	r := &v1beta1.RenderJob{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: short.GetNamespace(), Name: name, Finalizers: []string{v1beta1.FinalizerRenderJob},
			Labels: map[string]string{v1beta1.LabelShort: short.GetLabels()[v1beta1.LabelID], v1beta1.LabelBrand: short.GetLabels()[v1beta1.LabelBrand]},
		},
		Spec: v1beta1.RenderJobSpec{Source: source, Revision: &revision, Format: "video"},
	}
	// Setting blockOwnerDeletion requires a permission that the front end does not have, and no deletion waits for a
	// render.
	return r, controllerutil.SetControllerReference(short, r, scheme, controllerutil.WithBlockOwnerDeletion(false))
}

// Sort orders renders from the newest to the oldest. The other functions expect this order.
func Sort(all []v1beta1.RenderJob) {
	slices.SortFunc(all, func(a, b v1beta1.RenderJob) int {
		// A creation time has whole seconds only. Within one second, the render with the higher number in its name is
		// the newer one.
		return cmp.Or(
			cmp.Compare(v1beta1.CreatedAt(&b).Unix(), v1beta1.CreatedAt(&a).Unix()),
			cmp.Compare(len(b.Name), len(a.Name)), cmp.Compare(b.Name, a.Name))
	})
}

// Revision returns the revision that a render shows; 0 until its controller has chosen the newest for a spec without
// one.
func Revision(r *v1beta1.RenderJob) int64 {
	if r.Spec.Revision != nil {
		return *r.Spec.Revision
	}
	return r.Status.Revision
}

// State returns the state of the work of a render, queued if there is none yet.
func State(r *v1beta1.RenderJob) v1beta1.WorkState {
	if r.Status.Work == nil {
		return v1beta1.WorkQueued
	}
	return r.Status.Work.State
}

// Summary returns the entry for a render in the status of a short.
func Summary(r *v1beta1.RenderJob) *v1beta1.RenderSummary {
	return &v1beta1.RenderSummary{Name: r.Name, Revision: Revision(r), State: State(r)}
}

// Running returns the newest render that has not ended; nil if all have.
func Running(all []v1beta1.RenderJob) *v1beta1.RenderJob {
	return first(all, func(r *v1beta1.RenderJob) bool { return !State(r).Settled() })
}

// Finished returns the newest render that produced the video of a revision; nil if none has.
func Finished(all []v1beta1.RenderJob, revision int64) *v1beta1.RenderJob {
	return first(all, func(r *v1beta1.RenderJob) bool { return finished(r) && Revision(r) == revision })
}

// Latest returns the render that decides on the video of a revision: the finished one, else the newest; nil if there is
// none.
func Latest(all []v1beta1.RenderJob, revision int64) *v1beta1.RenderJob {
	if r := Finished(all, revision); r != nil {
		return r
	}
	return first(all, func(r *v1beta1.RenderJob) bool { return Revision(r) == revision })
}

// Owed reports whether the controller of a Slideshow is about to create a render: autoRender is set, the slides are
// drawn as specified, and no render of their revision exists.
func Owed(s *v1beta1.Slideshow, all []v1beta1.RenderJob) bool {
	w := s.Status.Work
	return s.Spec.AutoRender && !s.Spec.Suspend && w != nil && w.State == v1beta1.WorkSucceeded && !deck.Outdated(s) &&
		Latest(all, s.Status.Revision) == nil
}

// Output returns the video that a renderer reported, in the form of a status. The keys of the stored files are not
// included: the controller chose them.
func Output(f *outcome.Film) *v1beta1.RenderOutput {
	return &v1beta1.RenderOutput{
		Bytes: f.Bytes, SHA256: f.SHA256, DurationMilliseconds: int64(f.DurationSeconds*1000 + 0.5),
		Width: int32(f.Width), Height: int32(f.Height), Frames: int64(f.Frames),
	}
}

func finished(r *v1beta1.RenderJob) bool {
	return State(r) == v1beta1.WorkSucceeded && r.Status.Output != nil
}

func first(all []v1beta1.RenderJob, which func(*v1beta1.RenderJob) bool) *v1beta1.RenderJob {
	for i := range all {
		if which(&all[i]) {
			return &all[i]
		}
	}
	return nil
}
