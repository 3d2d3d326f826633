// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/kube/ids"
)

// newKey is the key that `key create` creates.
type newKey struct {
	account, brand, name, prefix string
	scopes                       []v1beta1.Scope
	// expires is how long the key is valid; 0 means without end.
	expires time.Duration
	// approve lets the key approve posts.
	approve bool
}

func newKeyCreateCommand(f *factory) *cobra.Command {
	var k newKey
	var scopes string
	c := &cobra.Command{
		Use: "create", Short: "Create an API key and show its secret once", Args: cobra.NoArgs,
		Long: fmt.Sprintf("Create an API key and show its secret once: the cluster stores only its hash. A brand can have at most %d keys that are neither expired nor revoked.",
			v1beta1.MaxKeysPerBrand),
		Example: examples("key create --account acme --brand coffee --name website --scopes brand:read,content:write",
			"key create -n acme --brand coffee --name ci --scopes posts:write --expires-in 24h -o jsonpath='{.secret}'"),
	}
	account := addAccount(f, c, "Account of the brand")
	flags := c.Flags()
	flags.StringVar(&k.brand, "brand", "", "Brand that the key acts on (required)")
	flags.StringVar(&k.name, "name", "", "Display name of the key (required)")
	flags.StringVar(&scopes, "scopes", "", "Comma-separated scopes; default: read")
	flags.DurationVar(&k.expires, "expires-in", 0, "Validity of the key, such as 24h; unlimited if unset")
	flags.BoolVar(&k.approve, "approve", false, "Let the key approve and return posts, with the scope posts:write; needs the verb approve on postbatches")
	flags.StringVar(&k.prefix, "prefix", apikey.DefaultPrefix, "Prefix of API keys of the installation (--key-prefix of the reelops-apiserver)")
	completeFlag(c, "brand", account.brands())
	completeFlag(c, "scopes", listed(scopeNames()...))
	for _, required := range []string{"brand", "name"} {
		_ = c.MarkFlagRequired(required)
	}
	return printsResult(f, c, func(ctx context.Context, a *admin, _ []string) (_ *result, err error) {
		if k.account, err = account.one(); err != nil {
			return nil, err
		}
		if k.scopes, err = parseScopes(scopes); err != nil {
			return nil, err
		}
		if flags.Changed("expires-in") && k.expires <= 0 {
			return nil, usagef("--expires-in must be a positive duration such as 24h, not %s", k.expires)
		}
		if err := apikey.CheckPrefix(k.prefix); err != nil {
			return nil, usageError{err}
		}
		return a.createKey(ctx, k)
	})
}

func (a *admin) createKey(ctx context.Context, n newKey) (*result, error) {
	if err := a.brandMustExist(ctx, n.account, n.brand); err != nil {
		return nil, err
	}
	until := "never expires"
	var expires *metav1.Time
	if n.expires > 0 {
		expires = ptr.To(metav1.NewTime(time.Now().Add(n.expires).UTC().Truncate(time.Second)))
		until = "expires " + expires.Format(time.RFC3339)
	}
	next := func(ctx context.Context) (int64, error) { return a.ids.Next(ctx, ids.Keys) }
	k, secret, err := apikey.Create(ctx, a.client, next, time.Now(), apikey.Request{
		Account: n.account, Brand: n.brand, DisplayName: n.name, Scopes: n.scopes, ExpiresAt: expires, Prefix: n.prefix, Approve: n.approve,
	})
	if err != nil {
		return nil, err
	}
	id := idOf(k)
	fields := map[string]any{"id": id, "name": n.name, "account": n.account, "brand": n.brand, "secret": secret}
	if expires != nil {
		fields["expires_at"] = expires.Format(time.RFC3339)
	}
	return &result{
		object: k, fields: fields,
		text: fmt.Sprintf("key %d created (%s). Its secret is shown only now:\n\n  %s\n", id, until, secret),
	}, nil
}

// parseScopes reads a list of scopes separated by commas. Duplicates are dropped.
func parseScopes(s string) ([]v1beta1.Scope, error) {
	var out []v1beta1.Scope
	for v := range strings.SplitSeq(s, ",") {
		if v = strings.TrimSpace(v); v == "" || slices.Contains(out, v1beta1.Scope(v)) {
			continue
		}
		if !apikey.Known(v1beta1.Scope(v)) {
			return nil, usagef("there is no scope %q: choose from %s", v, strings.Join(scopeNames(), ", "))
		}
		out = append(out, v1beta1.Scope(v))
	}
	return out, nil
}

// scopeNames returns the scopes that a key can have, the older ones last.
func scopeNames() []string {
	var out []string
	for _, s := range slices.Concat(apikey.Scopes, slices.Sorted(maps.Keys(apikey.Legacy))) {
		out = append(out, string(s))
	}
	return out
}
