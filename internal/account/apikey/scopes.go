// SPDX-License-Identifier: Apache-2.0

package apikey

import (
	"slices"

	"github.com/reelops/reelops/api/v1beta1"
)

// Scopes in the order in which they are published.
var Scopes = []v1beta1.Scope{
	v1beta1.ScopeBrandRead, v1beta1.ScopeMediaRead, v1beta1.ScopeMediaWrite, v1beta1.ScopeContentWrite,
	v1beta1.ScopePostsRead, v1beta1.ScopePostsWrite, v1beta1.ScopeAnalyticsRead, v1beta1.ScopeBrandsAll, v1beta1.ScopeBrandWrite,
	v1beta1.ScopeWebhooksWrite,
}

// Legacy maps the scopes of old keys to the present scopes. Old keys keep working. Scopes that are newer than the legacy
// names are in admin only.
var Legacy = map[v1beta1.Scope][]v1beta1.Scope{
	"read":  {v1beta1.ScopeBrandRead, v1beta1.ScopeMediaRead, v1beta1.ScopePostsRead, v1beta1.ScopeAnalyticsRead},
	"write": {v1beta1.ScopeContentWrite, v1beta1.ScopeMediaWrite, v1beta1.ScopePostsWrite},
	"admin": Scopes,
}

// Known reports whether a key may be created with the scope.
func Known(s v1beta1.Scope) bool {
	_, legacy := Legacy[s]
	return legacy || slices.Contains(Scopes, s)
}

// Expand returns the effective scopes, in published order, each once. It drops unknown scopes. A key stored without any
// scope has the legacy scope "read"; a key with only unknown scopes has none.
func Expand(stored []v1beta1.Scope) []v1beta1.Scope {
	if len(stored) == 0 {
		stored = []v1beta1.Scope{"read"}
	}
	in := map[v1beta1.Scope]bool{}
	for _, s := range stored {
		in[s] = true
		for _, e := range Legacy[s] {
			in[e] = true
		}
	}
	out := make([]v1beta1.Scope, 0, len(Scopes))
	for _, s := range Scopes {
		if in[s] {
			out = append(out, s)
		}
	}
	return out
}
