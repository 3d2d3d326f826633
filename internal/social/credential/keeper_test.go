// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/socialscript"
)

var (
	start = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	maya  = publish.Identity{ID: "7001", Name: "Maya", Username: "maya"}
	acme  = publish.Identity{ID: "7002", Name: "Acme", Type: "page"}
)

// world is a keeper with one grant for maya and acme, stored at the start.
type world struct {
	t        *testing.T
	clock    *testclock.FakePassiveClock
	platform *socialscript.Platform
	client   client.Client
	keeper   *credential.Keeper
	woken    []string
	// onUpdate intercepts updates of Secrets.
	onUpdate func(do func() error) error
	updates  int
}

func newWorld(t *testing.T, name v1beta1.Platform, change func(*socialscript.Platform)) *world {
	t.Helper()
	w := &world{t: t, clock: testclock.NewFakePassiveClock(start)}
	w.platform = socialscript.New(name, w.clock, maya, acme)
	if change != nil {
		change(w.platform)
	}
	var mu sync.Mutex
	w.client = fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithInterceptorFuncs(interceptor.Funcs{
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			mu.Lock()
			defer mu.Unlock()
			w.updates++
			do := func() error { return c.Update(ctx, o, opts...) }
			if w.onUpdate != nil {
				return w.onUpdate(do)
			}
			return do()
		},
	}).Build()
	w.keeper = w.another()
	w.keeper.Watch(func(n types.NamespacedName) { w.woken = append(w.woken, n.Name) })
	w.connect("request-1")
	w.woken, w.updates = nil, 0
	return w
}

func key(b byte) []byte { return bytes.Repeat([]byte{b}, envelope.KeyBytes) }

// another returns a second manager, by default with the same key.
func (w *world) another(keys ...[]byte) *credential.Keeper {
	w.t.Helper()
	if keys == nil {
		keys = [][]byte{key(1)}
	}
	sealer, err := envelope.New(keys...)
	if err != nil {
		w.t.Fatal(err)
	}
	return credential.New(credential.Config{
		Client: w.client, Sealer: sealer, Platforms: map[v1beta1.Platform]publish.Platform{w.platform.Name(): w.platform}, Clock: w.clock,
	})
}

var secret = types.NamespacedName{Namespace: "acme", Name: "one-tokens"}

// connect stores the tokens of an approval.
func (w *world) connect(request string) {
	w.t.Helper()
	g := &credential.Grant{
		Request: request, Platform: w.platform.Name(), Brand: "coffee", Identities: []publish.Identity{maya, acme},
		ConnectedAt: w.clock.Now(), Tokens: w.platform.Issue(), Lacking: w.platform.Lacking,
	}
	if err := w.keeper.Keep(w.t.Context(), secret, g, metav1.OwnerReference{APIVersion: "v1", Kind: "X", Name: "x", UID: types.UID(request)}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) account(id string) *v1beta1.SocialAccount {
	return &v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: secret.Namespace, Name: "account-" + id},
		Spec: v1beta1.SocialAccountSpec{
			BrandRef: v1beta1.LocalRef{Name: "coffee"}, Platform: w.platform.Name(), PlatformAccountID: id, TokenSecretRef: v1beta1.LocalRef{Name: secret.Name},
		},
	}
}

// token returns the access token of maya; it ends with the number of its pair.
func (w *world) token() string {
	w.t.Helper()
	a, err := w.keeper.Account(w.t.Context(), w.account(maya.ID))
	if err != nil {
		w.t.Fatalf("got no token: %v", err)
	}
	return a.AccessToken
}

func (w *world) fails(kind publish.Kind, what string) *publish.Error {
	w.t.Helper()
	_, err := w.keeper.Account(w.t.Context(), w.account(maya.ID))
	return w.kind(err, kind, what)
}

func (w *world) kind(err error, kind publish.Kind, what string) *publish.Error {
	w.t.Helper()
	var e *publish.Error
	if !errors.As(err, &e) || e.Kind != kind || e.Safe == "" {
		w.t.Fatalf("%s: got %v, want %s", what, err, kind)
	}
	for _, s := range w.platform.Secrets() {
		if strings.Contains(err.Error(), s) {
			w.t.Fatalf("%s: the error contains a token: %v", what, err)
		}
	}
	return e
}

func (w *world) renewals(want int, why string) {
	w.t.Helper()
	if n := w.platform.Count("refresh"); n != want {
		w.t.Errorf("%s: got %d renewals, want %d", why, n, want)
	}
}

func (w *world) see(id string) *credential.Sight {
	w.t.Helper()
	s, err := w.keeper.See(w.t.Context(), w.account(id))
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

func is(t *testing.T, got, pair, why string) {
	t.Helper()
	if !strings.HasSuffix(got, "-"+pair) {
		t.Errorf("%s: got %s, want pair %s", why, got, pair)
	}
}

func TestToken_IsRenewedBeforeItExpires(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	is(t, w.token(), "1", "a fresh token is not renewed")
	w.clock.SetTime(start.Add(23*time.Hour - time.Second))
	is(t, w.token(), "1", "more than an hour is left")
	w.renewals(0, "while the token is fresh")
	w.clock.SetTime(start.Add(23*time.Hour + time.Second))
	is(t, w.token(), "2", "less than an hour is left")
	is(t, w.token(), "2", "the renewed token is reused")
	w.renewals(1, "one renewal for all calls")
	if len(w.woken) != 1 || w.updates != 1 {
		t.Errorf("got %d writes and events %v, want one each", w.updates, w.woken)
	}
	a, err := w.keeper.AccountFor(t.Context(), w.account(acme.ID), 24*time.Hour+time.Minute)
	if err != nil || a.ID != acme.ID || a.Type != "page" {
		t.Fatalf("the other account of the grant: got %+v, %v", a, err)
	}
	is(t, a.AccessToken, "3", "a token that expires before the required time is renewed")
	is(t, w.token(), "3", "all accounts of the grant share the token")
}

func TestRenew_ConcurrentCallsRenewOnce(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	inside, goOn := make(chan struct{}), make(chan struct{})
	w.platform.OnRefresh = func(tokens publish.Tokens) (publish.Tokens, error) {
		close(inside) // a second call would panic
		<-goOn
		return w.platform.Rotate(tokens)
	}
	w.clock.SetTime(start.Add(24 * time.Hour))
	var all sync.WaitGroup
	got := make([]string, 30)
	for i := range got {
		all.Go(func() {
			id := maya.ID
			if i%2 == 0 {
				id = acme.ID
			}
			a, err := w.keeper.Account(t.Context(), w.account(id))
			got[i] = fmt.Sprint(a.AccessToken, err)
		})
	}
	<-inside
	close(goOn)
	all.Wait()
	for _, g := range got {
		if !strings.HasSuffix(g, "-2<nil>") {
			t.Errorf("got %s", g)
		}
	}
	w.renewals(1, "thirty concurrent calls")
}

func TestRenew_CanceledCalls(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	inside, goOn := make(chan struct{}), make(chan struct{})
	w.platform.OnRefresh = func(tokens publish.Tokens) (publish.Tokens, error) {
		close(inside)
		<-goOn
		return w.platform.Rotate(tokens)
	}
	w.clock.SetTime(start.Add(24 * time.Hour))
	first, cancelFirst := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := w.keeper.Account(first, w.account(maya.ID))
		done <- err
	}()
	<-inside
	cancelFirst() // shutting down during the renewal
	second, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := w.keeper.Account(second, w.account(maya.ID))
	w.kind(err, publish.Transient, "a canceled call")
	close(goOn)
	<-done
	is(t, w.token(), "2", "the renewed token is stored although the call was canceled")
	w.renewals(1, "both calls")
}

func TestRenew_AfterARejection(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	used := w.token()
	a, err := w.keeper.Renew(t.Context(), w.account(maya.ID), used)
	if err != nil {
		t.Fatal(err)
	}
	is(t, a.AccessToken, "2", "a rejected token is renewed although it is fresh")
	if a, err = w.keeper.Renew(t.Context(), w.account(acme.ID), used); err != nil {
		t.Fatal(err)
	}
	is(t, a.AccessToken, "2", "a rejected older token is replaced by the stored one")
	w.renewals(1, "two rejections")

	w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) {
		return publish.Tokens{}, &publish.Error{Kind: publish.RateLimited, Safe: "Too many", RetryAfter: time.Minute}
	}
	_, err = w.keeper.Renew(t.Context(), w.account(maya.ID), a.AccessToken)
	if e := w.kind(err, publish.RateLimited, "a rate-limited platform"); e.RetryAfter != time.Minute {
		t.Error("the error has no retry time")
	}
	is(t, w.token(), "2", "after a failed renewal")
}

func TestRenew_TemporaryErrors(t *testing.T) {
	for why, trouble := range map[string]error{
		"down":                     &publish.Error{Kind: publish.Transient, Code: "503", Safe: "Down"},
		"a broken connection":      errors.New("reset"),
		"a wrong app secret":       &publish.Error{Kind: publish.Misconfigured, Code: "invalid_client", Safe: "Wrong secret"},
		"too many requests":        &publish.Error{Kind: publish.RateLimited, Safe: "Too many"},
		"an unexpected error":      &publish.Error{Kind: publish.Unauthorized, Safe: "What?"},
		"a truncated response":     &publish.Error{Kind: publish.Ambiguous, Safe: "Cut"},
		"no token in the response": nil,
	} {
		t.Run(why, func(t *testing.T) {
			w := newWorld(t, "tiktok", nil)
			w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) { return publish.Tokens{}, trouble }
			w.clock.SetTime(start.Add(23*time.Hour + 30*time.Minute))
			is(t, w.token(), "1", "the token is valid for half an hour")
			w.clock.SetTime(start.Add(25 * time.Hour))
			want := publish.Transient
			if e := (*publish.Error)(nil); errors.As(trouble, &e) && (e.Kind == publish.Misconfigured || e.Kind == publish.RateLimited) {
				want = e.Kind
			}
			w.fails(want, "once the token has expired")
			if s := w.see(maya.ID); s.Ended != nil || w.updates > 0 {
				t.Errorf("want no end of the permission and no write: %+v, %d writes", s.Ended, w.updates)
			}
			w.platform.OnRefresh = nil
			is(t, w.token(), "2", "after the error")
		})
	}
}

func TestRenew_PermissionEnds(t *testing.T) {
	for _, c := range []struct {
		why   string
		said  *publish.Error
		want  v1beta1.TokenStatus
		later publish.Kind
	}{
		{"rejected permanently", socialscript.Dead, v1beta1.TokenExpired, publish.Auth},
		{"revoked", &publish.Error{Kind: publish.Auth, Code: "revoked", Safe: "Taken back", Revoked: true}, v1beta1.TokenRevoked, publish.Auth},
		{"a scope was revoked", &publish.Error{Kind: publish.Scope, Code: "scope", Safe: "Too little"}, v1beta1.TokenInsufficientScope, publish.Scope},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := newWorld(t, "tiktok", nil)
			w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) { return publish.Tokens{}, c.said }
			w.clock.SetTime(start.Add(23*time.Hour + time.Minute))
			w.fails(c.later, "the call that fails")
			s := w.see(acme.ID)
			if s.Ended == nil || s.Ended.Status != c.want || len(w.woken) != 1 {
				t.Fatalf("got the record %+v, events %v", s.Ended, w.woken)
			}
			w.fails(c.later, "later calls")
			w.renewals(1, "no further renewals")
			w.platform.OnRefresh = nil
			w.connect("request-2")
			is(t, w.token(), "2", "after a reconnect")
			if s := w.see(acme.ID); s.Ended != nil {
				t.Errorf("the permission is still ended: %+v", s.Ended)
			}
		})
	}
}

func TestRenew_KeepsMissingFields(t *testing.T) {
	w := newWorld(t, "youtube", func(p *socialscript.Platform) { p.AccessLife, p.RefreshLife = time.Hour, 0 })
	w.platform.OnRefresh = func(old publish.Tokens) (publish.Tokens, error) {
		if old.RefreshToken == "" {
			return old, socialscript.Dead
		}
		return publish.Tokens{AccessToken: fmt.Sprintf("access-%d", w.platform.Count("refresh")), AccessExpiresAt: w.clock.Now().Add(time.Hour)}, nil
	}
	for i := 1; i <= 3; i++ {
		w.clock.SetTime(start.Add(time.Duration(i) * 2 * time.Hour))
		if got := w.token(); got != fmt.Sprintf("access-%d", i) {
			t.Errorf("renewal %d: got %s", i, got)
		}
	}
	if s := w.see(maya.ID); len(s.Scopes) != 1 || !s.EndsAt.IsZero() {
		t.Errorf("got scopes %v, end %s", s.Scopes, s.EndsAt)
	}
}

func TestToken_WithoutRenewal(t *testing.T) {
	// LinkedIn gives most apps no refresh token.
	w := newWorld(t, "linkedin", func(p *socialscript.Platform) { p.AccessLife, p.NoRefresh = 60*24*time.Hour, true })
	end := start.Add(60 * 24 * time.Hour)
	if s := w.see(maya.ID); s.Renewable || !s.RenewAt.IsZero() || !s.EndsAt.Equal(end) {
		t.Errorf("got %+v", s)
	}
	w.clock.SetTime(end.Add(-time.Second))
	is(t, w.token(), "1", "a second before the expiry")
	w.clock.SetTime(end)
	w.fails(publish.Auth, "afterwards")
	w.clock.SetTime(end.Add(-5 * time.Minute))
	is(t, w.token(), "1", "after the clock was corrected")
	w.renewals(0, "a permission without renewal is not renewed")
	w.platform.OnRefresh = func(old publish.Tokens) (publish.Tokens, error) {
		return old, &publish.Error{Kind: publish.Auth, Code: "no_refresh_token", Safe: "No way to renew it", Revoked: true}
	}
	_, err := w.keeper.Renew(t.Context(), w.account(maya.ID), w.token())
	if e := w.kind(err, publish.Auth, "a rejected token without renewal"); !e.Revoked {
		t.Error("the token is not recorded as revoked")
	}
	w.fails(publish.Auth, "after the rejection")
	w.renewals(1, "one call determines the reason")
}

func TestRefresh_InstagramRenewsTheAccessToken(t *testing.T) {
	w := newWorld(t, "instagram", func(p *socialscript.Platform) { p.AccessLife, p.NoRefresh = 60*24*time.Hour, true })
	w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) { return w.platform.Issue(), nil }
	s := w.see(maya.ID)
	if !s.Renewable || s.RenewAt.Before(start.Add(37*24*time.Hour)) || s.RenewAt.After(start.Add(41*24*time.Hour)) {
		t.Fatalf("got renewal at %s", s.RenewAt)
	}
	if err := w.keeper.Refresh(t.Context(), w.account(maya.ID)); err != nil || w.platform.Count("refresh") > 0 {
		t.Errorf("before the renewal time: got %v", err)
	}
	w.clock.SetTime(s.RenewAt)
	if err := w.keeper.Refresh(t.Context(), w.account(maya.ID)); err != nil {
		t.Fatal(err)
	}
	is(t, w.token(), "2", "at the renewal time")
	w.renewals(1, "once")
}

func TestToken_ClockJumps(t *testing.T) {
	for _, jump := range []time.Duration{5 * time.Minute, -5 * time.Minute} {
		w := newWorld(t, "tiktok", nil)
		w.clock.SetTime(start.Add(jump))
		is(t, w.token(), "1", "the clock jumps after the connection")
		w.clock.SetTime(start.Add(23*time.Hour + 30*time.Minute))
		is(t, w.token(), "2", "renewed")
		w.clock.SetTime(start.Add(23*time.Hour + 30*time.Minute + jump))
		is(t, w.token(), "2", "the clock jumps after a renewal")
		a, err := w.keeper.Renew(t.Context(), w.account(maya.ID), w.token())
		if err != nil {
			t.Fatal(err)
		}
		is(t, a.AccessToken, "3", "the platform rejects a token that is valid by the clock")
	}
}

func TestToken_OfAnotherAccount(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	for why, change := range map[string]func(*v1beta1.SocialAccount){
		"another account":  func(a *v1beta1.SocialAccount) { a.Spec.PlatformAccountID = "666" },
		"another brand":    func(a *v1beta1.SocialAccount) { a.Spec.BrandRef.Name = "tea" },
		"another platform": func(a *v1beta1.SocialAccount) { a.Spec.Platform = "youtube" },
		"no Secret":        func(a *v1beta1.SocialAccount) { a.Spec.TokenSecretRef.Name = "none" },
	} {
		a := w.account(maya.ID)
		change(a)
		_, err := w.keeper.Account(t.Context(), a)
		w.kind(err, publish.Auth, why)
		if s, err := w.keeper.See(t.Context(), a); err != nil || s.Problem == nil || s.Identity.Name != "" {
			t.Errorf("%s: got %+v, %v", why, s, err)
		}
	}

	// A Secret that is copied to another name or namespace cannot be opened. A foreign Secret is not changed.
	s := &corev1.Secret{}
	if err := w.client.Get(t.Context(), secret, s); err != nil {
		t.Fatal(err)
	}
	for _, copied := range []*corev1.Secret{
		{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "copy", Labels: s.Labels}, Type: s.Type, Data: s.Data},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "evil", Name: secret.Name, Labels: s.Labels}, Type: s.Type, Data: s.Data},
		{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "database"}, Data: map[string][]byte{"sealed": s.Data["sealed"]}},
	} {
		if err := w.client.Create(t.Context(), copied); err != nil {
			t.Fatal(err)
		}
		a := w.account(maya.ID)
		a.Namespace, a.Spec.TokenSecretRef.Name = copied.Namespace, copied.Name
		_, err := w.keeper.Account(t.Context(), a)
		w.kind(err, publish.Auth, "a copy at "+copied.Namespace+"/"+copied.Name)
	}
	err := w.keeper.Keep(t.Context(), types.NamespacedName{Namespace: "acme", Name: "database"}, &credential.Grant{}, metav1.OwnerReference{})
	if !errors.Is(err, credential.ErrForeign) {
		t.Errorf("a foreign Secret is overwritten: %v", err)
	}
}

func TestKeyFiles(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	w.keeper = w.another(key(2))
	w.fails(publish.Misconfigured, "without the key")
	if s := w.see(maya.ID); s.Problem == nil || s.Problem.Kind != publish.Misconfigured {
		t.Errorf("got %+v", s)
	}
	w.keeper = w.another(key(2), key(1))
	is(t, w.token(), "1", "with both keys")
	w.clock.SetTime(start.Add(24 * time.Hour))
	is(t, w.token(), "2", "renewed")
	w.keeper = w.another(key(2))
	is(t, w.token(), "2", "after a renewal without the old key")
}

func TestReseal_RemovesTheNeedForAnOldKey(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	w.keeper = w.another(key(2), key(1))
	if !w.see(maya.ID).OldKey {
		t.Error("tokens sealed with the second key of the file are not reported")
	}
	for range 2 {
		if err := w.keeper.Reseal(t.Context(), w.account(maya.ID)); err != nil {
			t.Fatal(err)
		}
	}
	if w.updates != 1 {
		t.Errorf("got %d updates of the Secret, want 1: tokens under the first key are not resealed", w.updates)
	}
	if w.see(maya.ID).OldKey {
		t.Error("resealed tokens are reported as sealed with an old key")
	}
	w.keeper = w.another(key(2))
	is(t, w.token(), "1", "without the old key, and not renewed")
}

func TestReseal_ReportsAConflict(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	w.keeper = w.another(key(2), key(1))
	w.onUpdate = func(func() error) error {
		return apierrors.NewConflict(schema.GroupResource{Resource: "secrets"}, secret.Name, errors.New("changed"))
	}
	if err := w.keeper.Reseal(t.Context(), w.account(maya.ID)); !apierrors.IsConflict(err) {
		t.Errorf("got %v, want the conflict, so that the next reconcile repeats it", err)
	}
	is(t, w.token(), "1", "after a conflict")
}

func TestRefused(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	used := w.token()
	for why, cause := range map[string]error{
		"another kind": &publish.Error{Kind: publish.Transient, Safe: "x"}, "not an error of a platform": errors.New("x"),
	} {
		if err := w.keeper.Refused(t.Context(), w.account(maya.ID), used, cause); err != nil || w.updates > 0 {
			t.Errorf("%s: got %v, %d writes", why, err, w.updates)
		}
	}
	revoked := &publish.Error{Kind: publish.Auth, Safe: "Taken back", Revoked: true}
	if err := w.keeper.Refused(t.Context(), w.account(maya.ID), "an older token", revoked); err != nil || w.updates > 0 {
		t.Errorf("a rejection of an older token is recorded: %v", err)
	}
	if err := w.keeper.Refused(t.Context(), w.account(maya.ID), used, revoked); err != nil {
		t.Fatal(err)
	}
	if s := w.see(maya.ID); s.Ended == nil || s.Ended.Status != v1beta1.TokenRevoked {
		t.Errorf("got %+v", s.Ended)
	}
}

// TestRefused_OneOfSeveral removes a page from a member. The member and the other pages can still publish.
func TestRefused_OneOfSeveral(t *testing.T) {
	w := newWorld(t, "linkedin", nil)
	used := w.token()
	denied := &publish.Error{Kind: publish.Scope, Code: "ACCESS_DENIED", Safe: "No role on the page"}
	for range 2 {
		if err := w.keeper.Refused(t.Context(), w.account(acme.ID), used, denied); err != nil {
			t.Fatal(err)
		}
	}
	check := func(why string) {
		t.Helper()
		if s := w.see(acme.ID); s.Ended == nil || s.Ended.Status != v1beta1.TokenInsufficientScope {
			t.Errorf("%s: page: got %+v", why, s.Ended)
		}
		_, err := w.keeper.Account(t.Context(), w.account(acme.ID))
		w.kind(err, publish.Scope, why)
		if s := w.see(maya.ID); s.Ended != nil {
			t.Errorf("%s: member: got %+v", why, s.Ended)
		}
		w.token()
	}
	check("at once")
	if w.updates != 1 || len(w.woken) != 1 {
		t.Errorf("got %d writes, events %v", w.updates, w.woken)
	}
	if _, err := w.keeper.Renew(t.Context(), w.account(maya.ID), used); err != nil {
		t.Fatal(err)
	}
	check("after a renewal")
	w.connect("request-2")
	if s := w.see(acme.ID); s.Ended != nil {
		t.Errorf("after a reconnect: got %+v", s.Ended)
	}
	revoked := &publish.Error{Kind: publish.Auth, Safe: "Taken back", Revoked: true}
	if err := w.keeper.Refused(t.Context(), w.account(acme.ID), w.token(), revoked); err != nil {
		t.Fatal(err)
	}
	if s := w.see(maya.ID); s.Ended == nil {
		t.Error("a revoked permission ends all accounts")
	}
}

func TestDescribe(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	if err := w.keeper.Describe(t.Context(), w.account(maya.ID), publish.Identity{ID: "other", Username: "maya"}); err != nil || w.updates > 0 {
		t.Errorf("an unchanged identity is written: %v", err)
	}
	if err := w.keeper.Describe(t.Context(), w.account(maya.ID), publish.Identity{ID: "other", Name: "Maya B", AvatarURL: "https://x.example/1"}); err != nil {
		t.Fatal(err)
	}
	if got := w.see(maya.ID).Identity; got.Name != "Maya B" || got.Username != "maya" || got.ID != maya.ID || got.AvatarURL == "" {
		t.Errorf("got %+v", got)
	}
}
