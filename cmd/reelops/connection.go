// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func newConnectionCommand(f *factory) *cobra.Command {
	return group("connection", "List connected accounts on TikTok, YouTube and other platforms", []*cobra.Command{newConnectionListCommand(f)})
}

func newConnectionListCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Short: "List connected accounts of the platforms, without their tokens", Example: examples("connection list", "connection list --account acme -o wide"),
	}
	return lists(f, c, listing[*v1beta1.SocialAccount]{
		plural: "connections", list: func() client.ObjectList { return &v1beta1.SocialAccountList{} },
		columns: []column[*v1beta1.SocialAccount]{
			{name: "ID", cell: func(x *v1beta1.SocialAccount) any { return shownID(x) }},
			{name: "Account", cell: func(x *v1beta1.SocialAccount) any { return x.Namespace }},
			{name: "Brand", cell: func(x *v1beta1.SocialAccount) any { return x.Spec.BrandRef.Name }},
			{name: "Platform", cell: func(x *v1beta1.SocialAccount) any { return x.Spec.Platform }},
			{name: "Name", cell: func(x *v1beta1.SocialAccount) any { return x.Status.AccountName }},
			{name: "Ready", cell: func(x *v1beta1.SocialAccount) any { return ready(x.Status.Conditions) }},
			{name: "Token", cell: func(x *v1beta1.SocialAccount) any { return x.Status.TokenStatus }},
			{name: "Expires", cell: func(x *v1beta1.SocialAccount) any { return moment(x.Status.TokenExpiresAt, "") }},
			{name: "Age", cell: func(x *v1beta1.SocialAccount) any { return age(x) }},
			{name: "Object", wide: true, cell: func(x *v1beta1.SocialAccount) any { return x.Name }},
			{name: "Profile", wide: true, cell: func(x *v1beta1.SocialAccount) any { return x.Status.ProfileURL }},
			{name: "Published", wide: true, cell: func(x *v1beta1.SocialAccount) any { return moment(x.Status.LastPublishedAt, "") }},
		},
	})
}
