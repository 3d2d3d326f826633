// SPDX-License-Identifier: Apache-2.0

package connectionrequest_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/connectionrequest"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/socialscript"
)

// cluster serves all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

var (
	maya = publish.Identity{ID: "7001", Name: "Maya", Username: "maya"}
	acme = publish.Identity{ID: "7002", Name: "Acme", Type: "page"}
	omar = publish.Identity{ID: "7003", Name: "Omar"}
)

// world is a namespace with a brand, a platform and a manager that can restart.
type world struct {
	t         *testing.T
	namespace string
	clock     *testclock.FakePassiveClock
	platform  *socialscript.Platform
	consent   *consent.Sealer
	recorder  *testkit.Recorder
	keeper    *credential.Keeper
	r         *connectionrequest.Reconciler
	events    *events.FakeRecorder
	requests  int
}

func newWorld(t *testing.T, name v1beta1.Platform, people ...publish.Identity) *world {
	t.Helper()
	cluster.Start(t)
	w := &world{t: t, clock: testclock.NewFakePassiveClock(time.Now())}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "connect-"}}
	if err := cluster.Client.Create(t.Context(), ns); err != nil {
		t.Fatal(err)
	}
	w.namespace = ns.Name
	if err := cluster.Client.Create(t.Context(), testkit.Brand(ns.Name, "coffee")); err != nil {
		t.Fatal(err)
	}
	var err error
	if w.consent, err = consent.NewSealer(bytes.Repeat([]byte{9}, 32), w.clock); err != nil {
		t.Fatal(err)
	}
	w.platform = socialscript.New(name, w.clock, people...)
	w.restart()
	return w
}

// restart starts a new manager for the namespace.
func (w *world) restart() {
	w.t.Helper()
	var err error
	if w.recorder, err = cluster.Recorder(nil); err != nil {
		w.t.Fatal(err)
	}
	sealer, err := envelope.New(bytes.Repeat([]byte{1}, envelope.KeyBytes))
	if err != nil {
		w.t.Fatal(err)
	}
	platforms := map[v1beta1.Platform]publish.Platform{w.platform.Name(): w.platform}
	w.keeper = credential.New(credential.Config{Client: w.recorder, Sealer: sealer, Platforms: platforms, Clock: w.clock})
	w.events = events.NewFakeRecorder(100)
	w.r = &connectionrequest.Reconciler{
		Client: w.recorder, Live: cluster.Client, Keeper: w.keeper, Consent: w.consent, Platforms: platforms, Events: w.events, Clock: w.clock,
	}
}

// approve creates the request that the front end creates after an approval.
func (w *world) approve(change ...func(*v1beta1.ConnectionRequest)) *v1beta1.ConnectionRequest {
	w.t.Helper()
	w.requests++
	name := fmt.Sprintf("connect-%d", w.requests)
	sealed, err := w.consent.SealCode(consent.Code{Code: "secret-code", RedirectURI: "https://reelops.example/cb"}, w.namespace, name)
	if err != nil {
		w.t.Fatal(err)
	}
	q := &v1beta1.ConnectionRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name},
		Spec:       v1beta1.ConnectionRequestSpec{BrandRef: v1beta1.LocalRef{Name: "coffee"}, Platform: w.platform.Name(), SealedCode: sealed, Nonce: name},
	}
	for _, c := range change {
		c(q)
	}
	if err := cluster.Client.Create(w.t.Context(), q); err != nil {
		w.t.Fatal(err)
	}
	return q
}

// pass runs one pass. It returns an error if the request no longer exists.
func (w *world) pass(q *v1beta1.ConnectionRequest) error {
	w.t.Helper()
	if err := cluster.Client.Get(w.t.Context(), client.ObjectKeyFromObject(q), q); err != nil {
		return err
	}
	_, err := w.r.Reconcile(w.t.Context(), q.DeepCopy())
	if gerr := cluster.Client.Get(w.t.Context(), client.ObjectKeyFromObject(q), q); err == nil {
		err = gerr
	}
	return err
}

// settle runs passes until the request has ended.
func (w *world) settle(q *v1beta1.ConnectionRequest) *v1beta1.ConnectionRequest {
	w.t.Helper()
	var err error
	for range 20 {
		if err = w.pass(q); q.Status.State.Settled() {
			return q
		}
	}
	w.t.Fatalf("the request does not end: %+v, %v", q.Status, err)
	return nil
}

func (w *world) accounts() map[string]*v1beta1.SocialAccount {
	w.t.Helper()
	var l v1beta1.SocialAccountList
	if err := cluster.Client.List(w.t.Context(), &l, client.InNamespace(w.namespace)); err != nil {
		w.t.Fatal(err)
	}
	out := map[string]*v1beta1.SocialAccount{}
	for i := range l.Items {
		id := l.Items[i].Spec.PlatformAccountID
		if out[id] != nil {
			w.t.Errorf("account %s exists twice", id)
		}
		out[id] = &l.Items[i]
	}
	return out
}

func (w *world) secrets() map[string][]types.UID {
	w.t.Helper()
	var l corev1.SecretList
	if err := cluster.Client.List(w.t.Context(), &l, client.InNamespace(w.namespace), client.MatchingLabels{v1beta1.LabelComponent: credential.Component}); err != nil {
		w.t.Fatal(err)
	}
	out := map[string][]types.UID{}
	for _, s := range l.Items {
		out[s.Name] = nil
		for _, o := range s.OwnerReferences {
			out[s.Name] = append(out[s.Name], o.UID)
		}
	}
	return out
}

// usesPair checks the pair of tokens that is used for calls of an account.
func (w *world) usesPair(a *v1beta1.SocialAccount, pair string) {
	w.t.Helper()
	got, err := w.keeper.Account(w.t.Context(), a)
	if err != nil || !strings.HasSuffix(got.AccessToken, "-"+pair) {
		w.t.Errorf("account %s uses the token %s (%v), want pair %s", a.Name, got.AccessToken, err, pair)
	}
}

func TestConnect(t *testing.T) {
	w := newWorld(t, "tiktok", maya)
	q := w.settle(w.approve())
	if q.Status.State != v1beta1.WorkSucceeded || len(q.Status.Accounts) != 1 || q.Status.Error != nil || q.Status.FinishedAt == nil {
		t.Fatalf("got status %+v", q.Status)
	}
	a := w.accounts()["7001"]
	if a == nil || a.Name != connectionrequest.Name("coffee", "tiktok", "7001") || a.Labels[v1beta1.LabelBrand] != "coffee" || a.Spec.TokenSecretRef.Name != a.Name+"-tokens" {
		t.Fatalf("got account %+v", a)
	}
	if diff := cmp.Diff(map[string][]types.UID{a.Name + "-tokens": {a.UID}}, w.secrets()); diff != "" {
		t.Errorf("want one Secret, owned by the account (-want +got):\n%s", diff)
	}
	w.usesPair(a, "1")
	want := []string{"patch ConnectionRequest/status", "patch ConnectionRequest/status", "create Secret", "create SocialAccount", "patch Secret", "patch ConnectionRequest/status"}
	if diff := cmp.Diff(want, w.recorder.Writes); diff != "" {
		t.Error(diff)
	}
	if got := <-w.events.Events; !strings.Contains(got, "connected 1 accounts") {
		t.Error(got)
	}
	if err := w.pass(q); err != nil || len(w.recorder.Writes) != len(want) {
		t.Errorf("a pass after the end wrote %v, error %v", w.recorder.Writes[len(want):], err)
	}
	w.clock.SetTime(w.clock.Now().Add(time.Hour + time.Second))
	if err := w.pass(q); !apierrors.IsNotFound(err) {
		t.Errorf("the request is not deleted after an hour: %v", err)
	}
}

func TestConnect_AgainKeepsTheAccount(t *testing.T) {
	w := newWorld(t, "tiktok", maya)
	w.settle(w.approve())
	before := w.accounts()["7001"]
	w.settle(w.approve())
	after := w.accounts()["7001"]
	if after == nil || after.UID != before.UID || after.Generation != before.Generation {
		t.Errorf("reconnecting replaced the account: %+v", after)
	}
	w.usesPair(after, "2")
	if len(w.secrets()) != 1 {
		t.Errorf("got Secrets %v, want one", w.secrets())
	}

	w.platform.People = []publish.Identity{omar}
	w.settle(w.approve())
	all := w.accounts()
	if len(all) != 2 || all["7001"].UID != before.UID {
		t.Fatalf("got accounts %v, want the account of each of the two people", all)
	}
	w.usesPair(all["7001"], "2")
	w.usesPair(all["7003"], "3")
}

func TestConnect_AdoptsAnAccountOfAManifest(t *testing.T) {
	w := newWorld(t, "tiktok", maya)
	own := &v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "our-tiktok", Labels: map[string]string{v1beta1.LabelID: "42"}},
		Spec: v1beta1.SocialAccountSpec{
			BrandRef: v1beta1.LocalRef{Name: "coffee"}, Platform: "tiktok", PlatformAccountID: "7001", TokenSecretRef: v1beta1.LocalRef{Name: "lost-in-the-move"},
		},
	}
	if err := cluster.Client.Create(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	q := w.settle(w.approve())
	a := w.accounts()["7001"]
	if !slices.Equal(q.Status.Accounts, []string{"our-tiktok"}) || a.UID != own.UID || a.Labels[v1beta1.LabelID] != "42" {
		t.Errorf("got accounts %v in the status, account %+v", q.Status.Accounts, a)
	}
	w.usesPair(a, "1")
}

func TestConnect_SeveralAccountsShareOneGrant(t *testing.T) {
	w := newWorld(t, "linkedin", maya, acme)
	q := w.settle(w.approve())
	if len(q.Status.Accounts) != 2 {
		t.Fatalf("got status %+v", q.Status)
	}
	all := w.accounts()
	secret := all["7001"].Name + "-tokens"
	if diff := cmp.Diff(map[string][]types.UID{secret: {all["7001"].UID, all["7002"].UID}}, w.secrets()); diff != "" {
		t.Errorf("want one Secret, owned by both accounts (-want +got):\n%s", diff)
	}
	w.usesPair(all["7001"], "1")
	w.usesPair(all["7002"], "1")
	w.clock.SetTime(w.clock.Now().Add(24 * time.Hour))
	w.usesPair(all["7002"], "2")
	w.usesPair(all["7001"], "2") // a separate renewal for the page would invalidate the tokens of the member

	// Another member connects the page: the first member's Secret no longer belongs to it.
	w.platform.People = []publish.Identity{omar, acme}
	w.clock.SetTime(time.Now()) // the clock of the cluster is not affected
	w.settle(w.approve())
	all = w.accounts()
	want := map[string][]types.UID{secret: {all["7001"].UID}, all["7003"].Name + "-tokens": {all["7003"].UID, all["7002"].UID}}
	if diff := cmp.Diff(want, w.secrets()); diff != "" {
		t.Error(diff)
	}
	w.usesPair(all["7002"], "3")
	// A third member connects only the page: a Secret without owners is deleted.
	w.platform.People = []publish.Identity{acme}
	w.settle(w.approve())
	all = w.accounts()
	want = map[string][]types.UID{secret: {all["7001"].UID}, all["7003"].Name + "-tokens": {all["7003"].UID}, all["7002"].Name + "-tokens": {all["7002"].UID}}
	if diff := cmp.Diff(want, w.secrets()); diff != "" {
		t.Error(diff)
	}
}

func TestConnect_Errors(t *testing.T) {
	for _, c := range []struct {
		why     string
		before  func(*world)
		change  func(*v1beta1.ConnectionRequest)
		code    string
		says    string
		calls   int
		retries bool
	}{
		{why: "the platform rejects the code", before: func(w *world) {
			w.platform.OnExchange = func() error { return &publish.Error{Kind: publish.Auth, Safe: "The code has ended."} }
		}, code: "token_expired", says: "TikTok did not accept the approval. The code has ended.", calls: 1, retries: true},
		{why: "the response is lost", before: func(w *world) {
			w.platform.OnExchange = func() error { return &publish.Error{Kind: publish.Transient, Safe: "x", Err: errors.New("reset")} }
		}, code: "internal_error", says: "approve again", calls: 1, retries: true},
		{why: "the app is misconfigured", before: func(w *world) {
			w.platform.OnExchange = func() error { return &publish.Error{Kind: publish.Misconfigured, Safe: "Unknown client."} }
		}, code: "platform_not_configured", says: "an operator", calls: 1},
		{why: "no account to publish to", before: func(w *world) { w.platform.People = nil }, code: "internal_error", says: "returned no account", calls: 1},
		{why: "no app configured", before: func(w *world) { w.platform.NotSetUp = []string{"client_id"} }, code: "platform_not_configured", says: "no app on TikTok"},
		{why: "no brand", change: func(q *v1beta1.ConnectionRequest) { q.Spec.BrandRef.Name = "gone" }, code: "not_found", says: "brand"},
		{why: "a code sealed for another request", change: func(q *v1beta1.ConnectionRequest) { q.Name += "-copy" }, code: "internal_error", says: "cannot be read", retries: true},
		{why: "the code expires before a manager runs", before: func(w *world) { w.clock.SetTime(time.Now().Add(11 * time.Minute)) }, code: "internal_error", says: "expired before", retries: true},
		{why: "a foreign Secret has the name", before: func(w *world) {
			s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: connectionrequest.Name("coffee", "tiktok", "7001") + "-tokens"}}
			if err := cluster.Client.Create(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}, code: "conflict", says: "not Reelops' own", calls: 1, retries: true},
		{why: "the SocialAccount belongs to another platform account", before: func(w *world) {
			a := &v1beta1.SocialAccount{
				ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: connectionrequest.Name("coffee", "tiktok", "7001")},
				Spec: v1beta1.SocialAccountSpec{
					BrandRef: v1beta1.LocalRef{Name: "coffee"}, Platform: "tiktok", PlatformAccountID: "666", TokenSecretRef: v1beta1.LocalRef{Name: "x"},
				},
			}
			if err := cluster.Client.Create(t.Context(), a); err != nil {
				t.Fatal(err)
			}
		}, code: "conflict", says: "another account", calls: 1, retries: true},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := newWorld(t, "tiktok", maya)
			if c.before != nil {
				c.before(w)
			}
			var changes []func(*v1beta1.ConnectionRequest)
			if c.change != nil {
				changes = append(changes, c.change)
			}
			q := w.settle(w.approve(changes...))
			e := q.Status.Error
			if q.Status.State != v1beta1.WorkFailed || e == nil || e.Code != c.code || !strings.Contains(e.Message, c.says) || e.Retryable != c.retries {
				t.Errorf("got state %s, error %+v", q.Status.State, e)
			}
			if n := w.platform.Count("exchange"); n != c.calls {
				t.Errorf("got %d calls, want %d", n, c.calls)
			}
			if len(q.Status.Accounts) != 0 {
				t.Errorf("a failed request names the accounts %v", q.Status.Accounts)
			}
			if !strings.HasPrefix(<-w.events.Events, "Warning Failed") {
				t.Error("want a Failed event")
			}
		})
	}
}

// TestConnect_SurvivesFaults fails every write, before and after it is applied, with and without a restart of the
// manager. The code is sent once. The account is connected, or the error requests a new approval.
func TestConnect_SurvivesFaults(t *testing.T) {
	for _, people := range [][]publish.Identity{{maya}, {maya, acme}} {
		probe := newWorld(t, "linkedin", people...)
		probe.settle(probe.approve())
		for _, cell := range testkit.Cells(probe.recorder.Writes) {
			for _, dies := range []bool{false, true} {
				t.Run(fmt.Sprintf("%d accounts, %s, process dies: %t", len(people), cell, dies), func(t *testing.T) {
					w := newWorld(t, "linkedin", people...)
					w.recorder.FailAt, w.recorder.Fault = cell.At, cell.Fault
					q := w.approve()
					err := w.pass(q)
					if err == nil && len(w.recorder.Writes) >= cell.At && !q.Status.State.Settled() {
						t.Error("a pass with a failed write returns no error")
					}
					if dies {
						w.restart()
					}
					w.settle(q)
					if got := w.platform.Count("exchange"); got > 1 {
						t.Fatalf("the code was sent %d times", got)
					}
					if q.Status.State == v1beta1.WorkFailed {
						// Allowed only if the outcome of the code is unknown: its intent is recorded, and no
						// response is stored.
						if !strings.Contains(q.Status.Error.Message, "approve again") || cell.At > 3 || (!dies && cell.At > 1) {
							t.Fatalf("the connection failed although the outcome of the code is known: %+v", q.Status.Error)
						}
						w.restart()
						q = w.settle(w.approve())
					}
					all := w.accounts()
					if q.Status.State != v1beta1.WorkSucceeded || len(all) != len(people) {
						t.Fatalf("got status %+v, accounts %v", q.Status, all)
					}
					for name, owners := range w.secrets() {
						if len(owners) != len(people) || name != all[people[0].ID].Name+"-tokens" {
							t.Errorf("Secret %s is owned by %v", name, owners)
						}
					}
					for _, a := range all {
						if _, err := w.keeper.Account(t.Context(), a); err != nil {
							t.Errorf("account %s: %v", a.Name, err)
						}
					}
				})
			}
		}
	}
}
