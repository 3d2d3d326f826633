// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func newBatchCommand(f *factory) *cobra.Command {
	return group("batch", "List batches: the posts of one short to several connected accounts", []*cobra.Command{newBatchListCommand(f)})
}

func newBatchListCommand(f *factory) *cobra.Command {
	var awaiting bool
	c := &cobra.Command{
		Short:   "List batches of posts",
		Example: examples("batch list", "batch list --account acme -l reelops.dev/brand=coffee", "batch list --awaiting-approval -o name"),
	}
	c.Flags().BoolVar(&awaiting, "awaiting-approval", false, "Only batches whose posts are held until they are approved")
	return lists(f, c, listing[*v1beta1.PostBatch]{
		plural: "batches", list: func() client.ObjectList { return &v1beta1.PostBatchList{} },
		keep: func(x *v1beta1.PostBatch) bool { return !awaiting || awaitsApproval(x) },
		columns: []column[*v1beta1.PostBatch]{
			{name: "Account", cell: func(x *v1beta1.PostBatch) any { return x.Namespace }},
			{name: "Batch", cell: func(x *v1beta1.PostBatch) any { return x.Name }},
			{name: "Brand", cell: func(x *v1beta1.PostBatch) any { return x.Spec.BrandRef.Name }},
			{name: "Ready", cell: func(x *v1beta1.PostBatch) any { return ready(x.Status.Conditions) }},
			{name: "Reason", cell: func(x *v1beta1.PostBatch) any { return reason(x.Status.Conditions) }},
			{name: "When", cell: func(x *v1beta1.PostBatch) any {
				if x.Spec.Immediate {
					return "at once"
				}
				return moment(x.Spec.ScheduledAt, "")
			}},
			{name: "Published", cell: func(x *v1beta1.PostBatch) any { return x.Status.Published }},
			{name: "Open", cell: func(x *v1beta1.PostBatch) any { return x.Status.Open }},
			{name: "Failed", cell: func(x *v1beta1.PostBatch) any { return x.Status.Failed }},
			{name: "Age", cell: func(x *v1beta1.PostBatch) any { return age(x) }},
			{name: "Short", wide: true, cell: func(x *v1beta1.PostBatch) any { return x.Status.ShortID }},
			{name: "Suspend", wide: true, cell: func(x *v1beta1.PostBatch) any { return x.Spec.Suspend }},
			{name: "Approved", wide: true, cell: func(x *v1beta1.PostBatch) any { return x.Spec.Approved }},
		},
	})
}

// awaitsApproval reports whether the posts of a batch are held until it is approved.
func awaitsApproval(x *v1beta1.PostBatch) bool {
	return !x.Spec.Approved && reason(x.Status.Conditions) == string(v1beta1.ReasonAwaitingApproval)
}
