// SPDX-License-Identifier: Apache-2.0

package atrest

import (
	"context"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

const (
	// firstUnit is the id of the first settled short, above those of copies.
	firstUnit = 2_000_000
	// PostsEach is the number of posts of a settled short.
	PostsEach = 4
)

// UnitID returns the id of the settled short with a number from 0.
func UnitID(n int) int64 { return firstUnit + int64(n) }

// Units creates settled shorts with the numbers from first to before end. Each has a render, a batch, and posts that were
// published two days ago. The programs may be running: they see an object when its status is complete.
func (s *Stack) Units(ctx context.Context, first, end int) error {
	return each(ctx, end-first, func(ctx context.Context, i int64) error {
		u := &settled{Stack: s, id: UnitID(first + int(i) - 1), at: time.Now().Add(-48 * time.Hour).Truncate(time.Second)}
		return u.create(ctx)
	})
}

// settled creates the objects of a short.
type settled struct {
	*Stack
	id  int64
	at  time.Time
	all []client.Object
}

func (u *settled) create(ctx context.Context) error {
	show := u.show()
	if err := u.add(ctx, show, func() { show.Status = *u.shown.Status.DeepCopy() }); err != nil {
		return err
	}
	r := u.render(show)
	status := r.Status
	if err := u.add(ctx, r, func() { r.Status = status }); err != nil {
		return err
	}
	b := u.batch()
	if err := u.add(ctx, b, func() { b.Status = u.published(b) }); err != nil {
		return err
	}
	for i, t := range b.Status.Targets {
		p := u.post(b, t, int64(i))
		status := p.Status
		if err := u.add(ctx, p, func() { p.Status = status }); err != nil {
			return err
		}
	}
	// What belongs to an object is shown before it: a controller would create it again.
	for i := len(u.all) - 1; i >= 0; i-- {
		before := u.all[i].DeepCopyObject().(client.Object)
		delete(u.all[i].GetLabels(), v1beta1.LabelRestoring)
		if err := u.Client.Patch(ctx, u.all[i], client.MergeFrom(before)); err != nil {
			return err
		}
	}
	return nil
}

// add creates an object that the programs do not see yet, with its status.
func (u *settled) add(ctx context.Context, o client.Object, status func()) error {
	o.GetLabels()[v1beta1.LabelRestoring] = "true"
	if err := u.Client.Create(ctx, o); err != nil {
		return err
	}
	status()
	u.all = append(u.all, o)
	return u.Client.Status().Update(ctx, o)
}

func (u *settled) meta(name string, id int64) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: tenant, Name: name, Labels: map[string]string{
		v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: tenant, v1beta1.LabelShort: strconv.FormatInt(u.id, 10),
	}}
}

func (u *settled) film() string { return "renders/rest/" + strconv.FormatInt(u.id, 10) + "/film.mp4" }

// work returns the state of work that has succeeded.
func (u *settled) work() *v1beta1.Work {
	began, ended := metav1.NewTime(u.at), metav1.NewTime(u.at.Add(20*time.Second))
	return &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: &began, FinishedAt: &ended}
}

func (u *settled) show() *v1beta1.Slideshow {
	o := &v1beta1.Slideshow{ObjectMeta: u.meta("slideshow-"+strconv.FormatInt(u.id, 10), u.id), Spec: *u.shown.Spec.DeepCopy()}
	o.Finalizers = u.shown.Finalizers
	return o
}

func (u *settled) render(show *v1beta1.Slideshow) *v1beta1.RenderJob {
	revision := show.Status.Revision
	o := &v1beta1.RenderJob{
		ObjectMeta: u.meta(show.Name+"-r1", u.id), Spec: v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Kind: v1beta1.KindSlideshow, Name: show.Name}, Revision: &revision},
	}
	delete(o.Labels, v1beta1.LabelID)
	controller := true
	o.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1beta1.GroupVersion.String(), Kind: v1beta1.KindSlideshow, Name: show.Name, UID: show.UID, Controller: &controller,
	}}
	out := &v1beta1.RenderOutput{BlobKey: u.film(), Bytes: 4_000_000, DurationMilliseconds: 24_500, Width: 1080, Height: 1920, Frames: 735}
	o.Status = v1beta1.RenderJobStatus{
		ObservedGeneration: 1, JobName: o.Name, Revision: revision, Work: u.work(), Output: out, Report: &v1beta1.RenderReport{Attempt: 1, Output: out},
	}
	return o
}

func (u *settled) batch() *v1beta1.PostBatch {
	at := metav1.NewTime(u.at)
	o := &v1beta1.PostBatch{ObjectMeta: u.meta(posting.BatchName(u.id*PostsEach), u.id*PostsEach)}
	o.Spec = v1beta1.PostBatchSpec{BrandRef: v1beta1.LocalRef{Name: tenant}, ShortRef: v1beta1.ShortRef{ID: u.id}, ScheduledAt: &at}
	for _, platform := range u.platforms() {
		o.Spec.Accounts = append(o.Spec.Accounts, v1beta1.PostTarget{Name: platform + "-1"})
	}
	return o
}

func (u *settled) platforms() []string { return catalog.Platforms()[:PostsEach] }

// published returns the status of a batch whose posts are published.
func (u *settled) published(b *v1beta1.PostBatch) v1beta1.PostBatchStatus {
	out := v1beta1.PostBatchStatus{ObservedGeneration: b.Generation, ShortID: u.id}
	for i, platform := range u.platforms() {
		out.Targets = append(out.Targets, v1beta1.TargetStatus{
			Account: platform + "-1", Platform: v1beta1.Platform(platform), Post: "post-" + strconv.FormatInt(u.id*PostsEach+int64(i), 10), State: v1beta1.PostSuccess,
		})
	}
	return out
}

func (u *settled) post(b *v1beta1.PostBatch, t v1beta1.TargetStatus, i int64) *v1beta1.Post {
	id := u.id*PostsEach + i
	o := posted(u.meta(t.Post, id), u.at)
	o.Spec.Batch, o.Spec.Account, o.Spec.Platform, o.Spec.ShortID, o.Spec.Media.VideoKey = b.Name, t.Account, t.Platform, u.id, u.film()
	controller := true
	o.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1beta1.GroupVersion.String(), Kind: "PostBatch", Name: b.Name, UID: b.UID, Controller: &controller,
	}}
	return o
}

// posted returns a post of one account that was published at a time.
func posted(meta metav1.ObjectMeta, at time.Time) *v1beta1.Post {
	id := meta.Labels[v1beta1.LabelID]
	when, settled, ended := metav1.NewMicroTime(at), metav1.NewMicroTime(at.Add(2*time.Second)), metav1.NewTime(at.Add(3*time.Second))
	meta.Finalizers = []string{v1beta1.FinalizerPost}
	return &v1beta1.Post{
		ObjectMeta: meta,
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: tenant}, Account: "tiktok-1", Platform: "tiktok", Revision: 1,
			Caption: "Small changes, better nights. Save this for tonight. Part " + id, PostingMode: "direct", ScheduledAt: when,
			Media: v1beta1.PostMedia{Kind: "video", Bytes: 4_000_000, DurationMillis: 24_500, Width: 1080, Height: 1920},
		},
		Status: v1beta1.PostStatus{
			ObservedGeneration: 1, State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished, PublishedAt: &ended, FinishedAt: &ended,
			PlatformPostID: "73" + id, PostURL: "https://www.tiktok.com/@rest/video/73" + id,
			Attempts: []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, StartedAt: when, SettledAt: &settled, Digest: "d" + id, Handle: "v_pub~" + id}},
		},
	}
}
