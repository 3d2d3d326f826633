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

// Deadlines and intervals.
const (
	// prepareAhead is how long before its due time a post is prepared. Platforms discard preparations, the strictest of
	// them after one hour.
	prepareAhead = 30 * time.Minute
	// baseCallTimeout bounds a call that may publish and sends no file. recordTimeout is the time left to record its
	// outcome.
	baseCallTimeout = 40 * time.Second
	recordTimeout   = 20 * time.Second
	// maxStartDelay is the longest time between the record of an attempt and its call. A process that was delayed for
	// longer may have been replaced.
	maxStartDelay = 20 * time.Second
	// unknownTimeout is how long an unresolved attempt is looked up, and an accepted post polled. After it the outcome
	// is reported as unknown.
	unknownTimeout = time.Hour
	// maxLateness is how late a post may be sent. It also limits how long after the first attempt the post is retried.
	maxLateness = 6 * time.Hour
	// maxTries limits the tries of one post, including those that failed before a call.
	maxTries = 5
	// maxPreparations limits how often a preparation may start from the beginning.
	maxPreparations = 5
	// queueHeadTimeout is how long the other posts of an account wait for the post at the head of the queue while it is
	// still being prepared after its due time.
	queueHeadTimeout = 30 * time.Second
	// clockTolerance is by how much the API server's clock may be behind.
	clockTolerance = 5 * time.Second
	// pollClock is the interval at which a post is reconciled that waits because the clocks differ.
	pollClock = 10 * time.Second
	// pollSuccessor is the interval at which a deleted post checks whether the new batch of its name has found it.
	pollSuccessor = time.Second
	// linkTimeout is how long the link of a published post is looked up.
	linkTimeout = 24 * time.Hour
)

// callTimeout returns the timeout of the call that publishes p. Some platforms receive the file in that call, TikTok up
// to 64 MB of a video. One second is added per megabyte, for at most 64 MB.
func callTimeout(p *v1beta1.Post) time.Duration {
	const megabyte, maxMegabytes = 1_000_000, 64
	return baseCallTimeout + time.Duration(min(p.Spec.Media.Bytes/megabyte, maxMegabytes))*time.Second
}

// unresolvedGracePeriod returns how long a process treats an unresolved attempt of p as possibly sent. It covers the
// call, the lease of a replaced leader that may still be sending, and 125 seconds by which the lists of platforms may
// lag behind.
func unresolvedGracePeriod(p *v1beta1.Post) time.Duration {
	return callTimeout(p) + lease.MaxUnheard + 125*time.Second
}

type action int

const (
	doNothing     action = iota // the post has ended, or an event or a time wakes it
	doCleanUp                   // the post is being deleted and no attempt is open: release it
	doRecord                    // record the outcome of an attempt
	doFind                      // look up an unresolved attempt
	doPoll                      // poll the status of an accepted post
	doCancel                    // a user canceled the post
	doHold                      // the post waits for a user
	doFail                      // the post cannot be sent
	doWait                      // the post waits for its time or something else
	doPrepare                   // do what can be done before the time
	doPublish                   // publish
	doComment                   // write the first comment
	doFindComment               // look up an unresolved comment
	doEndComment                // record the outcome of a comment
)

// decision is the one action of a pass. Its zero value does nothing.
type decision struct {
	kind action
	// state is the state of the post while the decision is carried out.
	state v1beta1.PostState
	// released reports whether a hold of the post has ended.
	released bool
	// reason of doHold, and reason and message of doWait, for the conditions.
	reason  v1beta1.Reason
	message string
	// next is the next attempt of doWait, if known; err is why the post waits.
	next time.Time
	err  *v1beta1.WorkError
	// again is when to reconcile next; zero when an event wakes the post.
	again time.Time
	// queued reports whether the post is in the queue of its account.
	queued bool
	// out is the outcome that doRecord records.
	out *outcome
	// comment is the outcome that doEndComment records.
	comment *commentOutcome
}

// last returns the last attempt; nil before the first.
func last(p *v1beta1.Post) *v1beta1.PostAttempt {
	if n := len(p.Status.Attempts); n > 0 {
		return &p.Status.Attempts[n-1]
	}
	return nil
}

// rule returns the decision about a post, or nil if the rule does not apply. A rule reads nothing but its arguments and
// changes neither.
type rule func(*v1beta1.Post, *observed) *decision

// first returns the decision of the first rule that applies. The last rule of a list always applies.
func first(rules []rule, p *v1beta1.Post, o *observed) decision {
	for _, r := range rules {
		if d := r(p, o); d != nil {
			return *d
		}
	}
	return decision{}
}

// decide returns what a pass does about a post.
func decide(p *v1beta1.Post, o *observed) decision { return first(rules, p, o) }

// rules of a post, in order.
var rules = []rule{
	deleted,            // a post is released before anything else, unless an attempt is open
	firstComment,       // of a published post
	published,          // nothing but its link is left
	ended,              // an attempt that was accepted is neither canceled nor held
	attemptOpen,        // an unresolved attempt is settled before anything else is sent
	attemptAccepted,    // what was accepted is neither canceled nor held
	canceled,           // a user's decision comes before those of this controller
	held,               // and so does a hold
	releasedAndSending, // a hold that has ended moves the time from which lateness counts
	sending,
}

// sendingRules bring a post that is neither held nor canceled to its attempt, in order.
var sendingRules = []rule{
	clocksDiffer,    // no time can be compared
	batchNotSeen,    // a post is not sent without its batch
	alreadyEnded,    // of a restored post
	batchTooLate,    // of a restored or reapplied batch
	brandMissing,    // its deletion does not resume suspended posting
	suspended,       // while posting is suspended nothing starts, and nothing fails for being late
	accountGone,     // it may be connected again before the time
	tooLate,         // maxLateness ends the retries as well
	waitingForRetry, // after a failure that may pass
	unsendable,      // the account or a file would fail the post
	notDueSoon,      // before prepareAhead nothing is done
	unprepared,      // the call that publishes needs the preparation
	notDue,          // a clock that was set back sends nothing early
	overLimit,       // a platform limit
	ready,
}

// deleted releases a post that is being deleted. A post that was sent, or may have been sent, stays until a new batch
// of its name would be too late to publish. Such a batch finds the post and does not send it again.
func deleted(p *v1beta1.Post, o *observed) *decision {
	a := last(p)
	if p.DeletionTimestamp.IsZero() || a != nil && a.State.Open() && !p.Status.State.Final() {
		return nil
	}
	if a == nil || a.State != v1beta1.AttemptAccepted && !a.State.Open() {
		return &decision{kind: doCleanUp}
	}
	free := p.Spec.ScheduledAt.Add(catalog.MadeLate + clockTolerance)
	if e := p.Spec.Edit; e != nil { // a batch that is created again has the time with which the post was accepted
		free = later(free, e.AcceptedFor.Add(catalog.MadeLate+clockTolerance))
	}
	switch {
	case o.clusterNow().Before(free) && !p.Status.State.Final():
		return attemptAccepted(p, o)
	case o.clusterNow().Before(free):
		return &decision{again: o.notBefore(free)}
	case o.successor:
		return &decision{again: o.now.Add(pollSuccessor)}
	}
	return &decision{kind: doCleanUp}
}

// firstComment decides about the first comment of a published post.
func firstComment(p *v1beta1.Post, o *observed) *decision {
	if !posting.Commenting(p) {
		return nil
	}
	d := decideComment(p, o)
	return &d
}

// published looks up the link of a published post until linkTimeout. It reads the post again while the platform may
// still withdraw it.
func published(p *v1beta1.Post, o *observed) *decision {
	reachable := o.account != nil && o.configured
	switch at := p.Status.RecheckAt; {
	case p.Status.State != v1beta1.PostSuccess:
		return nil
	case at != nil && seekingLink(p) && reachable:
		if again := later(at.Time, o.local.pollAfter); again.After(o.now) {
			return &decision{again: again}
		}
	case !seekingLink(p) || p.Status.FinishedAt == nil || o.now.Sub(p.Status.FinishedAt.Time) >= linkTimeout || !reachable:
		return &decision{}
	case o.local.pollAfter.After(o.now):
		return &decision{again: o.local.pollAfter}
	}
	return &decision{kind: doPoll}
}

// ended ends the decision for a post in a final state.
func ended(p *v1beta1.Post, _ *observed) *decision {
	if p.Status.State.Final() {
		return &decision{}
	}
	return nil
}

// attemptOpen settles an unresolved attempt. The post is not sent again until the platform provably does not have it.
func attemptOpen(p *v1beta1.Post, o *observed) *decision {
	a, l := last(p), o.local
	if a == nil || !a.State.Open() {
		return nil
	}
	unknown := &decision{kind: doFail, err: unknownOutcome()}
	if !p.DeletionTimestamp.IsZero() {
		unknown = &decision{kind: doCleanUp}
	}
	age, unreachable := o.clusterNow().Sub(a.StartedAt.Time), o.account == nil || !o.configured
	switch {
	case l.outcome != nil && l.outcome.number == a.Number:
		return &decision{kind: doRecord, out: l.outcome}
	case slices.ContainsFunc(l.unsent, func(at metav1.MicroTime) bool { return at.Time.Equal(a.StartedAt.Time) }):
		return &decision{kind: doRecord, out: notSent(a.Number, "The attempt was not started")}
	case !p.DeletionTimestamp.IsZero() && o.account == nil && age >= unresolvedGracePeriod(p):
		return unknown // without the account the attempt cannot be looked up any more
	case age >= unknownTimeout && (unreachable || l.polls > 0 && !l.polledAt.Before(l.graceEndsAt)):
		return unknown
	case unreachable:
		return &decision{again: o.notBefore(a.StartedAt.Add(unknownTimeout))}
	case l.pollAfter.After(o.now):
		return &decision{again: l.pollAfter}
	}
	return &decision{kind: doFind}
}

// attemptAccepted polls the status of an accepted post.
func attemptAccepted(p *v1beta1.Post, o *observed) *decision {
	a := last(p)
	if a == nil || a.State != v1beta1.AttemptAccepted {
		return nil
	}
	over := a.StartedAt.Add(unknownTimeout)
	if a.SettledAt != nil {
		over = a.SettledAt.Add(unknownTimeout)
	}
	unreachable := o.account == nil || !o.configured
	switch {
	case !o.clusterNow().Before(over) && (o.local.polls > 0 || unreachable):
		return &decision{kind: doFail, err: unknownOutcome()}
	case unreachable:
		return &decision{again: o.notBefore(over)}
	case o.local.pollAfter.After(o.now):
		return &decision{again: o.local.pollAfter}
	}
	return &decision{kind: doPoll}
}

// seekingLink reports whether a public post has to be read again, because its link is unknown or a recheck is due. A
// post in an inbox or a private post has no link.
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

func canceled(p *v1beta1.Post, _ *observed) *decision {
	if p.Spec.Cancel {
		return &decision{kind: doCancel}
	}
	return nil
}

func held(p *v1beta1.Post, o *observed) *decision {
	if !p.Spec.Hold {
		return nil
	}
	d := &decision{kind: doHold, reason: v1beta1.ReasonSuspended}
	if o.awaitsApproval {
		d.reason = v1beta1.ReasonAwaitingApproval
	}
	return d
}

// releasedAndSending sends a post whose hold has ended. Its lateness is counted from now on.
func releasedAndSending(p *v1beta1.Post, o *observed) *decision {
	if p.Status.State != v1beta1.PostHeld {
		return nil
	}
	free, at := p.DeepCopy(), metav1.NewMicroTime(o.now)
	free.Status.HeldUntil = &at
	d := sending(free, o)
	d.released = true
	return d
}

// sending returns the decision about a post that is neither held nor canceled.
func sending(p *v1beta1.Post, o *observed) *decision {
	d := first(sendingRules, p, o)
	return &d
}

// waitQueued returns the decision to wait. Its reason is ReasonQueued unless the caller sets another.
func waitQueued(p *v1beta1.Post, o *observed) *decision {
	return &decision{kind: doWait, state: waitingState(p, isDue(p, o)), reason: v1beta1.ReasonQueued}
}

// waitUntil returns the decision to wait for a time and nothing else.
func waitUntil(state v1beta1.PostState, until time.Time) decision {
	return decision{kind: doWait, state: state, reason: v1beta1.ReasonScheduled, message: "Waiting for the scheduled time", again: until}
}

// isDue reports whether the post is due.
func isDue(p *v1beta1.Post, o *observed) bool { return !o.now.Before(posting.DueAt(p)) }

// clocksDiffer sends nothing while either clock may be wrong, unless both clocks agree that the post is not due soon.
func clocksDiffer(p *v1beta1.Post, o *observed) *decision {
	at := posting.DueAt(p)
	soon := at.Add(-prepareAhead)
	if o.ahead == 0 || o.now.Before(soon) && o.clusterNow().Before(soon) {
		return nil
	}
	return &decision{
		kind: doWait, state: waitingState(p, !o.clusterNow().Before(at)), reason: v1beta1.ReasonClockSkew,
		message: "The clocks of the manager and the cluster differ by more than a minute; nothing is sent until they agree",
		again:   o.now.Add(pollClock),
	}
}

// batchNotSeen waits for the batch. The cache may show a post before its batch; a restored post may have none.
func batchNotSeen(p *v1beta1.Post, o *observed) *decision {
	if o.batch != nil {
		return nil
	}
	if o.now.Sub(posting.DueAt(p)) >= maxLateness {
		return missed("The scheduled time is more than six hours ago, and the PostBatch of the post does not exist")
	}
	d := waitQueued(p, o)
	d.message, d.again = fmt.Sprintf("Waiting for the PostBatch %q", p.Spec.Batch), o.now.Add(pollBatch(o))
	return d
}

// alreadyEnded fails a post that the batch has recorded as ended: a restored post is not sent again.
func alreadyEnded(p *v1beta1.Post, o *observed) *decision {
	if tries(p) > 0 || !posting.Ended(o.batch, p.Name) {
		return nil
	}
	return missed("The batch records that this post has ended: a restored post is not published again")
}

// batchTooLate fails the post of a batch that was created after its time.
func batchTooLate(p *v1beta1.Post, o *observed) *decision {
	if !posting.MissedPost(o.batch, p) {
		return nil
	}
	return missed("The batch was created after its scheduled time: a batch that is restored or applied again is not published")
}

// brandMissing waits for the brand. Whether its posting is suspended is unknown without it. A brand that was deleted
// may be restored or applied again.
func brandMissing(p *v1beta1.Post, o *observed) *decision {
	if !o.brandMissing || o.now.Before(posting.DueAt(p).Add(-prepareAhead)) {
		return nil
	}
	if o.now.Sub(posting.DueAt(p)) >= maxLateness {
		return missed("The scheduled time is more than six hours ago, and the Brand of the post does not exist")
	}
	d := waitQueued(p, o)
	d.reason, d.err = v1beta1.ReasonBrandNotFound, p.Status.Error
	d.message, d.again = fmt.Sprintf("Waiting for the Brand %q", p.Spec.BrandRef.Name), o.now.Add(pollBrand)
	return d
}

// suspended waits while posting of the brand is suspended. A due post is late then. Its error reports that, unless the
// post has failed before: the last failure decides when posting is resumed too late.
func suspended(p *v1beta1.Post, o *observed) *decision {
	if !o.suspended || o.now.Before(posting.DueAt(p).Add(-prepareAhead)) {
		return nil
	}
	d := waitQueued(p, o)
	d.reason, d.err = v1beta1.ReasonPostingSuspended, p.Status.Error
	if !isDue(p, o) {
		d.message, d.err, d.again = "Posting of the brand is suspended", nil, posting.DueAt(p)
		return d
	}
	d.message = "The post is late, because posting of the brand is suspended. It is published when posting is resumed, " +
		"unless it is more than six hours late then"
	if tries(p) == 0 {
		d.err = workError(catalog.Conflict, d.message, map[string]string{detailReason: posting.ReasonSuspended})
	}
	return d
}

// accountGone fails a post without an account when it is due. Until then the account may be connected again, or
// restored.
func accountGone(p *v1beta1.Post, o *observed) *decision {
	details := map[string]string{"platform": string(p.Spec.Platform)}
	switch {
	case o.account != nil:
		return nil
	case isDue(p, o):
		return failed(catalog.PlatformNotConnected, "The account is no longer connected", details)
	}
	return waitUnsendable(p, o, workError(catalog.PlatformNotConnected, "The account is not connected", details))
}

// tooLate fails a post maxLateness after its time, or after its first attempt.
func tooLate(p *v1beta1.Post, o *observed) *decision {
	from := posting.DueAt(p)
	if len(p.Status.Attempts) > 0 {
		from = p.Status.Attempts[0].StartedAt.Time
	}
	switch {
	case o.now.Sub(from) < maxLateness:
		return nil
	case tries(p) == 0:
		return missed("The post could not be sent within six hours of its scheduled time")
	}
	return &decision{kind: doFail, err: lastError(p)}
}

// waitingForRetry waits for the time of the next attempt.
func waitingForRetry(p *v1beta1.Post, o *observed) *decision {
	next := p.Status.NextAttemptAt
	if next == nil || !next.After(o.now) {
		return nil
	}
	d := waitQueued(p, o)
	d.next, d.err, d.again, d.message = next.Time, p.Status.Error, next.Time, "Waiting for the next attempt"
	return d
}

// unsendable fails a due post that cannot be sent because of the platform, the connection or a missing file. Before the
// due time the post waits: the account may be connected again and the file restored.
func unsendable(p *v1beta1.Post, o *observed) *decision {
	e := sendProblem(p, o)
	switch {
	case e == nil:
		return nil
	case isDue(p, o):
		return &decision{kind: doFail, err: e}
	}
	return waitUnsendable(p, o, e)
}

func waitUnsendable(p *v1beta1.Post, o *observed, e *v1beta1.WorkError) *decision {
	d := waitQueued(p, o)
	d.err, d.reason, d.message, d.again = e, posting.WaitReason(e), e.Message, posting.DueAt(p)
	return d
}

// notDueSoon waits until the post may be prepared.
func notDueSoon(p *v1beta1.Post, o *observed) *decision {
	soon := posting.DueAt(p).Add(-prepareAhead)
	if !o.now.Before(soon) {
		return nil
	}
	d := waitUntil(waitingState(p, isDue(p, o)), soon)
	return &d
}

// unprepared prepares the post. A due post keeps its place at the head of its account's queue for queueHeadTimeout.
func unprepared(p *v1beta1.Post, o *observed) *decision {
	if prepared(p, o) {
		return nil
	}
	d := &decision{kind: doPrepare, state: waitingState(p, isDue(p, o))}
	if until := queueHeadUntil(posting.DueAt(p), o); isDue(p, o) && o.now.Before(until) {
		d.queued, d.again = true, until
	}
	if o.local.prepareAfter.After(o.now) {
		d.kind, d.reason, d.message, d.again = doWait, v1beta1.ReasonProgressing, "Preparing on the platform", o.local.prepareAfter
	}
	return d
}

// notDue waits for the time of a prepared post.
func notDue(p *v1beta1.Post, o *observed) *decision {
	if isDue(p, o) {
		return nil
	}
	d := waitUntil(waitingState(p, false), posting.DueAt(p))
	return &d
}

// overLimit waits for a platform limit.
func overLimit(p *v1beta1.Post, o *observed) *decision {
	if !o.from.After(o.now) {
		return nil
	}
	d := limited(p, o.from, posting.DueAt(p))
	return &d
}

// ready publishes the post.
func ready(p *v1beta1.Post, o *observed) *decision {
	return &decision{kind: doPublish, state: waitingState(p, isDue(p, o)), queued: true}
}

// queueHeadUntil returns how long the other posts of an account wait for a post that is being prepared. If the post
// became due while no process was running, the time starts with this process. Otherwise posts that became due later
// would overtake it.
func queueHeadUntil(at time.Time, o *observed) time.Time {
	if o.local.since.After(at) && !o.local.since.After(o.now) {
		at = o.local.since
	}
	return at.Add(queueHeadTimeout)
}

// limited returns the decision to wait for a platform limit until from. It fails the post if from is more than
// maxLateness after the due time at.
func limited(p *v1beta1.Post, from, at time.Time) decision {
	e := workError(catalog.PlatformRateLimited, "The platform accepts no more posts of this account for now", map[string]string{detailResetsAt: from.UTC().Format(time.RFC3339)})
	if from.Sub(at) > maxLateness {
		return decision{kind: doFail, err: e}
	}
	return decision{kind: doWait, state: waitingState(p, true), reason: v1beta1.ReasonQueued, message: "Waiting for the platform's posting limit", next: from, err: e, again: from}
}

// waitingState returns the state of a post that is not sent yet: scheduled until its time, then pending, and retrying
// once a try failed.
func waitingState(p *v1beta1.Post, due bool) v1beta1.PostState {
	switch {
	case p.Status.State == v1beta1.PostRetrying:
		return v1beta1.PostRetrying
	case due || p.Spec.Immediate || p.Status.State == v1beta1.PostPending:
		return v1beta1.PostPending
	}
	return v1beta1.PostScheduled
}

// prepared reports whether only the call that publishes is left, and the platform will still have the preparation then.
func prepared(p *v1beta1.Post, o *observed) bool {
	ready, expires := o.local.ready, o.local.expires
	if !o.local.known {
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
	if o.now.After(at) {
		at = o.now
	}
	return ready && (expires.IsZero() || expires.After(at.Add(callTimeout(p))))
}

// sendProblem returns why the post would fail if it were due; nil if it would not.
func sendProblem(p *v1beta1.Post, o *observed) *v1beta1.WorkError {
	if !o.configured {
		return workError(catalog.PlatformNotConfigured, "The platform is not set up on the server", map[string]string{"platform": string(p.Spec.Platform)})
	}
	if t := o.account.Status.TokenStatus; t != "" && !t.Usable() {
		return workError(catalog.TokenExpired, "The connection of the account has ended: reconnect the account", map[string]string{detailTokenStatus: string(t)})
	}
	if o.missing && !prepared(p, o) {
		return workError(catalog.ShortNotPostable, "A file of the post is no longer stored", map[string]string{detailReason: posting.ReasonFileMissing})
	}
	return nil
}

// tries counts the failures: tries before a call, and attempts that were not accepted.
func tries(p *v1beta1.Post) int { return int(p.Status.Tries) + len(p.Status.Attempts) }

func missed(message string) *decision {
	return failed(catalog.Conflict, message, map[string]string{detailReason: reasonMissed})
}

func failed(c catalog.Code, message string, details map[string]string) *decision {
	return &decision{kind: doFail, err: workError(c, message, details)}
}

// pollBrand is how long a post waits before it looks again for a brand that does not exist.
const pollBrand = time.Minute

// pollBatch returns how long to wait for a batch that the cache does not show yet.
func pollBatch(o *observed) time.Duration {
	if o.now.Sub(o.local.batchMissingSince) < 10*time.Second {
		return 200 * time.Millisecond
	}
	return time.Minute
}
