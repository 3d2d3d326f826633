// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1alpha1"
)

// life is how long a manager lives before it is killed: sometimes before it has done anything, sometimes in the middle of its work.
func life() time.Duration {
	return 300*time.Millisecond + time.Duration(rand.Float64()*rand.Float64()*6*float64(time.Second))
}

// chaos kills the manager again and again while posts are due, and says how long it takes until the next one publishes again.
func (s *stage) chaos(ctx context.Context) error {
	// The stream is longer than the killing will take, so that there is always something due.
	rate := min(s.o.rate, 10)
	length := time.Duration(s.o.kills) * 2 * time.Second
	n := max(int(length/time.Second)*rate, 100)
	from := time.Now().Add(s.o.lead).Truncate(time.Second)
	say("%d posts on %d accounts, %d due a second, from %s on; %d kills", n, len(s.names), rate, from.Format(time.TimeOnly), s.o.kills)
	done := make(chan []time.Time, 1)
	chaos, stop := context.WithCancel(ctx)
	defer stop()
	go func() { done <- s.kill(chaos, from) }()
	posts, err := s.play(ctx, s.spread(n, rate, from), from.Add(length))
	stop()
	starts := <-done
	if err != nil {
		return err
	}
	again := recoveries(posts, starts)
	if len(again) == 0 {
		return errors.New("nothing was published after a kill")
	}
	say("%d kills; publishing again after the start: p50 %s, p99 %s, max %s", len(starts), at(again, .5), at(again, .99), at(again, 1))
	unknown := 0
	for _, p := range posts {
		if len(p.Status.Attempts) > 1 || p.Status.DeliveryState == v1alpha1.DeliveryUnconfirmed {
			unknown++
		}
	}
	say("%d posts had an attempt whose outcome was not heard and that was made again or is unknown", unknown)
	return s.judge(ctx, posts)
}

// kill kills and starts managers from a time on, and gives the times of the starts. The last one lives.
func (s *stage) kill(ctx context.Context, from time.Time) (starts []time.Time) {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(time.Until(from)):
	}
	for len(starts) < s.o.kills {
		select {
		case <-ctx.Done():
			return starts
		case <-time.After(life()):
		}
		_ = s.manager.Process.Kill()
		_ = s.manager.Wait()
		starts = append(starts, time.Now())
		if err := s.startManager(); err != nil {
			say("the manager does not start: %v", err)
			return starts
		}
		if len(starts)%50 == 0 {
			var list v1alpha1.PostList
			_ = s.kube.List(ctx, &list, client.InNamespace(tenant), client.Limit(1))
			say("%d kills", len(starts))
		}
	}
	return starts
}

// recoveries are how long after each start that was survived for long enough the first attempt began.
func recoveries(posts []v1alpha1.Post, starts []time.Time) []time.Duration {
	var begun []time.Time
	for _, p := range posts {
		for _, a := range p.Status.Attempts {
			begun = append(begun, a.StartedAt.Time)
		}
	}
	slices.SortFunc(begun, time.Time.Compare)
	var out []time.Duration
	for i, start := range starts {
		j, _ := slices.BinarySearchFunc(begun, start, time.Time.Compare)
		if j == len(begun) || i+1 < len(starts) && !begun[j].Before(starts[i+1]) {
			continue // it was killed before it came to publish
		}
		out = append(out, begun[j].Sub(start))
	}
	slices.Sort(out)
	return out
}
