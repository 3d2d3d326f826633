// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func newKeyListCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Short: "List API keys, without their secrets", Example: examples("key list", "key list --account acme", "key list -n acme -l reelops.dev/brand=coffee -o wide"),
	}
	return lists(f, c, listing[*v1beta1.APIKey]{
		plural: "keys", list: func() client.ObjectList { return &v1beta1.APIKeyList{} },
		columns: []column[*v1beta1.APIKey]{
			{name: "ID", cell: func(k *v1beta1.APIKey) any { return shownID(k) }},
			{name: "Account", cell: func(k *v1beta1.APIKey) any { return k.Namespace }},
			{name: "Brand", cell: func(k *v1beta1.APIKey) any { return k.Spec.BrandRef.Name }},
			{name: "Name", cell: func(k *v1beta1.APIKey) any { return k.Spec.DisplayName }},
			{name: "Hint", cell: func(k *v1beta1.APIKey) any { return k.Spec.Hint }},
			{name: "Scopes", cell: func(k *v1beta1.APIKey) any { return joined(k.Spec.Scopes, "(read)") }},
			{name: "Expires", cell: func(k *v1beta1.APIKey) any { return moment(k.Spec.ExpiresAt, "never") }},
			{name: "Revoked", cell: func(k *v1beta1.APIKey) any { return k.Spec.Revoked }},
			{name: "Object", wide: true, cell: func(k *v1beta1.APIKey) any { return k.GetName() }},
			{name: "Age", wide: true, cell: func(k *v1beta1.APIKey) any { return age(k) }},
		},
	})
}
