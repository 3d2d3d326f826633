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

// landing is a line of the ledger.
type landing struct {
	Platform  string    `json:"platform"`
	AccountID string    `json:"account_id"`
	Caption   string    `json:"caption"`
	Time      time.Time `json:"time"`
}

// verdict is what the ledger says of posts.
type verdict struct {
	posts int
	// twice landed more than once, missing did not land, astray landed on another account than theirs.
	twice, missing, astray int
	// wrong say of themselves what is not so; unknown that nobody knows, whether or not they landed.
	wrong, unknown int
	// early landed before their time.
	early int
	// overtaken began after one of their account that was due later. Only posts that went out with the first attempt are compared:
	// what has to be tried again is overtaken.
	overtaken int
	// strange are lines of the ledger that no post asked for.
	strange int
	// overCap are accounts, and platforms that share one cap, on which more landed than the cap lets.
	overCap int
	// again are posts with more than one attempt.
	again int
	// say is why posts are not out, and how many.
	say map[string]int
}

// err is nil when everything is as it has to be. A post whose outcome nobody can know is not lost: it says so, and a person looks.
// Whether order matters is the caller's to say: who was killed while it prepared a post lets others of its account go first.
func (v *verdict) err(inOrder bool) error {
	if v.twice+v.missing+v.astray+v.wrong+v.early+v.strange+v.overCap > 0 || inOrder && v.overtaken > 0 {
		return errors.New("posts were doubled, lost, early, out of order, over a cap, or in a wrong state")
	}
	return nil
}

func (v *verdict) tell() {
	for _, r := range slices.Sorted(maps.Keys(v.say)) {
		say("  %d: %s", v.say[r], r)
	}
	say("of %d posts: %d twice, %d lost, %d with an outcome that nobody knows, %d with a state that is not so", v.posts, v.twice, v.missing, v.unknown, v.wrong)
	say("  %d on another's account, %d that nobody asked for, %d early, %d overtaken in their account, %d accounts over their cap; %d were tried more than once",
		v.astray, v.strange, v.early, v.overtaken, v.overCap, v.again)
}

// judge compares the ledger, in its order, with the posts. who gives an account's id on its platform. Of the ledger only what landed for
// these posts or for none of the captions of others is looked at, but for the caps: they are the accounts' as a whole.
func judge(posts []v1beta1.Post, ledger []landing, who map[string]string, others func(caption string) bool) *verdict {
	v := &verdict{posts: len(posts), say: map[string]int{}}
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
		v.say[fmt.Sprintf("%s on %s: %s", e.Code, p.Spec.Platform, e.Message)]++
	case !p.Status.State.Final():
		v.say[fmt.Sprintf("still %q on %s", p.Status.State, p.Spec.Platform)]++
	}
}

// overtaken counts posts of one account that began after one that stands behind them.
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

// overCap counts whose cap the ledger passes at any time.
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

// lateness is how long after their times posts' first attempts began, sorted.
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

// seen is how long after their times posts were in the ledger, sorted.
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

// at gives a share of what is sorted: 0.5 for the median, 1 for the longest; -1 of nothing.
func at(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return -1
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)].Round(time.Millisecond / 10)
}
