// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func newKeyRevokeCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Use: "revoke ID", Short: "Revoke an API key immediately and permanently", Args: cobra.ExactArgs(1),
		Long:    "Revoke an API key immediately and permanently. Ids are unique in the installation: `key list` shows them. Revoking a revoked key\nchanges nothing.",
		Example: examples("key revoke 2"),
	}
	account := addAccounts(f, c)
	c.ValidArgsFunction = firstArgument(account.unrevokedKeys())
	return printsResult(f, c, func(ctx context.Context, a *admin, args []string) (*result, error) {
		in, err := account.given()
		if err != nil {
			return nil, err
		}
		id, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil {
			return nil, usagef("the id of a key is a number, not %q: see `key list`", args[0])
		}
		return a.revokeKey(ctx, in, id)
	})
}

// revokeKey revokes the key with an id. An empty account selects all accounts.
func (a *admin) revokeKey(ctx context.Context, account string, id int64) (*result, error) {
	var list v1beta1.APIKeyList
	if err := a.client.List(ctx, &list, client.InNamespace(account), client.MatchingLabels{v1beta1.LabelID: strconv.FormatInt(id, 10)}); err != nil {
		return nil, err
	}
	if len(list.Items) == 0 {
		return nil, notFoundf("there is no key %d: see `key list`", id)
	}
	k := &list.Items[0]
	if !k.Spec.Revoked {
		before := k.DeepCopy()
		k.Spec.Revoked = true
		if err := a.client.Patch(ctx, k, client.MergeFrom(before)); err != nil {
			return nil, err
		}
	}
	return &result{
		object: k, fields: map[string]any{"id": id, "name": k.Spec.DisplayName, "revoked": true}, text: fmt.Sprintf("key %d revoked", id),
	}, nil
}
