// SPDX-License-Identifier: Apache-2.0

package automation

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/shortwork"
	"github.com/reelops/reelops/internal/kube/status"
)

// refusedError means that a child of a run cannot be created until a user changes something. Retries do not help.
type refusedError struct {
	code    catalog.Code
	message string
}

// Error returns a sentence that a user can act on.
func (e *refusedError) Error() string { return e.message }

// ensure creates a child of a run, or reads it if a former pass created it. A leader with an old state of the run gets
// a conflict and creates nothing. The error is a *refusedError if the API server does not accept the child, for
// example because a rendered text is empty, or if its name is taken.
func (p *pass) ensure(ctx context.Context, run *v1beta1.AutomationRun, child client.Object) error {
	live := &v1beta1.AutomationRun{}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(run), live); err != nil {
		return err
	}
	if live.UID != run.UID || live.Status.Batch != "" || live.Status.State.Final() || !live.DeletionTimestamp.IsZero() {
		return apierrors.NewConflict(v1beta1.GroupVersion.WithResource("automationruns").GroupResource(), run.Name, nil)
	}
	err := p.Client.Create(ctx, child)
	if apierrors.IsInvalid(err) {
		return &refusedError{catalog.ValidationFailed, fmt.Sprintf("The run's %s is not valid: %v. "+
			"Correct spec.template or spec.publish, "+
			"also for items without a title, summary or link", kindOf(child), err)}
	}
	if !apierrors.IsAlreadyExists(err) {
		if err != nil {
			return fmt.Errorf("creating %T: %w", child, err)
		}
		return nil
	}
	if err := p.Live.Get(ctx, client.ObjectKeyFromObject(child), child); err != nil {
		return err
	}
	if child.GetLabels()[v1beta1.LabelAutomationRun] != run.Name {
		return &refusedError{catalog.Conflict, fmt.Sprintf("A %s named %s exists that the run did not create: delete it, "+
			"or recreate the automation with another name", kindOf(child), child.GetName())}
	}
	return nil
}

// find returns a short; nil if it does not exist.
func (p *pass) find(ctx context.Context, namespace string, ref v1beta1.ShortRef) (client.Object, error) {
	if ref.Kind == v1beta1.KindVideo {
		if v, err := shortwork.Get(ctx, p.Client, namespace, ref.Name, &v1beta1.Video{}); err != nil || v != nil {
			return v, err
		}
		return nil, nil
	}
	if s, err := shortwork.Get(ctx, p.Client, namespace, ref.Name, &v1beta1.Slideshow{}); err != nil || s != nil {
		return s, err
	}
	return nil, nil
}

// kindOf returns the kind of a child of a run.
func kindOf(child client.Object) string {
	switch child.(type) {
	case *v1beta1.PostBatch:
		return "PostBatch"
	case *v1beta1.Video:
		return v1beta1.KindVideo
	}
	return v1beta1.KindSlideshow
}

func refOf(short client.Object) v1beta1.ShortRef {
	return v1beta1.ShortRef{Kind: kindOf(short), Name: short.GetName()}
}

// shortState is what a run has to know about its short.
type shortState struct {
	ready   bool
	failed  *v1beta1.WorkError
	why     string // why it is not ready
	credits int32
}

func stateOf(short client.Object) shortState {
	var out shortState
	var work *v1beta1.Work
	var render *v1beta1.RenderSummary
	current, videoMissing := true, false
	switch s := short.(type) {
	case *v1beta1.Slideshow:
		work, render, current = s.Status.Work, s.Status.Render, s.Status.WorkedOn == s.Generation
		out.why = status.Why(s.Status.Conditions)
		if s.Status.Credits != nil {
			out.credits = s.Status.Credits.Used
		}
		videoMissing = s.Spec.AutoRender &&
			(render == nil || render.Revision < s.Status.Revision || render.State != v1beta1.WorkSucceeded)
	case *v1beta1.Video:
		work, render = s.Status.Work, s.Status.Render
		out.why = status.Why(s.Status.Conditions)
		videoMissing = s.Status.Output == nil
	}
	switch {
	case work == nil || !work.State.Settled() || !current:
	case work.State == v1beta1.WorkFailed:
		out.failed = work.Error
	case videoMissing && render != nil && render.State == v1beta1.WorkFailed:
		out.failed = &v1beta1.WorkError{Code: string(catalog.GenerationFailed), Message: out.why}
	default:
		out.ready = !videoMissing
	}
	return out
}

// release ends the ownership of a run that ends: its short and its batch stay when the run is deleted from the history.
func (p *pass) release(ctx context.Context, run *v1beta1.AutomationRun) error {
	if run.Status.Short != nil {
		short, err := p.find(ctx, run.Namespace, *run.Status.Short)
		if err != nil {
			return err
		}
		if err := p.removeOwner(ctx, run, short); err != nil {
			return err
		}
	}
	if run.Status.Batch == "" {
		return nil
	}
	b, err := shortwork.Get(ctx, p.Client, run.Namespace, run.Status.Batch, &v1beta1.PostBatch{})
	if err != nil || b == nil {
		return err
	}
	return p.removeOwner(ctx, run, b)
}

// removeOwner removes the owner reference to a run from an object.
func (p *pass) removeOwner(ctx context.Context, run *v1beta1.AutomationRun, o client.Object) error {
	if o == nil || !metav1.IsControlledBy(o, run) {
		return nil
	}
	before := o.DeepCopyObject().(client.Object)
	o.SetOwnerReferences(slices.DeleteFunc(o.GetOwnerReferences(),
		func(r metav1.OwnerReference) bool { return r.UID == run.UID }))
	return p.Client.Patch(ctx, o, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}
