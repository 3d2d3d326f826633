// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/posting"
)

// make creates the missing posts, and fails the targets that cannot have one.
func (r *Reconciler) make(ctx context.Context, b *v1beta1.PostBatch, o *observed, w *status.Writer[*v1beta1.PostBatch], now time.Time) error {
	hold := posting.Holds(b, o.brand)
	for i := range o.targets {
		switch l := &o.targets[i]; {
		case l.open():
			l.State = firstState(b, o.brand, now)
		case l.State == "": // the post exists: of a pass that died, or of an earlier batch of the name
			l.State = posting.State(l.post, now)
		}
	}
	if len(b.Spec.Platforms) > 0 && !slices.EqualFunc(b.Status.Targets, o.targets, func(t v1beta1.TargetStatus, l target) bool { return t.Account == l.Account }) {
		// Platforms mean the accounts of this moment. They are recorded first: a pass after a crash below must not find others.
		b.Status.Targets = nil
		for _, l := range o.targets {
			b.Status.Targets = append(b.Status.Targets, l.TargetStatus)
		}
		if err := w.Persist(ctx); err != nil {
			return err
		}
	}
	for i := range o.targets {
		if l := &o.targets[i]; l.open() && (l.waits == nil || !now.Before(b.Spec.ScheduledAt.Time)) {
			if err := r.createOne(ctx, b, o, l, hold, now); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Reconciler) createOne(ctx context.Context, b *v1beta1.PostBatch, o *observed, l *target, hold bool, now time.Time) error {
	content, short := l.accepted, b.Spec.ShortRef.ID
	if content == nil {
		v, refused, err := r.judge(ctx, b, o, l, now)
		if err != nil {
			return err
		}
		if refused != nil {
			l.refuse(refused)
			return nil
		}
		content, short = posting.Accept(o.content, v), o.content.ShortID
	}
	id := posting.Reserved(b, l.Account)
	if id == 0 {
		var err error
		if id, err = r.NextPost(ctx); err != nil {
			return fmt.Errorf("reserving a post id: %w", err)
		}
	}
	p := posting.Post(b, l.Account, id, short, content, hold)
	err := r.Client.Create(ctx, p)
	if apierrors.IsAlreadyExists(err) {
		return r.nameTaken(ctx, b, l, p)
	}
	if err != nil {
		return fmt.Errorf("creating post %s: %w", p.Name, err)
	}
	l.post = p
	return nil
}

// nameTaken reads the object that has the name of a post. It adopts the post that an earlier pass created or a backup restored. It fails
// the target if the object is another batch's.
func (r *Reconciler) nameTaken(ctx context.Context, b *v1beta1.PostBatch, l *target, want *v1beta1.Post) error {
	p := &v1beta1.Post{}
	if err := r.Live.Get(ctx, client.ObjectKeyFromObject(want), p); err != nil {
		return fmt.Errorf("reading post %s: %w", want.Name, err)
	}
	if !posting.Made(b, l.Account, p) {
		i := posting.NameTaken(p.Name)
		l.refuse(&i)
		return nil
	}
	if !p.DeletionTimestamp.IsZero() && !ours(b, p) {
		return apierrors.NewAlreadyExists(v1beta1.GroupVersion.WithResource("posts").GroupResource(), p.Name) // it is being deleted
	}
	l.post = p
	return nil
}

// judge applies to a target the rules of POST /posts.
func (r *Reconciler) judge(ctx context.Context, b *v1beta1.PostBatch, o *observed, l *target, now time.Time) (*posting.Verdict, *posting.Issue, error) {
	if l.account == nil {
		return nil, l.waits, nil
	}
	if o.ambiguous {
		i := posting.Unclear(b.Spec.ShortRef.Name)
		return nil, &i, nil
	}
	content := o.content
	if content == nil {
		content = &posting.Content{}
	}
	if i := posting.FirstError(content.Problems()); i != nil {
		if o.content == nil {
			i.Message = "The brand has no such short."
		}
		return nil, i, nil
	}
	uses, err := r.uses(ctx, l)
	if err != nil {
		return nil, nil, err
	}
	at := b.Spec.ScheduledAt.Time
	if at.Before(now) {
		at = now
	}
	texts, settings := posting.Own(b, l.Account)
	ask, err := r.ask(ctx, b, o.brand.Spec.PostingDefaults, settings, at, now)
	if err != nil {
		return nil, nil, err
	}
	v := &posting.Judge(content, ask, []posting.Target{{Platform: l.Platform, Account: l.account, Own: texts, Settings: settings, Uses: uses}})[0]
	return v, posting.FirstError(v.Issues), nil
}

// ask returns what a batch requests of an account with settings of its own, for a time. defaults complete these settings.
func (r *Reconciler) ask(
	ctx context.Context, b *v1beta1.PostBatch, defaults *v1beta1.PostSettings, own v1beta1.PostSettings, at, now time.Time,
) (posting.Ask, error) {
	images, err := r.images(ctx, b, posting.CoverImages(defaults, own))
	return posting.Ask{
		Mode: b.Spec.PostingMode, AutoAddMusic: b.Spec.AutoAddMusic, At: at, Now: now, Missing: r.Missing, Defaults: defaults, Images: images,
	}, err
}

// images returns the media with the ids that the brand may use.
func (r *Reconciler) images(ctx context.Context, b *v1beta1.PostBatch, wanted []int64) (map[int64]*v1beta1.MediaAsset, error) {
	out := map[int64]*v1beta1.MediaAsset{}
	for _, id := range wanted {
		var list v1beta1.MediaAssetList
		if err := r.Client.List(ctx, &list, client.InNamespace(b.Namespace), client.MatchingLabels{v1beta1.LabelID: digits(id)}); err != nil {
			return nil, fmt.Errorf("reading the cover's media item: %w", err)
		}
		for i := range list.Items {
			if m := &list.Items[i]; m.Spec.BrandRef == nil || m.Spec.BrandRef.Name == b.Spec.BrandRef.Name {
				out[id] = m
			}
		}
	}
	return out, nil
}

// uses returns the times of the posts that count against the limit of the target's account.
func (r *Reconciler) uses(ctx context.Context, l *target) ([]time.Time, error) {
	var list v1beta1.PostList
	key := usesOf(l.Platform, l.account.Namespace, l.Account)
	if err := r.Client.List(ctx, &list, client.MatchingFields{IndexAccount: key}, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing the account's posts: %w", err)
	}
	var out []time.Time
	for i := range list.Items {
		if t, ok := posting.Use(&list.Items[i]); ok {
			out = append(out, t)
		}
	}
	return out, nil
}

func (l *target) refuse(i *posting.Issue) { l.State, l.Error = v1beta1.PostFailed, i.Record() }

// hold adopts the posts of an earlier batch of the name, as after a restore, sets or ends the hold of posts, and records
// the approval of the batch in them. The brand of o comes from the cache: the API server is read before a hold ends,
// because the brand may have a stricter policy by now.
func (r *Reconciler) hold(ctx context.Context, b *v1beta1.PostBatch, o *observed, now time.Time) error {
	for i := range o.targets {
		p := o.targets[i].post
		if p == nil || !p.DeletionTimestamp.IsZero() {
			continue
		}
		if !ours(b, p) {
			if err := r.patch(ctx, p, func() { adopt(b, p) }); err != nil {
				return err
			}
		}
		if p.InFlight() || p.Spec.Cancel || p.Status.State.Final() {
			continue
		}
		held := holds(b, o.brand, p)
		if p.Spec.Hold && !held {
			brand, err := readBrand(ctx, r.Live, b)
			if err != nil {
				return err
			}
			held = holds(b, brand, p)
		}
		// A post that was accepted without an approval needs none after a change of the policy.
		changes := p.Spec.Hold && !held || !p.Spec.Hold && b.Spec.Suspend
		// The policy reelops-post-content denies replacing approved content without a hold. It recognizes approved
		// content by this record.
		approves := posting.ApprovedByBatch(b, p) && !posting.Approved(p)
		if !changes && !approves {
			continue
		}
		if err := r.patch(ctx, p, func() {
			if changes {
				p.Spec.Hold = held
			}
			if approves {
				p.Spec.Approval = &v1beta1.PostApproval{State: v1beta1.ApprovalApproved, Edit: p.Edits(), At: metav1.NewTime(now.Truncate(time.Second))}
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// holds reports whether an existing post of a batch is to be held. brand is nil if it does not exist: its policy is
// unknown then, and a hold stays.
func holds(b *v1beta1.PostBatch, brand *v1beta1.Brand, p *v1beta1.Post) bool {
	if brand == nil {
		return p.Spec.Hold || b.Spec.Suspend
	}
	return posting.HoldsPost(b, brand, p)
}

// patch changes a post under the resourceVersion that was read.
func (r *Reconciler) patch(ctx context.Context, p *v1beta1.Post, change func()) error {
	before := p.DeepCopy()
	change()
	return r.Client.Patch(ctx, p, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func ours(b *v1beta1.PostBatch, p *v1beta1.Post) bool { return metav1.IsControlledBy(p, b) }

// adopt makes a batch the controller of a post, in place of a deleted batch.
func adopt(b *v1beta1.PostBatch, p *v1beta1.Post) {
	p.OwnerReferences = append(slices.DeleteFunc(p.OwnerReferences, func(o metav1.OwnerReference) bool {
		return o.Controller != nil && *o.Controller
	}), posting.OwnerOf(b))
}

// firstState returns the state of a new post. brand is nil if it does not exist.
func firstState(b *v1beta1.PostBatch, brand *v1beta1.Brand, now time.Time) v1beta1.PostState {
	return posting.State(&v1beta1.Post{Spec: v1beta1.PostSpec{
		Hold: posting.Holds(b, brand), Immediate: b.Spec.Immediate, ScheduledAt: metav1.NewMicroTime(b.Spec.ScheduledAt.Time),
	}}, now)
}

// postID returns the id of a post; 0 if it has none.
func postID(p *v1beta1.Post) int64 {
	id, _ := identity.Of(p)
	return id
}
