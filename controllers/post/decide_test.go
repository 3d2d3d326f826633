// SPDX-License-Identifier: Apache-2.0

package post

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/lease"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
)

// ago returns a time relative to noon.
func ago(d time.Duration) metav1.MicroTime { return metav1.NewMicroTime(noon.Add(-d)) }

func TestDecide(t *testing.T) {
	hour := time.Hour
	ready := func(o *observed) { o.local.known, o.local.ready = true, true }
	attempt := func(s v1beta1.AttemptState, age time.Duration) func(*v1beta1.Post) {
		return func(p *v1beta1.Post) {
			a := v1beta1.PostAttempt{Number: int32(len(p.Status.Attempts) + 1), State: s, StartedAt: ago(age)}
			if !s.Open() {
				at := ago(age)
				a.SettledAt = &at
			}
			p.Status.Attempts = append(p.Status.Attempts, a)
			p.Status.State = v1beta1.PostPending
		}
	}
	due := func(in time.Duration) func(*v1beta1.Post) {
		return func(p *v1beta1.Post) {
			p.Spec.ScheduledAt, p.Spec.Immediate = metav1.NewMicroTime(noon.Add(in)), false
		}
	}
	state := func(s v1beta1.PostState) func(*v1beta1.Post) {
		return func(p *v1beta1.Post) { p.Status.State = s }
	}
	deleting := func(p *v1beta1.Post) { now := metav1.NewTime(noon); p.DeletionTimestamp = &now }
	type changes []func(*v1beta1.Post)
	type found []func(*observed)
	for name, c := range map[string]struct {
		why      string
		post     changes
		observed found
		kind     action
		state    v1beta1.PostState
		code     catalog.Code
		// reason is in the error's details. again is when to reconcile next, relative to noon.
		reason string
		again  time.Duration
		queued bool
	}{
		"now":           {why: "an immediate post is prepared first", kind: doPrepare, state: v1beta1.PostPending, again: queueHeadTimeout, queued: true},
		"now, prepared": {why: "a prepared post is published with one call", observed: found{ready}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"far away":      {why: "nothing is done long before the due time", post: changes{due(2 * hour)}, kind: doWait, state: v1beta1.PostScheduled, again: 90 * time.Minute},
		"file missing": {
			why: "the file may be restored before the due time", post: changes{due(2 * hour)}, observed: found{func(o *observed) { o.missing = true }},
			kind: doWait, state: v1beta1.PostScheduled, code: catalog.ShortNotPostable, reason: posting.ReasonFileMissing, again: 2 * hour,
		},
		"file missing, near": {
			why: "an upload would fail", post: changes{due(time.Minute)}, observed: found{func(o *observed) { o.missing = true }},
			kind: doWait, state: v1beta1.PostScheduled, code: catalog.ShortNotPostable, reason: posting.ReasonFileMissing, again: time.Minute,
		},
		"file missing, prepared": {
			why: "the platform already has the file", post: changes{due(time.Minute)}, observed: found{ready, func(o *observed) { o.missing = true }},
			kind: doWait, state: v1beta1.PostScheduled, again: time.Minute,
		},
		"near":              {why: "the preparation starts half an hour before the due time", post: changes{due(30 * time.Minute)}, kind: doPrepare, state: v1beta1.PostScheduled},
		"near, prepared":    {why: "a prepared post waits for the due time", post: changes{due(time.Minute)}, observed: found{ready}, kind: doWait, state: v1beta1.PostScheduled, again: time.Minute},
		"near, will expire": {why: "a preparation that expires before the due time is repeated", post: changes{due(10 * time.Minute)}, observed: found{ready, func(o *observed) { o.local.expires = noon.Add(9 * time.Minute) }}, kind: doPrepare, state: v1beta1.PostScheduled},
		"prepared by another process": {why: "the preparation of another process is used", post: changes{func(p *v1beta1.Post) {
			p.Status.Preparation = &v1beta1.PostPreparation{Ready: true, Sealed: []byte("x")}
		}}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"still processing":         {why: "other posts of the account wait while the platform processes the file", observed: found{func(o *observed) { o.local.prepareAfter = noon.Add(time.Second) }}, kind: doWait, state: v1beta1.PostPending, again: time.Second, queued: true},
		"processing long":          {why: "other posts of the account do not wait longer than queueHeadTimeout", post: changes{due(-queueHeadTimeout)}, kind: doPrepare, state: v1beta1.PostPending},
		"overdue at the start":     {why: "after a downtime, the queue timeout starts when the process first sees the post", post: changes{due(-hour)}, observed: found{func(o *observed) { o.local.since = noon.Add(-queueHeadTimeout + time.Second) }}, kind: doPrepare, state: v1beta1.PostPending, again: time.Second, queued: true},
		"overdue for long":         {why: "the queue timeout has passed since the process first saw the post", post: changes{due(-hour)}, observed: found{func(o *observed) { o.local.since = noon.Add(-queueHeadTimeout) }}, kind: doPrepare, state: v1beta1.PostPending},
		"seen in the future":       {why: "a clock that was set back does not extend the queue timeout", post: changes{due(-hour)}, observed: found{func(o *observed) { o.local.since = noon.Add(time.Minute) }}, kind: doPrepare, state: v1beta1.PostPending},
		"a second early":           {why: "a clock that was set back does not publish early", post: changes{due(time.Second), state(v1beta1.PostPending)}, observed: found{ready}, kind: doWait, state: v1beta1.PostPending, again: time.Second},
		"cancelled":                {why: "a cancellation was requested", post: changes{func(p *v1beta1.Post) { p.Spec.Cancel = true }}, observed: found{ready}, kind: doCancel},
		"cancelled too late":       {why: "an open attempt is resolved before a cancellation", post: changes{attempt(v1beta1.AttemptIntended, time.Second), func(p *v1beta1.Post) { p.Spec.Cancel = true }}, kind: doFind},
		"cancelled, retried":       {why: "a canceled post is not retried", post: changes{attempt(v1beta1.AttemptNotSent, time.Minute), func(p *v1beta1.Post) { p.Spec.Cancel = true }}, observed: found{ready}, kind: doCancel},
		"held":                     {why: "a held post waits for its release", post: changes{func(p *v1beta1.Post) { p.Spec.Hold = true }}, observed: found{ready}, kind: doHold},
		"held beyond the due time": {why: "a held post waits without a limit", post: changes{due(-9 * hour), state(v1beta1.PostHeld), func(p *v1beta1.Post) { p.Spec.Hold = true }}, observed: found{ready}, kind: doHold},
		"released":                 {why: "a post that is released late is published", post: changes{due(-9 * hour), state(v1beta1.PostHeld)}, observed: found{ready}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"released long ago":        {why: "the lateness counts from the release", post: changes{due(-20 * hour), func(p *v1beta1.Post) { h := ago(6 * hour); p.Status.HeldUntil = &h }}, observed: found{ready}, kind: doFail, code: catalog.Conflict, reason: reasonMissed},
		"late":                     {why: "a post five hours late is published", post: changes{due(-5 * hour)}, observed: found{ready}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"moved to a later time": {
			why: "a restored batch does not stop a post that was moved to a later time", post: changes{due(2 * hour), func(p *v1beta1.Post) { p.Spec.Edit = &v1beta1.PostEdit{} }},
			observed: found{ready, func(o *observed) {
				o.batch.CreationTimestamp, o.batch.Spec.ScheduledAt = metav1.NewTime(noon), &metav1.Time{Time: noon.Add(-hour)}
			}}, kind: doWait, state: v1beta1.PostScheduled, again: 90 * time.Minute,
		},
		"moved to an earlier time, restored": {
			why: "the post may have been sent at the time to which it was moved", post: changes{due(-hour), func(p *v1beta1.Post) { p.Spec.Edit = &v1beta1.PostEdit{} }},
			observed: found{ready, func(o *observed) {
				o.batch.CreationTimestamp, o.batch.Spec.ScheduledAt = metav1.NewTime(noon), &metav1.Time{Time: noon.Add(hour)}
			}}, kind: doFail, code: catalog.Conflict, reason: reasonMissed,
		},
		"missed": {why: "a post six hours late is not", post: changes{due(-6 * hour)}, observed: found{ready}, kind: doFail, code: catalog.Conflict, reason: reasonMissed},
		"restored": {why: "a batch that was created after its due time is never published, even if its post is seen early", observed: found{ready, func(o *observed) {
			o.batch.CreationTimestamp = metav1.NewTime(o.batch.Spec.ScheduledAt.Add(2*time.Minute + time.Second))
		}}, kind: doFail, code: catalog.Conflict, reason: reasonMissed},
		"in time": {why: "a difference of two minutes between clocks is accepted", observed: found{ready, func(o *observed) {
			o.batch.CreationTimestamp = metav1.NewTime(o.batch.Spec.ScheduledAt.Add(2 * time.Minute))
		}}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"no batch":          {why: "without its batch a post is not published", observed: found{ready, func(o *observed) { o.batch, o.local.batchMissingSince = nil, noon }}, kind: doWait, state: v1beta1.PostPending, again: 200 * time.Millisecond},
		"no batch for long": {why: "a post restored without its batch is not published", post: changes{due(-6 * hour)}, observed: found{ready, func(o *observed) { o.batch = nil }}, kind: doFail, code: catalog.Conflict, reason: reasonMissed},
		"no account yet": {
			why: "the account may be reconnected, or restored after the post", post: changes{due(2 * hour)}, observed: found{func(o *observed) { o.account = nil }},
			kind: doWait, state: v1beta1.PostScheduled, code: catalog.PlatformNotConnected, again: 2 * hour,
		},
		"no account":                      {why: "the account was disconnected", observed: found{ready, func(o *observed) { o.account = nil }}, kind: doFail, code: catalog.PlatformNotConnected},
		"not set up":                      {why: "the platform is not configured", observed: found{ready, func(o *observed) { o.configured = false }}, kind: doFail, code: catalog.PlatformNotConfigured},
		"token ended":                     {why: "a valid permission is required at the due time", observed: found{ready, func(o *observed) { o.account.Status.TokenStatus = v1beta1.TokenExpired }}, kind: doFail, code: catalog.TokenExpired},
		"token ended before the due time": {why: "the account may be reconnected before the due time", post: changes{due(20 * time.Minute)}, observed: found{func(o *observed) { o.account.Status.TokenStatus = v1beta1.TokenRevoked }}, kind: doWait, state: v1beta1.PostScheduled, code: catalog.TokenExpired, again: 20 * time.Minute},
		"token ends soon":                 {why: "the token is still valid", observed: found{ready, func(o *observed) { o.account.Status.TokenStatus = v1beta1.TokenExpiringSoon }}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"capped":                          {why: "a limit that ends within maxLateness is waited for", observed: found{ready, func(o *observed) { o.from = noon.Add(hour) }}, kind: doWait, state: v1beta1.PostPending, code: catalog.PlatformRateLimited, again: hour},
		"limited for long":                {why: "a limit that ends later fails the post", observed: found{ready, func(o *observed) { o.from = noon.Add(7 * hour) }}, kind: doFail, code: catalog.PlatformRateLimited},
		"retrying":                        {why: "the next attempt has a time", post: changes{attempt(v1beta1.AttemptNotSent, time.Minute), state(v1beta1.PostRetrying), func(p *v1beta1.Post) { n := metav1.NewMicroTime(noon.Add(time.Minute)); p.Status.NextAttemptAt = &n }}, observed: found{ready}, kind: doWait, state: v1beta1.PostRetrying, again: time.Minute},
		"retrying now":                    {why: "the state stays retrying during the next attempt", post: changes{attempt(v1beta1.AttemptNotSent, time.Minute), state(v1beta1.PostRetrying)}, observed: found{ready}, kind: doPublish, state: v1beta1.PostRetrying, queued: true},
		"retried for long":                {why: "there are no attempts six hours after the first", post: changes{due(-7 * hour), attempt(v1beta1.AttemptNotSent, 6*hour), func(p *v1beta1.Post) { p.Status.Error = workError(catalog.InternalError, "down", nil) }}, observed: found{ready}, kind: doFail, code: catalog.InternalError},
		"intended":                        {why: "the outcome is not recorded, so it is looked up", post: changes{attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{ready}, kind: doFind},
		"outcome in memory":               {why: "a known outcome is recorded first", post: changes{attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{func(o *observed) { o.local.outcome = &outcome{number: 1} }}, kind: doRecord},
		"outcome of an earlier attempt":   {why: "the outcome of another attempt does not count", post: changes{attempt(v1beta1.AttemptNotSent, hour), attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{func(o *observed) { o.local.outcome = &outcome{number: 1} }}, kind: doFind},
		"not sent by this process":        {why: "this process recorded the attempt and did not send it", post: changes{attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{func(o *observed) { o.local.unsent = []metav1.MicroTime{ago(time.Second)} }}, kind: doRecord},
		"attempt of another process with the number": {why: "another process may be sending the attempt", post: changes{attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{func(o *observed) { o.local.unsent = []metav1.MicroTime{ago(2 * time.Second)} }}, kind: doFind},
		"unknown":             {why: "the lookup is repeated after pollAfter", post: changes{attempt(v1beta1.AttemptUnknown, time.Minute)}, observed: found{func(o *observed) { o.local.pollAfter = noon.Add(time.Second) }}, kind: doNothing, again: time.Second},
		"unknown for long":    {why: "an unresolved attempt fails the post after an hour", post: changes{attempt(v1beta1.AttemptUnknown, hour)}, observed: found{func(o *observed) { o.local.polls = 3 }}, kind: doFail, code: catalog.InternalError, reason: reasonUnknown},
		"unknown, new here":   {why: "each process looks the attempt up at least once", post: changes{attempt(v1beta1.AttemptUnknown, 9*hour)}, kind: doFind},
		"unknown, no account": {why: "without an account no lookup is possible", post: changes{attempt(v1beta1.AttemptUnknown, time.Minute)}, observed: found{func(o *observed) { o.account = nil }}, kind: doNothing, again: 59 * time.Minute},
		"no account for long": {why: "an unresolved attempt without an account fails the post after an hour", post: changes{attempt(v1beta1.AttemptUnknown, hour)}, observed: found{func(o *observed) { o.account = nil }}, kind: doFail, code: catalog.InternalError, reason: reasonUnknown},
		"accepted":            {why: "the platform is processing the post", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute)}, kind: doPoll},
		"accepted, cancel":    {why: "an accepted post is not canceled", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) { p.Spec.Cancel = true }}, kind: doPoll},
		"accepted for long":   {why: "an unconfirmed post is unknown after an hour", post: changes{attempt(v1beta1.AttemptAccepted, hour)}, observed: found{func(o *observed) { o.local.polls = 1 }}, kind: doFail, code: catalog.InternalError, reason: reasonUnknown},
		"published": {why: "the link is polled", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) {
			finish(p, v1beta1.PostSuccess, noon)
			p.Status.DeliveryState = v1beta1.DeliveryPublished
		}}, kind: doPoll},
		"published, linked": {why: "a post with a link is complete", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) {
			finish(p, v1beta1.PostSuccess, noon)
			p.Status.DeliveryState, p.Status.PostURL = v1beta1.DeliveryPublished, "x"
		}}, kind: doNothing},
		"published long ago": {why: "the link is polled for a day", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) {
			finish(p, v1beta1.PostSuccess, noon.Add(-linkTimeout))
			p.Status.DeliveryState = v1beta1.DeliveryPublished
		}}, kind: doNothing},
		"in the inbox": {why: "a post in the inbox has no link", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) {
			finish(p, v1beta1.PostSuccess, noon)
			p.Status.DeliveryState = v1beta1.DeliveryInInbox
		}}, kind: doNothing},
		"failed":                   {why: "a failed post is final", post: changes{state(v1beta1.PostFailed)}, observed: found{ready}, kind: doNothing},
		"failed, unknown":          {why: "a failed post with an open attempt is final", post: changes{attempt(v1beta1.AttemptUnknown, 9*hour), state(v1beta1.PostFailed)}, kind: doNothing},
		"was cancelled":            {why: "a canceled post is final", post: changes{state(v1beta1.PostCancelled)}, observed: found{ready}, kind: doNothing},
		"deleted":                  {why: "without an open attempt the post is cleaned up", post: changes{deleting}, observed: found{ready}, kind: doCleanUp},
		"deleted in flight":        {why: "an open attempt is resolved first", post: changes{attempt(v1beta1.AttemptUnknown, time.Minute), deleting}, kind: doFind},
		"deleted, no account":      {why: "an attempt that cannot be looked up any more does not block the deletion", post: changes{attempt(v1beta1.AttemptUnknown, unresolvedGracePeriod(&v1beta1.Post{})), deleting}, observed: found{func(o *observed) { o.account = nil }}, kind: doCleanUp},
		"deleted, unknown":         {why: "after an hour an unresolved attempt does not block the deletion", post: changes{attempt(v1beta1.AttemptUnknown, hour), deleting}, observed: found{func(o *observed) { o.local.polls = 1 }}, kind: doCleanUp},
		"deleted, rejected":        {why: "nothing was published", post: changes{attempt(v1beta1.AttemptRejected, time.Minute), state(v1beta1.PostFailed), deleting}, kind: doCleanUp},
		"deleted, accepted":        {why: "the outcome is needed by a new batch with the same name", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), deleting}, kind: doPoll},
		"deleted, sent":            {why: "the post stays while a new batch with the same name would publish it again", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), state(v1beta1.PostSuccess), deleting}, kind: doNothing, again: 2*time.Minute + clockTolerance},
		"deleted, outcome unknown": {why: "a post that may have been published stays as well", post: changes{attempt(v1beta1.AttemptUnknown, time.Minute), state(v1beta1.PostFailed), deleting}, kind: doNothing, again: 2*time.Minute + clockTolerance},
		"deleted, too late":        {why: "a new batch would no longer publish it", post: changes{due(-2*time.Minute - clockTolerance), attempt(v1beta1.AttemptAccepted, time.Minute), state(v1beta1.PostSuccess), deleting}, kind: doCleanUp},
		"clock ahead": {
			why: "the post may be early: nothing is sent while the clocks differ", observed: found{ready, func(o *observed) { o.ahead = 2 * hour }},
			kind: doWait, state: v1beta1.PostPending, again: pollClock,
		},
		"clock behind": {
			why: "either clock may be wrong", observed: found{ready, func(o *observed) { o.ahead = -2 * time.Minute }},
			kind: doWait, state: v1beta1.PostPending, again: pollClock,
		},
		"clock ahead by a day": {
			why: "no post is missed because of a wrong clock", post: changes{due(-20 * hour)}, observed: found{ready, func(o *observed) { o.ahead = 24 * hour }},
			kind: doWait, state: v1beta1.PostScheduled, again: pollClock,
		},
		"clock ahead, far away": {
			why: "the post is not near its due time by either clock", post: changes{due(2 * hour)}, observed: found{func(o *observed) { o.ahead = hour }},
			kind: doWait, state: v1beta1.PostScheduled, again: 90 * time.Minute,
		},
		"clock ahead, unknown": {
			why: "an hour has not passed", post: changes{attempt(v1beta1.AttemptUnknown, hour)},
			observed: found{func(o *observed) { o.local.polls, o.ahead = 1, 2*hour }}, kind: doFind,
		},
		"clock ahead, accepted": {
			why: "an hour has not passed", post: changes{attempt(v1beta1.AttemptAccepted, hour)},
			observed: found{func(o *observed) { o.local.polls, o.ahead = 1, 2*hour }}, kind: doPoll,
		},
		"clock ahead, deleted": {
			why: "a new batch with the same name may still be in time", post: changes{due(-hour), attempt(v1beta1.AttemptAccepted, time.Minute), state(v1beta1.PostSuccess), deleting},
			observed: found{func(o *observed) { o.ahead = 2 * hour }}, kind: doNothing, again: pollClock,
		},
		"deleted, replaced": {why: "a new batch that is in time has not seen the post yet", post: changes{due(-time.Hour), attempt(v1beta1.AttemptAccepted, time.Minute), state(v1beta1.PostSuccess), deleting}, observed: found{func(o *observed) { o.successor = true }}, kind: doNothing, again: pollSuccessor},
	} {
		t.Run(name, func(t *testing.T) {
			p := aPost("1", noon)
			for _, change := range c.post {
				change(p)
			}
			o := &observed{now: noon, account: socialAccount(), batch: postBatch(p.Spec.ScheduledAt.Time), configured: true, from: noon, local: &localState{}}
			o.batch.CreationTimestamp = metav1.NewTime(p.Spec.ScheduledAt.Add(-time.Minute))
			for _, change := range c.observed {
				change(o)
			}
			before := p.DeepCopy()
			got := decide(p, o)
			if got.kind != c.kind || got.queued != c.queued || c.state != "" && got.state != c.state {
				t.Fatalf("%s: got %+v", c.why, got)
			}
			if again := got.again.Sub(noon); !got.again.IsZero() && again != c.again || got.again.IsZero() != (c.again == 0) {
				t.Errorf("%s: next reconcile in %v, want %v", c.why, again, c.again)
			}
			if code := catalog.Code(""); got.err != nil {
				code = catalog.Code(got.err.Code)
				if code != c.code || got.err.Details[detailReason] != c.reason {
					t.Errorf("%s: got error %+v", c.why, got.err)
				}
			} else if code != c.code {
				t.Errorf("%s: got no error, want %s", c.why, c.code)
			}
			if before.Status.State != p.Status.State || p.Status.HeldUntil != nil && before.Status.HeldUntil == nil {
				t.Error("decide changed the post")
			}
		})
	}
}

func TestAfterFailure_Retries(t *testing.T) {
	at := func(d time.Duration) time.Time { return noon.Add(d) }
	for name, c := range map[string]struct {
		why    string
		err    publish.Error
		before int
		first  time.Duration // time since the first attempt
		state  v1beta1.PostState
		code   catalog.Code
		least  time.Duration // minimum delay until the next attempt
		most   time.Duration
	}{
		"first":                  {"the second attempt is a minute later", publish.Error{Kind: publish.Transient}, 0, 0, v1beta1.PostRetrying, catalog.InternalError, time.Minute, 66 * time.Second},
		"second":                 {"the third attempt is two minutes later", publish.Error{Kind: publish.Transient}, 1, time.Minute, v1beta1.PostRetrying, catalog.InternalError, 2 * time.Minute, 132 * time.Second},
		"fourth":                 {"the fifth attempt is eight minutes later", publish.Error{Kind: publish.Transient}, 3, 7 * time.Minute, v1beta1.PostRetrying, catalog.InternalError, 8 * time.Minute, 528 * time.Second},
		"fifth":                  {"there are at most five attempts", publish.Error{Kind: publish.Transient}, 4, 15 * time.Minute, v1beta1.PostFailed, catalog.InternalError, 0, 0},
		"six hours":              {"there is no attempt six hours after the first", publish.Error{Kind: publish.Transient}, 1, maxLateness - time.Minute, v1beta1.PostFailed, catalog.InternalError, 0, 0},
		"cap":                    {"the time of the platform takes precedence over the backoff", publish.Error{Kind: publish.RateLimited, ResetsAt: at(3 * time.Hour)}, 0, 0, v1beta1.PostRetrying, catalog.PlatformRateLimited, 3 * time.Hour, 3*time.Hour + 2*time.Second},
		"limit, no time":         {"without a time of the platform the backoff applies", publish.Error{Kind: publish.RateLimited}, 0, 0, v1beta1.PostRetrying, catalog.PlatformRateLimited, time.Minute, 66 * time.Second},
		"limit for long":         {"a limit of more than six hours fails the post", publish.Error{Kind: publish.RateLimited, RetryAfter: 7 * time.Hour}, 0, 0, v1beta1.PostFailed, catalog.PlatformRateLimited, 0, 0},
		"refused":                {"a rejected post is not retried", publish.Error{Kind: publish.Rejected}, 0, 0, v1beta1.PostFailed, catalog.ValidationFailed, 0, 0},
		"too long":               {"an error with a catalog code keeps it", publish.Error{Kind: publish.Rejected, CatalogCode: "caption_too_long"}, 0, 0, v1beta1.PostFailed, catalog.CaptionTooLong, 0, 0},
		"permission":             {"the user has to reconnect the account", publish.Error{Kind: publish.Auth}, 0, 0, v1beta1.PostFailed, catalog.TokenExpired, 0, 0},
		"scope":                  {"the user has to grant a scope", publish.Error{Kind: publish.Scope}, 0, 0, v1beta1.PostFailed, catalog.TokenExpired, 0, 0},
		"app":                    {"the operator has to configure the app", publish.Error{Kind: publish.Misconfigured}, 0, 0, v1beta1.PostFailed, catalog.PlatformNotConfigured, 0, 0},
		"expired":                {"an expired preparation is repeated", publish.Error{Kind: publish.Expired}, 0, 0, v1beta1.PostRetrying, catalog.InternalError, time.Minute, 66 * time.Second},
		"token once":             {"the retry with a new token is immediate", publish.Error{Kind: publish.Unauthorized}, 0, 0, v1beta1.PostRetrying, catalog.TokenExpired, 0, 0},
		"lost before publishing": {"an ambiguous call before publishing is retried", publish.Error{Kind: publish.Ambiguous}, 0, 0, v1beta1.PostRetrying, catalog.InternalError, time.Minute, 66 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			p := aPost("1", noon.Add(-c.first))
			st := afterFailure(p, &c.err, c.before, noon)
			if st.err == nil || catalog.Code(st.err.Code) != c.code {
				t.Fatalf("%s: got error %+v", c.why, st.err)
			}
			apply(p, st, noon)
			if p.Status.State != c.state {
				t.Fatalf("%s: got state %s", c.why, p.Status.State)
			}
			if c.state == v1beta1.PostRetrying {
				if in := p.Status.NextAttemptAt.Sub(noon); in < c.least || in > c.most {
					t.Errorf("%s: retried in %v", c.why, in)
				}
			}
		})
	}
}

// TestPlatformError_MissingFile deletes the file of a short before the due time of its post. A retry does not fix
// that, regardless of how an adapter wraps the error.
func TestPlatformError_MissingFile(t *testing.T) {
	gone := fmt.Errorf("reading shorts/tea.mp4: %w", blob.ErrNotFound)
	for why, err := range map[string]error{
		"unwrapped":             gone,
		"wrapped by an adapter": &publish.Error{Kind: publish.Transient, Safe: "The file could not be read", Err: gone},
	} {
		if e := platformError(err); e.Kind != publish.Rejected || e.CatalogCode != string(catalog.ShortNotPostable) {
			t.Errorf("%s, before publishing: got %+v", why, e)
		}
	}
	out := outcomeOf(1, nil, &publish.Error{Kind: publish.Transient, Err: gone})
	if out.state != v1beta1.AttemptRejected || out.err.CatalogCode != string(catalog.ShortNotPostable) {
		t.Errorf("while publishing: got %s, %+v", out.state, out.err)
	}
	if out := outcomeOf(1, nil, &publish.Error{Kind: publish.Ambiguous, Err: gone}); out.state != v1beta1.AttemptUnknown {
		t.Errorf("an ambiguous outcome is not unknown: %s", out.state)
	}
}

// TestTimeouts checks the relations between the timeouts on which the protocol depends.
func TestTimeouts(t *testing.T) {
	for _, bytes := range []int64{0, 1 << 20, 64_000_000, 4 << 30} {
		p := &v1beta1.Post{}
		p.Spec.Media.Bytes = bytes
		if unresolvedGracePeriod(p) <= callTimeout(p)+lease.MaxUnheard {
			t.Error("an attempt could be resolved as not sent while an old leader still sends it")
		}
		// The largest part of TikTok, at 8 Mbit/s.
		if sent := time.Duration(min(bytes, 64_000_000)) * time.Second / 1_000_000; callTimeout(p) < sent {
			t.Errorf("%d bytes: the call times out after %v, sending takes %v", bytes, callTimeout(p), sent)
		}
	}
	if prepareAhead >= time.Hour {
		t.Error("the preparation expires on a platform before the due time")
	}
}
