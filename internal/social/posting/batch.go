// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/naming"
)

// Outcomes of a batch as a whole.
const (
	OverallSuccess = "success"
	OverallPartial = "partial"
	OverallFailed  = "failed"
)

// Overall returns OverallSuccess if every target was accepted, OverallPartial if some were, and OverallFailed if none
// was.
func Overall(taken, all int) string {
	switch {
	case taken == all && all > 0:
		return OverallSuccess
	case taken > 0:
		return OverallPartial
	}
	return OverallFailed
}

// Approval policies of a brand.
const (
	ApprovalHold = "hold"
	ApprovalDeny = "deny"
)

// Holds reports whether new posts of a batch are held: the batch is suspended, or an approval is required that the batch
// does not have. brand is nil if it does not exist: it requires nothing then.
func Holds(b *v1beta1.PostBatch, brand *v1beta1.Brand) bool {
	return b.Spec.Suspend || RequiresApproval(brand, b.Spec.RequireApproval) && !b.Spec.Approved
}

// HoldsPost reports whether a post of a batch is held: the batch is suspended, or an approval is required that the
// current content of the post does not have.
func HoldsPost(b *v1beta1.PostBatch, brand *v1beta1.Brand, p *v1beta1.Post) bool {
	return b.Spec.Suspend ||
		RequiresApproval(brand, b.Spec.RequireApproval) && !Approved(p) && !ApprovedByBatch(b, p)
}

// Approved reports whether an approver approved the current content of a post.
func Approved(p *v1beta1.Post) bool {
	a := p.Spec.Approval
	return a != nil && a.State == v1beta1.ApprovalApproved && a.Edit == p.Edits()
}

// Returned reports whether an approver returned the current content of a post to its author.
func Returned(p *v1beta1.Post) bool {
	a := p.Spec.Approval
	return a != nil && a.State == v1beta1.ApprovalReturned && a.Edit == p.Edits()
}

// ApprovedByBatch reports whether a batch has an approval of the current content of a post of it: that of the batch for
// a post as it was accepted, or that of the last edit. The approval of a batch does not release a post whose content an
// approver returned: that needs an edit, or an approval of the post itself.
func ApprovedByBatch(b *v1beta1.PostBatch, p *v1beta1.Post) bool {
	if Returned(p) {
		return false
	}
	if p.Edits() == 0 {
		return b.Spec.Approved
	}
	return slices.Contains(b.Spec.ApprovedEdits, v1beta1.EditApproval{Account: p.Spec.Account, Edit: p.Edits()})
}

// ApprovalState is the state of the approval of a post: waiting, or the decision about its current content. Empty means
// that the post needs no approval and has none.
type ApprovalState string

// ApprovalWaiting is the state of a post that is held until an approver decides.
const ApprovalWaiting ApprovalState = "waiting"

// ApprovalOf returns the state of the approval of a post of a brand, and whether the post is published only after an
// approval. A post that was accepted without an approval needs none after a change of the policy.
func ApprovalOf(p *v1beta1.Post, brand *v1beta1.Brand) (state ApprovalState, required bool) {
	a, open := p.Spec.Approval, !p.InFlight() && !p.Spec.Cancel && !p.Status.State.Final()
	required = open && RequiresApproval(brand, p.Spec.RequireApproval) && (p.Spec.Hold || a != nil)
	switch {
	case Approved(p):
		return ApprovalState(v1beta1.ApprovalApproved), required
	case !required:
		return "", false
	case Returned(p):
		return ApprovalState(v1beta1.ApprovalReturned), true
	}
	return ApprovalWaiting, true
}

// RequiresApproval reports whether posts are held until a user approves them: the brand requires it, or the batch or
// post itself (own). A brand that does not exist, nil, requires nothing.
func RequiresApproval(brand *v1beta1.Brand, own bool) bool {
	return own || brand != nil && (brand.Spec.Approval == ApprovalHold || brand.Spec.Approval == ApprovalDeny)
}

// BatchName returns the name that the front end gives to a batch with an ID.
func BatchName(id int64) string { return "batch-" + strconv.FormatInt(id, 10) }

// PostName returns the name of the post of a batch on an account. With a reserved ID, the name contains the ID.
// Otherwise it is derived from the batch's name, the account and the scheduled time. The batch's UID is not part of it:
// a batch restored from a backup finds the posts restored with it, and posts nothing twice.
func PostName(b *v1beta1.PostBatch, platform v1beta1.Platform, account string, reserved int64) string {
	if reserved != 0 {
		return "post-" + strconv.FormatInt(reserved, 10)
	}
	return naming.Child(b.Name, b.Name+"\n"+account+"\n"+b.Spec.ScheduledAt.UTC().Format(time.RFC3339), string(platform))
}

// Wants reports whether a batch would create a post with the name of p: the batch is not missed, selects the account,
// and has not recorded a post for that target.
func Wants(b *v1beta1.PostBatch, p *v1beta1.Post) bool {
	account := p.Spec.Account
	if b.Spec.ScheduledAt == nil || Missed(b) || PostName(b, p.Spec.Platform, account, Reserved(b, account)) != p.Name {
		return false
	}
	for _, t := range b.Status.Targets {
		if t.Account == account || t.Account == "" && t.Platform == p.Spec.Platform {
			return Unmade(&t)
		}
	}
	return len(b.Status.Targets) == 0 && (slices.Contains(b.Spec.Platforms, p.Spec.Platform) ||
		slices.ContainsFunc(b.Spec.Accounts, func(t v1beta1.PostTarget) bool { return t.Name == account }))
}

// Unmade reports whether the post of a target has yet to be created.
func Unmade(t *v1beta1.TargetStatus) bool { return t.Post == "" && !t.State.Final() }

// Reserved returns the ID that a batch reserved for its post on an account; 0 for none.
func Reserved(b *v1beta1.PostBatch, account string) int64 {
	if t := targetOf(b, account); t != nil {
		return t.PostID
	}
	return 0
}

// targetOf returns what the spec of a batch has for an account; nil if it does not name the account.
func targetOf(b *v1beta1.PostBatch, account string) *v1beta1.PostTarget {
	for i := range b.Spec.Accounts {
		if t := &b.Spec.Accounts[i]; t.Name == account {
			return t
		}
	}
	return nil
}

// Made reports whether p is the post of b on account: created by any process, or restored with an earlier batch of the same name.
func Made(b *v1beta1.PostBatch, account string, p *v1beta1.Post) bool {
	return p.Spec.Batch == b.Name && p.Spec.Account == account && p.Spec.BrandRef == b.Spec.BrandRef
}

// Own returns the texts and settings that a batch chooses for an account. The batch's texts for all accounts complete
// those of the account.
func Own(b *v1beta1.PostBatch, account string) (v1beta1.PostText, v1beta1.PostSettings) {
	if t := targetOf(b, account); t != nil {
		return Texted(t.PostText, b.Spec.PostText), t.PostSettings
	}
	return b.Spec.PostText, v1beta1.PostSettings{}
}

// Texted returns the texts of an account, completed by those for all accounts.
func Texted(own, all v1beta1.PostText) v1beta1.PostText {
	return v1beta1.PostText{Title: absent(own.Title, all.Title), Caption: absent(own.Caption, all.Caption)}
}

// Accept returns the content of the post on the account of a verdict.
func Accept(c *Content, v *Verdict) *v1beta1.AcceptedPost {
	return &v1beta1.AcceptedPost{
		Platform: v.Platform, Revision: c.Revision, Media: v.Media,
		Title: v.Texts.Title, Caption: v.Texts.Caption, Tags: v.Texts.Tags, Settings: v.Effective,
	}
}

// Accepted returns the content that a batch records for its post on an account; nil if it records none. A batch of a
// manifest or of an earlier release has no record.
func Accepted(b *v1beta1.PostBatch, account string) *v1beta1.AcceptedPost {
	if t := targetOf(b, account); t != nil {
		return t.Accepted
	}
	return nil
}

// Post returns the post of a batch on an account, with the given id, short and content. The result depends only on the
// arguments, so every process creates the same post.
func Post(b *v1beta1.PostBatch, account string, id, shortID int64, a *v1beta1.AcceptedPost, hold bool) *v1beta1.Post {
	a = a.DeepCopy() // the API server's answer is decoded into the post
	return &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: b.Namespace, Name: PostName(b, a.Platform, account, Reserved(b, account)),
			Labels: map[string]string{
				v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: b.Spec.BrandRef.Name, v1beta1.LabelShort: strconv.FormatInt(shortID, 10),
			},
			Finalizers: []string{v1beta1.FinalizerPost}, OwnerReferences: []metav1.OwnerReference{OwnerOf(b)},
		},
		Spec: v1beta1.PostSpec{
			BrandRef: b.Spec.BrandRef, Batch: b.Name, BatchRef: &v1beta1.LocalRef{Name: b.Name},
			Account: account, AccountRef: &v1beta1.LocalRef{Name: account}, Platform: a.Platform, ShortID: shortID, Revision: a.Revision,
			Media: a.Media, Title: a.Title, Caption: a.Caption, Tags: a.Tags, PostingMode: b.Spec.PostingMode,
			Settings: a.Settings, AutoAddMusic: b.Spec.AutoAddMusic,
			ScheduledAt: metav1.NewMicroTime(b.Spec.ScheduledAt.Time), Immediate: b.Spec.Immediate,
			RequireApproval: b.Spec.RequireApproval, Hold: hold,
		},
	}
}

// OwnerOf returns the owner reference from a post to its batch.
func OwnerOf(b *v1beta1.PostBatch) metav1.OwnerReference {
	owner := metav1.NewControllerRef(b, v1beta1.GroupVersion.WithKind("PostBatch"))
	owner.BlockOwnerDeletion = ptr.To(false)
	return *owner
}

// Cancellable lists the states in which a post can still be cancelled, in published order, unless it is in flight.
var Cancellable = []v1beta1.PostState{v1beta1.PostHeld, v1beta1.PostPending, v1beta1.PostScheduled}

// State returns the state of a post at a time, also before its controller has observed the spec. spec.cancel and spec.hold take effect
// with the write that sets them, unless an attempt was recorded before: an attempt is recorded under the version of the post, so that
// nothing is sent after that write.
func State(p *v1beta1.Post, now time.Time) v1beta1.PostState {
	s := p.Status.State
	switch {
	case s.Final():
		return s
	case p.Spec.Cancel && !p.InFlight():
		return v1beta1.PostCancelled
	case p.Spec.Hold && !p.InFlight():
		return v1beta1.PostHeld
	case s != "" && (s != v1beta1.PostHeld || p.Spec.Hold):
		return s
	case p.Spec.Immediate || !p.Spec.ScheduledAt.After(now):
		return v1beta1.PostPending
	}
	return v1beta1.PostScheduled
}

// Commenting reports whether a published post still waits for its first comment.
func Commenting(p *v1beta1.Post) bool {
	s := p.Spec.Settings
	return p.Status.State == v1beta1.PostSuccess && s != nil && s.FirstComment != nil &&
		(p.Status.FirstComment == nil || !p.Status.FirstComment.State.Final())
}
