// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/social/posting"
)

// behind is the reason that a post does not publish the newest revision of its short; empty if it does.
type behind struct {
	reason  v1beta1.Reason
	message string
}

// movable reports whether the content of the target's post can still change: no attempt is recorded, and the post has not ended.
func (l *target) movable() bool {
	p := l.post
	if p == nil || !p.DeletionTimestamp.IsZero() || p.InFlight() || p.Spec.Cancel || p.Status.State.Final() {
		return false
	}
	n := p.Status.Preparation // of an earlier release if it has no digest: of which content is unknown
	return n == nil || n.Digest != "" || len(n.Sealed) == 0
}

// follow compares the posts that can still change with the current short, and moves them to its newest revision where the batch has the
// policy latest. Each move is one write under the resourceVersion of the decision: either the move or an attempt is written, and a post
// always has the content of one revision.
func (r *Reconciler) follow(ctx context.Context, b *v1beta1.PostBatch, o *observed, now time.Time) error {
	for i := range o.targets {
		l := &o.targets[i]
		if !l.movable() || !ours(b, l.post) {
			continue
		}
		spec, why, err := r.newest(ctx, b, o, l, now)
		if err != nil {
			return err
		}
		l.behind = why
		if equality.Semantic.DeepEqual(spec, l.post.Spec) {
			continue
		}
		if err := r.patch(ctx, l.post, func() {
			l.post.Spec = spec
			metav1.SetMetaDataLabel(&l.post.ObjectMeta, v1beta1.LabelShort, digits(spec.ShortID))
		}); err != nil {
			return fmt.Errorf("moving post %s to revision %d: %w", l.post.Name, spec.Revision, err)
		}
		r.Events.Eventf(b, l.post, corev1.EventTypeNormal, string(v1beta1.ReasonRevisionMoved), "Follow", "The post on %s publishes revision %d now",
			l.Account, spec.Revision)
	}
	return nil
}

// newest returns the spec that the post of a target is to have, and why it is behind the newest revision, empty if it is not.
func (r *Reconciler) newest(ctx context.Context, b *v1beta1.PostBatch, o *observed, l *target, now time.Time) (v1beta1.PostSpec, behind, error) {
	p, c := l.post, o.content
	if c == nil {
		why := "The short was deleted"
		if o.ambiguous {
			why = strings.TrimSuffix(posting.Unclear(b.Spec.ShortRef.Name).Message, ".")
		}
		return p.Spec, behind{v1beta1.ReasonShortNotFound, fmt.Sprintf("%s; revision %d is published, whose files are kept", why, p.Spec.Revision)}, nil
	}
	if why := keepsRevision(b, o, l, now); why != "" {
		return p.Spec, olderRevision(p, c, why), nil
	}
	_, own := posting.Own(b, l.Account)
	ask, err := r.ask(ctx, b, p.Spec.Settings, own, posting.DueAt(p), now)
	if err != nil {
		return p.Spec, behind{}, err
	}
	spec, refused := posting.Moved(b, p, c, l.account, ask)
	if refused != nil {
		return p.Spec, olderRevision(p, c, l.Account+" cannot publish it: "+strings.TrimSuffix(refused.Message, ".")), nil
	}
	return spec, behind{}, nil
}

// keepsRevision returns why the post of a target keeps its content when the short changes; empty if the post is moved.
func keepsRevision(b *v1beta1.PostBatch, o *observed, l *target, now time.Time) string {
	p := l.post
	switch {
	case posting.Policy(b) == v1beta1.RevisionPinned:
		return "spec.revisionPolicy is pinned"
	case p.Edits() > 0:
		return "the post was edited"
	case o.brand == nil:
		return "there is no Brand " + b.Spec.BrandRef.Name
	case posting.RequiresApproval(o.brand, b.Spec.RequireApproval), b.Spec.Approved, posting.Approved(p):
		return "an approval applies to one revision. To publish the newest revision, replace the batch with one of another name"
	case !p.Spec.Hold && !now.Before(posting.DueAt(p)):
		return "the posts are due"
	case notReady(o.content) != "":
		return notReady(o.content)
	case l.account == nil:
		return "there is no SocialAccount " + l.Account
	}
	return ""
}

// olderRevision returns why a post keeps its content; empty if the short has no other revision.
func olderRevision(p *v1beta1.Post, c *posting.Content, why string) behind {
	newest := fmt.Sprintf("The short has revision %d", c.Revision)
	switch {
	case c.ShortID != p.Spec.ShortID:
		newest = fmt.Sprintf("The short was created again with the id %d", c.ShortID)
	case c.Revision == p.Spec.Revision:
		return behind{}
	}
	return behind{v1beta1.ReasonNewerRevision, fmt.Sprintf("%s, and revision %d is published: %s", newest, p.Spec.Revision, why)}
}

// current sets the revisions and the condition ContentCurrent, and removes them when the content of no post can change any more.
func current(c status.Conditions, b *v1beta1.PostBatch, o *observed) {
	st := &b.Status
	st.Revision, st.LatestRevision = 0, 0
	var why behind
	open := false
	for i := range o.targets {
		l := &o.targets[i]
		if !l.movable() {
			continue
		}
		if n := l.post.Spec.Revision; !open || n < st.Revision {
			st.Revision, open = n, true
		}
		if why.reason == "" {
			why = l.behind
		}
	}
	switch {
	case !open:
		c.Remove(v1beta1.ConditionContentCurrent)
		return
	case why.reason != "":
		c.Set(v1beta1.ConditionContentCurrent, false, why.reason, why.message)
	default:
		c.Set(v1beta1.ConditionContentCurrent, true, v1beta1.ReasonUpToDate, fmt.Sprintf("The posts publish revision %d", st.Revision))
	}
	if o.content != nil && notReady(o.content) == "" {
		st.LatestRevision = o.content.Revision
	}
}
