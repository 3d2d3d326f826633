// SPDX-License-Identifier: Apache-2.0

package postbatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/postbatch"
	"github.com/reelops/reelops/internal/testkit"
)

// cluster serves all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

const indexRenders = "renders"

var (
	namespaces atomic.Int64
	ids        atomic.Int64
)

// run is one account with its controller.
type run struct {
	t     *testing.T
	ns    string
	clock *clocktesting.FakeClock
	rec   *testkit.Recorder
	r     *postbatch.Reconciler
}

func start(t *testing.T) *run {
	t.Helper()
	cluster.Start(t)
	u := &run{t: t, ns: fmt.Sprintf("batch-%d", namespaces.Add(1)), clock: clocktesting.NewFakeClock(time.Now())}
	u.must(cluster.Client.Create(t.Context(), testkit.Namespace(u.ns)))
	u.must(cluster.Client.Create(t.Context(), testkit.Brand(u.ns, "acme")))
	rec, err := cluster.Recorder(map[string]client.IndexerFunc{
		postbatch.IndexBatch: postbatch.BatchIndex, postbatch.IndexAccount: postbatch.AccountIndex, postbatch.IndexShortID: postbatch.ShortIDIndex,
		indexRenders: func(o client.Object) []string { return []string{o.(*v1beta1.RenderJob).Spec.Source.Name} },
	})
	u.must(err)
	u.rec = rec
	next := func(context.Context) (int64, error) { return ids.Add(1), nil }
	u.r = &postbatch.Reconciler{
		Client: rec, Live: rec, Clock: u.clock, Events: events.NewFakeRecorder(100), NextID: next, NextPost: next, IndexRenders: indexRenders,
	}
	return u
}

func (u *run) must(err error) {
	u.t.Helper()
	if err != nil {
		u.t.Fatal(err)
	}
}

// account connects an account.
func (u *run) account(platform, name string) {
	u.t.Helper()
	a := &v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: name, Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(ids.Add(1), 10)}},
		Spec: v1beta1.SocialAccountSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Platform: v1beta1.Platform(platform), PlatformAccountID: name, TokenSecretRef: v1beta1.LocalRef{Name: name},
		},
	}
	u.must(cluster.Client.Create(u.t.Context(), a))
}

// token sets the status of an account's token.
func (u *run) token(name string, s v1beta1.TokenStatus) {
	u.t.Helper()
	a := &v1beta1.SocialAccount{}
	u.must(cluster.Client.Get(u.t.Context(), u.key(name), a))
	a.Status.TokenStatus = s
	u.must(cluster.Client.Status().Update(u.t.Context(), a))
}

// show creates a slideshow with slides.
func (u *run) show(name string) *v1beta1.Slideshow {
	u.t.Helper()
	s := testkit.HandWritten(u.ns, name, "acme", "One", "Two", "Three")
	s.Labels = map[string]string{v1beta1.LabelID: strconv.FormatInt(ids.Add(1), 10)}
	title, caption, tags := "Tidy", "A desk that stays tidy.", "desk, work from home"
	s.Spec.Title, s.Spec.Caption, s.Spec.Tags = &title, &caption, &tags
	u.must(cluster.Client.Create(u.t.Context(), s))
	s.Status = v1beta1.SlideshowStatus{Revision: 1, WorkedOn: s.Generation, Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1}}
	for i := range int64(3) {
		s.Status.Slides = append(s.Status.Slides, v1beta1.Slide{
			ID: i + 1, PictureKey: fmt.Sprintf("slides/%d.png", i+1), LayerKey: "layer", DurationMilliseconds: 3000, AltText: fmt.Sprintf("Slide %d", i+1),
			Background: v1beta1.SlideBackground{Source: "stock", ID: "starter-paper_craft-02", BlobKey: "background"},
		})
	}
	u.must(cluster.Client.Status().Update(u.t.Context(), s))
	return s
}

// batch creates a batch that is due in an hour, changed by change.
func (u *run) batch(name string, change func(*v1beta1.PostBatch)) *v1beta1.PostBatch {
	u.t.Helper()
	b := &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: name},
		Spec: v1beta1.PostBatchSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{Name: "tidy"}, ScheduledAt: u.in(time.Hour),
		},
	}
	change(b)
	u.must(cluster.Client.Create(u.t.Context(), b))
	return b
}

func (u *run) in(d time.Duration) *metav1.Time {
	return &metav1.Time{Time: u.clock.Now().Add(d).Truncate(time.Second)}
}

func (u *run) key(name string) client.ObjectKey { return client.ObjectKey{Namespace: u.ns, Name: name} }

// pass runs one pass over a batch, and returns its result.
func (u *run) pass(name string) (ctrl.Result, error) {
	b := &v1beta1.PostBatch{}
	if err := u.rec.Get(u.t.Context(), u.key(name), b); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	return u.r.Reconcile(u.t.Context(), b)
}

// settle runs passes until one writes nothing, and returns its result.
func (u *run) settle(name string) ctrl.Result {
	u.t.Helper()
	for range 20 {
		before := len(u.rec.Writes)
		res, err := u.pass(name)
		if errors.Is(err, testkit.ErrFault) {
			continue
		}
		u.must(err)
		if len(u.rec.Writes) == before {
			return res
		}
	}
	u.t.Fatalf("the passes keep writing: %v", u.rec.Writes)
	return ctrl.Result{}
}

func (u *run) live(name string) *v1beta1.PostBatch {
	u.t.Helper()
	b := &v1beta1.PostBatch{}
	if err := cluster.Client.Get(u.t.Context(), u.key(name), b); err != nil {
		u.must(client.IgnoreNotFound(err))
		return nil
	}
	return b
}

func (u *run) posts() []v1beta1.Post {
	u.t.Helper()
	var l v1beta1.PostList
	u.must(cluster.Client.List(u.t.Context(), &l, client.InNamespace(u.ns)))
	slices.SortFunc(l.Items, func(a, b v1beta1.Post) int {
		return slices.Compare([]string{a.Spec.Account}, []string{b.Spec.Account})
	})
	return l.Items
}

// state updates the status like the controller of posts.
func (u *run) state(p *v1beta1.Post, change func(*v1beta1.PostStatus)) {
	u.t.Helper()
	u.must(cluster.Client.Get(u.t.Context(), client.ObjectKeyFromObject(p), p))
	change(&p.Status)
	u.must(cluster.Client.Status().Update(u.t.Context(), p))
}

// hasReady checks Ready and Stalled.
func (u *run) hasReady(name string, ready metav1.ConditionStatus, reason v1beta1.Reason, stalled bool) {
	u.t.Helper()
	b := u.live(name)
	c := meta.FindStatusCondition(b.Status.Conditions, string(v1beta1.ConditionReady))
	if c == nil || c.Status != ready || c.Reason != string(reason) {
		u.t.Errorf("Ready is %+v, want %s %s", c, ready, reason)
	}
	if got := meta.IsStatusConditionTrue(b.Status.Conditions, string(v1beta1.ConditionStalled)); got != stalled {
		u.t.Errorf("got Stalled %v", got)
	}
	if b.Status.ObservedGeneration != b.Generation {
		u.t.Errorf("observed generation %d of %d", b.Status.ObservedGeneration, b.Generation)
	}
}

func accounts(names ...string) []v1beta1.PostTarget {
	var out []v1beta1.PostTarget
	for _, n := range names {
		out = append(out, v1beta1.PostTarget{Name: n})
	}
	return out
}

func TestBatch_OfAManifest(t *testing.T) {
	t.Run("waits for the short and an account; an invalid target does not block others", func(t *testing.T) {
		u := start(t)
		u.account("instagram", "insta")
		u.account("linkedin", "link")
		u.token("link", v1beta1.TokenExpired)
		own := "Only here."
		u.batch("promo", func(b *v1beta1.PostBatch) {
			b.Spec.Accounts = accounts("insta", "tik", "link")
			b.Spec.Accounts[1].Caption = &own
			b.Spec.Platforms = []v1beta1.Platform{"linkedin", "youtube"}
		})
		if res := u.settle("promo"); res.RequeueAfter < 59*time.Minute || res.RequeueAfter > time.Hour {
			t.Errorf("requeued after %v", res.RequeueAfter)
		}
		u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonSocialAccountNotFound, false)
		u.account("tiktok", "tik")
		u.settle("promo")
		u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonTokenExpired, false) // the short does not exist either
		s := u.show("tidy")
		u.settle("promo")

		posts := u.posts()
		if len(posts) != 2 || posts[0].Spec.Account != "insta" || posts[1].Spec.Account != "tik" {
			t.Fatalf("got posts %+v", posts)
		}
		p := posts[1].Spec
		want := v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "promo", BatchRef: &v1beta1.LocalRef{Name: "promo"},
			Account: "tik", AccountRef: &v1beta1.LocalRef{Name: "tik"}, Platform: "tiktok", Revision: 1, PostingMode: "direct",
			Title: "Tidy", Caption: "Only here.", ScheduledAt: p.ScheduledAt, ShortID: p.ShortID,
			Media: v1beta1.PostMedia{
				Kind: "photo_set", PhotoKeys: []string{"slides/1.png", "slides/2.png", "slides/3.png"}, AltTexts: []string{"Slide 1", "Slide 2", "Slide 3"},
			},
		}
		if diff := cmp.Diff(want, p); diff != "" {
			t.Error(diff)
		}
		if got := posts[0].Spec.Caption; got != "A desk that stays tidy.\n\n#desk #workfromhome" {
			t.Errorf("got caption %q", got)
		}
		if strconv.FormatInt(p.ShortID, 10) != s.Labels[v1beta1.LabelID] || !p.ScheduledAt.Time.Equal(u.live("promo").Spec.ScheduledAt.Time) {
			t.Errorf("got short %d, due %v", p.ShortID, p.ScheduledAt)
		}
		for _, p := range posts {
			if p.Labels[v1beta1.LabelID] == "" || p.Labels[v1beta1.LabelBrand] != "acme" || len(p.Finalizers) == 0 || !metav1.IsControlledBy(&p, u.live("promo")) {
				t.Errorf("metadata of %s: %+v", p.Name, p.ObjectMeta)
			}
		}
		b := u.live("promo")
		var lines []string
		for _, l := range b.Status.Targets {
			code := ""
			if l.Error != nil {
				code = l.Error.Code
			}
			lines = append(lines, fmt.Sprintf("%s %s %s %s", l.Platform, l.Account, l.State, code))
		}
		if diff := cmp.Diff([]string{
			"instagram insta scheduled ", "tiktok tik scheduled ", "linkedin link scheduled token_expired", "youtube  scheduled platform_not_connected",
		}, lines); diff != "" {
			t.Error(diff)
		}
		if st := b.Status; st.Overall != "" || st.Open != 4 || st.Failed != 0 || st.Published != 0 {
			t.Errorf("got status %+v", st)
		}
		u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonTokenExpired, false)
		u.clock.SetTime(b.Spec.ScheduledAt.Add(4 * time.Second)) // the progress of sending is not written
		u.settle("promo")
		b = u.live("promo")
		if st := b.Status; st.Open != 2 || st.Failed != 2 || st.Targets[2].Error.Code != "token_expired" || st.Targets[3].Error.Code != "platform_not_connected" {
			t.Errorf("after the posts are due: got status %+v", st)
		}
		u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonPartlyFailed, true)
	})

	t.Run("resolves its targets once", func(t *testing.T) {
		u := start(t)
		u.show("tidy")
		u.account("tiktok", "one")
		u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Platforms = []v1beta1.Platform{"tiktok"} })
		u.settle("promo")
		u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
		u.account("tiktok", "two")
		u.settle("promo")
		if n := len(u.posts()); n != 1 {
			t.Errorf("got %d posts, want 1", n)
		}
	})

	t.Run("fails the targets that are missing when due", func(t *testing.T) {
		u := start(t)
		u.account("tiktok", "tik")
		u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik", "gone") })
		u.settle("promo")
		u.clock.Step(time.Hour)
		u.settle("promo")
		b := u.live("promo")
		if len(b.Status.Targets) != 2 || b.Status.Targets[0].Error.Code != "short_not_postable" || b.Status.Targets[1].Error.Code != "platform_not_connected" || b.Status.Overall != "failed" {
			t.Errorf("got status %+v", b.Status)
		}
		u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonFailed, true)
	})

	t.Run("follows its posts in its conditions", func(t *testing.T) {
		u := start(t)
		u.show("tidy")
		u.account("tiktok", "tik")
		u.account("instagram", "insta")
		u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik", "insta") })
		u.settle("promo")
		u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
		u.clock.Step(time.Hour + time.Minute)
		posts := u.posts()
		for i := range posts {
			u.state(&posts[i], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostPending })
		}
		u.settle("promo")
		u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonProgressing, false)
		for i := range posts {
			u.state(&posts[i], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
		}
		u.announced()
		u.settle("promo")
		u.announces("Normal", v1beta1.ReasonPublished)
		u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonPublished, false)
		if b := u.live("promo"); b.Status.Published != 2 || b.Status.Open != 0 || b.Status.Overall != "success" {
			t.Errorf("got status %+v", b.Status)
		}
	})

	t.Run("writes no progress within seconds of sending", func(t *testing.T) {
		u := start(t)
		u.show("tidy")
		u.account("tiktok", "tik")
		b := u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik") })
		u.settle("promo")
		u.clock.SetTime(b.Spec.ScheduledAt.Add(time.Second))
		p := &u.posts()[0]
		u.state(p, func(s *v1beta1.PostStatus) { s.State = v1beta1.PostPending })
		before := len(u.rec.Writes)
		if res := u.settle("promo"); len(u.rec.Writes) != before || res.RequeueAfter <= 0 {
			t.Errorf("wrote %v, requeued after %v", u.rec.Writes[before:], res.RequeueAfter)
		}
		u.state(p, func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
		u.settle("promo")
		u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonPublished, false)
	})

	t.Run("writes the number of published posts at intervals", func(t *testing.T) {
		u := start(t)
		u.show("tidy")
		for _, name := range []string{"tik", "tok", "tak"} {
			u.account("tiktok", name)
		}
		b := u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik", "tok", "tak") })
		u.settle("promo")
		u.clock.SetTime(b.Spec.ScheduledAt.Add(10 * time.Second))
		ends := func(i int, written bool) {
			t.Helper()
			before := len(u.rec.Writes)
			u.state(&u.posts()[i], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
			res := u.settle("promo")
			if got := len(u.rec.Writes) > before; got != written || !written && (res.RequeueAfter <= 0 || res.RequeueAfter > 3*time.Second) {
				t.Errorf("post %d: written %v, requeued after %v", i, got, res.RequeueAfter)
			}
		}
		ends(0, true)
		u.clock.Step(time.Second)
		ends(1, false)
		u.clock.Step(2 * time.Second)
		u.settle("promo")
		if got := u.live("promo").Status.Published; got != 2 {
			t.Errorf("got %d published posts, want 2", got)
		}
		ends(2, true) // the final state is written at once
	})
}

func TestBatch_ReservedPosts(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.account("instagram", "insta")
	reserved := map[string]int64{"tik": ids.Add(1), "insta": ids.Add(1)}
	u.batch("batch-77", func(b *v1beta1.PostBatch) {
		b.Spec.Accounts = []v1beta1.PostTarget{{Name: "tik", PostID: reserved["tik"]}, {Name: "insta", PostID: reserved["insta"]}}
	})
	if res := u.settle("batch-77"); len(u.posts()) != 0 || res.RequeueAfter > 5*time.Second {
		t.Fatalf("the controller does not leave the posts to the front end: %d posts, requeued after %v", len(u.posts()), res.RequeueAfter)
	}
	u.clock.Step(5 * time.Second)
	u.settle("batch-77")
	posts := u.posts()
	if len(posts) != 2 {
		t.Fatalf("got posts %v", posts)
	}
	for _, p := range posts {
		if id := fmt.Sprint(reserved[p.Spec.Account]); p.Name != "post-"+id || p.Labels[v1beta1.LabelID] != id {
			t.Errorf("got post %s with id %s", p.Name, p.Labels[v1beta1.LabelID])
		}
	}
}

// acceptedBatch applies the batch of a request of POST /posts: it records the content and the id of each post.
func (u *run) acceptedBatch(name string, accounts ...string) map[string]int64 {
	u.t.Helper()
	reserved := map[string]int64{}
	u.batch(name, func(b *v1beta1.PostBatch) {
		b.Spec.ShortRef, b.Spec.RevisionPolicy = v1beta1.ShortRef{ID: 7}, v1beta1.RevisionPinned
		for _, a := range accounts {
			reserved[a] = ids.Add(1)
			b.Spec.Accounts = append(b.Spec.Accounts, v1beta1.PostTarget{Name: a, PostID: reserved[a], Accepted: &v1beta1.AcceptedPost{
				Platform: "tiktok", Revision: 3, Caption: "As accepted on " + a, Tags: []string{"desk"},
				Media: v1beta1.PostMedia{Kind: "video", VideoKey: "renders/three.mp4", Bytes: 5},
			}})
		}
	})
	return reserved
}

func (u *run) asAccepted(reserved map[string]int64) {
	u.t.Helper()
	posts := u.posts()
	if len(posts) != len(reserved) {
		u.t.Fatalf("got %d posts, want %d", len(posts), len(reserved))
	}
	for _, p := range posts {
		if id := fmt.Sprint(reserved[p.Spec.Account]); p.Name != "post-"+id || p.Labels[v1beta1.LabelID] != id {
			u.t.Errorf("got post %s with id %s", p.Name, p.Labels[v1beta1.LabelID])
		}
		if p.Spec.Caption != "As accepted on "+p.Spec.Account || p.Spec.Revision != 3 || p.Spec.ShortID != 7 || p.Spec.Platform != "tiktok" ||
			p.Spec.Media.VideoKey != "renders/three.mp4" || len(p.Spec.Tags) != 1 {
			u.t.Errorf("want the accepted content, got %+v", p.Spec)
		}
	}
}

// TestAccepted_CreatesExactlyWhatWasAccepted checks that neither the short nor the account is read again, because the
// caller of POST /posts already has the response.
func TestAccepted_CreatesExactlyWhatWasAccepted(t *testing.T) {
	u := start(t)
	reserved := u.acceptedBatch("batch-1", "deleted", "disconnected")
	u.clock.Step(5 * time.Second) // the front end did not create the posts
	u.account("tiktok", "disconnected")
	u.token("disconnected", v1beta1.TokenRevoked)
	u.settle("batch-1")
	u.asAccepted(reserved)
	if st := u.live("batch-1").Status; len(st.Targets) != 2 || st.Open != 2 || st.Targets[0].PostID != reserved["deleted"] {
		t.Errorf("got status %+v", st)
	}
}

func TestAccepted_CreatesEachPostOnceDespiteFaults(t *testing.T) {
	create := func(t *testing.T, at int, f testkit.Fault) (*run, map[string]int64) {
		u := start(t)
		reserved := u.acceptedBatch("batch-1", "one", "two")
		u.clock.Step(5 * time.Second)
		u.rec.FailAt, u.rec.Fault = at, f
		u.settle("batch-1")
		return u, reserved
	}
	clean, _ := create(t, 0, "")
	writes := clean.rec.Writes
	for n := range writes {
		for _, f := range []testkit.Fault{testkit.Lost, testkit.Unanswered} {
			t.Run(fmt.Sprintf("%s, %s", writes[n], f), func(t *testing.T) {
				u, reserved := create(t, n+1, f)
				u.asAccepted(reserved)
			})
		}
	}
}

func TestAccepted_HeldIfTheBrandRequiresApprovalBeforeThePostExists(t *testing.T) {
	u := start(t)
	b := &v1beta1.Brand{}
	u.must(cluster.Client.Get(t.Context(), u.key("acme"), b))
	b.Spec.Approval = "hold"
	u.must(cluster.Client.Update(t.Context(), b))
	u.acceptedBatch("batch-1", "one")
	u.clock.Step(5 * time.Second)
	u.settle("batch-1")
	if posts := u.posts(); len(posts) != 1 || !posts[0].Spec.Hold {
		t.Errorf("got posts %+v", posts)
	}
}

func TestBatch_RequiresApprovalThatTheBrandDoesNotRequire(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.batch("strict", func(b *v1beta1.PostBatch) {
		b.Spec.RequireApproval, b.Spec.ScheduledAt, b.Spec.Accounts = true, u.in(time.Hour), accounts("tik")
	})
	u.settle("strict")
	if posts := u.posts(); len(posts) != 1 || !posts[0].Spec.Hold || !posts[0].Spec.RequireApproval {
		t.Fatalf("got posts %+v", posts)
	}
	u.hasReady("strict", metav1.ConditionFalse, v1beta1.ReasonAwaitingApproval, false)
	b := u.live("strict")
	b.Spec.RequireApproval = false
	if err := cluster.Client.Update(t.Context(), b); !apierrors.IsInvalid(err) {
		t.Errorf("the requirement was removed: %v", err)
	}
	b = u.live("strict")
	b.Spec.Approved = true
	u.must(cluster.Client.Update(t.Context(), b))
	u.settle("strict")
	if posts := u.posts(); posts[0].Spec.Hold {
		t.Error("the approved post is held")
	}
}

func TestBatch_MissedSchedule(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.batch("old", func(b *v1beta1.PostBatch) {
		b.Spec.ScheduledAt, b.Spec.Accounts = u.in(-3*time.Minute), accounts("tik")
		b.Spec.Platforms = []v1beta1.Platform{"linkedin"}
	})
	u.settle("old")
	if n := len(u.posts()); n != 0 {
		t.Fatalf("got %d posts of a missed batch", n)
	}
	for _, l := range u.live("old").Status.Targets {
		if l.State != v1beta1.PostFailed || l.Error.Code != "conflict" || l.Error.Details["reason"] != "missed_schedule" || l.Error.Retryable {
			t.Errorf("got target %+v, %+v", l, l.Error)
		}
	}
	u.hasReady("old", metav1.ConditionFalse, v1beta1.ReasonMissedSchedule, true)

	// A batch that was created in time is published, however late its controller is.
	u.batch("late", func(b *v1beta1.PostBatch) { b.Spec.ScheduledAt, b.Spec.Accounts = u.in(-time.Minute), accounts("tik") })
	u.settle("late")
	if n := len(u.posts()); n != 1 {
		t.Fatalf("got %d posts, want 1", n)
	}
}

// staleBrand is a cache in which all brands still have the spec of an earlier time.
type staleBrand struct {
	client.Client
	spec v1beta1.BrandSpec
}

// Get reads an object, a brand with the earlier spec.
func (s staleBrand) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	err := s.Client.Get(ctx, key, o, opts...)
	if b, ok := o.(*v1beta1.Brand); ok && err == nil {
		b.Spec = s.spec
	}
	return err
}

func TestBatch_EndsAHoldByThePolicyThatTheClusterHas(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "hold" })
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik") })
	u.settle("promo")
	held := func(why string, want bool) {
		t.Helper()
		u.settle("promo")
		if got := u.posts()[0].Spec.Hold; got != want {
			t.Errorf("%s: got hold %t", why, got)
		}
	}
	u.r.Client = staleBrand{Client: u.rec, spec: v1beta1.BrandSpec{Approval: "none"}}
	held("the cache does not have the policy yet", true)
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "none" })
	held("the policy is less strict", false)
}

func TestBatch_HoldsAndReleasesPosts(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	brand := &v1beta1.Brand{}
	policy := func(p string) {
		t.Helper()
		u.must(cluster.Client.Get(t.Context(), u.key("acme"), brand))
		brand.Spec.Approval = p
		u.must(cluster.Client.Update(t.Context(), brand))
	}
	edit := func(change func(*v1beta1.PostBatchSpec)) {
		t.Helper()
		b := u.live("promo")
		change(&b.Spec)
		u.must(cluster.Client.Update(t.Context(), b))
	}
	held := func(want bool) {
		t.Helper()
		u.settle("promo")
		if got := u.posts()[0].Spec.Hold; got != want {
			t.Errorf("got hold %v", got)
		}
	}
	policy("hold")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik") })
	held(true)
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonAwaitingApproval, false)
	edit(func(s *v1beta1.PostBatchSpec) { s.Suspend, s.Approved = true, true })
	held(true)
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonSuspended, false)
	edit(func(s *v1beta1.PostBatchSpec) { s.Suspend = false })
	held(false)
	u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
	edit(func(s *v1beta1.PostBatchSpec) { s.Suspend = true })
	held(true)
	edit(func(s *v1beta1.PostBatchSpec) { s.Suspend = false })
	held(false)

	// A post that is being sent cannot be held.
	p := &u.posts()[0]
	u.state(p, func(s *v1beta1.PostStatus) {
		s.State = v1beta1.PostPending
		s.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptIntended, StartedAt: metav1.NowMicro()}}
	})
	edit(func(s *v1beta1.PostBatchSpec) { s.Suspend = true })
	held(false)
}

// Posts of a batch without its brand are held, and a held one is not released.
func TestBatch_HoldWithoutBrand(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("tik") })
	u.settle("promo")
	u.must(cluster.Client.Delete(t.Context(), testkit.Brand(u.ns, "acme")))
	for _, suspend := range []bool{true, false} {
		b := u.live("promo")
		b.Spec.Suspend = suspend
		u.must(cluster.Client.Update(t.Context(), b))
		u.settle("promo")
		if !u.posts()[0].Spec.Hold {
			t.Errorf("suspend is %v, and the post is not held", suspend)
		}
	}
	u.must(cluster.Client.Create(t.Context(), testkit.Brand(u.ns, "acme")))
	u.settle("promo")
	if u.posts()[0].Spec.Hold {
		t.Error("the post is held although the brand exists again")
	}
}

// A batch that is deleted while a post waits for its next attempt is deleted at once: nothing was published.
func TestDelete_BetweenAttempts(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "a")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("a") })
	u.settle("promo")
	p := &u.posts()[0]
	u.state(p, func(s *v1beta1.PostStatus) {
		s.State = v1beta1.PostRetrying
		s.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptNotSent, StartedAt: metav1.NowMicro()}}
	})
	u.must(cluster.Client.Delete(t.Context(), u.live("promo")))
	u.settle("promo")
	if u.live("promo") != nil {
		t.Error("the deleted batch waits for the next attempt")
	}
	if p := u.posts()[0]; p.DeletionTimestamp.IsZero() {
		t.Error("the post is not deleted")
	}
}

func TestDelete(t *testing.T) {
	u := start(t)
	u.show("tidy")
	for _, name := range []string{"a", "b", "c"} {
		u.account("tiktok", name)
	}
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("a", "b", "c") })
	u.settle("promo")
	posts := u.posts()
	u.state(&posts[0], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
	u.state(&posts[1], func(s *v1beta1.PostStatus) {
		s.State = v1beta1.PostPending
		s.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptUnknown, StartedAt: metav1.NowMicro()}}
	})
	u.must(cluster.Client.Delete(t.Context(), u.live("promo")))
	u.settle("promo")
	if u.live("promo") == nil {
		t.Fatal("the batch is gone while a post is in flight")
	}
	var deleted []bool
	for _, p := range u.posts() {
		deleted = append(deleted, !p.DeletionTimestamp.IsZero())
	}
	if diff := cmp.Diff([]bool{true, false, true}, deleted); diff != "" {
		t.Error(diff)
	}
	u.state(&posts[1], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostFailed })
	u.settle("promo")
	if u.live("promo") != nil {
		t.Error("the deleted batch still exists")
	}
}

// A batch that is deleted and created again at once takes over the published posts of the first one.
func TestBatch_Replaced(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "a")
	u.account("tiktok", "b")
	again := func(b *v1beta1.PostBatch) {
		b.Spec.Accounts, b.Spec.ScheduledAt = accounts("a", "b"), u.in(-time.Minute)
	}
	u.batch("promo", again)
	u.settle("promo")
	posts := u.posts()
	u.state(&posts[0], func(s *v1beta1.PostStatus) {
		s.State = v1beta1.PostSuccess
		s.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, StartedAt: metav1.NowMicro()}}
	})
	u.must(cluster.Client.Delete(t.Context(), u.live("promo")))
	u.settle("promo")
	u.batch("promo", again)
	for range 4 {
		if _, err := u.pass("promo"); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	// The unpublished post blocks its name until its finalizer is removed.
	p := u.posts()[1]
	p.Finalizers = nil
	u.must(cluster.Client.Update(t.Context(), &p))
	u.settle("promo")
	b := u.live("promo")
	if len(b.Status.Targets) != 2 || b.Status.Targets[0].State != v1beta1.PostSuccess || b.Status.Targets[1].State != v1beta1.PostPending {
		t.Errorf("got targets %+v", b.Status.Targets)
	}
	now := u.posts()
	if len(now) != 2 || now[0].UID != posts[0].UID || metav1.IsControlledBy(&now[0], b) || now[1].UID == posts[1].UID || !metav1.IsControlledBy(&now[1], b) {
		t.Errorf("want the published post kept, and the other recreated")
	}
}

// A batch by platforms is created again after one of its posts was sent: it takes over that post, and creates the
// other.
func TestBatch_ReplacedByPlatforms(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "a")
	again := func(b *v1beta1.PostBatch) {
		b.Spec.Platforms, b.Spec.ScheduledAt = []v1beta1.Platform{"tiktok", "youtube"}, u.in(-time.Minute)
	}
	u.batch("promo", again)
	u.settle("promo")
	u.state(&u.posts()[0], func(s *v1beta1.PostStatus) {
		s.State = v1beta1.PostSuccess
		s.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, StartedAt: metav1.NowMicro()}}
	})
	u.must(cluster.Client.Delete(t.Context(), u.live("promo")))
	u.settle("promo")
	u.account("youtube", "b")
	u.batch("promo", again)
	u.settle("promo")
	b := u.live("promo")
	if len(b.Status.Targets) != 2 || b.Status.Targets[0].State != v1beta1.PostSuccess || b.Status.Targets[1].Account != "b" {
		t.Errorf("got targets %+v", b.Status.Targets)
	}
}

// A backup contains objects without their status. Restored objects have other uids.
func TestBatch_Restored(t *testing.T) {
	restore := func(t *testing.T, u *run, o client.Object) {
		t.Helper()
		o.SetResourceVersion("")
		o.SetUID("")
		u.must(cluster.Client.Create(t.Context(), o))
	}
	wipe := func(t *testing.T, u *run, o client.Object) {
		t.Helper()
		u.must(cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(o), o))
		bare := o.DeepCopyObject().(client.Object)
		bare.SetFinalizers(nil)
		u.must(cluster.Client.Update(t.Context(), bare))
		u.must(cluster.Client.Delete(t.Context(), bare))
	}
	for _, c := range []struct {
		why     string
		posts   bool
		passed  time.Duration
		want    int
		ready   metav1.ConditionStatus
		reason  v1beta1.Reason
		stalled bool
	}{
		{"before the due time, with its posts: adopts them and creates none", true, 0, 2, metav1.ConditionTrue, v1beta1.ReasonScheduled, false},
		{"before the due time, without its posts: creates them with the same names", false, 0, 2, metav1.ConditionTrue, v1beta1.ReasonScheduled, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			u := start(t)
			u.show("tidy")
			u.account("tiktok", "a")
			u.account("instagram", "b")
			u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("a", "b") })
			u.settle("promo")
			b, posts := u.live("promo"), u.posts()
			wipe(t, u, b)
			for i := range posts {
				wipe(t, u, &posts[i])
			}
			before := b.UID
			restore(t, u, b)
			if c.posts {
				for i := range posts {
					posts[i].Status = v1beta1.PostStatus{}
					restore(t, u, &posts[i])
				}
			}
			u.settle("promo")
			b = u.live("promo")
			if b.UID == before {
				t.Fatal("the batch was not recreated")
			}
			now := u.posts()
			if len(now) != c.want {
				t.Fatalf("got %d posts", len(now))
			}
			for i := range now {
				if now[i].Name != posts[i].Name || !metav1.IsControlledBy(&now[i], b) || len(now[i].OwnerReferences) != 1 {
					t.Errorf("post %s has the owners %+v", now[i].Name, now[i].OwnerReferences)
				}
			}
			u.hasReady("promo", c.ready, c.reason, c.stalled)
		})
	}

	t.Run("a post without its status keeps its recorded outcome", func(t *testing.T) {
		u := start(t)
		u.show("tidy")
		u.account("tiktok", "a")
		u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("a") })
		u.settle("promo")
		p := u.posts()[0]
		u.state(&p, func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
		u.settle("promo")
		u.clock.Step(2 * time.Hour)
		wipe(t, u, &p)
		u.settle("promo")
		p.Status = v1beta1.PostStatus{}
		restore(t, u, &p)
		for _, s := range []v1beta1.PostState{"", v1beta1.PostFailed} { // its controller reports that it is not published
			u.state(&p, func(st *v1beta1.PostStatus) { st.State = s })
			u.settle("promo")
			if got := u.live("promo").Status; got.Targets[0].State != v1beta1.PostSuccess || got.Published != 1 || got.Open != 0 {
				t.Errorf("after %q: got %+v", s, got)
			}
		}
	})

	t.Run("after the due time, with a published post: publishes nothing", func(t *testing.T) {
		u := start(t)
		u.show("tidy")
		u.account("tiktok", "a")
		u.account("instagram", "b")
		old := u.batch("promo", func(b *v1beta1.PostBatch) {
			b.Spec.Accounts, b.Spec.ScheduledAt = accounts("a", "b"), u.in(-time.Minute)
		})
		u.settle("promo")
		posts := u.posts()
		u.state(&posts[0], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
		wipe(t, u, u.live("promo"))
		wipe(t, u, &posts[1])
		// The cluster sets the creation time. An equal batch with an older due time simulates one that is restored later.
		again := &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: "promo"}, Spec: old.Spec}
		again.Spec.ScheduledAt = u.in(-time.Hour)
		restore(t, u, again)
		u.settle("promo")
		if n := len(u.posts()); n != 1 {
			t.Errorf("got %d posts, want 1", n)
		}
		u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonMissedSchedule, true)
	})
}

func TestBatch_ForeignPost(t *testing.T) {
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "tik")
	id := ids.Add(1)
	p := &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{Namespace: u.ns, Name: fmt.Sprintf("post-%d", id)},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "another", Account: "tik", Platform: "tiktok", ShortID: 1, PostingMode: "direct",
			Media: v1beta1.PostMedia{Kind: "video"}, ScheduledAt: metav1.NewMicroTime(u.clock.Now()),
		},
	}
	u.must(cluster.Client.Create(t.Context(), p))
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = []v1beta1.PostTarget{{Name: "tik", PostID: id}} })
	u.clock.Step(5 * time.Second)
	u.settle("promo")
	b := u.live("promo")
	if l := b.Status.Targets[0]; l.State != v1beta1.PostFailed || l.Error.Details["reason"] != "name_taken" || l.Post != "" {
		t.Errorf("got target %+v, %+v", l, l.Error)
	}
	if got := u.posts()[0]; got.Spec.Batch != "another" || len(got.OwnerReferences) > 0 {
		t.Errorf("the foreign post was changed: %+v", got)
	}
}

// Each failed write results in the same posts, each created once.
func TestBatch_SurvivesFaults(t *testing.T) {
	make := func(t *testing.T, at int, f testkit.Fault) *run {
		u := start(t)
		u.show("tidy")
		u.account("tiktok", "a")
		u.account("instagram", "b")
		u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Platforms = []v1beta1.Platform{"tiktok", "instagram"} })
		u.rec.FailAt, u.rec.Fault = at, f
		u.settle("promo")
		return u
	}
	clean := make(t, 0, "")
	writes := len(clean.rec.Writes)
	if diff := cmp.Diff([]string{
		"patch PostBatch", "patch PostBatch", "patch PostBatch/status", "create Post", "create Post", "patch PostBatch/status",
	}, clean.rec.Writes); diff != "" {
		t.Fatal(diff)
	}
	names := func(u *run) (out []string) {
		for _, p := range u.posts() {
			out = append(out, p.Spec.Account)
		}
		return out
	}
	for n := 1; n <= writes; n++ {
		for _, f := range []testkit.Fault{testkit.Lost, testkit.Unanswered} {
			t.Run(fmt.Sprintf("%s, %s", clean.rec.Writes[n-1], f), func(t *testing.T) {
				u := make(t, n, f)
				if diff := cmp.Diff(names(clean), names(u)); diff != "" {
					t.Error(diff)
				}
				u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
				if st := u.live("promo").Status; st.Open != 2 || st.Overall != "" || len(st.Targets) != 2 || st.Targets[1].PostID == 0 {
					t.Errorf("got status %+v", st)
				}
			})
		}
	}
}
