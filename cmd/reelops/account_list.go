// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func newAccountListCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Short: "List accounts with their plan and its use in this month", Example: examples("account list", "account list -o wide", "account list -o custom-columns=NAME:.metadata.namespace,EMAIL:.spec.email"),
	}
	return lists(f, c, listing[*v1beta1.Account]{
		plural: "accounts", list: func() client.ObjectList { return &v1beta1.AccountList{} },
		columns: []column[*v1beta1.Account]{
			{name: "ID", cell: func(x *v1beta1.Account) any { return shownID(x) }},
			{name: "Account", cell: func(x *v1beta1.Account) any { return x.Namespace }},
			{name: "Ready", cell: func(x *v1beta1.Account) any { return ready(x.Status.Conditions) }},
			{name: "Reason", cell: func(x *v1beta1.Account) any { return reason(x.Status.Conditions) }},
			{name: "Plan", cell: func(x *v1beta1.Account) any { return x.Spec.Plan.Name }},
			{name: "Used", cell: func(x *v1beta1.Account) any { return x.Status.SlideshowsUsed }},
			{name: "Limit", cell: func(x *v1beta1.Account) any { return number(x.Spec.Plan.SlideshowLimit, "none") }},
			{name: "Age", cell: func(x *v1beta1.Account) any { return age(x) }},
			{name: "Email", wide: true, cell: func(x *v1beta1.Account) any { return x.Spec.Email }},
		},
	})
}
