// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func newPostCommand(f *factory) *cobra.Command {
	return group("post", "List posts: one short on one connected account", []*cobra.Command{newPostListCommand(f)})
}

func newPostListCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Short: "List posts", Example: examples("post list", "post list --account acme -l reelops.dev/brand=coffee -o wide", "post list -n acme -o jsonpath='{.items[*].status.postURL}'"),
	}
	return lists(f, c, listing[*v1beta1.Post]{
		plural: "posts", list: func() client.ObjectList { return &v1beta1.PostList{} },
		columns: []column[*v1beta1.Post]{
			{name: "ID", cell: func(x *v1beta1.Post) any { return shownID(x) }},
			{name: "Account", cell: func(x *v1beta1.Post) any { return x.Namespace }},
			{name: "Brand", cell: func(x *v1beta1.Post) any { return x.Spec.BrandRef.Name }},
			{name: "Batch", cell: func(x *v1beta1.Post) any { return x.Spec.Batch }},
			{name: "Platform", cell: func(x *v1beta1.Post) any { return x.Spec.Platform }},
			{name: "State", cell: func(x *v1beta1.Post) any { return x.Status.State }},
			{name: "When", cell: func(x *v1beta1.Post) any { return x.Spec.ScheduledAt.UTC().Format(time.RFC3339) }},
			{name: "Error", cell: func(x *v1beta1.Post) any {
				if x.Status.Error == nil {
					return ""
				}
				return x.Status.Error.Code
			}},
			{name: "Age", cell: func(x *v1beta1.Post) any { return age(x) }},
			{name: "Object", wide: true, cell: func(x *v1beta1.Post) any { return x.Name }},
			{name: "Connection", wide: true, cell: func(x *v1beta1.Post) any { return x.Spec.Account }},
			{name: "Link", wide: true, cell: func(x *v1beta1.Post) any { return x.Status.PostURL }},
		},
	})
}
