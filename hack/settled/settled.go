// SPDX-License-Identifier: Apache-2.0

// Package settled creates slideshows that were rendered and published, for benchmarks of the archive.
package settled

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/renders"
	"github.com/reelops/reelops/internal/social/posting"
)

// Platforms are those of the posts of a slideshow. Their accounts, which need not exist, are named after them.
var Platforms = []v1beta1.Platform{catalog.TikTok, catalog.YouTube, catalog.Instagram, catalog.LinkedIn}

// Create creates a slideshow with its status, a render, a batch, and a published post on each platform. It returns the
// first error. The slideshow needs a name, an id, and the label of its brand. at is the time of all work and posts. The
// programs may be running: they see each object when it is complete.
func Create(ctx context.Context, c client.Client, show *v1beta1.Slideshow, at time.Time) error {
	id, err := strconv.ParseInt(show.Labels[v1beta1.LabelID], 10, 64)
	if err != nil {
		return fmt.Errorf("the id of %s: %w", show.Name, err)
	}
	u := &unit{client: c, id: id, at: metav1.NewTime(at.Truncate(time.Second))}
	if err := u.create(ctx, show); err != nil {
		return err
	}
	return u.release(ctx)
}

// unit is a slideshow that is being created, with its other objects.
type unit struct {
	client client.Client
	id     int64
	at     metav1.Time
	// hidden are the objects that exist, owners first.
	hidden []client.Object
}

func (u *unit) create(ctx context.Context, show *v1beta1.Slideshow) error {
	status := show.Status
	if err := u.put(ctx, show, func() { show.Status = status }); err != nil {
		return err
	}
	film, err := renders.New(show, show.Name+"-r1", show.Status.Revision, u.client.Scheme())
	if err != nil {
		return err
	}
	if err := u.put(ctx, film, func() { film.Status = u.rendered(film) }); err != nil {
		return err
	}
	b := u.batch(show)
	if err := u.put(ctx, b, func() { b.Status = u.published(b) }); err != nil {
		return err
	}
	for _, t := range b.Status.Targets {
		p := u.post(b, t, film.Status.Output)
		if err := u.put(ctx, p, func() { p.Status = u.posted(p) }); err != nil {
			return err
		}
	}
	return nil
}

// put creates a hidden object and writes its status, which set sets: a creation ignores the status.
func (u *unit) put(ctx context.Context, o client.Object, set func()) error {
	o.GetLabels()[v1beta1.LabelRestoring] = "true"
	if err := u.client.Create(ctx, o); err != nil {
		return err
	}
	set()
	u.hidden = append(u.hidden, o)
	return u.client.Status().Update(ctx, o)
}

// release shows what belongs to an object before it: a controller would create it again.
func (u *unit) release(ctx context.Context) error {
	for _, o := range slices.Backward(u.hidden) {
		before := o.DeepCopyObject().(client.Object)
		delete(o.GetLabels(), v1beta1.LabelRestoring)
		if err := u.client.Patch(ctx, o, client.MergeFrom(before)); err != nil {
			return err
		}
	}
	return nil
}

func (u *unit) rendered(film *v1beta1.RenderJob) v1beta1.RenderJobStatus {
	return v1beta1.RenderJobStatus{
		ObservedGeneration: film.Generation, Revision: *film.Spec.Revision, JobName: film.Name + "-1",
		Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &u.at, FinishedAt: &u.at},
		Output: &v1beta1.RenderOutput{
			BlobKey: fmt.Sprintf("renders/%s/%d/film.mp4", film.Namespace, u.id), Bytes: 4_000_000,
			SHA256: fmt.Sprintf("%064x", u.id), DurationMilliseconds: 24_500, Width: 1080, Height: 1920, Frames: 735,
		},
	}
}

func (u *unit) batch(show *v1beta1.Slideshow) *v1beta1.PostBatch {
	first := u.id * int64(len(Platforms))
	b := &v1beta1.PostBatch{
		ObjectMeta: u.meta(show.Namespace, posting.BatchName(first), v1beta1.FinalizerPostBatch, first, show.Spec.BrandRef),
		Spec: v1beta1.PostBatchSpec{
			BrandRef: show.Spec.BrandRef, ShortRef: v1beta1.ShortRef{ID: u.id}, ScheduledAt: &u.at,
			PostingMode: catalog.PostDirect,
		},
	}
	for i, p := range Platforms {
		b.Spec.Accounts = append(b.Spec.Accounts, v1beta1.PostTarget{Name: string(p) + "-1", PostID: first + int64(i)})
	}
	return b
}

func (u *unit) published(b *v1beta1.PostBatch) v1beta1.PostBatchStatus {
	n := len(Platforms)
	out := v1beta1.PostBatchStatus{
		ObservedGeneration: b.Generation, ShortID: u.id, Overall: posting.Overall(n, n), Published: int32(n),
		Conditions: u.ready(v1beta1.ReasonPublished, fmt.Sprintf("All %d posts are published", n)),
	}
	for i, p := range Platforms {
		a := b.Spec.Accounts[i]
		out.Targets = append(out.Targets, v1beta1.TargetStatus{
			Platform: p, Account: a.Name, Post: posting.PostName(b, p, a.Name, a.PostID), PostID: a.PostID,
			State: v1beta1.PostSuccess,
		})
	}
	return out
}

func (u *unit) post(b *v1beta1.PostBatch, t v1beta1.TargetStatus, film *v1beta1.RenderOutput) *v1beta1.Post {
	p := &v1beta1.Post{
		ObjectMeta: u.meta(b.Namespace, t.Post, v1beta1.FinalizerPost, t.PostID, b.Spec.BrandRef),
		Spec: v1beta1.PostSpec{
			BrandRef: b.Spec.BrandRef, Batch: b.Name, Account: t.Account, Platform: t.Platform, ShortID: u.id,
			Revision: 1, Title: "Five habits", Caption: "Small changes, better nights. Save this for tonight.",
			PostingMode: catalog.PostDirect, ScheduledAt: metav1.NewMicroTime(u.at.Time),
			Media: v1beta1.PostMedia{
				Kind: catalog.MediaVideo, VideoKey: film.BlobKey, Bytes: film.Bytes, DurationMillis: film.DurationMilliseconds,
				Width: film.Width, Height: film.Height,
			},
		},
	}
	p.OwnerReferences = []metav1.OwnerReference{posting.OwnerOf(b)}
	return p
}

func (u *unit) posted(p *v1beta1.Post) v1beta1.PostStatus {
	id := p.Labels[v1beta1.LabelID]
	url := fmt.Sprintf("https://%s.example/%s", p.Spec.Platform, id)
	settled := metav1.NewMicroTime(u.at.Add(2 * time.Second))
	return v1beta1.PostStatus{
		ObservedGeneration: p.Generation, State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished,
		PlatformPostID: id, PostURL: url, PublishedAt: &u.at, FinishedAt: &u.at,
		Conditions: u.ready(v1beta1.ReasonReady, url),
		Attempts: []v1beta1.PostAttempt{{
			Number: 1, State: v1beta1.AttemptAccepted, StartedAt: p.Spec.ScheduledAt, SettledAt: &settled,
		}},
	}
}

func (u *unit) meta(namespace, name, finalizer string, id int64, brand v1beta1.LocalRef) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Finalizers: []string{finalizer}, Labels: map[string]string{
		v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: brand.Name,
		v1beta1.LabelShort: strconv.FormatInt(u.id, 10),
	}}
}

func (u *unit) ready(r v1beta1.Reason, message string) []metav1.Condition {
	return []metav1.Condition{{
		Type: string(v1beta1.ConditionReady), Status: metav1.ConditionTrue, Reason: string(r), Message: message,
		ObservedGeneration: 1, LastTransitionTime: u.at,
	}}
}
