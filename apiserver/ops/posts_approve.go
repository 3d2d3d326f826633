// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

const decisionRules = "The key needs the right to approve (`spec.approve` of the APIKey) besides the scope: otherwise the response is 403 `approval_required`. " +
	"Send `edits` of the post that was reviewed: if the post was edited since, the response is 409 `conflict` with `details.reason` `edited`. " +
	"A post that does not wait for an approver is a 409 `conflict` with `details.status`. "

var approvePostSpec = operation.Spec{
	Name: "approve_post", Method: http.MethodPost, Path: "/api/v1/posts/{id}/approve", Tag: "Posting",
	Summary: "Approve a post",
	Description: "Releases a post that the brand's policy holds: it is published at its time, or at once if that has passed. " +
		"The approval is for the post as it is now; a later edit of its content needs another one. Other posts of its batch stay held. " +
		decisionRules + "If the post is approved already, the response is 200 with the post as it is.",
	Scope: v1beta1.ScopePostsWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, Strict: true,
	Errors:      []catalog.Code{catalog.ApprovalRequired, catalog.Conflict},
	BodyExample: map[string]any{"comment": "Good to go", "edits": 0},
	DataExample: exampleDecided(v1beta1.ApprovalApproved, "Good to go"),
}

var returnPostSpec = operation.Spec{
	Name: "return_post", Method: http.MethodPost, Path: "/api/v1/posts/{id}/return", Tag: "Posting",
	Summary: "Return a post to its author",
	Description: "Keeps a post that waits for an approver as a draft, with a comment for its author. " +
		"After an edit of its content the post waits again. An approver may also approve it as it is. " +
		decisionRules + "An approved post is a 409 `conflict`: cancel or edit it instead.",
	Scope: v1beta1.ScopePostsWrite, ForBrand: true, Bucket: operation.Global, Idempotent: true, Strict: true,
	Errors:      []catalog.Code{catalog.ApprovalRequired, catalog.Conflict},
	BodyExample: map[string]any{"comment": "Shorter, please", "edits": 0},
	DataExample: exampleDecided(v1beta1.ApprovalReturned, "Shorter, please"),
}

type decidePostInput struct {
	ID   operation.ID `path:"id" doc:"The post id: id in the list of posts, or share_id of POST /posts."`
	Body DecidePost
}

// DecidePost is the body of an approval, and of a return.
type DecidePost struct {
	Comment *string `json:"comment,omitempty" nullable:"true" maxLength:"1000" doc:"Shown with the post."`
	Edits   *int64  `json:"edits,omitempty" nullable:"true" minimum:"0" doc:"edits of the post that was reviewed. If omitted, the decision is for the post as it is."`
}

func (s *Service) approvePost(ctx context.Context, c *operation.Call, in decidePostInput) (*operation.Reply[view.Post], error) {
	return s.decidePost(ctx, c, in, v1beta1.ApprovalApproved)
}

func (s *Service) returnPost(ctx context.Context, c *operation.Call, in decidePostInput) (*operation.Reply[view.Post], error) {
	return s.decidePost(ctx, c, in, v1beta1.ApprovalReturned)
}

// decidePost records the decision of an approver in a post. An approval ends the hold in the same write, unless the batch
// is suspended: then its controller ends the hold later.
func (s *Service) decidePost(ctx context.Context, c *operation.Call, in decidePostInput, decision v1beta1.ApprovalState) (*operation.Reply[view.Post], error) {
	comment := ""
	if in.Body.Comment != nil {
		comment = *in.Body.Comment
	}
	reviewed := in.Body.Edits
	return s.changePost(ctx, c, in.ID, func(ctx context.Context, p *v1beta1.Post) (bool, error) {
		if !c.Key.Spec.Approve {
			return false, problem.New(catalog.ApprovalRequired, nil).Saying("The key may not approve posts: ask an approver.")
		}
		if reviewed == nil { // a retry after a conflicting write must not decide about later content
			reviewed = ptr.To(p.Edits())
		}
		if *reviewed != p.Edits() {
			return false, problem.New(catalog.Conflict, problem.Details{"post_id": int64(in.ID), "reason": "edited", "edits": p.Edits()}).
				Saying("The post was edited since: review it again.")
		}
		state, required := posting.ApprovalOf(p, c.Brand)
		if decided := posting.ApprovalState(decision); state == decided && (decision == v1beta1.ApprovalApproved || p.Spec.Approval.Comment == comment) {
			return false, nil
		}
		if !required || !p.Spec.Hold || state == posting.ApprovalState(v1beta1.ApprovalApproved) || !p.DeletionTimestamp.IsZero() {
			return false, problem.New(catalog.Conflict, problem.Details{
				"post_id": int64(in.ID), "status": string(posting.State(p, s.Clock.Now())),
			}).Saying("The post does not wait for an approver.")
		}
		by := audit.From(ctx)
		p.Spec.Approval = &v1beta1.PostApproval{
			State: decision, Edit: p.Edits(), Comment: comment, By: by.Name(), At: metav1.NewTime(s.Clock.Now().Truncate(time.Second)),
		}
		if decision == v1beta1.ApprovalReturned {
			return true, nil
		}
		b, err := s.batchOf(ctx, p)
		if err != nil {
			return false, err
		}
		p.Spec.Hold = b.Spec.Suspend
		return true, nil
	})
}
