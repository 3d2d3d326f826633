// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

// cluster serves all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) {
	log.SetLogger(logr.Discard())
	cluster.Main(m)
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func n(i int64) *int64 { return &i }

// script is a platform with scripted responses.
type script struct {
	mu        sync.Mutex
	followers int64
	posts     []analytics.Post
	calls     []string
	tokens    []string
	on        func(call string, a publish.Account) error
}

func (s *script) record(call string, a publish.Account) error {
	s.mu.Lock()
	s.calls, s.tokens = append(s.calls, call), append(s.tokens, a.AccessToken)
	on := s.on
	s.mu.Unlock()
	if on != nil {
		return on(call, a)
	}
	return nil
}

func (s *script) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.calls)
}

func (s *script) Terms(publish.Account) analytics.Terms {
	return analytics.Terms{Lists: true, Pages: 10}
}

func (s *script) Totals(_ context.Context, a publish.Account) (*analytics.Totals, error) {
	if err := s.record("totals", a); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return &analytics.Totals{Followers: n(s.followers), Posts: n(int64(len(s.posts)))}, nil
}

func (s *script) Page(_ context.Context, a publish.Account, _ string) (*analytics.Page, error) {
	if err := s.record("page", a); err != nil {
		return nil, err
	}
	return &analytics.Page{Posts: s.posts}, nil
}

func (s *script) Measure(context.Context, publish.Account, []analytics.Post) ([]analytics.Post, []string, error) {
	return nil, nil, errors.New("pages tell all")
}

// tokens holds the permissions of all accounts.
type tokens struct {
	err     error
	renewed int
	refused []publish.Kind
}

func (k *tokens) Account(_ context.Context, a *v1beta1.SocialAccount) (publish.Account, error) {
	return publish.Account{ID: a.Spec.PlatformAccountID, AccessToken: "first"}, k.err
}

func (k *tokens) Renew(_ context.Context, a *v1beta1.SocialAccount, used string) (publish.Account, error) {
	k.renewed++
	return publish.Account{ID: a.Spec.PlatformAccountID, AccessToken: used + "+"}, k.err
}

func (k *tokens) Refused(_ context.Context, _ *v1beta1.SocialAccount, _ string, cause error) error {
	k.refused = append(k.refused, publish.KindOf(cause))
	return nil
}

// faultyStore is a blob store with scripted failures.
type faultyStore struct {
	*blob.Store
	on func(call, key string) error
}

func (s *faultyStore) fault(call, key string) error {
	if s.on == nil {
		return nil
	}
	return s.on(call, key)
}

func (s *faultyStore) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	if err := s.fault("get", key); err != nil {
		return nil, err
	}
	return s.Store.Get(ctx, key)
}

func (s *faultyStore) Put(ctx context.Context, key, contentType string, r io.Reader) error {
	if err := s.fault("put", key); err != nil {
		return err
	}
	return s.Store.Put(ctx, key, contentType, r)
}

func (s *faultyStore) Delete(ctx context.Context, key string) error {
	if err := s.fault("delete", key); err != nil {
		return err
	}
	return s.Store.Delete(ctx, key)
}

// world is one account, connected at noon, and a manager.
type world struct {
	t        *testing.T
	clock    *testclock.FakePassiveClock
	source   *script
	tokens   *tokens
	store    *faultyStore
	recorder *testkit.Recorder
	events   *events.FakeRecorder
	r        *Reconciler
	account  *v1beta1.SocialAccount
	key      client.ObjectKey
	posts    int64
}

func newWorld(t *testing.T) *world {
	t.Helper()
	cluster.Start(t)
	store, err := blob.Open(t.Context(), blob.Config{URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1", SigningKey: make([]byte, 32)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w := &world{
		t: t, clock: testclock.NewFakePassiveClock(noon), tokens: &tokens{}, store: &faultyStore{Store: store}, events: events.NewFakeRecorder(100),
		source: &script{followers: 10, posts: []analytics.Post{
			{ID: "b", Title: "Second", PostedAt: noon.Add(-time.Hour), Numbers: analytics.Numbers{Views: n(200), Likes: n(20)}},
			{ID: "a", Title: "First", PostedAt: noon.Add(-50 * time.Hour), Numbers: analytics.Numbers{Views: n(100)}},
		}},
	}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "numbers-"}}
	w.create(ns)
	w.account = account(ns.Name, "maya", "tiktok")
	w.create(w.account)
	w.key = client.ObjectKeyFromObject(w.account)
	w.token(v1beta1.TokenActive)
	w.restart()
	return w
}

func account(namespace, name string, p v1beta1.Platform) *v1beta1.SocialAccount {
	return &v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: v1beta1.SocialAccountSpec{
			BrandRef: v1beta1.LocalRef{Name: "coffee"}, Platform: p, PlatformAccountID: "7001", TokenSecretRef: v1beta1.LocalRef{Name: name + "-tokens"},
		},
	}
}

func (w *world) create(o client.Object) {
	w.t.Helper()
	if err := cluster.Client.Create(w.t.Context(), o); err != nil {
		w.t.Fatal(err)
	}
}

// token sets the status of the permission. A permission is granted now, the first one half an hour ago.
func (w *world) token(s v1beta1.TokenStatus) {
	w.t.Helper()
	before := w.account.DeepCopy()
	given := w.clock.Now()
	if w.account.Status.ConnectedAt == nil {
		given = given.Add(-minInterval)
	}
	w.account.Status.TokenStatus, w.account.Status.ConnectedAt = s, &metav1.Time{Time: given}
	if err := cluster.Client.Status().Patch(w.t.Context(), w.account, client.MergeFrom(before)); err != nil {
		w.t.Fatal(err)
	}
}

// restart replaces the process.
func (w *world) restart() {
	w.t.Helper()
	w.r, w.recorder = w.manager()
}

func (w *world) manager() (*Reconciler, *testkit.Recorder) {
	w.t.Helper()
	rec, err := cluster.Recorder(map[string]client.IndexerFunc{IndexPosts: PostsIndex})
	if err != nil {
		w.t.Fatal(err)
	}
	return New(Config{
		Client: rec, Live: cluster.Client, Clock: w.clock, Events: w.events, Store: w.store, Accounts: w.tokens,
		Sources: map[v1beta1.Platform]analytics.Source{"tiktok": w.source},
	}), rec
}

// published creates a post that Reelops published now, with its id on the platform.
func (w *world) published(id string) *v1beta1.Post {
	w.t.Helper()
	w.posts++
	p := &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.key.Namespace, Name: fmt.Sprint("post-", w.posts), Labels: map[string]string{v1beta1.LabelID: fmt.Sprint(w.posts)}},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: "coffee"}, Batch: "batch", Account: w.key.Name, Platform: "tiktok", ShortID: 40 + w.posts,
			Media: v1beta1.PostMedia{Kind: "video"}, PostingMode: "direct", ScheduledAt: metav1.NewMicroTime(w.clock.Now()),
		},
	}
	w.create(p)
	before := p.DeepCopy()
	p.Status.State, p.Status.PlatformPostID, p.Status.PublishedAt = v1beta1.PostSuccess, id, &metav1.Time{Time: w.clock.Now()}
	if err := cluster.Client.Status().Patch(w.t.Context(), p, client.MergeFrom(before)); err != nil {
		w.t.Fatal(err)
	}
	return p
}

func (w *world) pass() (ctrl.Result, error) {
	return w.r.Reconcile(w.t.Context(), ctrl.Request{NamespacedName: w.key})
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

// begun runs the first refresh.
func (w *world) begun() *v1beta1.AccountAnalytics {
	w.t.Helper()
	w.good() // creates it
	w.good() // refreshes it
	return w.is(v1beta1.ReasonRefreshed)
}

func (w *world) get() *v1beta1.AccountAnalytics {
	w.t.Helper()
	a := &v1beta1.AccountAnalytics{}
	if err := cluster.Client.Get(w.t.Context(), w.key, a); err != nil {
		w.t.Fatal(err)
	}
	return a
}

func (w *world) is(reason v1beta1.Reason) *v1beta1.AccountAnalytics {
	w.t.Helper()
	a := w.get()
	c := meta.FindStatusCondition(a.Status.Conditions, string(v1beta1.ConditionReady))
	if c == nil || c.Reason != string(reason) || (c.Status == metav1.ConditionTrue) != (reason == v1beta1.ReasonRefreshed) {
		w.t.Fatalf("got condition %+v, want the reason %s", a.Status, reason)
	}
	if a.Status.ObservedGeneration != a.Generation || c.ObservedGeneration != a.Generation {
		w.t.Errorf("generation %d is not observed: %+v", a.Generation, a.Status)
	}
	return a
}

// request requests a refresh, like kubectl patch.
func (w *world) request() {
	w.t.Helper()
	a := w.get()
	before := a.DeepCopy()
	a.Spec.RefreshRequestedAt = &metav1.Time{Time: w.clock.Now()}
	if err := cluster.Client.Patch(w.t.Context(), a, client.MergeFrom(before)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) after(d time.Duration) { w.clock.SetTime(w.clock.Now().Add(d)) }

// document returns the stored document of the status.
func (w *world) document() *analytics.Document {
	w.t.Helper()
	in, err := w.store.Store.Get(w.t.Context(), w.get().Status.DocumentKey)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	d, err := analytics.Decode(in)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// keys returns all keys in the store.
func (w *world) keys() (out []string) {
	w.t.Helper()
	if err := w.store.Walk(w.t.Context(), "", func(o blob.Object) error {
		out = append(out, o.Key)
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// hasOneDocument checks that the status names the only document in the store, and that it is readable.
func (w *world) hasOneDocument(why string) {
	w.t.Helper()
	a := w.get()
	if keys := w.keys(); len(keys) != 1 || keys[0] != a.Status.DocumentKey || !strings.HasPrefix(keys[0], "analytics/"+a.Namespace+"/"+string(a.UID)+"/") {
		w.t.Errorf("%s: the status names %s, the store has %v", why, a.Status.DocumentKey, keys)
	}
	if d := w.document(); len(d.Rows) != len(w.source.posts) {
		w.t.Errorf("%s: got %d rows", why, len(d.Rows))
	}
}

// drainEvents returns and removes the recorded events.
func (w *world) drainEvents() (out []string) {
	for len(w.events.Events) > 0 {
		out = append(out, <-w.events.Events)
	}
	return out
}
