// SPDX-License-Identifier: Apache-2.0

package post

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/lease"
	"github.com/reelops/reelops/internal/social/posting"
)

// How long things take and may take.
const (
	// prepareAhead is how long before its time a post is prepared: platforms forget what was prepared, the first after an hour.
	prepareAhead = 30 * time.Minute
	// baseCallTime bounds a call that may publish and sends no file. recordTime is what is left to write down what became of it.
	baseCallTime = 40 * time.Second
	recordTime   = 20 * time.Second
	// delayTime is how long after its attempt was written a call still begins. A process that was held up for longer may have been replaced.
	delayTime = 20 * time.Second
	// unknownTime is how long an attempt is looked for, and an accepted post watched, before its outcome is called unknown.
	unknownTime = time.Hour
	// lateness is how late a post may go out, and for how long after the first attempt there are others.
	lateness = 6 * time.Hour
	// maxTries of one post, those that failed before a call included.
	maxTries = 5
	// maxPreparations from the start.
	maxPreparations = 5
	// patience is how long the others of an account wait for a post whose preparation takes longer than to its time.
	patience = 30 * time.Second
	// clocksDiffer is by how much the cluster's clock may be behind.
	clocksDiffer = 5 * time.Second
	// pollClock is how often a post that is held for a difference of the clocks is looked at.
	pollClock = 10 * time.Second
	// pollHeir is how often a deleted post looks whether the new batch of its name has found it.
	pollHeir = time.Second
	// linkTime is how long a published post's link is looked for.
	linkTime = 24 * time.Hour
)

// callTime bounds the call that may publish p. Some platforms receive the file in it, TikTok up to 64 MB of a video: one second for each
// megabyte comes on top, up to that.
func callTime(p *v1beta1.Post) time.Duration {
	const megabyte, maxMegabytes = 1_000_000, 64
	return baseCallTime + time.Duration(min(p.Spec.Media.Bytes/megabyte, maxMegabytes))*time.Second
}

// graceTime is how long a process treats an open attempt of p as possibly sent: the call, the lease of a replaced leader that may still be
// sending, and two minutes by which the lists of platforms may lag behind.
func graceTime(p *v1beta1.Post) time.Duration {
	return callTime(p) + lease.MaxUnheard + 125*time.Second
}

type stepKind int

const (
	stepNothing     stepKind = iota // at its end, or nothing to do before the time
	stepClean                       // being deleted, and nothing is open: let it go
	stepRecord                      // write what became of an attempt
	stepFind                        // look for an attempt that may have been taken
	stepLook                        // look what became of an accepted post
	stepCancel                      // the post was canceled by a user
	stepHold                        // it waits for a person
	stepFail                        // it cannot go out
	stepWait                        // for its time, or something else
	stepPrepare                     // do what can be done early
	stepCommit                      // publish
	stepComment                     // write the first comment
	stepFindComment                 // look for a comment that may exist
	stepEndComment                  // record the outcome of a comment
)

// step is what a pass shall do.
type step struct {
	kind stepKind
	// state of the post meanwhile.
	state v1beta1.PostState
	// released says that a held post was let go.
	released bool
	// reason and say of stepWait, for the conditions.
	reason v1beta1.Reason
	say    string
	// next is stepWait's next attempt, when it is known; err why it has to wait.
	next time.Time
	err  *v1beta1.WorkError
	// again is when to come back; zero when an event does.
	again time.Time
	// line says that the post stands in its account's line.
	line bool
	// out of stepRecord.
	out *outcome
	// comment of stepEndComment.
	comment *commentOutcome
}

// facts are what a decision is made upon, besides the post.
type facts struct {
	now time.Time
	// ahead is by how much now is ahead of the API server's time, if that is more than clockskew.Limit; else 0.
	ahead time.Duration
	// account is nil when it is gone.
	account *v1beta1.SocialAccount
	// batch is nil when it is gone or not seen yet.
	batch *v1beta1.PostBatch
	// heir says that another batch by the name of the post's would make the post, and has not found it yet. It is told of deleted ones.
	heir bool
	// configured says that the platform can be published to.
	configured bool
	// missing reports whether a file that the post publishes is not stored. It is false once the post is due.
	missing bool
	// from is when the caps let it go.
	from time.Time
	memo *memo
}

// clusterNow is the API server's time. What is final is decided by it: a post that failed because a clock was set cannot be sent any more.
func (f *facts) clusterNow() time.Time { return f.now.Add(-f.ahead) }

// notBefore is when to reconcile for something that is due at a time. The queue uses this process's clock, which may be ahead of it.
func (f *facts) notBefore(at time.Time) time.Time {
	if f.ahead != 0 {
		return f.now.Add(pollClock)
	}
	return at
}

// last is the last attempt; nil before the first.
func last(p *v1beta1.Post) *v1beta1.PostAttempt {
	if n := len(p.Status.Attempts); n > 0 {
		return &p.Status.Attempts[n-1]
	}
	return nil
}

// plan decides. It reads nothing but its arguments. The first rule that holds wins.
func plan(p *v1beta1.Post, f *facts) step {
	a := last(p)
	deleting := !p.DeletionTimestamp.IsZero()
	switch {
	case deleting && (p.Status.State.Final() || a == nil || !a.State.Open()):
		return planGoing(p, f)
	case p.Status.State == v1beta1.PostSuccess && commenting(p):
		return planComment(p, f)
	case p.Status.State == v1beta1.PostSuccess:
		return planLink(p, f)
	case p.Status.State.Final():
		return step{}
	case a != nil && a.State.Open():
		return planOpen(p, a, f, deleting)
	case a != nil && a.State == v1beta1.AttemptAccepted:
		return planAccepted(a, f)
	case p.Spec.Cancel:
		return step{kind: stepCancel}
	case p.Spec.Hold:
		return step{kind: stepHold}
	}
	if p.Status.State != v1beta1.PostHeld {
		return planSending(p, f)
	}
	// Released: how late it may be is counted from now on.
	free, at := p.DeepCopy(), metav1.NewMicroTime(f.now)
	free.Status.HeldUntil = &at
	st := planSending(free, f)
	st.released = true
	return st
}

// planGoing lets a deleted post go. One that was sent, or may have been, stays for as long as a new batch of its name would still be in
// time: that one finds it here, and does not send it again.
func planGoing(p *v1beta1.Post, f *facts) step {
	a := last(p)
	if a == nil || a.State != v1beta1.AttemptAccepted && !a.State.Open() {
		return step{kind: stepClean}
	}
	free := p.Spec.ScheduledAt.Add(catalog.MadeLate + clocksDiffer)
	switch {
	case f.clusterNow().Before(free) && !p.Status.State.Final():
		return planAccepted(a, f)
	case f.clusterNow().Before(free):
		return step{again: f.notBefore(free)}
	case f.heir:
		return step{again: f.now.Add(pollHeir)}
	}
	return step{kind: stepClean}
}

// planOpen settles an attempt that may have been taken.
func planOpen(p *v1beta1.Post, a *v1beta1.PostAttempt, f *facts, deleting bool) step {
	m := f.memo
	age := f.clusterNow().Sub(a.StartedAt.Time)
	switch {
	case m.outcome != nil && m.outcome.number == a.Number:
		return step{kind: stepRecord, out: m.outcome}
	case slices.ContainsFunc(m.unsent, func(at metav1.MicroTime) bool { return at.Time.Equal(a.StartedAt.Time) }):
		return step{kind: stepRecord, out: notSent(a.Number, "The attempt was not begun")}
	case deleting && f.account == nil && age >= graceTime(p):
		return step{kind: stepClean} // nobody can be asked any more
	case age >= unknownTime && m.looks > 0 && !m.lookedAt.Before(m.believeAt):
		if deleting {
			return step{kind: stepClean}
		}
		return step{kind: stepFail, err: unknownOutcome()}
	case f.account == nil || !f.configured:
		if age >= unknownTime {
			if deleting {
				return step{kind: stepClean}
			}
			return step{kind: stepFail, err: unknownOutcome()}
		}
		return step{kind: stepNothing, again: f.notBefore(a.StartedAt.Add(unknownTime))}
	case m.lookAfter.After(f.now):
		return step{kind: stepNothing, again: m.lookAfter}
	}
	return step{kind: stepFind}
}

// planAccepted watches what the platform makes of a post.
func planAccepted(a *v1beta1.PostAttempt, f *facts) step {
	over := a.StartedAt.Add(unknownTime)
	if a.SettledAt != nil {
		over = a.SettledAt.Add(unknownTime)
	}
	gone := f.account == nil || !f.configured
	switch {
	case !f.clusterNow().Before(over) && (f.memo.looks > 0 || gone):
		return step{kind: stepFail, err: unknownOutcome()}
	case gone:
		return step{kind: stepNothing, again: f.notBefore(over)}
	case f.memo.lookAfter.After(f.now):
		return step{kind: stepNothing, again: f.memo.lookAfter}
	}
	return step{kind: stepLook}
}

// planLink looks for the link of a published post, for a while, and reads it again when the platform may still take it back.
func planLink(p *v1beta1.Post, f *facts) step {
	if at := p.Status.RecheckAt; at != nil && seekingLink(p) && f.account != nil && f.configured {
		if again := later(at.Time, f.memo.lookAfter); again.After(f.now) {
			return step{again: again}
		}
		return step{kind: stepLook}
	}
	if !seekingLink(p) || p.Status.FinishedAt == nil || f.now.Sub(p.Status.FinishedAt.Time) >= linkTime || f.account == nil || !f.configured {
		return step{}
	}
	if f.memo.lookAfter.After(f.now) {
		return step{again: f.memo.lookAfter}
	}
	return step{kind: stepLook}
}

// seekingLink reports whether a post is public and has to be read again: its link is unknown, or a check is left. A post that
// is in an inbox or private has no link.
func seekingLink(p *v1beta1.Post) bool {
	a := last(p)
	return p.Status.State == v1beta1.PostSuccess && a != nil && a.State == v1beta1.AttemptAccepted &&
		p.Status.DeliveryState == v1beta1.DeliveryPublished && (p.Status.PostURL == "" || p.Status.RecheckAt != nil)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// planSending brings a post to where it can be sent.
func planSending(p *v1beta1.Post, f *facts) step {
	at, now := posting.DueAt(p), f.now
	begun := now.Compare(at) >= 0
	waiting := step{kind: stepWait, state: waitingState(p, begun), reason: v1beta1.ReasonQueued}
	first := at
	if len(p.Status.Attempts) > 0 {
		first = p.Status.Attempts[0].StartedAt.Time
	}
	if soon := at.Add(-prepareAhead); f.ahead != 0 && !(now.Before(soon) && f.clusterNow().Before(soon)) {
		waiting.state, waiting.reason = waitingState(p, !f.clusterNow().Before(at)), v1beta1.ReasonClockSkew
		waiting.say = "The clocks of the manager and the cluster differ by more than a minute; nothing is sent until they agree"
		waiting.again = now.Add(pollClock)
		return waiting
	}
	switch {
	case f.batch == nil:
		if now.Sub(at) >= lateness {
			return missed("Its time had passed long ago, and there is no PostBatch that says it may still go out")
		}
		waiting.say, waiting.again = fmt.Sprintf("Waiting for the PostBatch %q", p.Spec.Batch), now.Add(pollBatch(f))
		return waiting
	case tries(p) == 0 && posting.Ended(f.batch, p.Name):
		return missed("Its batch says that a post of this name came to its end: whatever is restored does not go out again")
	case posting.Missed(f.batch):
		return missed("Its batch was made after the time it was to go out at: whatever is restored or applied again does not go out again")
	case f.account == nil && begun:
		return failed(catalog.PlatformNotConnected, "The account is no longer connected", map[string]string{"platform": string(p.Spec.Platform)})
	case f.account == nil: // it may be connected again until then, or restored after its posts
		waiting.err = workError(catalog.PlatformNotConnected, "The account is not connected", map[string]string{"platform": string(p.Spec.Platform)})
		waiting.reason, waiting.say, waiting.again = posting.WaitReason(waiting.err), waiting.err.Message, at
		return waiting
	case now.Sub(first) >= lateness && tries(p) == 0:
		return missed("Nothing could be sent within six hours of its time")
	case now.Sub(first) >= lateness:
		return step{kind: stepFail, err: lastError(p)}
	case p.Status.NextAttemptAt != nil && p.Status.NextAttemptAt.After(now):
		waiting.next, waiting.err, waiting.again = p.Status.NextAttemptAt.Time, p.Status.Error, p.Status.NextAttemptAt.Time
		waiting.say = "Waiting for the next attempt"
		return waiting
	}
	if e := hindrance(p, f); e != nil {
		if begun {
			return step{kind: stepFail, err: e}
		}
		// The account may be connected again, and the file restored, before the time.
		waiting.err, waiting.reason, waiting.say, waiting.again = e, posting.WaitReason(e), e.Message, at
		return waiting
	}
	if now.Before(at.Add(-prepareAhead)) {
		return waitForTime(waiting.state, at.Add(-prepareAhead))
	}
	if !prepared(p, f) {
		st := step{kind: stepPrepare, state: waiting.state}
		if until := patientUntil(at, f); begun && now.Before(until) {
			st.line, st.again = true, until
		}
		if f.memo.prepareAfter.After(now) {
			st.kind, st.reason, st.say, st.again = stepWait, v1beta1.ReasonProgressing, "Preparing on the platform", f.memo.prepareAfter
		}
		return st
	}
	if !begun {
		return waitForTime(waiting.state, at)
	}
	if f.from.After(now) {
		return capped(p, f.from, at)
	}
	return step{kind: stepCommit, state: waiting.state, line: true}
}

// waitForTime returns the step of a post in a state that waits for nothing but a time, until then.
func waitForTime(state v1beta1.PostState, until time.Time) step {
	return step{kind: stepWait, state: state, reason: v1beta1.ReasonScheduled, say: "Waiting for its time", again: until}
}

// patientUntil is how long the others of an account wait for a post that is being prepared. What was due while nobody worked has its
// time from when this process came to it: else it would be overtaken by whatever was due after it.
func patientUntil(at time.Time, f *facts) time.Time {
	if f.memo.since.After(at) && !f.memo.since.After(f.now) {
		at = f.memo.since
	}
	return at.Add(patience)
}

// capped waits for a cap, as long as that is of use.
func capped(p *v1beta1.Post, from, at time.Time) step {
	e := workError(catalog.PlatformRateLimited, "The platform takes no more posts of this account for now", map[string]string{detailResetsAt: from.UTC().Format(time.RFC3339)})
	if from.Sub(at) > lateness {
		return step{kind: stepFail, err: e}
	}
	return step{kind: stepWait, state: waitingState(p, true), reason: v1beta1.ReasonQueued, say: "Waiting for the platform's cap", next: from, err: e, again: from}
}

// waitingState is what a post that was not sent is: scheduled until its time, then pending, and retrying once a try failed.
func waitingState(p *v1beta1.Post, begun bool) v1beta1.PostState {
	switch {
	case p.Status.State == v1beta1.PostRetrying:
		return v1beta1.PostRetrying
	case begun || p.Spec.Immediate || p.Status.State == v1beta1.PostPending:
		return v1beta1.PostPending
	}
	return v1beta1.PostScheduled
}

// prepared says that only the last call is left, and that the platform will still know of it.
func prepared(p *v1beta1.Post, f *facts) bool {
	ready, expires := f.memo.ready, f.memo.expires
	if !f.memo.known {
		n := p.Status.Preparation
		if n == nil || !n.Ready {
			return false
		}
		ready = true
		if n.ExpiresAt != nil {
			expires = n.ExpiresAt.Time
		}
	}
	at := posting.DueAt(p)
	if f.now.After(at) {
		at = f.now
	}
	return ready && (expires.IsZero() || expires.After(at.Add(callTime(p))))
}

// hindrance returns why the post would fail if it were due; nil if it would not.
func hindrance(p *v1beta1.Post, f *facts) *v1beta1.WorkError {
	if !f.configured {
		return workError(catalog.PlatformNotConfigured, "The platform is not set up on the server", map[string]string{"platform": string(p.Spec.Platform)})
	}
	if t := f.account.Status.TokenStatus; t != "" && !t.Usable() {
		return workError(catalog.TokenExpired, "The account's connection has ended: it has to be connected again", map[string]string{detailTokenStatus: string(t)})
	}
	if f.missing && !prepared(p, f) {
		return workError(catalog.ShortNotPostable, "A file of what is to be published is no longer stored", map[string]string{detailReason: posting.ReasonFileMissing})
	}
	return nil
}

// tries counts what failed: tries before a call, and attempts that were not taken.
func tries(p *v1beta1.Post) int { return int(p.Status.Tries) + len(p.Status.Attempts) }

func missed(say string) step {
	return failed(catalog.Conflict, say, map[string]string{detailReason: reasonMissed})
}

func failed(c catalog.Code, say string, details map[string]string) step {
	return step{kind: stepFail, err: workError(c, say, details)}
}

// pollBatch is how long to wait for a batch that is not seen yet: the cache shows a batch and its posts in either order.
func pollBatch(f *facts) time.Duration {
	if f.now.Sub(f.memo.begun) < 10*time.Second {
		return 200 * time.Millisecond
	}
	return time.Minute
}
