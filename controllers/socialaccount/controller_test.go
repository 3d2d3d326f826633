// SPDX-License-Identifier: Apache-2.0

package socialaccount

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/socialscript"
)

// cluster serves all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

var maya = publish.Identity{ID: "7001", Name: "Maya", Username: "maya", ProfileURL: "https://tiktok.example/@maya", AvatarURL: "javascript:alert(1)", Type: "creator"}

// world is one account, connected at noon, and a manager.
type world struct {
	t        *testing.T
	clock    *testclock.FakePassiveClock
	platform *socialscript.Platform
	recorder *testkit.Recorder
	keeper   *credential.Keeper
	r        *Reconciler
	events   *events.FakeRecorder
	account  *v1beta1.SocialAccount
	requests int
}

func newWorld(t *testing.T, name v1beta1.Platform) *world {
	t.Helper()
	cluster.Start(t)
	w := &world{t: t, clock: testclock.NewFakePassiveClock(noon), events: events.NewFakeRecorder(100)}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "social-"}}
	for _, create := range []func() client.Object{
		func() client.Object { return ns },
		func() client.Object { return testkit.Brand(ns.Name, "coffee") },
		func() client.Object {
			w.account = &v1beta1.SocialAccount{
				ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "maya"},
				Spec: v1beta1.SocialAccountSpec{
					BrandRef: v1beta1.LocalRef{Name: "coffee"}, Platform: name, PlatformAccountID: maya.ID, TokenSecretRef: v1beta1.LocalRef{Name: "maya-tokens"},
				},
			}
			return w.account
		},
	} {
		if err := cluster.Client.Create(t.Context(), create()); err != nil {
			t.Fatal(err)
		}
	}
	w.platform = socialscript.New(name, w.clock, maya)
	w.restart()
	return w
}

// restart starts a manager with the keys of these generations, the first of which seals. The default is generation 1.
func (w *world) restart(generations ...byte) {
	w.t.Helper()
	if len(generations) == 0 {
		generations = []byte{1}
	}
	var keys [][]byte
	for _, g := range generations {
		keys = append(keys, bytes.Repeat([]byte{g}, envelope.KeyBytes))
	}
	sealer, err := envelope.New(keys...)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.recorder, err = cluster.Recorder(nil); err != nil {
		w.t.Fatal(err)
	}
	platforms := map[v1beta1.Platform]publish.Platform{w.platform.Name(): w.platform}
	w.keeper = credential.New(credential.Config{Client: cluster.Client, Sealer: sealer, Platforms: platforms, Clock: w.clock})
	w.r = &Reconciler{
		Client: w.recorder, Keeper: w.keeper, Platforms: platforms, Clock: w.clock, Events: w.events,
		NextID: func(context.Context) (int64, error) { return 9, nil },
	}
}

// connect stores the tokens of an approval.
func (w *world) connect(change ...func(*credential.Grant)) {
	w.t.Helper()
	w.requests++
	g := &credential.Grant{
		Request: fmt.Sprint(w.requests), Platform: w.platform.Name(), Brand: "coffee", Identities: w.platform.People, ConnectedAt: w.clock.Now(), Tokens: w.platform.Issue(),
	}
	for _, c := range change {
		c(g)
	}
	key := types.NamespacedName{Namespace: w.account.Namespace, Name: "maya-tokens"}
	if err := w.keeper.Keep(w.t.Context(), key, g, credential.OwnerReference("SocialAccount", w.account)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) pass() (ctrl.Result, error) {
	w.t.Helper()
	key := client.ObjectKeyFromObject(w.account)
	if err := cluster.Client.Get(w.t.Context(), key, w.account); err != nil {
		w.t.Fatal(err)
	}
	r, err := w.r.Reconcile(w.t.Context(), w.account.DeepCopy())
	if err := cluster.Client.Get(w.t.Context(), key, w.account); err != nil {
		w.t.Fatal(err)
	}
	return r, err
}

// good is a pass that must not fail.
func (w *world) good() ctrl.Result {
	w.t.Helper()
	r, err := w.pass()
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) is(status v1beta1.TokenStatus, reason v1beta1.Reason) {
	w.t.Helper()
	st := w.account.Status
	ready := meta.FindStatusCondition(st.Conditions, string(v1beta1.ConditionReady))
	connected := meta.FindStatusCondition(st.Conditions, string(v1beta1.ConditionConnected))
	if st.TokenStatus != status || ready == nil || ready.Reason != string(reason) || connected == nil {
		w.t.Fatalf("got token status %s, conditions %+v", st.TokenStatus, st.Conditions)
	}
	if (connected.Status == metav1.ConditionTrue) != status.Usable() && reason != v1beta1.ReasonTokenKeyMissing {
		w.t.Errorf("got condition %+v", connected)
	}
	if stalled := meta.IsStatusConditionTrue(st.Conditions, string(v1beta1.ConditionStalled)); stalled == status.Usable() {
		w.t.Errorf("stalled is %t with the status %s", stalled, status)
	}
	if st.ObservedGeneration != w.account.Generation || ready.ObservedGeneration != w.account.Generation {
		w.t.Error("the generation is not observed")
	}
}

func TestAccount_Connected(t *testing.T) {
	w := newWorld(t, "tiktok")
	w.connect()
	w.good()
	w.is(v1beta1.TokenActive, v1beta1.ReasonConnected)
	st := w.account.Status
	if st.AccountName != "Maya" || st.Username != "maya" || st.ProfileURL != maya.ProfileURL || st.AvatarURL != "" || st.AccountType != "creator" {
		t.Errorf("want the profile without URLs that are not HTTPS: %+v", st)
	}
	if !st.TokenExpiresAt.Equal(&metav1.Time{Time: noon.Add(365 * 24 * time.Hour)}) || !st.ConnectedAt.Equal(&metav1.Time{Time: noon}) || cmp.Diff([]string{"publish"}, st.Scopes) != "" {
		t.Errorf("got status %+v", st)
	}
	if w.account.Labels[v1beta1.LabelID] != "9" || w.account.Labels[v1beta1.LabelBrand] != "coffee" {
		t.Errorf("got labels %v", w.account.Labels)
	}
	if got := <-w.events.Events; !strings.HasPrefix(got, "Normal Connected") {
		t.Error(got)
	}
	writes := len(w.recorder.Writes)
	for range 3 {
		w.good()
	}
	w.restart()
	w.good()
	if len(w.recorder.Writes) > 0 || writes != 2 || len(w.events.Events) > 0 {
		t.Errorf("a pass in steady state wrote %v", w.recorder.Writes)
	}
}

func TestRenewal_InTime(t *testing.T) {
	w := newWorld(t, "tiktok")
	w.connect()
	r := w.good()
	renew := w.account.Status.RefreshAt.Time
	if renew.Before(noon.Add(14*time.Hour)) || renew.After(noon.Add(17*time.Hour)) || r.RequeueAfter > headroomEvery {
		t.Fatalf("got the renewal at %s, requeued after %s", renew, r.RequeueAfter)
	}
	w.clock.SetTime(renew.Add(-time.Minute))
	if r := w.good(); r.RequeueAfter > time.Minute+time.Second || w.platform.Count("refresh") > 0 {
		t.Errorf("requeued after %s, after %d renewals", r.RequeueAfter, w.platform.Count("refresh"))
	}
	w.clock.SetTime(renew.Add(time.Second))
	w.good()
	w.is(v1beta1.TokenActive, v1beta1.ReasonConnected)
	if w.platform.Count("refresh") != 1 || !w.account.Status.RefreshAt.After(renew.Add(10*time.Hour)) {
		t.Errorf("got %d renewals, next at %s", w.platform.Count("refresh"), w.account.Status.RefreshAt)
	}
}

func TestReconcile_SealsTokensWithTheNewKeyAfterARestart(t *testing.T) {
	w := newWorld(t, "tiktok")
	w.connect()
	w.good()
	w.restart(2, 1)
	w.good()
	w.restart(2)
	w.good()
	w.is(v1beta1.TokenActive, v1beta1.ReasonConnected)
}

func TestRenewal_TemporaryErrors(t *testing.T) {
	w := newWorld(t, "tiktok")
	w.connect()
	w.good()
	before := w.account.ResourceVersion
	w.clock.SetTime(noon.Add(20 * time.Hour))
	w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) {
		return publish.Tokens{}, &publish.Error{Kind: publish.Transient, Safe: "Down"}
	}
	if _, err := w.pass(); err == nil {
		t.Error("a failed renewal returns no error")
	}
	w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) {
		return publish.Tokens{}, &publish.Error{Kind: publish.RateLimited, Safe: "Too many", RetryAfter: 7 * time.Minute}
	}
	if r := w.good(); r.RequeueAfter != 7*time.Minute {
		t.Errorf("got a wait of %s, want that of the platform", r.RequeueAfter)
	}
	w.clock.SetTime(noon.Add(30 * time.Hour)) // the access token has expired, the permission has not
	if r := w.good(); r.RequeueAfter != 7*time.Minute {
		t.Errorf("requeued after %s", r.RequeueAfter)
	}
	w.is(v1beta1.TokenActive, v1beta1.ReasonConnected)
	if w.account.ResourceVersion != before {
		t.Error("a temporary error is written")
	}
	w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) {
		return publish.Tokens{}, &publish.Error{Kind: publish.Misconfigured, Code: "invalid_client", Safe: "TikTok does not know the app's secret"}
	}
	if r := w.good(); r.RequeueAfter != misconfiguredWait {
		t.Errorf("requeued after %s", r.RequeueAfter)
	}
	w.is(v1beta1.TokenActive, v1beta1.ReasonNotConfigured)
	w.platform.OnRefresh = nil
	w.good()
	w.is(v1beta1.TokenActive, v1beta1.ReasonConnected)
}

func TestAccount_ReconnectsAfterItsTokenEnded(t *testing.T) {
	for _, c := range []struct {
		why    string
		said   *publish.Error
		status v1beta1.TokenStatus
		reason v1beta1.Reason
	}{
		{"expired", socialscript.Dead, v1beta1.TokenExpired, v1beta1.ReasonTokenExpired},
		{"revoked", &publish.Error{Kind: publish.Auth, Safe: "Taken back", Revoked: true}, v1beta1.TokenRevoked, v1beta1.ReasonTokenRevoked},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := newWorld(t, "tiktok")
			w.connect()
			w.good()
			<-w.events.Events
			w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) { return publish.Tokens{}, c.said }
			w.clock.SetTime(noon.Add(20 * time.Hour))
			w.good()
			w.is(c.status, c.reason)
			if got := <-w.events.Events; !strings.HasPrefix(got, "Warning "+string(c.reason)) {
				t.Error(got)
			}
			w.good()
			w.restart()
			w.good()
			if n := w.platform.Count("refresh"); n != 1 || len(w.recorder.Writes) > 0 {
				t.Errorf("got %d renewals, wrote %v", n, w.recorder.Writes)
			}
			id, uid := w.account.Labels[v1beta1.LabelID], w.account.UID
			w.platform.OnRefresh = nil
			w.connect()
			w.good()
			w.is(v1beta1.TokenActive, v1beta1.ReasonConnected)
			if w.account.Labels[v1beta1.LabelID] != id || w.account.UID != uid {
				t.Error("reconnecting changed the id")
			}
		})
	}
}

func TestAccount_WithoutARefreshToken(t *testing.T) {
	w := newWorld(t, "linkedin")
	w.platform.AccessLife, w.platform.NoRefresh = 60*24*time.Hour, true
	w.connect()
	w.good()
	w.is(v1beta1.TokenActive, v1beta1.ReasonConnected)
	end := noon.Add(60 * 24 * time.Hour)
	w.clock.SetTime(end.Add(-72 * time.Hour))
	w.good()
	w.is(v1beta1.TokenExpiringSoon, v1beta1.ReasonConnectAgainSoon)
	w.clock.SetTime(end.Add(-72*time.Hour - 5*time.Minute))
	w.good()
	w.is(v1beta1.TokenActive, v1beta1.ReasonConnected) // the clock was wrong, and is corrected
	w.clock.SetTime(end)
	w.good()
	w.is(v1beta1.TokenExpired, v1beta1.ReasonTokenExpired)
	if w.platform.Count("refresh") > 0 {
		t.Error("got a renewal without a refresh token")
	}
}

func TestAccount_MissingDependencies(t *testing.T) {
	w := newWorld(t, "tiktok")
	w.good()
	w.is(v1beta1.TokenExpired, v1beta1.ReasonTokenExpired) // no Secret
	w.connect(func(g *credential.Grant) { g.Lacking = []string{"video.publish"} })
	w.good()
	w.is(v1beta1.TokenInsufficientScope, v1beta1.ReasonScopeMissing)
	w.connect(func(g *credential.Grant) { g.Identities = []publish.Identity{{ID: "other"}} })
	w.good()
	w.is(v1beta1.TokenRevoked, v1beta1.ReasonTokenRevoked)
	w.connect()
	w.platform.NotSetUp = []string{"client_id"}
	w.good()
	w.is(v1beta1.TokenActive, v1beta1.ReasonNotConfigured)
	w.platform.NotSetUp = nil
	if err := cluster.Client.Delete(t.Context(), testkit.Brand(w.account.Namespace, "coffee")); err != nil {
		t.Fatal(err)
	}
	w.good()
	w.is(v1beta1.TokenActive, v1beta1.ReasonBrandNotFound)
}

func TestHeadroom(t *testing.T) {
	w := newWorld(t, "instagram")
	w.platform.OnHeadroom = func(publish.Account) (*publish.Headroom, error) {
		return &publish.Headroom{Used: 0, Max: 100, Window: 24 * time.Hour}, nil
	}
	w.connect()
	w.good()
	want := &v1beta1.Headroom{Used: 0, Max: 100, WindowSeconds: 86400, ObservedAt: metav1.NewTime(noon)}
	same := func(why string) {
		t.Helper()
		if h := w.account.Status.Headroom; h == nil || h.Used != want.Used || h.Max != want.Max || h.WindowSeconds != want.WindowSeconds || !h.ObservedAt.Equal(&want.ObservedAt) {
			t.Errorf("%s: got %+v, want %+v", why, h, want)
		}
	}
	same("after the first read")
	w.clock.SetTime(noon.Add(time.Hour))
	w.good()
	if n := w.platform.Count("headroom"); n != 1 {
		t.Errorf("got %d calls within the interval", n)
	}
	writes := len(w.recorder.Writes)
	w.clock.SetTime(noon.Add(headroomEvery))
	w.good()
	same("without changes")
	if n := w.platform.Count("headroom"); n != 2 || len(w.recorder.Writes) != writes {
		t.Errorf("got %d calls, wrote %v", n, w.recorder.Writes[writes:])
	}
	reset := noon.Add(20 * time.Hour)
	w.platform.OnHeadroom = func(publish.Account) (*publish.Headroom, error) {
		return &publish.Headroom{Used: 100, Max: 100, Window: 24 * time.Hour, Limited: true, ResetsAt: reset}, nil
	}
	w.clock.SetTime(noon.Add(2 * headroomEvery))
	w.good()
	want.Used, want.ObservedAt = 100, metav1.NewTime(noon.Add(2*headroomEvery))
	same("used up")
	if !w.account.Status.LimitedUntil.Equal(&metav1.Time{Time: reset}) {
		t.Errorf("limited until %s", w.account.Status.LimitedUntil)
	}
}

func TestHeadroom_ReportsALostPermission(t *testing.T) {
	for _, c := range []struct {
		why  string
		said *publish.Error
		want v1beta1.TokenStatus
	}{
		{"the token is rejected, and cannot be renewed", &publish.Error{Kind: publish.Unauthorized, Safe: "x"}, v1beta1.TokenExpired},
		{"the app was removed", &publish.Error{Kind: publish.Auth, Safe: "x", Revoked: true}, v1beta1.TokenRevoked},
		{"a scope was revoked", &publish.Error{Kind: publish.Scope, Safe: "x"}, v1beta1.TokenInsufficientScope},
		{"the platform is down", &publish.Error{Kind: publish.Transient, Safe: "x"}, v1beta1.TokenActive},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := newWorld(t, "tiktok")
			w.connect()
			w.platform.OnHeadroom = func(publish.Account) (*publish.Headroom, error) { return nil, c.said }
			w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) { return publish.Tokens{}, socialscript.Dead }
			w.good()
			if got := w.account.Status.TokenStatus; got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestIdentity_IsRefreshed(t *testing.T) {
	w := newWorld(t, "tiktok")
	w.connect()
	w.platform.OnIdentify = func(a publish.Account) (*publish.Identity, error) {
		return &publish.Identity{ID: a.ID, Name: "Maya's Kitchen"}, nil
	}
	w.good()
	if w.account.Status.AccountName != "Maya" || w.platform.Count("identify") > 0 {
		t.Error("the identity is read again right after the approval")
	}
	w.clock.SetTime(noon.Add(identityEvery))
	w.good()
	if st := w.account.Status; st.AccountName != "Maya's Kitchen" || st.Username != "maya" {
		t.Errorf("got status %+v", st)
	}
}
