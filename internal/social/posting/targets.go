// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"cmp"
	"slices"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
)

// Target is one account to which a post is sent.
type Target struct {
	Platform v1beta1.Platform
	// Account is nil when a platform was requested and the brand has no account there.
	Account *v1beta1.SocialAccount
	// Own texts and settings of the account.
	Own      v1beta1.PostText
	Settings v1beta1.PostSettings
	// Uses are the times of posts, sent or scheduled, that count against the account's rate limit.
	Uses []time.Time
	// Same are the IDs of posts of the same short that are scheduled or published on this account.
	Same []int64
}

// ID returns the ID of the account; 0 if there is none.
func (t *Target) ID() int64 {
	if t.Account == nil {
		return 0
	}
	id, _ := identity.Of(t.Account)
	return id
}

// Targets returns the targets of a request: the named accounts in their order, then every account of the brand on each
// of the platforms in theirs, without duplicates. all are the brand's accounts. A platform without an account is a
// target without one.
func Targets(named []*v1beta1.SocialAccount, platforms []v1beta1.Platform, all []v1beta1.SocialAccount) []Target {
	var out []Target
	there := map[string]bool{}
	add := func(a *v1beta1.SocialAccount) {
		if !there[a.Name] {
			there[a.Name] = true
			out = append(out, Target{Platform: a.Spec.Platform, Account: a})
		}
	}
	for _, a := range named {
		add(a)
	}
	seen := map[v1beta1.Platform]bool{}
	for _, p := range platforms {
		if seen[p] {
			continue
		}
		seen[p] = true
		var here []*v1beta1.SocialAccount
		for i := range all {
			if all[i].Spec.Platform == p {
				here = append(here, &all[i])
			}
		}
		slices.SortFunc(here, func(a, b *v1beta1.SocialAccount) int {
			x, _ := identity.Of(a)
			y, _ := identity.Of(b)
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.Name, b.Name))
		})
		for _, a := range here {
			add(a)
		}
		if len(here) == 0 {
			out = append(out, Target{Platform: p})
		}
	}
	return out
}
