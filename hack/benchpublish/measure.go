// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
)

// Goals for the results.
const (
	goalP50, goalP99, goalMax = 20 * time.Millisecond, 150 * time.Millisecond, time.Second
	goalWrites                = 4.0
	goalClaimed               = time.Minute
	// settleTime is how long to wait for the last posts to end. An unresolved attempt is repeated after three minutes,
	// and a retry waits up to 15 minutes.
	settleTime = 45 * time.Minute
	// pollTime is the interval at which all posts are read. Reading puts load on the measured machine.
	pollTime = 10 * time.Second
)

// soon returns the time from which posts are due that are created now.
func (s *stage) soon() time.Time { return time.Now().Add(s.o.lead).Truncate(time.Second) }

// stream measures posts that are due every second for a while, from a time on, and returns them.
func (s *stage) stream(ctx context.Context, from time.Time) ([]v1beta1.Post, error) {
	n, began := s.o.rate*int(s.o.duration/time.Second), time.Now()
	logf("%d posts on %d accounts, %d due per second for %s, from %s on", n, len(s.names), s.o.rate, s.o.duration, from.Format(time.TimeOnly))
	posts, err := s.play(ctx, s.spread(n, s.o.rate, from), from.Add(s.o.duration))
	if err != nil {
		return nil, err
	}
	late := lateness(posts)
	logf("lateness of the attempt: p50 %s, p99 %s, max %s (goals %s, %s, %s)", at(late, .5), at(late, .99), at(late, 1), goalP50, goalP99, goalMax)
	writes, err := s.writes(began)
	if err != nil {
		return posts, err
	}
	logf("API writes per post: %.2f (goal %.0f)", float64(writes)/float64(n), goalWrites)
	return posts, s.judge(ctx, posts, true)
}

// atOnce measures very many posts that are due in one second.
func (s *stage) atOnce(ctx context.Context) error {
	when, began := s.soon(), time.Now()
	logf("%d posts on %d accounts, all due at %s", s.o.burst, len(s.names), when.Format(time.TimeOnly))
	posts, err := s.play(ctx, s.spread(s.o.burst, 1<<30, when), when)
	if err != nil {
		return err
	}
	late := lateness(posts)
	logf("all claimed within %s of their time, half of them within %s (goal %s)", at(late, 1), at(late, .5), goalClaimed)
	writes, err := s.writes(began)
	if err != nil {
		return err
	}
	logf("API writes per post: %.2f (goal %.0f)", float64(writes)/float64(s.o.burst), goalWrites)
	return s.judge(ctx, posts, true)
}

// play creates posts, waits until all have ended, and returns them.
func (s *stage) play(ctx context.Context, orders []order, last time.Time) ([]v1beta1.Post, error) {
	first, before := s.nextID+1, cpu()
	if err := s.create(ctx, orders); err != nil {
		return nil, err
	}
	if late := time.Since(orders[0].at); late > 0 {
		return nil, fmt.Errorf("creating the posts took %s longer than --lead", late)
	}
	printLoad()
	posts, err := s.ended(ctx, first, last)
	if err == nil {
		printCost(cpu().minus(before), len(orders))
	}
	return posts, err
}

// ended waits until all posts with an id of at least first have ended. It returns those that have not ended in time as
// they are.
func (s *stage) ended(ctx context.Context, first int64, last time.Time) ([]v1beta1.Post, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Until(last)):
	}
	var out []v1beta1.Post
	told := time.Now()
	ctx2, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for {
		var list v1beta1.PostList
		if err := s.kube.List(ctx2, &list, client.InNamespace(tenant)); err == nil {
			out = slices.DeleteFunc(list.Items, func(p v1beta1.Post) bool { id, _ := identity.Of(&p); return id < first })
			open := 0
			for _, p := range out {
				if !p.Status.State.Final() {
					open++
				}
			}
			if open == 0 {
				return out, nil
			}
			if time.Since(told) > 20*time.Second {
				told = time.Now()
				logf("%d posts are not final yet", open)
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ctx2.Done():
			return out, nil // these count as lost
		case <-time.After(pollTime):
		}
	}
}

// judge compares the ledger with the posts and prints the result. inOrder requires that no post was overtaken.
func (s *stage) judge(ctx context.Context, posts []v1beta1.Post, inOrder bool) error {
	ledger, err := s.ledger(ctx)
	if err != nil {
		return err
	}
	there := seen(posts, ledger)
	logf("from the due time to the platforms' ledger: p50 %s, p99 %s, max %s", at(there, .5), at(there, .99), at(there, 1))
	v := judge(posts, ledger, s.who, func(c string) bool { return s.captions[c] })
	v.print()
	printLoad()
	return v.err(inOrder)
}

func (s *stage) ledger(ctx context.Context) ([]landing, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.sandbox+"/ledger", nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New("reading the ledger: " + res.Status)
	}
	var all []landing
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		return nil, fmt.Errorf("reading the ledger: %w", err)
	}
	return all, nil
}

// writes returns the number of the manager's API writes for posts, including events.
func (s *stage) writes(since time.Time) (int, error) {
	all, err := s.plane.Writes(since)
	if err != nil {
		return 0, err
	}
	n := 0
	by := map[string]int{}
	for _, w := range all {
		if ofManager(w) && !ofHistory(w) {
			n++
			by[w.Verb+" "+w.Resource]++
		}
	}
	for _, k := range slices.Sorted(maps.Keys(by)) {
		logf("  %6d %s", by[k], k)
	}
	return n, nil
}
