// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func (a *admin) approveCommand() *cobra.Command {
	var account string
	c := &cobra.Command{
		Use: "approve BATCH", Short: "Let the posts of a batch go out that the brand's policy holds", Args: cobra.ExactArgs(1),
		Long: "Let the posts of a batch go out that the brand's policy holds. BATCH is the batch_id of the posts, or the name of a PostBatch.\n" +
			"It needs the verb approve on postbatches in the account's namespace, which the role reelops-approver gives.",
		Example: "  reelops approve batch-31 --account acme",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.approve(cmd.Context(), account, args[0]) },
	}
	c.Flags().StringVar(&account, "account", "", "account of the batch (required)")
	_ = c.MarkFlagRequired("account")
	return c
}

func (a *admin) approve(ctx context.Context, account, name string) error {
	b := &v1beta1.PostBatch{}
	if err := a.mustExist(ctx, account, name, b, fmt.Sprintf("there is no batch %q in the account %q", name, account)); err != nil {
		return err
	}
	out := map[string]any{"name": name, "account": account, "approved": true}
	if b.Spec.Approved {
		return a.print(out, fmt.Sprintf("batch %q is approved already", name))
	}
	before := b.DeepCopy()
	b.Spec.Approved = true
	// What was looked at is what is approved: a batch that was changed in between is not.
	err := a.client.Patch(ctx, b, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	switch {
	case apierrors.IsForbidden(err):
		return fmt.Errorf("you may not approve posts of the account %q: the role reelops-approver in its namespace lets you: %w", account, err)
	case apierrors.IsConflict(err):
		return fmt.Errorf("batch %q was changed at this moment: look at it and approve it again", name)
	case err != nil:
		return fmt.Errorf("approving batch %q: %w", name, err)
	}
	return a.print(out, fmt.Sprintf("batch %q is approved: its posts go out at %s", name, b.Spec.ScheduledAt.UTC().Format("2006-01-02 15:04:05Z")))
}
