// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/identity"
)

// The goals.
const (
	goalP50, goalP99, goalMax = 20 * time.Millisecond, 150 * time.Millisecond, time.Second
	goalWrites                = 6.0
	goalClaimed               = time.Minute
	// settleTime is how long the last attempt may stay in doubt.
	settleTime = 8 * time.Minute
)

// stream has posts due every second, for a while.
func (s *stage) stream(ctx context.Context) error {
	n := s.o.rate * int(s.o.duration/time.Second)
	from, began := time.Now().Add(s.o.lead).Truncate(time.Second), time.Now()
	say("%d posts on %d accounts, %d due a second for %s, from %s on", n, len(s.names), s.o.rate, s.o.duration, from.Format(time.TimeOnly))
	posts, err := s.play(ctx, s.spread(n, s.o.rate, from), from.Add(s.o.duration))
	if err != nil {
		return err
	}
	late := lateness(posts)
	say("lateness of the attempt: p50 %s, p99 %s, max %s (goals %s, %s, %s)", at(late, .5), at(late, .99), at(late, 1), goalP50, goalP99, goalMax)
	writes, err := s.writes(began)
	if err != nil {
		return err
	}
	say("API writes per post: %.2f (goal %.0f)", float64(writes)/float64(n), goalWrites)
	return s.judge(ctx, posts)
}

// atOnce has very many posts due in one second.
func (s *stage) atOnce(ctx context.Context) error {
	when := time.Now().Add(s.o.lead).Truncate(time.Second)
	say("%d posts on %d accounts, all due at %s", s.o.burst, len(s.names), when.Format(time.TimeOnly))
	posts, err := s.play(ctx, s.spread(s.o.burst, 1<<30, when), when)
	if err != nil {
		return err
	}
	late := lateness(posts)
	say("all claimed %s after their time, half of them after %s (goal %s)", at(late, 1), at(late, .5), goalClaimed)
	return s.judge(ctx, posts)
}

// play makes posts, waits until all are at their end, and gives them.
func (s *stage) play(ctx context.Context, orders []order, last time.Time) ([]v1alpha1.Post, error) {
	first := s.nextID + 1
	if err := s.create(ctx, orders); err != nil {
		return nil, err
	}
	if late := time.Since(orders[0].at); late > 0 {
		return nil, fmt.Errorf("making the posts took %s longer than --lead", late)
	}
	var out []v1alpha1.Post
	told := time.Now()
	err := until(ctx, time.Until(last)+settleTime, func() bool {
		if time.Now().Before(last) {
			return false
		}
		var list v1alpha1.PostList
		if err := s.kube.List(ctx, &list, client.InNamespace(tenant)); err != nil {
			return false
		}
		out = slices.DeleteFunc(list.Items, func(p v1alpha1.Post) bool { id, _ := identity.Of(&p); return id < first })
		open := 0
		for _, p := range out {
			if !p.Status.State.Final() {
				open++
			}
		}
		if open > 0 && time.Since(told) > 20*time.Second {
			told = time.Now()
			say("%d are not at their end yet", open)
		}
		return open == 0
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return out, nil // judged as lost
	}
	return out, err
}

// landing is a line of the ledger.
type landing struct {
	Platform, Account, Caption string
	Time                       time.Time
}

// judge compares the ledger with the posts: each landed once, in its account's order.
func (s *stage) judge(ctx context.Context, posts []v1alpha1.Post) error {
	landed, err := s.ledger(ctx)
	if err != nil {
		return err
	}
	duplicates, lost, wrong, disorder := 0, 0, 0, 0
	byAccount := map[string][]v1alpha1.Post{}
	reasons := map[string]int{}
	for _, p := range posts {
		id, _ := identity.Of(&p)
		at := landed[caption(id)]
		switch {
		case len(at) > 1:
			duplicates++
		case len(at) == 0:
			lost++
		}
		if (p.Status.State == v1alpha1.PostSuccess) != (len(at) == 1) {
			wrong++
		}
		if e := p.Status.Error; e != nil {
			reasons[e.Code+": "+e.Message]++
		} else if !p.Status.State.Final() {
			reasons["still "+string(p.Status.State)]++
		}
		byAccount[p.Spec.Account] = append(byAccount[p.Spec.Account], p)
	}
	for _, own := range byAccount {
		slices.SortFunc(own, func(a, b v1alpha1.Post) int {
			x, _ := identity.Of(&a)
			y, _ := identity.Of(&b)
			return cmp.Or(a.Spec.ScheduledAt.Compare(b.Spec.ScheduledAt.Time), cmp.Compare(x, y))
		})
		for i := 1; i < len(own); i++ {
			if begun(&own[i]).Before(begun(&own[i-1])) {
				disorder++
			}
		}
	}
	for r, n := range reasons {
		say("  %d: %s", n, r)
	}
	say("of %d posts: %d twice, %d not there, %d with a state that is not so, %d overtaken in their account", len(posts), duplicates, lost, wrong, disorder)
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		say("the machine's load: %s", strings.TrimSpace(string(load)))
	}
	if duplicates+lost+wrong > 0 {
		return errors.New("posts were doubled, lost, or in a wrong state")
	}
	return nil
}

func (s *stage) ledger(ctx context.Context) (map[string][]time.Time, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.sandbox+"/ledger", nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	var all []landing
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		return nil, fmt.Errorf("reading the ledger: %w", err)
	}
	out := map[string][]time.Time{}
	for _, l := range all {
		out[l.Caption] = append(out[l.Caption], l.Time)
	}
	return out, nil
}

// begun is when the attempt that was accepted began.
func begun(p *v1alpha1.Post) time.Time {
	if n := len(p.Status.Attempts); n > 0 {
		return p.Status.Attempts[n-1].StartedAt.Time
	}
	return time.Time{}
}

// lateness is how long after their times posts' first attempts began, sorted.
func lateness(posts []v1alpha1.Post) []time.Duration {
	var out []time.Duration
	for _, p := range posts {
		if len(p.Status.Attempts) > 0 {
			out = append(out, p.Status.Attempts[0].StartedAt.Sub(p.Spec.ScheduledAt.Time))
		}
	}
	slices.Sort(out)
	return out
}

func at(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return -1
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)].Round(time.Millisecond / 10)
}

// writes counts what the manager wrote for posts, events included.
func (s *stage) writes(since time.Time) (int, error) {
	all, err := s.plane.Writes(since)
	if err != nil {
		return 0, err
	}
	n := 0
	by := map[string]int{}
	for _, w := range all {
		if w.Agent == "manager" {
			n++
			by[w.Verb+" "+w.Resource]++
		}
	}
	for _, k := range slices.Sorted(func(yield func(string) bool) {
		for k := range by {
			if !yield(k) {
				return
			}
		}
	}) {
		say("  %6d %s", by[k], k)
	}
	return n, nil
}
