// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func newBrandListCommand(f *factory) *cobra.Command {
	c := &cobra.Command{Short: "List brands", Example: examples("brand list", "brand list --account acme -o wide", "brand list -n acme -o name")}
	return lists(f, c, listing[*v1beta1.Brand]{
		plural: "brands", list: func() client.ObjectList { return &v1beta1.BrandList{} },
		columns: []column[*v1beta1.Brand]{
			{name: "ID", cell: func(x *v1beta1.Brand) any { return shownID(x) }},
			{name: "Account", cell: func(x *v1beta1.Brand) any { return x.Namespace }},
			{name: "Brand", cell: func(x *v1beta1.Brand) any { return x.Name }},
			{name: "Ready", cell: func(x *v1beta1.Brand) any { return ready(x.Status.Conditions) }},
			{name: "Reason", cell: func(x *v1beta1.Brand) any { return reason(x.Status.Conditions) }},
			{name: "Name", cell: func(x *v1beta1.Brand) any { return cmp.Or(x.Spec.DisplayName, x.Name) }},
			{name: "Age", cell: func(x *v1beta1.Brand) any { return age(x) }},
			{name: "Approval", wide: true, cell: func(x *v1beta1.Brand) any { return x.Spec.Approval }},
			{name: "Language", wide: true, cell: func(x *v1beta1.Brand) any { return x.Spec.Language }},
			{name: "Website", wide: true, cell: func(x *v1beta1.Brand) any { return x.Spec.Website }},
		},
	})
}
