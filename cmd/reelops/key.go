// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/apikey"
	"github.com/reelops/reelops/internal/ids"
)

func (a *admin) keyCommand() *cobra.Command {
	return group("key", "API keys of a brand", a.createKeyCommand(), a.listKeysCommand(), a.revokeKeyCommand())
}

func (a *admin) createKeyCommand() *cobra.Command {
	var account, brand, name, scopes, prefix string
	var expires time.Duration
	c := &cobra.Command{
		Use: "create", Short: "Make an API key; its secret is shown once", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			if err := a.mustExist(ctx, account, brand, &v1beta1.Brand{}, fmt.Sprintf("there is no brand %q in the account %q", brand, account)); err != nil {
				return err
			}
			if err := apikey.CheckPrefix(prefix); err != nil {
				return err
			}
			list, err := parseScopes(scopes)
			if err != nil {
				return err
			}
			usable, err := a.usableKeys(ctx, account, brand)
			if err != nil {
				return err
			}
			if usable >= v1beta1.MaxKeysPerBrand {
				return fmt.Errorf("the brand %q holds %d usable keys, which is the most: revoke one first", brand, usable)
			}
			if cmd.Flags().Changed("expires-in") && expires <= 0 {
				return fmt.Errorf("--expires-in is a time ahead, such as 24h, not %s", expires)
			}
			return a.createKey(ctx, account, brand, name, prefix, list, expires)
		},
	}
	f := c.Flags()
	f.StringVar(&account, "account", "", "account of the brand (required)")
	f.StringVar(&brand, "brand", "", "brand the key acts on (required)")
	f.StringVar(&name, "name", "", "the key's name for people (required)")
	f.StringVar(&scopes, "scopes", "", "comma separated scopes; none reads as read")
	f.DurationVar(&expires, "expires-in", 0, "when the key ends, such as 24h; without it never")
	f.StringVar(&prefix, "prefix", apikey.DefaultPrefix, "the installation's key prefix")
	for _, r := range []string{"account", "brand", "name"} {
		_ = c.MarkFlagRequired(r)
	}
	return c
}

func (a *admin) createKey(ctx context.Context, account, brand, name, prefix string, scopes []v1beta1.Scope, expires time.Duration) error {
	id, err := a.ids.Next(ctx, ids.Keys)
	if err != nil {
		return err
	}
	secret, hash, hint := apikey.New(prefix)
	k := &v1beta1.APIKey{
		ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: fmt.Sprintf("key-%d", id), Labels: map[string]string{
			v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelBrand: brand,
		}},
		Spec: v1beta1.APIKeySpec{BrandRef: v1beta1.LocalRef{Name: brand}, DisplayName: name, Scopes: scopes, SecretSHA256: hash, Hint: hint},
	}
	out := map[string]any{"id": id, "name": name, "account": account, "brand": brand, "secret": secret}
	until := "never expires"
	if expires > 0 {
		t := metav1.NewTime(time.Now().Add(expires).UTC().Truncate(time.Second))
		k.Spec.ExpiresAt = &t
		out["expires_at"], until = t.Format(time.RFC3339), "expires "+t.Format(time.RFC3339)
	}
	if err := a.client.Create(ctx, k); err != nil {
		return explained(err)
	}
	return a.print(out, fmt.Sprintf("key %d is made (%s). This is the only time its secret is shown:\n\n  %s\n", id, until, secret))
}

// parseScopes reads a list of scopes; an unknown one is an error that names those there are.
func parseScopes(s string) ([]v1beta1.Scope, error) {
	var out []v1beta1.Scope
	for v := range strings.SplitSeq(s, ",") {
		if v = strings.TrimSpace(v); v == "" || slices.Contains(out, v1beta1.Scope(v)) {
			continue
		}
		if !apikey.Known(v1beta1.Scope(v)) {
			return nil, fmt.Errorf("there is no scope %q: choose from brand:read, media:read, media:write, content:write, posts:read, posts:write, "+
				"analytics:read, brands:all, or the older read, write, admin", v)
		}
		out = append(out, v1beta1.Scope(v))
	}
	return out, nil
}

func (a *admin) usableKeys(ctx context.Context, account, brand string) (int, error) {
	var list v1beta1.APIKeyList
	if err := a.client.List(ctx, &list, client.InNamespace(account)); err != nil {
		return 0, err
	}
	n := 0
	for i := range list.Items {
		k := &list.Items[i]
		expired := k.Spec.ExpiresAt != nil && !time.Now().Before(k.Spec.ExpiresAt.Time)
		if k.Spec.BrandRef.Name == brand && !k.Spec.Revoked && !expired {
			n++
		}
	}
	return n, nil
}

func (a *admin) listKeysCommand() *cobra.Command {
	var account string
	c := &cobra.Command{
		Use: "list", Short: "List API keys; never their secrets", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if account != "" {
				if err := a.mustExist(cmd.Context(), account, v1beta1.AccountName, &v1beta1.Account{}, fmt.Sprintf("there is no account %q", account)); err != nil {
					return err
				}
			}
			var list v1beta1.APIKeyList
			if err := a.client.List(cmd.Context(), &list, client.InNamespace(account)); err != nil {
				return err
			}
			slices.SortFunc(list.Items, func(x, y v1beta1.APIKey) int { return cmp.Compare(idOf(&x), idOf(&y)) })
			rows := []map[string]any{}
			var people strings.Builder
			w := tabwriter.NewWriter(&people, 0, 0, 3, ' ', 0)
			fmt.Fprintln(w, "ID\tACCOUNT\tBRAND\tNAME\tHINT\tSCOPES\tEXPIRES\tREVOKED")
			for i := range list.Items {
				k := &list.Items[i]
				var expires any
				shown := "never"
				if t := k.Spec.ExpiresAt; t != nil {
					expires, shown = t.UTC().Format(time.RFC3339), t.UTC().Format(time.RFC3339)
				}
				scopes := []string{}
				for _, s := range k.Spec.Scopes {
					scopes = append(scopes, string(s))
				}
				rows = append(rows, map[string]any{
					"id": idOf(k), "account": k.Namespace, "brand": k.Spec.BrandRef.Name, "name": k.Spec.DisplayName, "hint": k.Spec.Hint,
					"scopes": scopes, "expires_at": expires, "revoked": k.Spec.Revoked,
				})
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t%t\n", idOf(k), k.Namespace, k.Spec.BrandRef.Name, k.Spec.DisplayName, k.Spec.Hint,
					cmp.Or(strings.Join(scopes, ","), "(read)"), shown, k.Spec.Revoked)
			}
			_ = w.Flush()
			return a.print(map[string]any{"keys": rows}, people.String())
		},
	}
	c.Flags().StringVar(&account, "account", "", "only this account's keys")
	return c
}

func (a *admin) revokeKeyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "Revoke an API key, at once and for good", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return fmt.Errorf("a key's id is a number, not %q: see `key list`", args[0])
			}
			var list v1beta1.APIKeyList
			if err := a.client.List(cmd.Context(), &list, client.MatchingLabels{v1beta1.LabelID: strconv.FormatInt(id, 10)}); err != nil {
				return err
			}
			if len(list.Items) == 0 {
				return fmt.Errorf("there is no key %d: see `key list`", id)
			}
			k := &list.Items[0]
			if !k.Spec.Revoked {
				before := k.DeepCopy()
				k.Spec.Revoked = true
				if err := a.client.Patch(cmd.Context(), k, client.MergeFrom(before)); err != nil {
					return explained(err)
				}
			}
			return a.print(map[string]any{"id": id, "name": k.Spec.DisplayName, "revoked": true}, fmt.Sprintf("key %d is revoked", id))
		},
	}
}
