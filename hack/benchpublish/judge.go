// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/identity"
)

// landing is an entry of the sandbox's ledger.
type landing struct {
	Platform  string    `json:"platform"`
	AccountID string    `json:"account_id"`
	Caption   string    `json:"caption"`
	Time      time.Time `json:"time"`
}

// verdict is the result of comparing posts with the ledger.
type verdict struct {
	posts int
	// twice counts posts that were published more than once, missing those that were not published, astray those
	// published on another account.
	twice, missing, astray int
	// wrong counts posts whose status contradicts the ledger. unknown counts posts with an unknown outcome, published
	// or not.
	wrong, unknown int
	// early counts posts that were published before their due time.
	early int
	// overtaken counts posts that began after a post of their account that was due later. Only posts with one attempt
	// are compared, because a retry is always overtaken.
	overtaken int
	// strange counts ledger entries without a post.
	strange int
	// overCap counts accounts, and platforms that share one limit, with more published posts than the limit allows.
	overCap int
	// again counts posts with more than one attempt.
	again int
	// reasons counts the reasons why posts are not published.
	reasons map[string]int
}

// err returns nil if the result is correct. A post with an unknown outcome is not an error: its status reports it, and
// a user checks. inOrder selects whether the order matters: a manager that is killed while it prepares a post lets
// other posts of the account pass.
func (v *verdict) err(inOrder bool) error {
	if v.twice+v.missing+v.astray+v.wrong+v.early+v.strange+v.overCap > 0 || inOrder && v.overtaken > 0 {
		return errors.New("posts were duplicated, lost, early, out of order, over a platform limit, or in a wrong state")
	}
	return nil
}

func (v *verdict) print() {
	for _, r := range slices.Sorted(maps.Keys(v.reasons)) {
		logf("  %d: %s", v.reasons[r], r)
	}
	logf("of %d posts: %d duplicated, %d lost, %d with an unknown outcome, %d with a wrong state", v.posts, v.twice, v.missing, v.unknown, v.wrong)
	logf("  %d on a wrong account, %d unrequested, %d early, %d out of order in their account, %d accounts over their limit; %d with several attempts",
		v.astray, v.strange, v.early, v.overtaken, v.overCap, v.again)
}

// judge compares the ledger, in its order, with the posts. who maps accounts to their ids on the platform. Ledger
// entries of other runs are ignored if others returns true for their caption. The limits are the exception: they are
// checked for the whole ledger, because they apply to an account as a whole.
func judge(posts []v1beta1.Post, ledger []landing, who map[string]string, others func(caption string) bool) *verdict {
	v := &verdict{posts: len(posts), reasons: map[string]int{}}
	landed := map[string][]landing{}
	for _, l := range ledger {
		landed[l.Caption] = append(landed[l.Caption], l)
	}
	byAccount := map[string][]v1beta1.Post{}
	mine := map[string]bool{}
	for _, p := range posts {
		id, _ := identity.Of(&p)
		at := landed[caption(id)]
		mine[caption(id)] = true
		v.judge(&p, at, who)
		byAccount[p.Spec.Account] = append(byAccount[p.Spec.Account], p)
	}
	for c := range landed {
		if !mine[c] && !others(c) {
			v.strange++
		}
	}
	for _, own := range byAccount {
		v.overtaken += overtaken(own)
	}
	v.overCap = overCap(ledger)
	return v
}

func (v *verdict) judge(p *v1beta1.Post, at []landing, who map[string]string) {
	unknown := p.Status.State == v1beta1.PostFailed && p.Status.DeliveryState == v1beta1.DeliveryUnconfirmed
	switch {
	case len(at) > 1:
		v.twice++
	case unknown:
		v.unknown++
	case len(at) == 0:
		v.missing++
	}
	if !unknown && (p.Status.State == v1beta1.PostSuccess) != (len(at) > 0) {
		v.wrong++
	}
	for _, l := range at {
		if l.Platform != string(p.Spec.Platform) || l.AccountID != who[p.Spec.Account] {
			v.astray++
		}
		if l.Time.Before(p.Spec.ScheduledAt.Time) {
			v.early++
		}
	}
	if len(p.Status.Attempts) > 1 {
		v.again++
	}
	switch e := p.Status.Error; {
	case e != nil:
		v.reasons[fmt.Sprintf("%s on %s: %s", e.Code, p.Spec.Platform, e.Message)]++
	case !p.Status.State.Final():
		v.reasons[fmt.Sprintf("still %q on %s", p.Status.State, p.Spec.Platform)]++
	}
}

// overtaken returns the number of posts of one account that began after a post behind them in the queue.
func overtaken(own []v1beta1.Post) (n int) {
	own = slices.DeleteFunc(slices.Clone(own), func(p v1beta1.Post) bool { return len(p.Status.Attempts) != 1 })
	slices.SortFunc(own, func(a, b v1beta1.Post) int {
		x, _ := identity.Of(&a)
		y, _ := identity.Of(&b)
		return cmp.Or(a.Spec.ScheduledAt.Compare(b.Spec.ScheduledAt.Time), cmp.Compare(x, y))
	})
	var latest time.Time
	for _, p := range own {
		at := p.Status.Attempts[0].StartedAt.Time
		if at.Before(latest) {
			n++
		} else {
			latest = at
		}
	}
	return n
}

// overCap returns the number of scopes whose limit the ledger exceeds at any time.
func overCap(ledger []landing) (n int) {
	times := map[string][]time.Time{}
	caps := map[string]catalog.PostCap{}
	for _, l := range ledger {
		rule, _ := catalog.RuleOf(l.Platform)
		scope := l.Platform
		if !rule.Cap.AppWide {
			scope += " " + l.AccountID
		}
		caps[scope] = rule.Cap
		times[scope] = append(times[scope], l.Time)
	}
	for scope, at := range times {
		most := caps[scope]
		slices.SortFunc(at, time.Time.Compare)
		for i := range at {
			if first := i - most.Max; most.Max > 0 && first >= 0 && at[i].Sub(at[first]) < most.Window {
				n++
				break
			}
		}
	}
	return n
}

// lateness returns how long after their due times the first attempts of posts began, sorted.
func lateness(posts []v1beta1.Post) []time.Duration {
	var out []time.Duration
	for _, p := range posts {
		if len(p.Status.Attempts) > 0 {
			out = append(out, p.Status.Attempts[0].StartedAt.Sub(p.Spec.ScheduledAt.Time))
		}
	}
	slices.Sort(out)
	return out
}

// seen returns how long after their due times posts appeared in the ledger, sorted.
func seen(posts []v1beta1.Post, ledger []landing) []time.Duration {
	at := map[string]time.Time{}
	for _, l := range ledger {
		at[l.Caption] = l.Time
	}
	var out []time.Duration
	for _, p := range posts {
		id, _ := identity.Of(&p)
		if t, ok := at[caption(id)]; ok {
			out = append(out, t.Sub(p.Spec.ScheduledAt.Time))
		}
	}
	slices.Sort(out)
	return out
}

// at returns a quantile of a sorted list: 0.5 for the median, 1 for the maximum. It returns -1 for an empty list.
func at(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return -1
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)].Round(time.Millisecond / 10)
}
