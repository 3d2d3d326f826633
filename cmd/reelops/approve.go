// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/posting"
)

func newApproveCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Use: "approve BATCH", Short: "Approve the posts of a batch that the brand's policy holds", Args: cobra.ExactArgs(1),
		Long: "Approve the posts of a batch that the brand's policy holds, as they are now. BATCH is the batch_id of the posts, or the name of a PostBatch.\n" +
			"Posts that an approver returned stay held, and are listed: edit them, or approve each one in the console or with the API.\n" +
			"The user needs the verb approve on postbatches in the account's namespace, which the role reelops-approver gives.\n" +
			"A warning is printed if the posts do not publish the newest revision of the short.",
		Example: examples("approve batch-31 --account acme"),
	}
	account := addAccount(f, c, "Account of the batch")
	c.ValidArgsFunction = firstArgument(account.batchesToApprove())
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		in, err := account.one()
		if err != nil {
			return nil, err
		}
		return a.approve(ctx, in, args[0])
	})
}

func (a *admin) approve(ctx context.Context, account, name string) (*result, error) {
	b := &v1beta1.PostBatch{}
	if err := a.mustExist(ctx, account, name, b, notFoundf("there is no batch %q in the account %q", name, account)); err != nil {
		return nil, err
	}
	fields := map[string]any{"name": name, "account": account, "approved": true}
	out := &result{object: b, fields: fields}
	warning := ""
	if c := contentNotCurrent(b); c != nil {
		fields["warning"] = c.Message
		warning = "\nwarning: " + c.Message
	}
	edits, returned, err := a.postsToApprove(ctx, b)
	if err != nil {
		return nil, err
	}
	if len(returned) > 0 {
		fields["returned"] = returned
		warning += "\nnot approved, because an approver returned them: " + strings.Join(returned, ", ")
	}
	if b.Spec.Approved && len(edits) == 0 {
		out.text = fmt.Sprintf("batch %q was already approved", name) + warning
		return out, nil
	}
	before := b.DeepCopy()
	b.Spec.Approved = true
	for _, e := range edits {
		others := slices.DeleteFunc(b.Spec.ApprovedEdits, func(old v1beta1.EditApproval) bool { return old.Account == e.Account })
		b.Spec.ApprovedEdits = append(others, e)
	}
	// The optimistic lock refuses the approval of a batch that changed after it was read.
	err = a.client.Patch(ctx, b, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	switch {
	case apierrors.IsForbidden(err):
		return nil, fmt.Errorf("approving posts of the account %q needs the role reelops-approver in its namespace: %w", account, err)
	case apierrors.IsConflict(err):
		return nil, fmt.Errorf("batch %q was changed at the same time: check it and approve it again", name)
	case err != nil:
		return nil, fmt.Errorf("approving batch %q: %w", name, err)
	}
	out.text = fmt.Sprintf("batch %q approved", name)
	if at := b.Spec.ScheduledAt; at != nil {
		out.text += fmt.Sprintf(": its posts are published at %s", at.UTC().Format("2006-01-02 15:04:05Z"))
	}
	out.text += warning
	return out, nil
}

// postsToApprove returns the approvals that the edited posts of a batch need, and the names of the posts that an approver
// returned, which the approval of the batch does not release. Each approval is for the content as it was read: a post that
// is edited later stays held.
func (a *admin) postsToApprove(ctx context.Context, b *v1beta1.PostBatch) (edits []v1beta1.EditApproval, returned []string, err error) {
	err = a.each(ctx, &v1beta1.PostList{}, func(o client.Object) {
		p := o.(*v1beta1.Post)
		if p.Spec.Batch != b.Name || p.Spec.Cancel || p.Status.State.Final() {
			return
		}
		switch {
		case posting.Returned(p):
			returned = append(returned, p.Name)
		case p.Edits() > 0 && !posting.Approved(p) && !posting.ApprovedByBatch(b, p):
			edits = append(edits, v1beta1.EditApproval{Account: p.Spec.Account, Edit: p.Edits()})
		}
	}, client.InNamespace(b.Namespace))
	if err != nil {
		return nil, nil, fmt.Errorf("listing the posts of batch %q: %w", b.Name, err)
	}
	slices.Sort(returned)
	return edits, returned, nil
}

// contentNotCurrent returns the condition ContentCurrent of a batch if it is false; otherwise nil.
func contentNotCurrent(b *v1beta1.PostBatch) *metav1.Condition {
	c := meta.FindStatusCondition(b.Status.Conditions, string(v1beta1.ConditionContentCurrent))
	if c == nil || c.Status != metav1.ConditionFalse {
		return nil
	}
	return c
}
