// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

func (w *world) landed(name string) int { return len(w.platform.landAt["uid-"+name]) }

// TestPublish_ClockIsSet sets the wall clock while a post waits. The fake platform checks that nothing is published
// early by the clock at that time.
func TestPublish_ClockIsSet(t *testing.T) {
	for name, c := range map[string]struct {
		why  string
		wait time.Duration
		jump time.Duration
		late time.Duration // maximum
	}{
		"ahead to before it":      {"five minutes ahead, nine minutes before the due time", 46 * time.Minute, 5 * time.Minute, time.Second},
		"ahead beyond it":         {"five minutes ahead, two minutes before the due time: at most three minutes late", 58 * time.Minute, 5 * time.Minute, 3*time.Minute + time.Second},
		"back":                    {"five minutes back, a minute before the due time", 59 * time.Minute, -5 * time.Minute, time.Second},
		"back, not prepared":      {"five minutes back, just before the preparation", 30 * time.Minute, -5 * time.Minute, time.Second},
		"suspended for two hours": {"the process is suspended over the due time", 50 * time.Minute, 2 * time.Hour, 111 * time.Minute},
		"far back, then ahead":    {"a day back", 10 * time.Minute, -24 * time.Hour, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			at := noon.Add(time.Hour)
			w := newWorld(t, 0, none, inAnHour()...)
			w.until(c.wait, func() bool { return false })
			w.clock.SetTime(w.clock.Now().Add(c.jump))
			w.settle()
			p := w.post("post-1")
			if w.landed("1") != 1 || p.Status.State != v1beta1.PostSuccess {
				t.Fatalf("%s: published %d times, %+v", c.why, w.landed("1"), p.Status)
			}
			if late := w.platform.landAt["uid-1"][0].Sub(at); late < 0 || late > c.late {
				t.Errorf("%s: published %v late", c.why, late)
			}
		})
	}
}

// TestCancel_AtEveryCall cancels the post between any two calls. Either the post is canceled and not published, or it
// is published and the cancellation was rejected or too late.
func TestCancel_AtEveryCall(t *testing.T) {
	s := stories()["scheduled"]
	calls := len(s.run(t, 0, none).calls)
	cancelled := 0
	for n := range calls + 1 {
		w := newWorld(t, 0, none, inAnHour()...)
		asked, stopped := false, false
		w.before = func() {
			if len(w.calls) < n || asked {
				return
			}
			asked = true
			p := w.post("post-1")
			if p.InFlight() || p.Status.State.Final() {
				return // the cancellation is rejected
			}
			patched := p.DeepCopy()
			patched.Spec.Cancel = true
			err := w.live.Patch(context.Background(), patched, client.MergeFromWithOptions(p, client.MergeFromWithOptimisticLock{}))
			if err != nil && !apierrors.IsConflict(err) {
				t.Fatal(err)
			}
			stopped = err == nil
			w.event(client.ObjectKeyFromObject(p))
		}
		w.settle()
		want, lands := v1beta1.PostSuccess, 1
		if stopped {
			want, lands = v1beta1.PostCancelled, 0
			cancelled++
		}
		if p := w.post("post-1"); p.Status.State != want || w.landed("1") != lands {
			t.Errorf("canceled at call %d (%v), accepted %v: the post is %s, published %d times",
				n, w.calls, stopped, p.Status.State, w.landed("1"))
		}
	}
	if cancelled == 0 || cancelled == calls+1 {
		t.Errorf("%d of %d posts were canceled: the test covers one side of the race only", cancelled, calls+1)
	}
}

// TestPublish_ByTwoLeaders lets two processes reconcile the same post alternately, as after an undetected loss of the
// lease. Each reads the other's writes only now and then.
func TestPublish_ByTwoLeaders(t *testing.T) {
	for stride := 1; stride <= 7; stride++ {
		w := newWorld(t, 0, none, atOnce()...)
		other := newWorld(t, 0, none)
		other.live, other.clock, other.platform, other.accounts = w.live, w.clock, w.platform, w.accounts
		other.start()
		w.shared = true
		for i := range 4000 {
			if i%(2*stride) == 0 { // both caches catch up
				for _, x := range []*world{w, other} {
					x.freeze()
					x.frozenFor = 1 << 30
					for _, p := range w.posts() {
						x.r.onPost(&p)
					}
				}
			}
			who := w
			if i%2 == 1 {
				who = other
			}
			keys, _ := who.r.queue.Pop(w.clock.Now())
			who.r.dispatch(keys, who.pass)
			w.clock.Step(300 * time.Millisecond)
			if w.settled() {
				break
			}
		}
		if p := w.post("post-1"); p.Status.State != v1beta1.PostSuccess || w.landed("1") != 1 {
			t.Errorf("alternating with stride %d: published %d times, %+v", stride, w.landed("1"), p.Status)
		}
	}
}

// TestLimit_OfAnAccount publishes more posts than an account's limit allows, before and after a restart.
func TestLimit_OfAnAccount(t *testing.T) {
	objects := []client.Object{socialAccount(), postBatch(noon)}
	for i := range 20 {
		objects = append(objects, aPost(fmt.Sprintf("%d", i+10), noon))
	}
	w := newWorld(t, 0, none, objects...)
	w.until(time.Minute, func() bool { return w.platform.commits == 7 })
	w.start() // the published posts are counted again from the cache
	w.settle()
	var out, refused []string
	for _, p := range w.posts() {
		switch {
		case p.Status.State == v1beta1.PostSuccess:
			out = append(out, p.Name)
		case p.Status.State == v1beta1.PostFailed && p.Status.Error.Code == string(catalog.PlatformRateLimited) && p.Status.Error.Details[detailResetsAt] != "":
			refused = append(refused, p.Name)
		default:
			t.Errorf("%s: got %+v", p.Name, p.Status)
		}
	}
	if len(out) != 15 || len(refused) != 5 || len(w.platform.order) != 15 {
		t.Errorf("%d posts were published and %d rejected", len(out), len(refused))
	}
	if !slices.IsSorted(w.platform.order) {
		t.Errorf("published in the order %v", w.platform.order)
	}
}

// TestLimit_ThatEndsInTime waits until the time that the platform reported for the end of its limit.
func TestLimit_ThatEndsInTime(t *testing.T) {
	w := newWorld(t, 0, none, socialAccount(), postBatch(noon), aPost("1", noon), aPost("2", noon))
	reset := noon.Add(5 * time.Hour)
	w.platform.refuse = []error{&publish.Error{Kind: publish.RateLimited, Safe: "No more today", ResetsAt: reset}}
	w.settle()
	for _, n := range []string{"1", "2"} {
		if w.landed(n) != 1 || w.platform.landAt["uid-"+n][0].Before(reset) {
			t.Errorf("post %s was published at %v, the limit ends at %v", n, w.platform.landAt["uid-"+n], reset)
		}
	}
	if w.platform.commits != 3 {
		t.Errorf("got %d calls, want 3: the second post is not sent before the limit ends", w.platform.commits)
	}
	a := &v1beta1.SocialAccount{}
	if err := w.live.Get(t.Context(), client.ObjectKey{Namespace: "tenant", Name: "maya"}, a); err != nil || a.Status.LimitedUntil == nil || a.Status.LimitedUntil.Time.Before(reset) {
		t.Errorf("the account does not report the end of its limit: %v, %v", a.Status.LimitedUntil, err)
	}
}

// TestLimit_UsedByOtherPrograms uses up the account's limit with posts of other programs, as the platform reported
// some hours ago.
func TestLimit_UsedByOtherPrograms(t *testing.T) {
	stamp := func(d time.Duration) *metav1.Time { at := metav1.NewTime(noon.Add(d)); return &at }
	for name, c := range map[string]struct {
		why     string
		told    time.Duration
		limited *metav1.Time
		lands   time.Duration // less than 0: the post fails
	}{
		"lately":                 {"the limit may last for a day", -time.Hour, nil, -1},
		"long ago":               {"posts from that time leave the window within a day", -20 * time.Hour, nil, 4 * time.Hour},
		"with a time":            {"a time from the platform takes precedence over its count", -time.Hour, stamp(2 * time.Hour), 2 * time.Hour},
		"with a past time":       {"a past time of the platform takes precedence over its count", -2 * time.Hour, stamp(-time.Hour), 0},
		"counted after the time": {"a later count takes precedence over a time", -time.Hour, stamp(-2 * time.Hour), -1},
	} {
		t.Run(name, func(t *testing.T) {
			a := socialAccount()
			a.Status.Headroom = &v1beta1.Headroom{Used: 15, Max: 15, WindowSeconds: 86400, ObservedAt: *stamp(c.told)}
			a.Status.LimitedUntil = c.limited
			w := newWorld(t, 0, none, a, postBatch(noon), aPost("1", noon))
			w.settle()
			p := w.post("post-1")
			if c.lands < 0 {
				if w.landed("1") > 0 || p.Status.Error == nil || p.Status.Error.Code != string(catalog.PlatformRateLimited) {
					t.Errorf("%s: got status %+v", c.why, p.Status)
				}
				return
			}
			if w.landed("1") != 1 {
				t.Fatalf("%s: got status %+v", c.why, p.Status)
			}
			if after := w.platform.landAt["uid-1"][0].Sub(noon); after < c.lands || after > c.lands+time.Minute {
				t.Errorf("%s: published after %v", c.why, after)
			}
		})
	}
}

// TestPublish_AfterAReconnect revokes the permission while a post waits, and grants it again.
func TestPublish_AfterAReconnect(t *testing.T) {
	for name, again := range map[string]bool{"reconnected": true, "not reconnected": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0, none, inAnHour()...)
			w.accounts.ended = true
			w.until(40*time.Minute, func() bool { return false })
			if p := w.post("post-1"); p.Status.State != v1beta1.PostScheduled {
				t.Fatalf("before its due time: got status %+v, want scheduled", p.Status)
			}
			if again {
				w.accounts.ended = false
				is := socialAccount()
				was := is.DeepCopy()
				was.Status.TokenStatus = v1beta1.TokenRevoked
				w.r.onAccountUpdate(was, is)
			}
			w.settle()
			p := w.post("post-1")
			if again && (p.Status.State != v1beta1.PostSuccess || w.landed("1") != 1) {
				t.Errorf("after a reconnect: got status %+v", p.Status)
			}
			if !again && (p.Status.State != v1beta1.PostFailed || p.Status.Error.Code != string(catalog.TokenExpired) ||
				p.Status.Error.Details[detailTokenStatus] != string(v1beta1.TokenRevoked) || w.landed("1") != 0) {
				t.Errorf("without a reconnect: got status %+v", p.Status)
			}
		})
	}
}

// TestPublish_RecreatedAccount deletes an account while posts wait and recreates it with the same name, like a
// restored backup or a reconnect. The preparation stays valid.
func TestPublish_RecreatedAccount(t *testing.T) {
	for name, c := range map[string]struct {
		gone, back time.Duration
		want       v1beta1.PostState
		late       time.Duration
	}{
		"long before the due time": {10 * time.Minute, 20 * time.Minute, v1beta1.PostSuccess, 0},
		"after the preparation":    {45 * time.Minute, 50 * time.Minute, v1beta1.PostSuccess, 0},
		"just before the due time": {59 * time.Minute, 59*time.Minute + 50*time.Second, v1beta1.PostSuccess, 0},
		"after the due time":       {50 * time.Minute, 61 * time.Minute, v1beta1.PostFailed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0, none, inAnHour()...)
			w.until(c.gone, func() bool { return false })
			a := socialAccount()
			if err := w.live.Delete(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			w.r.wakeAccount(a)
			w.until(c.back-c.gone, func() bool { return false })
			a = socialAccount()
			a.UID = "anew"
			if err := w.live.Create(t.Context(), a); err != nil {
				t.Fatal(err)
			}
			w.r.wakeAccount(a)
			w.settle()
			p := w.post("post-1")
			if p.Status.State != c.want || w.landed("1") != map[v1beta1.PostState]int{v1beta1.PostSuccess: 1}[c.want] {
				t.Fatalf("published %d times: %+v", w.landed("1"), p.Status)
			}
			if c.want == v1beta1.PostFailed {
				if p.Status.Error.Code != string(catalog.PlatformNotConnected) {
					t.Errorf("got error %+v", p.Status.Error)
				}
				return
			}
			if late := w.platform.landAt["uid-1"][0].Sub(noon.Add(time.Hour)); late != c.late {
				t.Errorf("published %v late", late)
			}
		})
	}
}

// TestPublish_OverdueAtTheStart starts a process with posts of several accounts: some were due long ago, some are not
// due yet.
func TestPublish_OverdueAtTheStart(t *testing.T) {
	objects := []client.Object{}
	account := func(name string) {
		a := socialAccount()
		a.Name = name
		objects = append(objects, a)
	}
	account("maya")
	account("noor")
	batch := postBatch(noon.Add(-5 * time.Hour))
	batch.CreationTimestamp.Time = noon.Add(-9 * time.Hour)
	objects = append(objects, batch)
	for i, due := range []time.Duration{-3 * time.Hour, time.Hour, -5 * time.Hour, -time.Minute, -7 * time.Hour} {
		for _, a := range []string{"maya", "noor"} {
			p := aPost(fmt.Sprintf("%d-%s", i, a), noon.Add(due))
			p.Labels[v1beta1.LabelID] = fmt.Sprint(i + 1)
			p.Spec.Account, p.Spec.Immediate, p.UID = a, false, types.UID(fmt.Sprintf("uid-%d-%s", i, a))
			objects = append(objects, p)
		}
	}
	w := newWorld(t, 0, none, objects...)
	w.until(time.Minute, func() bool { return len(w.platform.order) == 6 })
	for _, a := range []string{"maya", "noor"} {
		var got []string
		for _, key := range w.platform.order {
			if key[6:] == a || key[len(key)-4:] == a {
				got = append(got, key[4:5])
			}
		}
		if !slices.Equal(got, []string{"2", "0", "3"}) {
			t.Errorf("posts of %s are published in the order %v, want the longest overdue first", a, got)
		}
	}
	w.settle()
	for _, a := range []string{"maya", "noor"} {
		if p := w.post("post-4-" + a); p.Status.State != v1beta1.PostFailed || p.Status.Error.Details[detailReason] != reasonMissed {
			t.Errorf("a post that is seven hours late: %+v", p.Status)
		}
		if n := len(w.platform.landAt["uid-1-"+a]); n != 1 {
			t.Errorf("a post that is not due yet was published %d times", n)
		}
	}
}

// TestHold_ReportsTheMissingApproval holds posts with and without a need of an approval.
func TestHold_ReportsTheMissingApproval(t *testing.T) {
	for want, change := range map[v1beta1.Reason]func(*v1beta1.PostSpec){
		v1beta1.ReasonSuspended:        func(*v1beta1.PostSpec) {},
		v1beta1.ReasonAwaitingApproval: func(s *v1beta1.PostSpec) { s.RequireApproval = true },
	} {
		objects := inAnHour()
		spec := &objects[2].(*v1beta1.Post).Spec
		spec.Hold = true
		change(spec)
		w := newWorld(t, 0, none, objects...)
		w.until(time.Minute, func() bool { return false })
		p := w.post("post-1")
		if got := meta.FindStatusCondition(p.Status.Conditions, string(v1beta1.ConditionReady)); got == nil || got.Reason != string(want) {
			t.Errorf("got %+v, want the reason %s", got, want)
		}
		asked := len(p.Status.Transitions) == 1 && p.Status.Transitions[0].Event == v1beta1.EventPostAwaitingApproval
		if asked != (want == v1beta1.ReasonAwaitingApproval) {
			t.Errorf("%s: got the events %+v", want, p.Status.Transitions)
		}
	}
}

// TestHold_BeyondTheDueTime holds a post beyond its due time, and then releases it.
func TestHold_BeyondTheDueTime(t *testing.T) {
	objects := inAnHour()
	objects[2].(*v1beta1.Post).Spec.Hold = true
	w := newWorld(t, 0, none, objects...)
	w.until(9*time.Hour, func() bool { return false })
	p := w.post("post-1")
	if p.Status.State != v1beta1.PostHeld || w.platform.preparations != 0 {
		t.Fatalf("while held: %+v", p.Status)
	}
	free := p.DeepCopy()
	free.Spec.Hold = false
	if err := w.live.Patch(t.Context(), free, client.MergeFrom(p)); err != nil {
		t.Fatal(err)
	}
	w.event(client.ObjectKeyFromObject(p))
	w.settle()
	if p = w.post("post-1"); p.Status.State != v1beta1.PostSuccess || w.landed("1") != 1 || p.Status.HeldUntil == nil {
		t.Errorf("after the release: published %d times, %+v", w.landed("1"), p.Status)
	}
}
