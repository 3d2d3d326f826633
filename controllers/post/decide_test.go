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

func TestPlan(t *testing.T) {
	hour := time.Hour
	ready := func(f *observed) { f.local.known, f.local.ready = true, true }
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
		"now":           {why: "what goes out at once is prepared first", kind: doPrepare, state: v1beta1.PostPending, again: queueHeadTimeout, queued: true},
		"now, prepared": {why: "then one call is left", observed: found{ready}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"far away":      {why: "long before its time nothing is done", post: changes{due(2 * hour)}, kind: doWait, state: v1beta1.PostScheduled, again: 90 * time.Minute},
		"file missing": {
			why: "the file may be restored until then", post: changes{due(2 * hour)}, observed: found{func(f *observed) { f.missing = true }},
			kind: doWait, state: v1beta1.PostScheduled, code: catalog.ShortNotPostable, reason: posting.ReasonFileMissing, again: 2 * hour,
		},
		"file missing, near": {
			why: "an upload would fail", post: changes{due(time.Minute)}, observed: found{func(f *observed) { f.missing = true }},
			kind: doWait, state: v1beta1.PostScheduled, code: catalog.ShortNotPostable, reason: posting.ReasonFileMissing, again: time.Minute,
		},
		"file missing, prepared": {
			why: "the platform has it", post: changes{due(time.Minute)}, observed: found{ready, func(f *observed) { f.missing = true }},
			kind: doWait, state: v1beta1.PostScheduled, again: time.Minute,
		},
		"near":              {why: "half an hour before it is prepared", post: changes{due(30 * time.Minute)}, kind: doPrepare, state: v1beta1.PostScheduled},
		"near, prepared":    {why: "and waits", post: changes{due(time.Minute)}, observed: found{ready}, kind: doWait, state: v1beta1.PostScheduled, again: time.Minute},
		"near, will expire": {why: "what the platform forgets before the time is prepared again", post: changes{due(10 * time.Minute)}, observed: found{ready, func(f *observed) { f.local.expires = noon.Add(9 * time.Minute) }}, kind: doPrepare, state: v1beta1.PostScheduled},
		"kept from before": {why: "what another process prepared counts", post: changes{func(p *v1beta1.Post) {
			p.Status.Preparation = &v1beta1.PostPreparation{Ready: true, Sealed: []byte("x")}
		}}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"still processing":     {why: "the platform works on it: the others of the account wait for a while", observed: found{func(f *observed) { f.local.prepareAfter = noon.Add(time.Second) }}, kind: doWait, state: v1beta1.PostPending, again: time.Second, queued: true},
		"processing long":      {why: "and not for ever", post: changes{due(-queueHeadTimeout)}, kind: doPrepare, state: v1beta1.PostPending},
		"overdue at the start": {why: "what was due while nobody worked is waited for from when somebody came to it", post: changes{due(-hour)}, observed: found{func(f *observed) { f.local.since = noon.Add(-queueHeadTimeout + time.Second) }}, kind: doPrepare, state: v1beta1.PostPending, again: time.Second, queued: true},
		"overdue for long":     {why: "and not for ever", post: changes{due(-hour)}, observed: found{func(f *observed) { f.local.since = noon.Add(-queueHeadTimeout) }}, kind: doPrepare, state: v1beta1.PostPending},
		"come to it later":     {why: "a clock that was set back makes nobody wait longer", post: changes{due(-hour)}, observed: found{func(f *observed) { f.local.since = noon.Add(time.Minute) }}, kind: doPrepare, state: v1beta1.PostPending},
		"a second early":       {why: "a clock that was set back lets nothing go early", post: changes{due(time.Second), state(v1beta1.PostPending)}, observed: found{ready}, kind: doWait, state: v1beta1.PostPending, again: time.Second},
		"cancelled":            {why: "somebody asked that it does not go out", post: changes{func(p *v1beta1.Post) { p.Spec.Cancel = true }}, observed: found{ready}, kind: doCancel},
		"cancelled too late":   {why: "what was begun is settled, not cancelled", post: changes{attempt(v1beta1.AttemptIntended, time.Second), func(p *v1beta1.Post) { p.Spec.Cancel = true }}, kind: doFind},
		"cancelled, retried":   {why: "what was not taken is not tried again when nobody wants it any more", post: changes{attempt(v1beta1.AttemptNotSent, time.Minute), func(p *v1beta1.Post) { p.Spec.Cancel = true }}, observed: found{ready}, kind: doCancel},
		"held":                 {why: "it waits for a person", post: changes{func(p *v1beta1.Post) { p.Spec.Hold = true }}, observed: found{ready}, kind: doHold},
		"held over its time":   {why: "for as long as it takes", post: changes{due(-9 * hour), state(v1beta1.PostHeld), func(p *v1beta1.Post) { p.Spec.Hold = true }}, observed: found{ready}, kind: doHold},
		"released":             {why: "and goes when it is released, however late that is", post: changes{due(-9 * hour), state(v1beta1.PostHeld)}, observed: found{ready}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"released long ago":    {why: "its lateness is counted from then", post: changes{due(-20 * hour), func(p *v1beta1.Post) { h := ago(6 * hour); p.Status.HeldUntil = &h }}, observed: found{ready}, kind: doFail, code: catalog.Conflict, reason: reasonMissed},
		"late":                 {why: "five hours late still goes", post: changes{due(-5 * hour)}, observed: found{ready}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"missed":               {why: "six hours late does not", post: changes{due(-6 * hour)}, observed: found{ready}, kind: doFail, code: catalog.Conflict, reason: reasonMissed},
		"restored": {why: "a batch that was made after its time never goes, however early its post is seen", observed: found{ready, func(f *observed) {
			f.batch.CreationTimestamp = metav1.NewTime(f.batch.Spec.ScheduledAt.Add(2*time.Minute + time.Second))
		}}, kind: doFail, code: catalog.Conflict, reason: reasonMissed},
		"in time": {why: "two minutes are for clocks that differ", observed: found{ready, func(f *observed) {
			f.batch.CreationTimestamp = metav1.NewTime(f.batch.Spec.ScheduledAt.Add(2 * time.Minute))
		}}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"no batch":          {why: "nothing goes of which nobody says that it may", observed: found{ready, func(f *observed) { f.batch, f.local.batchMissingSince = nil, noon }}, kind: doWait, state: v1beta1.PostPending, again: 200 * time.Millisecond},
		"no batch for long": {why: "a post that is restored without its batch never goes", post: changes{due(-6 * hour)}, observed: found{ready, func(f *observed) { f.batch = nil }}, kind: doFail, code: catalog.Conflict, reason: reasonMissed},
		"no account yet": {
			why: "it may be connected again, or restored after the post", post: changes{due(2 * hour)}, observed: found{func(f *observed) { f.account = nil }},
			kind: doWait, state: v1beta1.PostScheduled, code: catalog.PlatformNotConnected, again: 2 * hour,
		},
		"no account":              {why: "the account was disconnected", observed: found{ready, func(f *observed) { f.account = nil }}, kind: doFail, code: catalog.PlatformNotConnected},
		"not set up":              {why: "the installation has no app there", observed: found{ready, func(f *observed) { f.configured = false }}, kind: doFail, code: catalog.PlatformNotConfigured},
		"token ended":             {why: "at its time there must be a permission", observed: found{ready, func(f *observed) { f.account.Status.TokenStatus = v1beta1.TokenExpired }}, kind: doFail, code: catalog.TokenExpired},
		"token ended before":      {why: "before it a person may connect again", post: changes{due(20 * time.Minute)}, observed: found{func(f *observed) { f.account.Status.TokenStatus = v1beta1.TokenRevoked }}, kind: doWait, state: v1beta1.PostScheduled, code: catalog.TokenExpired, again: 20 * time.Minute},
		"token ends soon":         {why: "and it is still good", observed: found{ready, func(f *observed) { f.account.Status.TokenStatus = v1beta1.TokenExpiringSoon }}, kind: doPublish, state: v1beta1.PostPending, queued: true},
		"capped":                  {why: "a cap that ends in time is waited for", observed: found{ready, func(f *observed) { f.from = noon.Add(hour) }}, kind: doWait, state: v1beta1.PostPending, code: catalog.PlatformRateLimited, again: hour},
		"capped for long":         {why: "and one that does not is not", observed: found{ready, func(f *observed) { f.from = noon.Add(7 * hour) }}, kind: doFail, code: catalog.PlatformRateLimited},
		"retrying":                {why: "the next attempt has its time", post: changes{attempt(v1beta1.AttemptNotSent, time.Minute), state(v1beta1.PostRetrying), func(p *v1beta1.Post) { n := metav1.NewMicroTime(noon.Add(time.Minute)); p.Status.NextAttemptAt = &n }}, observed: found{ready}, kind: doWait, state: v1beta1.PostRetrying, again: time.Minute},
		"retrying now":            {why: "it stays retrying while that attempt runs", post: changes{attempt(v1beta1.AttemptNotSent, time.Minute), state(v1beta1.PostRetrying)}, observed: found{ready}, kind: doPublish, state: v1beta1.PostRetrying, queued: true},
		"retried for long":        {why: "six hours after the first attempt there are no more", post: changes{due(-7 * hour), attempt(v1beta1.AttemptNotSent, 6*hour), func(p *v1beta1.Post) { p.Status.Error = workError(catalog.InternalError, "down", nil) }}, observed: found{ready}, kind: doFail, code: catalog.InternalError},
		"intended":                {why: "nobody wrote what became of it: it is looked for", post: changes{attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{ready}, kind: doFind},
		"outcome in hand":         {why: "what is known is written first", post: changes{attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{func(f *observed) { f.local.outcome = &outcome{number: 1} }}, kind: doRecord},
		"another's outcome":       {why: "of another attempt it says nothing", post: changes{attempt(v1beta1.AttemptNotSent, hour), attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{func(f *observed) { f.local.outcome = &outcome{number: 1} }}, kind: doFind},
		"surely not sent":         {why: "this process did not send it", post: changes{attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{func(f *observed) { f.local.unsent = []metav1.MicroTime{ago(time.Second)} }}, kind: doRecord},
		"another's of the number": {why: "another process may be sending it", post: changes{attempt(v1beta1.AttemptIntended, time.Second)}, observed: found{func(f *observed) { f.local.unsent = []metav1.MicroTime{ago(2 * time.Second)} }}, kind: doFind},
		"unknown":                 {why: "it is looked for now and then", post: changes{attempt(v1beta1.AttemptUnknown, time.Minute)}, observed: found{func(f *observed) { f.local.pollAfter = noon.Add(time.Second) }}, kind: doNothing, again: time.Second},
		"unknown for long":        {why: "for an hour", post: changes{attempt(v1beta1.AttemptUnknown, hour)}, observed: found{func(f *observed) { f.local.polls = 3 }}, kind: doFail, code: catalog.InternalError, reason: reasonUnknown},
		"unknown, new here":       {why: "and at least once by this process", post: changes{attempt(v1beta1.AttemptUnknown, 9*hour)}, kind: doFind},
		"unknown, cut off":        {why: "without an account nobody can be asked", post: changes{attempt(v1beta1.AttemptUnknown, time.Minute)}, observed: found{func(f *observed) { f.account = nil }}, kind: doNothing, again: 59 * time.Minute},
		"cut off for long":        {why: "and it is not known", post: changes{attempt(v1beta1.AttemptUnknown, hour)}, observed: found{func(f *observed) { f.account = nil }}, kind: doFail, code: catalog.InternalError, reason: reasonUnknown},
		"accepted":                {why: "the platform works on it", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute)}, kind: doPoll},
		"accepted, cancel":        {why: "what was taken is not cancelled", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) { p.Spec.Cancel = true }}, kind: doPoll},
		"accepted for long":       {why: "what is not confirmed in an hour is not known", post: changes{attempt(v1beta1.AttemptAccepted, hour)}, observed: found{func(f *observed) { f.local.polls = 1 }}, kind: doFail, code: catalog.InternalError, reason: reasonUnknown},
		"published": {why: "its link is looked for", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) {
			finish(p, v1beta1.PostSuccess, noon)
			p.Status.DeliveryState = v1beta1.DeliveryPublished
		}}, kind: doPoll},
		"published, linked": {why: "and then nothing is left", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) {
			finish(p, v1beta1.PostSuccess, noon)
			p.Status.DeliveryState, p.Status.PostURL = v1beta1.DeliveryPublished, "x"
		}}, kind: doNothing},
		"published long ago": {why: "the link is looked for during a day", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) {
			finish(p, v1beta1.PostSuccess, noon.Add(-linkTimeout))
			p.Status.DeliveryState = v1beta1.DeliveryPublished
		}}, kind: doNothing},
		"in the inbox": {why: "what lies in an inbox has no link", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), func(p *v1beta1.Post) {
			finish(p, v1beta1.PostSuccess, noon)
			p.Status.DeliveryState = v1beta1.DeliveryInInbox
		}}, kind: doNothing},
		"failed":             {why: "the end is the end", post: changes{state(v1beta1.PostFailed)}, observed: found{ready}, kind: doNothing},
		"failed, unknown":    {why: "also with an attempt that is open for ever", post: changes{attempt(v1beta1.AttemptUnknown, 9*hour), state(v1beta1.PostFailed)}, kind: doNothing},
		"was cancelled":      {why: "the end is the end", post: changes{state(v1beta1.PostCancelled)}, observed: found{ready}, kind: doNothing},
		"deleted":            {why: "nothing is open: it goes", post: changes{deleting}, observed: found{ready}, kind: doCleanUp},
		"deleted in flight":  {why: "an open attempt is settled first", post: changes{attempt(v1beta1.AttemptUnknown, time.Minute), deleting}, kind: doFind},
		"deleted, cut off":   {why: "unless it cannot be looked up any more", post: changes{attempt(v1beta1.AttemptUnknown, unresolvedGracePeriod(&v1beta1.Post{})), deleting}, observed: found{func(f *observed) { f.account = nil }}, kind: doCleanUp},
		"deleted, unknown":   {why: "or an hour has passed", post: changes{attempt(v1beta1.AttemptUnknown, hour), deleting}, observed: found{func(f *observed) { f.local.polls = 1 }}, kind: doCleanUp},
		"deleted, refused":   {why: "nothing came out: it goes", post: changes{attempt(v1beta1.AttemptRejected, time.Minute), state(v1beta1.PostFailed), deleting}, kind: doCleanUp},
		"deleted, accepted":  {why: "its end is told to a new batch of the name", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), deleting}, kind: doPoll},
		"deleted, sent":      {why: "it stays while a new batch of the name would send it again", post: changes{attempt(v1beta1.AttemptAccepted, time.Minute), state(v1beta1.PostSuccess), deleting}, kind: doNothing, again: 2*time.Minute + clockTolerance},
		"deleted, not known": {why: "also when nobody knows whether it was sent", post: changes{attempt(v1beta1.AttemptUnknown, time.Minute), state(v1beta1.PostFailed), deleting}, kind: doNothing, again: 2*time.Minute + clockTolerance},
		"deleted, too late":  {why: "afterwards it goes", post: changes{due(-2*time.Minute - clockTolerance), attempt(v1beta1.AttemptAccepted, time.Minute), state(v1beta1.PostSuccess), deleting}, kind: doCleanUp},
		"clock ahead": {
			why: "it may be early: nothing is sent while the clocks differ", observed: found{ready, func(f *observed) { f.ahead = 2 * hour }},
			kind: doWait, state: v1beta1.PostPending, again: pollClock,
		},
		"clock behind": {
			why: "either clock may be wrong", observed: found{ready, func(f *observed) { f.ahead = -2 * time.Minute }},
			kind: doWait, state: v1beta1.PostPending, again: pollClock,
		},
		"clock ahead by a day": {
			why: "nothing is missed by a clock that was set", post: changes{due(-20 * hour)}, observed: found{ready, func(f *observed) { f.ahead = 24 * hour }},
			kind: doWait, state: v1beta1.PostScheduled, again: pollClock,
		},
		"clock ahead, far away": {
			why: "it is near by neither clock", post: changes{due(2 * hour)}, observed: found{func(f *observed) { f.ahead = hour }},
			kind: doWait, state: v1beta1.PostScheduled, again: 90 * time.Minute,
		},
		"clock ahead, unknown": {
			why: "an hour has not passed", post: changes{attempt(v1beta1.AttemptUnknown, hour)},
			observed: found{func(f *observed) { f.local.polls, f.ahead = 1, 2*hour }}, kind: doFind,
		},
		"clock ahead, accepted": {
			why: "an hour has not passed", post: changes{attempt(v1beta1.AttemptAccepted, hour)},
			observed: found{func(f *observed) { f.local.polls, f.ahead = 1, 2*hour }}, kind: doPoll,
		},
		"clock ahead, deleted": {
			why: "a new batch of the name may still be in time", post: changes{due(-hour), attempt(v1beta1.AttemptAccepted, time.Minute), state(v1beta1.PostSuccess), deleting},
			observed: found{func(f *observed) { f.ahead = 2 * hour }}, kind: doNothing, again: pollClock,
		},
		"deleted, replaced": {why: "but not before a new batch that is in time has found it", post: changes{due(-time.Hour), attempt(v1beta1.AttemptAccepted, time.Minute), state(v1beta1.PostSuccess), deleting}, observed: found{func(f *observed) { f.successor = true }}, kind: doNothing, again: pollSuccessor},
	} {
		t.Run(name, func(t *testing.T) {
			p := aPost("1", noon)
			for _, change := range c.post {
				change(p)
			}
			f := &observed{now: noon, account: socialAccount(), batch: postBatch(p.Spec.ScheduledAt.Time), configured: true, from: noon, local: &localState{}}
			f.batch.CreationTimestamp = metav1.NewTime(p.Spec.ScheduledAt.Add(-time.Minute))
			for _, change := range c.observed {
				change(f)
			}
			before := p.DeepCopy()
			got := decide(p, f)
			if got.kind != c.kind || got.queued != c.queued || c.state != "" && got.state != c.state {
				t.Fatalf("%s: %+v", c.why, got)
			}
			if again := got.again.Sub(noon); !got.again.IsZero() && again != c.again || got.again.IsZero() != (c.again == 0) {
				t.Errorf("%s: again in %v, not %v", c.why, again, c.again)
			}
			if code := catalog.Code(""); got.err != nil {
				code = catalog.Code(got.err.Code)
				if code != c.code || got.err.Details[detailReason] != c.reason {
					t.Errorf("%s: %+v", c.why, got.err)
				}
			} else if code != c.code {
				t.Errorf("%s: no error %s", c.why, c.code)
			}
			if before.Status.State != p.Status.State || p.Status.HeldUntil != nil && before.Status.HeldUntil == nil {
				t.Error("a decision changed the post")
			}
		})
	}
}

func TestAfterFailure(t *testing.T) {
	at := func(d time.Duration) time.Time { return noon.Add(d) }
	for name, c := range map[string]struct {
		why    string
		err    publish.Error
		before int
		first  time.Duration // how long ago the first attempt was
		state  v1beta1.PostState
		code   catalog.Code
		least  time.Duration // minimum delay until the next attempt
		most   time.Duration
	}{
		"first":          {"a minute after the first", publish.Error{Kind: publish.Transient}, 0, 0, v1beta1.PostRetrying, catalog.InternalError, time.Minute, 66 * time.Second},
		"second":         {"then two", publish.Error{Kind: publish.Transient}, 1, time.Minute, v1beta1.PostRetrying, catalog.InternalError, 2 * time.Minute, 132 * time.Second},
		"fourth":         {"then eight", publish.Error{Kind: publish.Transient}, 3, 7 * time.Minute, v1beta1.PostRetrying, catalog.InternalError, 8 * time.Minute, 528 * time.Second},
		"fifth":          {"five are all", publish.Error{Kind: publish.Transient}, 4, 15 * time.Minute, v1beta1.PostFailed, catalog.InternalError, 0, 0},
		"six hours":      {"no attempt is six hours after the first", publish.Error{Kind: publish.Transient}, 1, maxLateness - time.Minute, v1beta1.PostFailed, catalog.InternalError, 0, 0},
		"cap":            {"the platform's time wins over ours", publish.Error{Kind: publish.RateLimited, ResetsAt: at(3 * time.Hour)}, 0, 0, v1beta1.PostRetrying, catalog.PlatformRateLimited, 3 * time.Hour, 3*time.Hour + 2*time.Second},
		"cap, no time":   {"without one it is ours", publish.Error{Kind: publish.RateLimited}, 0, 0, v1beta1.PostRetrying, catalog.PlatformRateLimited, time.Minute, 66 * time.Second},
		"cap for long":   {"a cap beyond six hours is not waited for", publish.Error{Kind: publish.RateLimited, RetryAfter: 7 * time.Hour}, 0, 0, v1beta1.PostFailed, catalog.PlatformRateLimited, 0, 0},
		"refused":        {"what is refused stays refused", publish.Error{Kind: publish.Rejected}, 0, 0, v1beta1.PostFailed, catalog.ValidationFailed, 0, 0},
		"too long":       {"in the catalog's words where it has them", publish.Error{Kind: publish.Rejected, CatalogCode: "caption_too_long"}, 0, 0, v1beta1.PostFailed, catalog.CaptionTooLong, 0, 0},
		"permission":     {"a person has to connect again", publish.Error{Kind: publish.Auth}, 0, 0, v1beta1.PostFailed, catalog.TokenExpired, 0, 0},
		"scope":          {"or to allow more", publish.Error{Kind: publish.Scope}, 0, 0, v1beta1.PostFailed, catalog.TokenExpired, 0, 0},
		"app":            {"or whoever runs it to act", publish.Error{Kind: publish.Misconfigured}, 0, 0, v1beta1.PostFailed, catalog.PlatformNotConfigured, 0, 0},
		"expired":        {"what was prepared is prepared again", publish.Error{Kind: publish.Expired}, 0, 0, v1beta1.PostRetrying, catalog.InternalError, time.Minute, 66 * time.Second},
		"token once":     {"with a new token at once", publish.Error{Kind: publish.Unauthorized}, 0, 0, v1beta1.PostRetrying, catalog.TokenExpired, 0, 0},
		"unheard before": {"a failed call that nobody sees is tried again", publish.Error{Kind: publish.Ambiguous}, 0, 0, v1beta1.PostRetrying, catalog.InternalError, time.Minute, 66 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			p := aPost("1", noon.Add(-c.first))
			st := afterFailure(p, &c.err, c.before, noon)
			if st.err == nil || catalog.Code(st.err.Code) != c.code {
				t.Fatalf("%s: %+v", c.why, st.err)
			}
			apply(p, st, noon)
			if p.Status.State != c.state {
				t.Fatalf("%s: %s", c.why, p.Status.State)
			}
			if c.state == v1beta1.PostRetrying {
				if in := p.Status.NextAttemptAt.Sub(noon); in < c.least || in > c.most {
					t.Errorf("%s: in %v", c.why, in)
				}
			}
		})
	}
}

// TestFileGone deletes the file of a short before the due time of its post. Waiting does not fix that, regardless of
// how an adapter wraps the error.
func TestFileGone(t *testing.T) {
	gone := fmt.Errorf("reading shorts/tea.mp4: %w", blob.ErrNotFound)
	for why, err := range map[string]error{
		"as it is":             gone,
		"in an adapter's word": &publish.Error{Kind: publish.Transient, Safe: "The file could not be read", Err: gone},
	} {
		if e := platformError(err); e.Kind != publish.Rejected || e.CatalogCode != string(catalog.ShortNotPostable) {
			t.Errorf("%s, before the call: %+v", why, e)
		}
	}
	o := outcomeOf(1, nil, &publish.Error{Kind: publish.Transient, Err: gone})
	if o.state != v1beta1.AttemptRejected || o.err.CatalogCode != string(catalog.ShortNotPostable) {
		t.Errorf("at the call: %s, %+v", o.state, o.err)
	}
	if o := outcomeOf(1, nil, &publish.Error{Kind: publish.Ambiguous, Err: gone}); o.state != v1beta1.AttemptUnknown {
		t.Errorf("what may have been taken stays unknown: %s", o.state)
	}
}

// TestTimes checks the relations between the timeouts on which the protocol depends.
func TestTimes(t *testing.T) {
	for _, bytes := range []int64{0, 1 << 20, 64_000_000, 4 << 30} {
		p := &v1beta1.Post{}
		p.Spec.Media.Bytes = bytes
		if unresolvedGracePeriod(p) <= callTimeout(p)+lease.MaxUnheard {
			t.Error("an attempt could be called not taken while an old leader is still sending it")
		}
		// TikTok's largest part, at 8 Mbit/s.
		if sent := time.Duration(min(bytes, 64_000_000)) * time.Second / 1_000_000; callTimeout(p) < sent {
			t.Errorf("%d bytes: the call ends after %v and sending takes %v", bytes, callTimeout(p), sent)
		}
	}
	if prepareAhead >= time.Hour {
		t.Error("the first platform forgets what was prepared before its time comes")
	}
}
