// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// scene is three posts of one account, one second apart, that were published correctly.
type scene struct {
	posts  []v1beta1.Post
	ledger []landing
}

func clean() *scene {
	s := &scene{}
	for i := range 3 {
		id, due := int64(i+1), noon.Add(time.Duration(i)*time.Second)
		s.posts = append(s.posts, v1beta1.Post{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)}},
			Spec:       v1beta1.PostSpec{Account: "maya", Platform: catalog.TikTok, ScheduledAt: metav1.NewMicroTime(due)},
			Status: v1beta1.PostStatus{
				State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished,
				Attempts: []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, StartedAt: metav1.NewMicroTime(due.Add(5 * time.Millisecond))}},
			},
		})
		s.ledger = append(s.ledger, landing{Platform: catalog.TikTok, AccountID: "m1", Caption: caption(id), Time: due.Add(9 * time.Millisecond)})
	}
	return s
}

func TestJudge(t *testing.T) {
	failed := func(p *v1beta1.Post, d v1beta1.DeliveryState) {
		p.Status.State, p.Status.DeliveryState, p.Status.Error = v1beta1.PostFailed, d, &v1beta1.WorkError{Code: "conflict", Message: "Why"}
	}
	for name, c := range map[string]struct {
		why    string
		change func(*scene)
		want   verdict
		bad    bool
	}{
		"clean":      {"all published once", func(*scene) {}, verdict{}, false},
		"twice":      {"one published twice", func(s *scene) { s.ledger = append(s.ledger, s.ledger[1]) }, verdict{twice: 1}, true},
		"lost":       {"one is reported as published, and is not", func(s *scene) { s.ledger = s.ledger[1:] }, verdict{missing: 1, wrong: 1}, true},
		"not there":  {"a failed post is reported", func(s *scene) { s.ledger = s.ledger[1:]; failed(&s.posts[0], "") }, verdict{missing: 1}, true},
		"unresolved": {"one outcome is unknown", func(s *scene) { failed(&s.posts[0], v1beta1.DeliveryUnconfirmed) }, verdict{unknown: 1}, false},
		"two unresolved": {"a duplicate counts in any case", func(s *scene) {
			failed(&s.posts[0], v1beta1.DeliveryUnconfirmed)
			s.ledger = append(s.ledger, s.ledger[0])
		}, verdict{twice: 1}, true},
		"published and failed": {"a published post is reported as failed", func(s *scene) { failed(&s.posts[2], "") }, verdict{wrong: 1}, true},
		"not final":            {"a published post is still open", func(s *scene) { s.posts[0].Status.State = v1beta1.PostPending }, verdict{wrong: 1}, true},
		"astray":               {"one published on another account", func(s *scene) { s.ledger[1].AccountID = "m2" }, verdict{astray: 1}, true},
		"early":                {"one published before its time", func(s *scene) { s.ledger[1].Time = noon }, verdict{early: 1}, true},
		"strange":              {"an unknown post was published", func(s *scene) { s.ledger = append(s.ledger, landing{Caption: "?"}) }, verdict{strange: 1}, true},
		"of others":            {"posts of another part are ignored", func(s *scene) { s.ledger = append(s.ledger, landing{Caption: "others"}) }, verdict{}, false},
		"overtaken": {"the first attempt started last", func(s *scene) {
			s.posts[0].Status.Attempts[0].StartedAt.Time = noon.Add(time.Minute)
		}, verdict{overtaken: 2}, true},
		"retried": {"a retried post may be overtaken", func(s *scene) {
			first := s.posts[0].Status.Attempts[0]
			first.StartedAt.Time = noon.Add(time.Minute)
			s.posts[0].Status.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptNotSent}, first}
		}, verdict{again: 1}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := clean()
			c.change(s)
			got := judge(s.posts, s.ledger, map[string]string{"maya": "m1"}, func(c string) bool { return c == "others" })
			if bad := got.err(true) != nil; bad != c.bad {
				t.Errorf("%s: got %v", c.why, got.err(true))
			}
			if bad := got.err(false) != nil; bad != (c.bad && got.overtaken == 0) {
				t.Errorf("%s, without an order: got %v", c.why, got.err(false))
			}
			c.want.posts, c.want.reasons = 3, got.reasons
			if d := cmp.Diff(&c.want, got, cmp.AllowUnexported(verdict{})); d != "" {
				t.Errorf("%s: %s", c.why, d)
			}
		})
	}
}

func TestOverCap(t *testing.T) {
	for _, c := range []struct {
		why      string
		platform string
		n        int
		accounts int
		apart    time.Duration
		want     int
	}{
		{"the limit of an account", catalog.TikTok, 15, 1, time.Second, 0},
		{"one more", catalog.TikTok, 16, 1, time.Second, 1},
		{"one more, on two accounts", catalog.TikTok, 16, 2, time.Second, 0},
		{"one more, a window later", catalog.TikTok, 16, 1, 24 * time.Hour / 15, 0},
		{"the limit of all accounts", catalog.YouTube, 100, 9, time.Second, 0},
		{"one more than the limit of all accounts", catalog.YouTube, 101, 9, time.Second, 1},
	} {
		var ledger []landing
		for i := range c.n {
			ledger = append(ledger, landing{Platform: c.platform, AccountID: fmt.Sprint(i % c.accounts), Time: noon.Add(time.Duration(i) * c.apart)})
		}
		slices.Reverse(ledger)
		if got := overCap(ledger); got != c.want {
			t.Errorf("%s: got %d", c.why, got)
		}
	}
}

func TestRecoveries(t *testing.T) {
	second := func(n float64) time.Time { return noon.Add(time.Duration(n * float64(time.Second))) }
	p := v1beta1.Post{}
	for _, s := range []float64{0.5, 2.5, 9.1} {
		p.Status.Attempts = append(p.Status.Attempts, v1beta1.PostAttempt{StartedAt: metav1.NewMicroTime(second(s))})
	}
	got, dead := recoveries([]v1beta1.Post{p}, []time.Time{second(2), second(7), second(9), second(10)})
	if d := cmp.Diff([]time.Duration{100 * time.Millisecond, 500 * time.Millisecond}, got); d != "" || dead != 2 {
		t.Errorf("got %d, %s", dead, d)
	}
}

func TestAt(t *testing.T) {
	sorted := []time.Duration{1e6, 2e6, 3e6, 4e6}
	for share, want := range map[float64]time.Duration{0: 1e6, .5: 3e6, .99: 4e6, 1: 4e6} {
		if got := at(sorted, share); got != want {
			t.Errorf("%v: got %v", share, got)
		}
	}
	if at(nil, 1) != -1 {
		t.Error("a quantile of nothing")
	}
}

func TestStatOf(t *testing.T) {
	name, parent, took, ok := statOf("42 (a (b) c) S 7 1 1 0 -1 4194560 1 2 3 4 250 50 1 1 20 0")
	if name != "a (b) c" || parent != 7 || took != 3*time.Second || !ok {
		t.Error(name, parent, took, ok)
	}
	for _, bad := range []string{"", "42 (a", "42 (a) S 7", "42 (a) S x 1 1 0 -1 4194560 1 2 3 4 250 50"} {
		if _, _, _, ok := statOf(bad); ok {
			t.Errorf("%q is accepted", bad)
		}
	}
}
