// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// story is a scenario in which every call fails in turn, in every way.
type story struct {
	why string
	// objects are the initial objects; nil means one post that is due at once.
	objects func() []client.Object
	// set changes the world before the start. play runs the story; nil means settle.
	set  func(*world)
	play func(*world)
	// want is the final state of every post.
	want v1beta1.PostState
	// gone reports whether the posts are deleted in the end.
	gone bool
	// lands is how often each post is published.
	lands int
	// comment is the final state of the first comment; empty for posts without one.
	comment v1beta1.CommentState
	// writes is the maximum number of writes for one post without faults, not counting events.
	writes int
}

func atOnce() []client.Object {
	return []client.Object{socialAccount(), postBatch(noon), aPost("1", noon)}
}

func inAnHour() []client.Object {
	at := noon.Add(time.Hour)
	return []client.Object{socialAccount(), postBatch(at), aPost("1", at)}
}

func commented() []client.Object {
	p := aPost("1", noon)
	p.Spec.Settings = &v1beta1.PostSettings{FirstComment: ptr.To("More below")}
	return []client.Object{socialAccount(), postBatch(noon), p}
}

func stories() map[string]story {
	return map[string]story{
		"commented": {why: "the first comment is written once the post is public", objects: commented, want: v1beta1.PostSuccess, lands: 1, comment: v1beta1.CommentPublished, writes: 7},
		"comment lost": {
			why: "a comment whose response is lost is found", objects: commented, set: func(w *world) { w.platform.commentLost = true },
			want: v1beta1.PostSuccess, lands: 1, comment: v1beta1.CommentPublished, writes: 8,
		},
		"comment unknown": {
			why: "a comment that cannot be looked up is unknown after an hour, and not sent again", objects: commented,
			set:  func(w *world) { w.platform.commentLost, w.platform.commentHidden = true, true },
			want: v1beta1.PostSuccess, lands: 1, comment: v1beta1.CommentUnknown, writes: 8,
		},
		"comment refused": {why: "a rejected comment leaves the post a success", objects: commented, set: func(w *world) {
			w.platform.refuseComment = slices.Repeat([]error{&publish.Error{Kind: publish.Rejected, Safe: "Comments are off"}}, 9)
		}, want: v1beta1.PostSuccess, lands: 1, comment: v1beta1.CommentFailed, writes: 7},
		"comment late": {why: "a comment is retried while the platform is down", objects: commented, set: func(w *world) {
			w.platform.refuseComment = []error{&publish.Error{Kind: publish.Transient, Safe: "The platform is down"}}
		}, want: v1beta1.PostSuccess, lands: 1, comment: v1beta1.CommentPublished, writes: 10},
		"at once":   {why: "prepared, sent, and public", objects: atOnce, set: func(w *world) { w.platform.processing = 10 * time.Second }, want: v1beta1.PostSuccess, lands: 1, writes: 5},
		"scheduled": {why: "waits, is prepared early, and is published at its time", objects: inAnHour, want: v1beta1.PostSuccess, lands: 1, writes: 6},
		"one step": {
			why: "a one-step preparation is recorded when the post becomes due", objects: inAnHour,
			set: func(w *world) { w.platform.oneStep = true }, want: v1beta1.PostSuccess, lands: 1, writes: 5,
		},
		"brief": {
			why: "a preparation that takes seconds is recorded at its end", objects: inAnHour,
			set: func(w *world) { w.platform.brief = true }, want: v1beta1.PostSuccess, lands: 1, writes: 5,
		},
		"processed briefly, at once": {
			why: "a preparation of a due post is recorded with the attempt", objects: atOnce,
			set: func(w *world) { w.platform.brief = true }, want: v1beta1.PostSuccess, lands: 1, writes: 3,
		},
		"reply lost":   {why: "an attempt whose response is lost is found", objects: atOnce, set: func(w *world) { w.platform.lost = map[int]bool{1: true} }, want: v1beta1.PostSuccess, lands: 1, writes: 6},
		"found late":   {why: "the platform shows the post half a minute later", objects: atOnce, set: func(w *world) { w.platform.lost, w.platform.lagging = map[int]bool{1: true}, 30*time.Second }, want: v1beta1.PostSuccess, lands: 1, writes: 6},
		"not accepted": {why: "an attempt that provably was not accepted is repeated", objects: atOnce, set: func(w *world) { w.platform.lostUntaken = map[int]bool{1: true} }, want: v1beta1.PostSuccess, lands: 1, writes: 9},
		"token rejected": {why: "the token is renewed once", objects: atOnce, set: func(w *world) { w.platform.token = "t1" }, play: func(w *world) {
			w.until(time.Minute, func() bool {
				return len(w.platform.sessions) > 0 && w.platform.sessions[fmt.Sprintf("session %d of uid-1", w.platform.preparations)]
			})
			w.platform.token = "t2"
			w.settle()
		}, want: v1beta1.PostSuccess, lands: 1, writes: 7},
		"down for a while": {why: "a call is retried while the platform is down", objects: atOnce, set: func(w *world) {
			w.platform.refuse = []error{&publish.Error{Kind: publish.Transient, Safe: "The platform is down"}, &publish.Error{Kind: publish.RateLimited, Safe: "Too many posts", RetryAfter: time.Minute}}
		}, want: v1beta1.PostSuccess, lands: 1, writes: 9},
		"forgotten": {why: "an expired preparation is repeated", objects: atOnce, set: func(w *world) {
			w.platform.refuse = []error{&publish.Error{Kind: publish.Expired, Safe: "The session is over"}}
		}, want: v1beta1.PostSuccess, lands: 1, writes: 8},
		"refused": {why: "a rejected post is not sent again", objects: atOnce, set: func(w *world) {
			w.platform.refuse = slices.Repeat([]error{&publish.Error{Kind: publish.Rejected, Safe: "No"}}, 9)
		}, want: v1beta1.PostFailed, writes: 4},
		"moderated":           {why: "a post that is withdrawn after it was accepted has failed, and is not sent again", objects: atOnce, set: func(w *world) { w.platform.gone = true }, want: v1beta1.PostFailed, lands: 1, writes: 5},
		"cannot be looked up": {why: "an outcome that cannot be looked up is unknown after an hour, and nothing is sent again", objects: atOnce, set: func(w *world) { w.platform.blind, w.platform.lost = true, map[int]bool{1: true} }, want: v1beta1.PostFailed, lands: 1, writes: 5},
		"moved": {
			why: "a post that moves to another revision after its preparation is prepared again", objects: inAnHour,
			play: func(w *world) { w.movedOncePrepared(); w.settle() }, want: v1beta1.PostSuccess, lands: 1, writes: 8,
		},
		"two of one account": {why: "two posts of one account are published in order", objects: func() []client.Object {
			return []client.Object{socialAccount(), postBatch(noon), aPost("2", noon), aPost("1", noon)}
		}, want: v1beta1.PostSuccess, lands: 1, writes: 10},
		"deleted while unresolved": {why: "an open attempt is resolved before its post is deleted", objects: atOnce, set: func(w *world) { w.platform.lost = map[int]bool{1: true} }, play: func(w *world) {
			w.until(time.Minute, func() bool { p := w.post("post-1"); return p == nil || last(p) != nil })
			if p := w.post("post-1"); p != nil {
				if err := w.live.Delete(context.Background(), p); err != nil {
					w.t.Fatal(err)
				}
				w.event(client.ObjectKeyFromObject(p))
			}
			w.until(3*time.Hour, func() bool { return w.post("post-1") == nil })
		}, gone: true, lands: 1, writes: 6},
	}
}

func (s story) run(t *testing.T, failAt int, f fault) *world {
	t.Helper()
	w := newWorld(t, failAt, f, s.objects()...)
	if s.set != nil {
		s.set(w)
	}
	if s.play != nil {
		s.play(w)
	} else {
		w.settle()
	}
	return w
}

// judge compares the platform's ledger with the status of the posts.
func (s story) judge(t *testing.T, w *world, f fault, call string) {
	t.Helper()
	for key, landed := range w.platform.landAt {
		if len(landed) > 1 {
			t.Errorf("DUPLICATE: %s was published %d times", key, len(landed))
		}
	}
	for text, landed := range w.platform.commentedAt {
		if len(landed) > 1 {
			t.Errorf("DUPLICATE: the comment %q was published %d times", text, len(landed))
		}
	}
	if s.gone {
		if p := w.post("post-1"); p != nil {
			t.Errorf("the deleted post still exists: %+v", p.Status)
		}
		return
	}
	for _, p := range w.posts() {
		landed := len(w.platform.landAt[string(p.UID)])
		want, lands := s.want, s.lands
		switch {
		case call == "commit" && f == conflict && landed == 0: // the platform rejected it
			want, lands = v1beta1.PostFailed, 0
		case w.platform.blind && landed == 0: // it is unknown whether it was accepted
			want, lands = v1beta1.PostFailed, 0
		}
		if p.Status.State != want || landed != lands {
			t.Errorf("LOST OR WRONG: %s is %q and was published %d times, want %q and %d: %+v", p.Name, p.Status.State, landed, want, lands, p.Status)
		}
		s.judgeComment(t, &p, w, f, call)
		checkStatus(t, &p, w)
	}
	if !slices.IsSorted(w.platform.order) && f == none {
		t.Errorf("published in the order %v", w.platform.order)
	}
}

// judgeComment compares the comments on the platform with the status of the post's first comment.
func (s story) judgeComment(t *testing.T, p *v1beta1.Post, w *world, f fault, call string) {
	t.Helper()
	c := p.Status.FirstComment
	if s.comment == "" || p.Status.State != v1beta1.PostSuccess {
		if c != nil {
			t.Errorf("%s has the comment %+v", p.Name, c)
		}
		return
	}
	landed := len(w.platform.commentedAt["More below"])
	want := s.comment
	switch {
	case call == "comment" && f == conflict: // the platform rejected it
		want = v1beta1.CommentFailed
	case w.platform.commentHidden && c != nil && c.State == v1beta1.CommentPublished && landed == 1:
		want = v1beta1.CommentPublished // sent again after a call that provably was not sent
	case w.platform.commentHidden, call == "comment" && s.comment == v1beta1.CommentFailed && f != none && landed == 0 && c != nil && c.State == v1beta1.CommentUnknown:
		want = v1beta1.CommentUnknown
	}
	if c == nil || c.State != want || c.SettledAt == nil || (c.State == v1beta1.CommentPublished) != (landed == 1 && c.ID == "comment of 7") && c.State != v1beta1.CommentUnknown {
		t.Errorf("LOST OR WRONG: the comment is %+v and was published %d times, want %q", c, landed, want)
	}
}

// checkStatus checks that a status is consistent.
func checkStatus(t *testing.T, p *v1beta1.Post, w *world) {
	t.Helper()
	s := p.Status
	if !s.State.Final() || s.FinishedAt == nil {
		t.Errorf("%s is not final: %+v", p.Name, s)
		return
	}
	if (s.Error != nil) != (s.State == v1beta1.PostFailed) {
		t.Errorf("%s is %s with the error %+v", p.Name, s.State, s.Error)
	}
	for i, a := range s.Attempts {
		if a.Number != int32(i+1) || a.State.Open() && (s.State != v1beta1.PostFailed || s.DeliveryState != v1beta1.DeliveryUnconfirmed) || len(a.Digest) != 64 {
			t.Errorf("%s: attempt %d is %+v", p.Name, i+1, a)
		}
	}
	if s.State == v1beta1.PostSuccess && (s.PostURL == "" || s.PublishedAt == nil || s.DeliveryState != v1beta1.DeliveryPublished || s.Attempts[len(s.Attempts)-1].State != v1beta1.AttemptAccepted) {
		t.Errorf("published post %s has status %+v", p.Name, s)
	}
	if s.Preparation != nil || s.NextAttemptAt != nil {
		t.Errorf("final post %s keeps %+v, %v", p.Name, s.Preparation, s.NextAttemptAt)
	}
	ready, stalled := condition(p, v1beta1.ConditionReady), condition(p, v1beta1.ConditionStalled)
	failed := s.State == v1beta1.PostFailed
	if ready != !failed || stalled != failed || s.ObservedGeneration != p.Generation {
		t.Errorf("%s: Ready %v, Stalled %v, observed %d of %d", p.Name, ready, stalled, s.ObservedGeneration, p.Generation)
	}
	before := w.writes
	w.frozenFor = 0
	for range 3 { // nothing is written after the post has ended
		w.clock.Step(time.Hour)
		w.pass(client.ObjectKeyFromObject(p))
	}
	if w.writes != before {
		t.Errorf("%s: got %d writes after the final state", p.Name, w.writes-before)
	}
}

func condition(p *v1beta1.Post, c v1beta1.ConditionType) bool {
	for _, x := range p.Status.Conditions {
		if x.Type == string(c) {
			return x.Status == "True"
		}
	}
	return false
}

// TestFaults makes every call of every story fail in every way, one at a time. The calls are recorded in a run without
// faults, so a new call is covered automatically.
func TestFaults(t *testing.T) {
	cells, faults := 0, allFaults
	if testing.Short() {
		faults = []fault{crashBefore, crashAfter, replyLost}
	}
	for name, s := range stories() {
		var clean *world
		if !t.Run(name+"/clean", func(t *testing.T) {
			clean = s.run(t, 0, none)
			s.judge(t, clean, none, "")
			if t.Failed() {
				t.Logf("%s: %v", s.why, clean.calls)
			}
		}) || clean == nil {
			continue
		}
		if clean.writes > s.writes {
			t.Errorf("%s: got %d writes, want at most %d: %v", name, clean.writes, s.writes, clean.calls)
		}
		for i, call := range clean.calls {
			for _, f := range faults {
				cells++
				t.Run(fmt.Sprintf("%s/%d %s/%s", name, i+1, call, f), func(t *testing.T) {
					w := s.run(t, i+1, f)
					s.judge(t, w, f, call)
					if t.Failed() {
						t.Logf("%s: %v", s.why, w.calls)
					}
				})
			}
		}
	}
	t.Logf("%d cells", cells)
}
