// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/sandbox"
)

const (
	// shortNotice is how long before its due time a post is created during chaos. Its upload is then still in progress
	// when it is due.
	shortNotice = 4 * time.Second
	// slowAnswer is the delay of the platform's response to the call that publishes. The platform has accepted the post
	// before the delay.
	slowAnswer = 250 * time.Millisecond
	// killTime is the approximate time between two kills.
	killTime = 3 * time.Second
	// silent is the average interval of publishing calls that are neither carried out nor answered: about one of 60.
	silent = 60
)

// commits are the calls that publish, on platforms that report afterwards whether they accepted a post.
var commits = map[string]string{"tiktok": "upload.part", "instagram": "container.publish", "youtube": "videos.update"}

// life returns how long a manager lives before it is killed, and whether that counts from its readiness. Most managers
// are killed in the middle of their work, one in six soon after its start.
func life() (time.Duration, bool) {
	if rand.IntN(6) == 0 {
		return time.Duration(rand.Float64() * float64(time.Second)), false
	}
	return time.Duration(rand.Float64() * 4 * float64(time.Second)), true
}

// chaos kills the manager repeatedly while posts are created and due. It prints how long each new manager takes until
// its first attempt.
func (s *stage) chaos(ctx context.Context) error {
	for _, p := range s.o.platforms {
		if commits[p] == "" {
			return fmt.Errorf("%s does not report whether it accepted a post, so lost posts and unknown outcomes cannot be distinguished", p)
		}
	}
	// The stream lasts longer than the kills, so that posts are always due.
	rate := min(s.o.rate, 10)
	length := time.Duration(s.o.kills) * killTime
	n := max(int(length/time.Second)*rate, 100)
	if err := s.slow(ctx, n); err != nil {
		return err
	}
	first, from := s.nextID+1, time.Now().Add(2*shortNotice).Truncate(time.Second)
	logf("%d posts on %d accounts, %d due per second, from %s on; %d kills", n, len(s.names), rate, from.Format(time.TimeOnly), s.o.kills)
	done := make(chan []time.Time, 1)
	chaos, stop := context.WithCancel(ctx)
	defer stop()
	go func() { done <- s.kill(chaos, from) }()
	if err := s.feed(ctx, s.spread(n, rate, from)); err != nil {
		stop()
		<-done // kill leaves the last manager running for stop
		return err
	}
	starts := <-done // the stream may be shorter than the kills
	posts, err := s.ended(ctx, first, time.Now())
	if err != nil {
		return err
	}
	if len(posts) != n {
		return fmt.Errorf("found only %d of %d posts", len(posts), n)
	}
	again, dead := recoveries(posts, starts)
	if len(again) == 0 {
		return errors.New("nothing was published after a kill")
	}
	logf("%d kills; restart to first attempt: p50 %s, p99 %s, max %s; %d were killed before their first attempt",
		len(starts), at(again, .5), at(again, .99), at(again, 1), dead)
	unheard := 0
	for _, p := range posts {
		if slices.ContainsFunc(p.Status.Attempts, notHeard) {
			unheard++
		}
	}
	logf("%d posts had an attempt with a late or missing response", unheard)
	return s.judge(ctx, posts, false)
}

// notHeard reports whether an attempt's response was late or missing: its process was killed, the platform did not
// answer, or the machine was busy.
func notHeard(a v1beta1.PostAttempt) bool {
	return a.State == v1beta1.AttemptNotSent || a.State.Open() || a.SettledAt != nil && a.SettledAt.Sub(a.StartedAt.Time) > 4*slowAnswer
}

// slow makes the platforms answer late, and some calls not at all, so that many kills happen between the call and its
// response.
func (s *stage) slow(ctx context.Context, posts int) error {
	var script []sandbox.Fault
	for _, p := range s.o.platforms {
		for i := silent / 2; i < posts/len(s.o.platforms); i += silent/2 + rand.IntN(silent) {
			script = append(script, sandbox.Fault{Platform: p, Call: commits[p], Do: sandbox.Hang, Skip: i})
		}
		script = append(script, sandbox.Fault{Platform: p, Call: commits[p], Do: sandbox.Delay, When: sandbox.After, DelayMS: int(slowAnswer.Milliseconds()), Times: -1})
	}
	doc, err := json.Marshal(script)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.sandbox+"/faults", bytes.NewReader(doc))
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New("the sandbox rejects the script: " + res.Status)
	}
	return nil
}

// feed creates posts a short time before they are due.
func (s *stage) feed(ctx context.Context, orders []order) error {
	for len(orders) > 0 {
		second := orders[0].at.Truncate(time.Second)
		n := slices.IndexFunc(orders, func(o order) bool { return !o.at.Truncate(time.Second).Equal(second) })
		if n < 0 {
			n = len(orders)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(second.Add(-shortNotice))):
		}
		if err := s.make(ctx, orders[:n]); err != nil {
			return err
		}
		orders = orders[n:]
	}
	return nil
}

// kill kills and restarts the manager from a time on, and returns the times of the restarts. The last manager keeps
// running.
func (s *stage) kill(ctx context.Context, from time.Time) (starts []time.Time) {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(time.Until(from)):
	}
	for len(starts) < s.o.kills {
		wait, ready := life()
		if ready { // a manager that does not become ready is killed as well
			_ = until(ctx, 20*time.Second, 20*time.Millisecond, func() bool { return answers(ctx, "http://"+s.health+"/readyz") })
		}
		select {
		case <-ctx.Done():
			return starts
		case <-time.After(wait):
		}
		_ = s.manager.Process.Kill()
		_ = s.manager.Wait()
		starts = append(starts, time.Now())
		if err := s.startManager(); err != nil {
			logf("starting the manager: %v", err)
			return starts
		}
		if len(starts)%50 == 0 {
			logf("%d kills", len(starts))
		}
	}
	return starts
}

// recoveries returns the sorted times from each restart to the first attempt after it. dead is the number of managers
// that were killed before their first attempt.
func recoveries(posts []v1beta1.Post, starts []time.Time) (out []time.Duration, dead int) {
	var begun []time.Time
	for _, p := range posts {
		for _, a := range p.Status.Attempts {
			begun = append(begun, a.StartedAt.Time)
		}
	}
	slices.SortFunc(begun, time.Time.Compare)
	for i, start := range starts {
		j, _ := slices.BinarySearchFunc(begun, start, time.Time.Compare)
		if j == len(begun) || i+1 < len(starts) && !begun[j].Before(starts[i+1]) {
			dead++
			continue
		}
		out = append(out, begun[j].Sub(start))
	}
	slices.Sort(out)
	return out, dead
}
