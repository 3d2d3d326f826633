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
	// shortNotice is how long before its time a post is made meanwhile: its upload is under way when its time comes.
	shortNotice = 4 * time.Second
	// slowAnswer is how long a platform takes to answer the call that publishes. It has taken the post by then.
	slowAnswer = 250 * time.Millisecond
	// killTime is about how long it is from one kill to the next.
	killTime = 3 * time.Second
	// silent is one of how many of these calls that is neither carried out nor answered.
	silent = 60
)

// commits are the calls that publish, of platforms that tell afterwards whether they took a post.
var commits = map[string]string{"tiktok": "upload.part", "instagram": "container.publish", "youtube": "videos.update"}

// life is how long a manager lives before it is killed, and whether that is counted from when it is ready: most often it is killed in
// the middle of its work, now and then while it starts.
func life() (time.Duration, bool) {
	if rand.IntN(6) == 0 {
		return time.Duration(rand.Float64() * float64(time.Second)), false
	}
	return time.Duration(rand.Float64() * 4 * float64(time.Second)), true
}

// chaos kills the manager again and again while posts are made and due, and says how long it takes until the next one publishes again.
func (s *stage) chaos(ctx context.Context) error {
	for _, p := range s.o.platforms {
		if commits[p] == "" {
			return fmt.Errorf("%s does not tell whether it took a post: what is lost there cannot be told from what nobody knows", p)
		}
	}
	// The stream is longer than the killing will take, so that there is always something due.
	rate := min(s.o.rate, 10)
	length := time.Duration(s.o.kills) * killTime
	n := max(int(length/time.Second)*rate, 100)
	if err := s.slow(ctx, n); err != nil {
		return err
	}
	first, from := s.nextID+1, time.Now().Add(2*shortNotice).Truncate(time.Second)
	say("%d posts on %d accounts, %d due a second, from %s on; %d kills", n, len(s.names), rate, from.Format(time.TimeOnly), s.o.kills)
	done := make(chan []time.Time, 1)
	chaos, stop := context.WithCancel(ctx)
	defer stop()
	go func() { done <- s.kill(chaos, from) }()
	if err := s.feed(ctx, s.spread(n, rate, from)); err != nil {
		stop()
		<-done // it leaves the last manager to be stopped
		return err
	}
	starts := <-done // so many there are, even when the stream was shorter
	posts, err := s.ended(ctx, first, time.Now())
	if err != nil {
		return err
	}
	if len(posts) != n {
		return fmt.Errorf("%d of %d posts are there", len(posts), n)
	}
	again, dead := recoveries(posts, starts)
	if len(again) == 0 {
		return errors.New("nothing was published after a kill")
	}
	say("%d kills; from the start after one to the first attempt: p50 %s, p99 %s, max %s; %d were killed before they came to one",
		len(starts), at(again, .5), at(again, .99), at(again, 1), dead)
	unheard := 0
	for _, p := range posts {
		if slices.ContainsFunc(p.Status.Attempts, notHeard) {
			unheard++
		}
	}
	say("%d posts had an attempt whose answer was late or not heard", unheard)
	return s.judge(ctx, posts, false)
}

// notHeard says that an attempt's answer came late or not at all: its process was killed, the platform did not answer, or the machine is busy.
func notHeard(a v1beta1.PostAttempt) bool {
	return a.State == v1beta1.AttemptNotSent || a.State.Open() || a.SettledAt != nil && a.SettledAt.Sub(a.StartedAt.Time) > 4*slowAnswer
}

// slow has the platforms answer late, and some calls not at all: so many a kill strikes between the call and its answer.
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
		return errors.New("the sandbox refuses the script: " + res.Status)
	}
	return nil
}

// feed makes posts a short time before each is due.
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

// kill kills and starts managers from a time on, and gives the times of the starts. The last one lives.
func (s *stage) kill(ctx context.Context, from time.Time) (starts []time.Time) {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(time.Until(from)):
	}
	for len(starts) < s.o.kills {
		wait, ready := life()
		if ready { // one that does not come to it is killed as well
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
			say("the manager does not start: %v", err)
			return starts
		}
		if len(starts)%50 == 0 {
			say("%d kills", len(starts))
		}
	}
	return starts
}

// recoveries are how long after each start that was survived for long enough the first attempt began, sorted; dead is how many were not.
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
