// SPDX-License-Identifier: Apache-2.0

package apikey

import (
	"slices"

	"github.com/reelops/reelops/api/v1alpha1"
)

// Scopes in the order in which they are published.
var Scopes = []v1alpha1.Scope{
	v1alpha1.ScopeBrandRead, v1alpha1.ScopeMediaRead, v1alpha1.ScopeMediaWrite, v1alpha1.ScopeContentWrite,
	v1alpha1.ScopePostsRead, v1alpha1.ScopePostsWrite, v1alpha1.ScopeAnalyticsRead, v1alpha1.ScopeBrandsAll,
}

// Legacy scopes, each with what it reads as. Keys from before the present scopes keep working.
var Legacy = map[v1alpha1.Scope][]v1alpha1.Scope{
	"read":  {v1alpha1.ScopeBrandRead, v1alpha1.ScopeMediaRead, v1alpha1.ScopePostsRead, v1alpha1.ScopeAnalyticsRead},
	"write": {v1alpha1.ScopeContentWrite, v1alpha1.ScopeMediaWrite, v1alpha1.ScopePostsWrite},
	"admin": Scopes,
}

// Known says whether a key may be made with the scope.
func Known(s v1alpha1.Scope) bool {
	_, legacy := Legacy[s]
	return legacy || slices.Contains(Scopes, s)
}

// Expand gives the scopes in force, in published order, each once. Unknown ones are dropped. A key stored without any
// scope reads as the legacy scope "read"; a key with only unknown ones has none.
func Expand(stored []v1alpha1.Scope) []v1alpha1.Scope {
	if len(stored) == 0 {
		stored = []v1alpha1.Scope{"read"}
	}
	in := map[v1alpha1.Scope]bool{}
	for _, s := range stored {
		in[s] = true
		for _, e := range Legacy[s] {
			in[e] = true
		}
	}
	out := make([]v1alpha1.Scope, 0, len(Scopes))
	for _, s := range Scopes {
		if in[s] {
			out = append(out, s)
		}
	}
	return out
}
