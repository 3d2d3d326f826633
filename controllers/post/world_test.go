// SPDX-License-Identifier: Apache-2.0

package post

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

// fault is the fault of one call.
type fault string

const (
	none        fault = ""
	crashBefore fault = "crash before"
	crashAfter  fault = "crash after"
	replyLost   fault = "reply lost"
	conflict    fault = "409"
	tooMany     fault = "429"
	broken      fault = "500 after commit"
	unavailable fault = "500 before commit"
	slow        fault = "slow"
	stale       fault = "stale cache"
	missedEvent fault = "missed watch event"
	// The process dies, and its request is carried out while its successor is already running.
	crashSlow fault = "crash, arrives late"
)

var allFaults = []fault{
	crashBefore, crashAfter, replyLost, conflict, tooMany, broken, unavailable, slow, stale, missedEvent, crashSlow,
}

// errCrash is the panic value with which a process dies.
var errCrash = errors.New("the process died")

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// world is a cluster, a platform, a clock, and a sequence of processes.
type world struct {
	t     *testing.T
	clock *clocktesting.FakeClock
	live  client.WithWatch
	r     *Reconciler
	// platform and accounts are shared by all processes.
	platform *platform
	accounts *accounts
	events   *events.FakeRecorder

	// calls lists the calls that can fail, in order. The call number failAt, counted from 1, fails.
	calls  []string
	failAt int
	fault  fault
	writes int

	frozen     map[client.ObjectKey]*v1beta1.Post
	frozenFor  int
	dropEvents int
	dead       bool // the process has died
	swept      time.Time
	restless   int
	before     func()          // before every call
	over       *fixture        // the sandbox and the real adapters instead of the platform; nil otherwise
	ctx        context.Context // of passes
	dying      atomic.Bool     // the process died during a call
	shared     bool            // another process uses the cluster too
	crashes    int
	ahead      time.Duration // difference to the clock of the API server
}

var scheme = testkit.Scheme()

// stored is the default store of a world, with the file that posts publish.
var stored *blob.Store

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "posts")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	stored, err = blob.Open(context.Background(), blob.Config{URL: "file://" + dir, BaseURL: "http://127.0.0.1", SigningKey: bytes.Repeat([]byte{7}, 32)})
	if err != nil {
		panic(err)
	}
	for _, key := range []string{"shorts/tea.mp4", "shorts/tea-2.mp4"} {
		if err := stored.Put(context.Background(), key, "video/mp4", strings.NewReader("film")); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

func newWorld(t *testing.T, failAt int, f fault, objects ...client.Object) *world {
	t.Helper()
	w := &world{t: t, clock: clocktesting.NewFakeClock(noon), failAt: failAt, fault: f, frozen: map[client.ObjectKey]*v1beta1.Post{}, events: events.NewFakeRecorder(1000)}
	if !slices.ContainsFunc(objects, func(o client.Object) bool { _, is := o.(*v1beta1.Brand); return is }) {
		objects = append(objects, aBrand(false))
	}
	// A tracker without managed fields: tracking field owners would take most of the time of a write.
	tracker := clienttesting.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder())
	w.live = fake.NewClientBuilder().WithScheme(scheme).WithObjectTracker(tracker).WithStatusSubresource(&v1beta1.Post{}, &v1beta1.SocialAccount{}, &v1beta1.PostBatch{}).
		WithIndex(&v1beta1.Post{}, IndexOpen, OpenIndex).WithObjects(objects...).Build()
	w.platform = &platform{world: w, landAt: map[string][]time.Time{}, commentedAt: map[string][]time.Time{}, sessions: map[string]bool{}, contents: map[string]string{}, token: "t1"}
	w.accounts = &accounts{world: w, token: "t1"}
	w.start()
	return w
}

// start starts a new process without in-process state, and sends it an event for every post.
func (w *world) start() {
	cached := interceptor.NewClient(w.live, interceptor.Funcs{
		Get: w.get,
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return w.write("patch ", o, func() error { return c.Patch(ctx, o, p, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return w.write("patch "+sub+" of ", o, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	})
	w.dead, w.frozenFor, w.dropEvents, w.swept = false, 0, 0, w.clock.Now()
	c := Config{
		Client: cached, Live: w.live, Clock: w.clock, Events: w.events, Platforms: map[v1beta1.Platform]publish.Platform{catalog.TikTok: w.platform},
		Accounts: w.accounts, Sealer: plainSealer{}, Ahead: func() time.Duration { return w.ahead }, Store: stored,
	}
	if w.over != nil {
		c.Platforms, c.Accounts, c.Store = map[v1beta1.Platform]publish.Platform{v1beta1.Platform(w.over.name): w.over.real}, w.over, w.over.store
	}
	w.ctx = context.Background()
	w.dying.Store(false)
	w.r = New(c)
	var list v1beta1.PostList
	if err := w.live.List(context.Background(), &list); err != nil {
		w.t.Fatal(err)
	}
	for i := range list.Items {
		w.r.onPost(&list.Items[i])
	}
}

// at counts a call that can fail, and returns its fault: none for all calls but one.
func (w *world) at(what string) fault {
	if w.before != nil {
		w.before()
	}
	w.calls = append(w.calls, what)
	if len(w.calls) != w.failAt {
		return none
	}
	switch w.fault {
	case stale:
		w.freeze()
	case missedEvent:
		w.dropEvents = 2
	}
	return w.fault
}

// freeze makes the cache return the current posts for some reads.
func (w *world) freeze() {
	w.frozenFor = 4
	var list v1beta1.PostList
	if err := w.live.List(context.Background(), &list); err != nil {
		w.t.Fatal(err)
	}
	for i := range list.Items {
		w.frozen[client.ObjectKeyFromObject(&list.Items[i])] = list.Items[i].DeepCopy()
	}
}

func (w *world) crash() {
	w.dead = true
	panic(errCrash)
}

func (w *world) get(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if p, ok := o.(*v1beta1.Post); ok && w.frozenFor > 0 && w.frozen[key] != nil {
		w.frozenFor--
		w.frozen[key].DeepCopyInto(p)
		return nil
	}
	return c.Get(ctx, key, o, opts...)
}

// write does one write to the cluster, with its fault.
func (w *world) write(verb string, o client.Object, do func() error) error {
	gvk, err := w.live.GroupVersionKindFor(o)
	if err != nil {
		return err
	}
	if w.dying.Load() {
		w.crash() // a dead process writes nothing
	}
	w.writes++
	resource := schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}
	applied := func() error {
		err := do()
		if err == nil {
			w.event(client.ObjectKeyFromObject(o))
		}
		return err
	}
	switch w.at(verb + gvk.Kind) {
	case crashBefore:
		w.crash()
	case crashAfter, crashSlow:
		_ = applied()
		w.crash()
	case replyLost:
		_ = applied()
		return errors.New("the connection broke")
	case conflict:
		return apierrors.NewConflict(resource, o.GetName(), errors.New("somebody else wrote"))
	case tooMany:
		return apierrors.NewTooManyRequests("slow down", 1)
	case broken:
		_ = applied()
		return apierrors.NewInternalError(errors.New("after commit"))
	case unavailable:
		return apierrors.NewInternalError(errors.New("before commit"))
	case slow:
		w.clock.Step(15 * time.Second)
		return applied()
	}
	return applied()
}

// event sends an event of a post to the process, as the cache does.
func (w *world) event(key client.ObjectKey) {
	if w.dropEvents > 0 {
		w.dropEvents--
		return
	}
	p := &v1beta1.Post{}
	if err := w.live.Get(context.Background(), key, p); err == nil {
		w.r.onPost(p)
	} else if apierrors.IsNotFound(err) {
		w.r.onPostDelete(&v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}})
	}
}

// posts returns the posts in the cluster.
func (w *world) posts() []v1beta1.Post {
	var list v1beta1.PostList
	if err := w.live.List(context.Background(), &list); err != nil {
		w.t.Fatal(err)
	}
	return list.Items
}

func (w *world) post(name string) *v1beta1.Post {
	w.t.Helper()
	for _, p := range w.posts() {
		if p.Name == name {
			return &p
		}
	}
	return nil
}

func (w *world) settled() bool {
	if w.shared {
		w.restless = 0 // other clients write as well
	}
	if w.restless == w.writes+1 {
		return false // nothing was written since the last check
	}
	w.restless = w.writes + 1
	for _, p := range w.posts() {
		if !hasEnded(&p) {
			return false
		}
	}
	return true
}

// settle runs processes until every post has ended and nothing is pending, for at most 36 hours.
func (w *world) settle() {
	w.t.Helper()
	w.until(36*time.Hour, w.settled)
}

// until runs processes until the condition holds between two passes, for at most the given time.
func (w *world) until(most time.Duration, done func() bool) {
	w.t.Helper()
	end := w.clock.Now().Add(most)
	for range 20_000 {
		if done() || !w.clock.Now().Before(end) {
			return
		}
		if !w.clock.Now().Before(w.swept.Add(sweepEvery)) {
			w.swept = w.clock.Now()
			if err := w.r.sweep(context.Background()); err != nil {
				w.t.Fatal(err)
			}
		}
		keys, next := w.r.queue.Pop(w.clock.Now())
		if len(keys) == 0 {
			if next < 0 || next > sweepEvery {
				next = sweepEvery
			}
			w.clock.Step(min(next, end.Sub(w.clock.Now())))
			continue
		}
		w.r.dispatch(keys, func(k client.ObjectKey) {
			if !w.dead && !w.dying.Load() {
				w.pass(k)
			}
		})
		if w.dead || w.dying.Load() {
			w.crashes++
			w.clock.Step(15 * time.Second) // until another process has the lease
			w.start()
		}
	}
	w.t.Fatal("the controller does not settle")
}

// pass runs one pass of the process, which may die in it.
func (w *world) pass(key client.ObjectKey) {
	defer func() {
		if e := recover(); e != nil && !errors.Is(e.(error), errCrash) { //nolint:forcetypeassert // anything else is a bug of the test
			panic(e)
		}
	}()
	if _, err := w.r.Reconcile(w.ctx, ctrl.Request{NamespacedName: key}); err != nil {
		w.r.queue.Add(key, w.clock.Now().Add(time.Second)) // the backoff of the work queue
	}
}

// accounts stores one token for all accounts.
type accounts struct {
	world *world
	token string
	ended bool
}

func (a *accounts) Account(context.Context, *v1beta1.SocialAccount) (publish.Account, error) {
	switch a.world.at("read the token") {
	case crashBefore, crashAfter, crashSlow:
		a.world.crash()
	case replyLost, conflict, tooMany, broken, unavailable:
		return publish.Account{}, errors.New("the Secret could not be read")
	}
	if a.ended {
		return publish.Account{}, &publish.Error{Kind: publish.Auth, Safe: "It was taken back", Revoked: true}
	}
	return publish.Account{ID: "maya", AccessToken: a.token}, nil
}

func (a *accounts) Renew(_ context.Context, _ *v1beta1.SocialAccount, used string) (publish.Account, error) {
	switch a.world.at("renew the token") {
	case crashBefore:
		a.world.crash()
	case crashAfter, crashSlow:
		a.token = a.world.platform.token
		a.world.crash()
	case replyLost, conflict, tooMany, broken, unavailable:
		return publish.Account{}, &publish.Error{Kind: publish.Transient, Safe: "The platform could not be reached"}
	}
	if used == a.token {
		a.token = a.world.platform.token
	}
	return publish.Account{ID: "maya", AccessToken: a.token}, nil
}

func (a *accounts) Refused(context.Context, *v1beta1.SocialAccount, string, error) error {
	a.ended = true
	return nil
}

// plainSealer does not encrypt. It checks that data is opened with the aad it was sealed with.
type plainSealer struct{}

func (plainSealer) Seal(plain, aad []byte) ([]byte, error) {
	return []byte(string(aad) + "\n" + string(plain)), nil
}

func (plainSealer) Open(sealed, aad []byte) ([]byte, error) {
	plain, ok := strings.CutPrefix(string(sealed), string(aad)+"\n")
	if !ok {
		return nil, errors.New("sealed for another post")
	}
	return []byte(plain), nil
}

// platform publishes once per call: a post that is sent twice is published twice.
type platform struct {
	publish.OAuth
	world *world
	// token is the accepted access token.
	token string
	// landAt maps drafts' keys to the times at which the posts were published, or will be. It is the ledger that tests
	// check.
	landAt   map[string][]time.Time
	sessions map[string]bool
	// contents are the captions that sessions were prepared with. lastCaption is the caption of the last committed
	// post.
	contents     map[string]string
	lastCaption  string
	preparations int
	order        []string
	// oneStep platforms prepare a post in one call, which saves no note before its response.
	oneStep bool
	// brief platforms save no note either, and process a preparation for two seconds.
	brief bool
	// blind platforms cannot report whether they have a post. lagging is how long a published post stays invisible.
	blind   bool
	lagging time.Duration
	// processing is how long a post is processed after it was accepted. gone reports whether the processing fails.
	processing time.Duration
	gone       bool
	// refuse are the results of commits, in order; nil accepts the post.
	refuse []error
	// lost are the numbers of commits, counted from 1, whose response is lost although the post was published. For
	// those in lostUntaken it was not.
	lost, lostUntaken map[int]bool
	commits           int
	// commentedAt maps texts of comments to the times at which they were published, or will be. refuseComment are the
	// results of comments, in order.
	commentedAt   map[string][]time.Time
	refuseComment []error
	// commentLost loses the response to the first published comment. commentHidden platforms cannot report whether they
	// have a comment.
	commentLost, commentHidden bool
}

var _ publish.Commenter = (*platform)(nil)

func (f *platform) LackingForComments([]string) []string { return nil }

func (f *platform) Comment(_ context.Context, a publish.Account, postID, text string) (string, error) {
	for _, p := range f.world.posts() {
		if s := p.Spec.Settings; s == nil || s.FirstComment == nil || *s.FirstComment != text {
			continue
		}
		if c := p.Status.FirstComment; c == nil || c.State != v1beta1.CommentIntended || p.Status.DeliveryState != v1beta1.DeliveryPublished || postID != "7" {
			f.world.t.Error("a comment was sent without a record, or for a post that is not public")
		}
	}
	unheard := &publish.Error{Kind: publish.Ambiguous, Safe: "No answer came"}
	land := func(after time.Duration) {
		if len(f.refuseComment) == 0 || f.refuseComment[0] == nil {
			f.commentedAt[text] = append(f.commentedAt[text], f.world.clock.Now().Add(after))
		}
	}
	switch f.world.at("comment") {
	case crashBefore:
		f.world.crash()
	case crashAfter:
		land(0)
		f.world.crash()
	case crashSlow:
		land(35 * time.Second)
		f.world.crash()
	case replyLost, broken:
		land(0)
		return "", unheard
	case unavailable:
		return "", unheard
	case conflict:
		return "", &publish.Error{Kind: publish.Rejected, Safe: "Comments are off", Code: "conflict"}
	case tooMany:
		return "", &publish.Error{Kind: publish.RateLimited, Safe: "Too many comments", RetryAfter: 90 * time.Second}
	case slow:
		land(15 * time.Second)
		f.world.clock.Step(baseCallTimeout)
		return "", unheard
	}
	if err := f.authorized(a); err != nil {
		return "", err
	}
	if len(f.refuseComment) > 0 {
		err := f.refuseComment[0]
		if f.refuseComment = f.refuseComment[1:]; err != nil {
			return "", err
		}
	}
	land(0)
	if f.commentLost {
		f.commentLost = false
		return "", unheard
	}
	return "comment of " + postID, nil
}

func (f *platform) FindComment(_ context.Context, a publish.Account, postID, text string) (string, error) {
	if err := f.harmless("find the comment"); err != nil {
		return "", err
	}
	if err := f.authorized(a); err != nil {
		return "", err
	}
	if f.commentHidden {
		return "", publish.ErrCannotTell
	}
	for _, at := range f.commentedAt[text] {
		if !f.world.clock.Now().Before(at.Add(f.lagging)) {
			return "comment of " + postID, nil
		}
	}
	return "", publish.ErrNotFound
}

func (*platform) Name() v1beta1.Platform { return catalog.TikTok }
func (*platform) Missing() []string      { return nil }

func (*platform) Headroom(context.Context, publish.Account) (*publish.Headroom, error) {
	return nil, nil
}

func (f *platform) authorized(a publish.Account) error {
	if a.AccessToken != f.token {
		return &publish.Error{Kind: publish.Unauthorized, Safe: "The token was not accepted"}
	}
	return nil
}

// harmless injects the faults of a call without effects.
func (f *platform) harmless(what string) error {
	switch f.world.at(what) {
	case crashBefore, crashAfter, crashSlow:
		f.world.crash()
	case replyLost, broken, unavailable, conflict:
		return &publish.Error{Kind: publish.Transient, Safe: "The platform did not answer"}
	case tooMany:
		return &publish.Error{Kind: publish.RateLimited, Safe: "Too many calls", RetryAfter: 90 * time.Second}
	case slow:
		f.world.clock.Step(19 * time.Second)
	}
	return nil
}

func (f *platform) Prepare(ctx context.Context, a publish.Account, draft publish.Draft, note []byte, save func([]byte) error) (publish.Step, error) {
	if err := f.harmless("prepare"); err != nil {
		return publish.Step{}, err
	}
	if err := f.authorized(a); err != nil {
		return publish.Step{}, err
	}
	if len(note) == 0 {
		f.preparations++
		session := fmt.Sprintf("session %d of %s", f.preparations, draft.Key)
		f.sessions[session], f.contents[session] = f.oneStep, draft.Caption
		if f.brief {
			f.sessions[session] = false
			return publish.Step{Note: []byte(session), Wait: 2 * time.Second}, nil
		}
		if f.oneStep {
			return publish.Step{Note: []byte(session), Ready: true, ExpiresAt: f.world.clock.Now().Add(time.Hour)}, nil
		}
		if err := save([]byte(session)); err != nil {
			return publish.Step{}, fmt.Errorf("keeping the session: %w", err)
		}
		return publish.Step{Note: []byte(session), Wait: 3 * time.Second}, nil
	}
	if _, ok := f.sessions[string(note)]; !ok {
		return publish.Step{}, &publish.Error{Kind: publish.Expired, Safe: "The session is not known"}
	}
	f.sessions[string(note)] = true
	return publish.Step{Note: note, Ready: true, ExpiresAt: f.world.clock.Now().Add(time.Hour)}, nil
}

func (f *platform) land(draft publish.Draft, after time.Duration) {
	f.landAt[draft.Key] = append(f.landAt[draft.Key], f.world.clock.Now().Add(after))
	f.order = append(f.order, draft.Key)
}

func (f *platform) Commit(_ context.Context, a publish.Account, draft publish.Draft, note []byte) (*publish.Receipt, error) {
	if p := f.world.postOf(draft.Key); p == nil || last(p) == nil || last(p).State != v1beta1.AttemptIntended {
		f.world.t.Error("the platform was called without a recorded attempt")
	}
	if f.world.clock.Now().Before(posting.DueAt(f.world.postOf(draft.Key))) {
		f.world.t.Error("a post was published early")
	}
	if f.contents[string(note)] != draft.Caption || f.world.postOf(draft.Key).Spec.Caption != draft.Caption {
		f.world.t.Errorf("%q was prepared and %q is committed, for a post with %q", f.contents[string(note)], draft.Caption, f.world.postOf(draft.Key).Spec.Caption)
	}
	f.lastCaption = draft.Caption
	unheard := &publish.Error{Kind: publish.Ambiguous, Safe: "No answer came"}
	land := func(after time.Duration) {
		if len(f.refuse) == 0 || f.refuse[0] == nil {
			f.land(draft, after)
		}
	}
	switch f.world.at("commit") {
	case crashBefore:
		f.world.crash()
	case crashAfter:
		land(0)
		f.world.crash()
	case crashSlow:
		land(35 * time.Second) // the call's timeout has not passed when the next process starts
		f.world.crash()
	case replyLost, broken:
		land(0)
		return nil, unheard
	case unavailable:
		return nil, unheard // a 5xx does not show whether the post was accepted
	case conflict:
		return nil, &publish.Error{Kind: publish.Rejected, Safe: "It was refused", Code: "conflict"}
	case tooMany:
		return nil, &publish.Error{Kind: publish.RateLimited, Safe: "Too many posts", RetryAfter: 90 * time.Second}
	case slow:
		land(15 * time.Second)
		f.world.clock.Step(baseCallTimeout)
		return nil, unheard
	}
	if err := f.authorized(a); err != nil {
		return nil, err
	}
	if !f.sessions[string(note)] {
		return nil, &publish.Error{Kind: publish.Expired, Safe: "The session is not known, or not ready"}
	}
	f.commits++
	if len(f.refuse) > 0 {
		err := f.refuse[0]
		if f.refuse = f.refuse[1:]; err != nil {
			return nil, err
		}
	}
	if f.lostUntaken[f.commits] {
		return nil, unheard
	}
	f.land(draft, 0)
	if f.lost[f.commits] {
		return nil, unheard
	}
	return &publish.Receipt{Handle: "handle of " + draft.Key}, nil
}

func (f *platform) Find(_ context.Context, a publish.Account, draft publish.Draft, _ []byte, _ time.Time) (*publish.Receipt, error) {
	if err := f.harmless("find"); err != nil {
		return nil, err
	}
	if err := f.authorized(a); err != nil {
		return nil, err
	}
	if f.blind {
		return nil, publish.ErrCannotTell
	}
	for _, at := range f.landAt[draft.Key] {
		if !f.world.clock.Now().Before(at.Add(f.lagging)) {
			return &publish.Receipt{Handle: "handle of " + draft.Key}, nil
		}
	}
	return nil, publish.ErrNotFound
}

func (f *platform) Look(_ context.Context, a publish.Account, draft publish.Draft, handle string) (*publish.View, error) {
	if err := f.harmless("look"); err != nil {
		return nil, err
	}
	if err := f.authorized(a); err != nil {
		return nil, err
	}
	if handle != "handle of "+draft.Key {
		f.world.t.Errorf("looked up %q by the session %q", draft.Key, handle)
	}
	if len(f.landAt[draft.Key]) == 0 {
		return nil, publish.ErrNotFound
	}
	at := f.landAt[draft.Key][0]
	switch {
	case f.world.clock.Now().Before(at.Add(f.processing)):
		return &publish.View{State: v1beta1.DeliveryProcessing}, nil
	case f.gone:
		return &publish.View{Failed: &publish.Error{Kind: publish.Rejected, Safe: "Moderation refused it", Code: "moderation"}}, nil
	}
	return &publish.View{State: v1beta1.DeliveryPublished, PostID: "7", URL: "https://social.example/7", PublishedAt: at, Settled: true}, nil
}

func (w *world) postOf(uid string) *v1beta1.Post {
	for _, p := range w.posts() {
		if string(p.UID) == uid {
			return &p
		}
	}
	return nil
}

// Initial objects.

func socialAccount() *v1beta1.SocialAccount {
	return &v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "maya"},
		Spec:       v1beta1.SocialAccountSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, Platform: catalog.TikTok, PlatformAccountID: "maya"},
		Status:     v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenActive},
	}
}

func postBatch(at time.Time) *v1beta1.PostBatch {
	when := metav1.NewTime(at)
	return &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "batch-1", UID: "b1", CreationTimestamp: metav1.NewTime(noon)},
		Spec:       v1beta1.PostBatchSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{ID: 7}, ScheduledAt: &when},
	}
}

func aPost(id string, at time.Time) *v1beta1.Post {
	return &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "tenant", Name: "post-" + id, UID: types.UID("uid-" + id), Generation: 1, CreationTimestamp: metav1.NewTime(noon),
			Labels: map[string]string{v1beta1.LabelID: id}, Finalizers: []string{v1beta1.FinalizerPost},
			OwnerReferences: []metav1.OwnerReference{posting.OwnerOf(postBatch(at))},
		},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "batch-1", Account: "maya", Platform: catalog.TikTok, ShortID: 7, Title: "Tea",
			Caption: "Five teas #tea", PostingMode: catalog.PostDirect, ScheduledAt: metav1.NewMicroTime(at), Immediate: at.Equal(noon),
			Media: v1beta1.PostMedia{Kind: catalog.MediaVideo, VideoKey: "shorts/tea.mp4", Bytes: 1000, DurationMillis: 9000, Width: 1080, Height: 1920},
		},
	}
}

func newFlags() *flag.FlagSet { return flag.NewFlagSet("", flag.ContinueOnError) }
