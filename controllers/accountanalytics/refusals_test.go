// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// Errors of the platform for a token.
func TestRefresh_PlatformErrors(t *testing.T) {
	for _, c := range []struct {
		why      string
		said     *publish.Error
		times    int
		reason   v1beta1.Reason
		code     string
		renewed  int
		refused  []publish.Kind
		requeues bool
	}{
		{"a rejected token is renewed", &publish.Error{Kind: publish.Unauthorized, Safe: "x"}, 1, v1beta1.ReasonRefreshed, "", 1, nil, true},
		{"a rejected token is renewed only once", &publish.Error{Kind: publish.Unauthorized, Safe: "x"}, 9, v1beta1.ReasonTokenExpired, "token_expired", 1, nil, true},
		{"a revoked permission is recorded", &publish.Error{Kind: publish.Auth, Safe: "x", Revoked: true}, 9, v1beta1.ReasonTokenRevoked, "token_expired", 0, []publish.Kind{publish.Auth}, true},
		{"a missing scope for analytics is reported", &publish.Error{Kind: publish.Scope, Safe: "x"}, 9, v1beta1.ReasonNumbersScopeMissing, "token_expired", 0, nil, false},
		{"the app is misconfigured", &publish.Error{Kind: publish.Misconfigured, Safe: "x"}, 9, v1beta1.ReasonNotConfigured, "platform_not_configured", 0, nil, true},
		{"the platform is down", &publish.Error{Kind: publish.Transient, Safe: "x"}, 9, v1beta1.ReasonRefreshFailed, "internal_error", 0, nil, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := newWorld(t)
			w.begun()
			w.drainEvents()
			before := w.get().Status
			w.after(20 * time.Minute)
			w.request()
			times := c.times
			w.source.on = func(string, publish.Account) error {
				if times--; times >= 0 {
					return c.said
				}
				return nil
			}
			r := w.good()
			a := w.is(c.reason)
			if (r.RequeueAfter > 0) != c.requeues || w.tokens.renewed != c.renewed || cmp.Diff(c.refused, w.tokens.refused) != "" {
				t.Errorf("requeued after %s, renewed %d times, refused %v", r.RequeueAfter, w.tokens.renewed, w.tokens.refused)
			}
			w.hasOneDocument("after the error")
			if c.code == "" {
				return
			}
			if a.Status.Error == nil || a.Status.Error.Code != c.code || a.Status.Failures != 1 || a.Status.Refreshing || a.Status.DocumentKey != before.DocumentKey {
				t.Errorf("got status %+v", a.Status)
			}
			if !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) || cmp.Diff(before.AccountNumbers, a.Status.AccountNumbers) != "" {
				t.Errorf("want the request answered and the metrics unchanged: %+v", a.Status)
			}
			if got := w.drainEvents(); len(got) != 1 || !strings.HasPrefix(got[0], "Warning RefreshFailed "+c.code) {
				t.Error(got)
			}
			// The next automatic refresh succeeds.
			w.token(v1beta1.TokenActive) // reconnected
			w.source.on = nil
			w.after(time.Hour + time.Second)
			w.good()
			w.is(v1beta1.ReasonRefreshed)
			if got := w.drainEvents(); len(got) != 1 || !strings.HasPrefix(got[0], "Normal Refreshed") {
				t.Errorf("got events %v, want one Refreshed", got)
			}
		})
	}
}

func TestRefresh_BacksOff(t *testing.T) {
	w := newWorld(t)
	w.begun()
	w.drainEvents()
	w.source.on = func(string, publish.Account) error { return &publish.Error{Kind: publish.Transient, Safe: "Down"} }
	var waits []time.Duration
	for range 6 {
		at := w.get().Status.NextRefreshAt.Time
		w.clock.SetTime(at)
		w.good()
		waits = append(waits, w.get().Status.NextRefreshAt.Sub(at))
	}
	for i, d := range waits {
		if d < minInterval || i > 0 && d < waits[i-1] || d > 2*24*time.Hour {
			t.Errorf("waits do not grow: %v", waits)
		}
	}
	if waits[5] < 6*time.Hour || len(w.drainEvents()) != 1 {
		t.Errorf("got waits %v, want growth up to hours, and one event", waits)
	}
	w.hasOneDocument("after six failures")
}

func TestRefresh_RateLimits(t *testing.T) {
	w := newWorld(t)
	w.begun()
	other := account(w.key.Namespace, "zoe", "tiktok")
	mine, theirs := w.key, client.ObjectKeyFromObject(other)
	w.create(other)
	w.account, w.key = other, theirs
	w.token(v1beta1.TokenActive)
	w.key = theirs
	w.begun()

	w.after(20 * time.Minute)
	limit := &publish.Error{Kind: publish.RateLimited, Safe: "Too many calls", RetryAfter: 2 * time.Hour}
	w.source.on = func(string, publish.Account) error { return limit }
	w.key = mine
	w.request()
	w.good()
	a := w.is(v1beta1.ReasonRateLimited)
	if a.Status.Error.Code != "platform_rate_limited" || a.Status.NextRefreshAt.Time.Before(w.clock.Now().Add(2*time.Hour)) {
		t.Errorf("got status %+v, want the wait of the platform", a.Status)
	}
	calls := w.source.count()
	w.after(time.Hour)
	w.request()
	if r := w.good(); w.source.count() != calls || r.RequeueAfter > time.Hour+time.Minute {
		t.Errorf("a request ignores the rate limit: requeued after %s", r.RequeueAfter)
	}
	w.source.on = nil
	w.key = theirs
	w.request()
	w.good()
	if w.is(v1beta1.ReasonRefreshed); w.source.count() == calls {
		t.Error("the rate limit of one account blocks another")
	}

	limit.AppWide = true
	w.source.on = func(string, publish.Account) error { return limit }
	w.after(time.Hour)
	w.key = mine
	w.good()
	w.is(v1beta1.ReasonRateLimited)
	calls = w.source.count()
	w.source.on = nil
	w.key = theirs
	w.request()
	if r := w.good(); w.source.count() != calls || r.RequeueAfter != 2*time.Hour {
		t.Errorf("the rate limit of the app does not block another account: requeued after %s", r.RequeueAfter)
	}
	w.after(2 * time.Hour)
	w.good()
	if a := w.is(v1beta1.ReasonRefreshed); w.source.count() == calls || !a.Status.AnsweredRequestAt.Equal(a.Spec.RefreshRequestedAt) {
		t.Error("no refresh after the end of the rate limit")
	}
}

func TestRefresh_KeepsAPartialResult(t *testing.T) {
	w := newWorld(t)
	w.source.on = func(call string, _ publish.Account) error {
		if call == "page" {
			return &publish.Error{Kind: publish.Transient, Safe: "The platform is down"}
		}
		return nil
	}
	w.good()
	w.good()
	a := w.is(v1beta1.ReasonRefreshed)
	c := meta.FindStatusCondition(a.Status.Conditions, string(v1beta1.ConditionReady))
	if *a.Status.Followers != 10 || a.Status.KnownPosts != 0 || !strings.Contains(c.Message, "The platform is down") {
		t.Errorf("want the result up to the error, and the error: %+v", a.Status)
	}
}

func TestRefresh_UnreadableDocument(t *testing.T) {
	put := func(w *world, text string) {
		if err := w.store.Put(t.Context(), w.get().Status.DocumentKey, contentType, strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t)
	w.begun()
	put(w, "{")
	w.after(20 * time.Minute)
	w.request()
	w.good()
	w.is(v1beta1.ReasonRefreshed)
	w.hasOneDocument("after a corrupt document")

	if err := w.store.Delete(t.Context(), w.get().Status.DocumentKey); err != nil {
		t.Fatal(err)
	}
	w.after(20 * time.Minute)
	w.request()
	w.good()
	w.hasOneDocument("after a missing document")

	put(w, `{"version":99}`+"\n")
	w.after(20 * time.Minute)
	w.request()
	calls := w.source.count()
	w.good()
	a := w.is(v1beta1.ReasonRefreshFailed)
	if a.Status.Error.Details["reason"] != "newer_document" || w.source.count() != calls || len(w.keys()) != 1 {
		t.Errorf("a document of a newer version is replaced: %+v", a.Status)
	}
}
