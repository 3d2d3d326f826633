// SPDX-License-Identifier: Apache-2.0

package postbatch_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/testkit"
)

// edit creates another revision of a slideshow, with its own slides.
func (u *run) edit(name string, revision int64) {
	u.t.Helper()
	s := &v1beta1.Slideshow{}
	u.must(cluster.Client.Get(u.t.Context(), u.key(name), s))
	s.Status.Revision = revision
	for i := range s.Status.Slides {
		s.Status.Slides[i].PictureKey = fmt.Sprintf("slides/r%d/%d.png", revision, i+1)
	}
	u.must(cluster.Client.Status().Update(u.t.Context(), s))
}

// content checks ContentCurrent, and the revisions in the status.
func (u *run) content(name string, want metav1.ConditionStatus, reason v1beta1.Reason, revision, latest int64) {
	u.t.Helper()
	b := u.live(name)
	c := meta.FindStatusCondition(b.Status.Conditions, string(v1beta1.ConditionContentCurrent))
	if c == nil || c.Status != want || c.Reason != string(reason) || c.ObservedGeneration != b.Generation {
		u.t.Errorf("ContentCurrent is %+v, want %s %s", c, want, reason)
	}
	if b.Status.Revision != revision || b.Status.LatestRevision != latest {
		u.t.Errorf("revision %d, latest %d, want %d and %d", b.Status.Revision, b.Status.LatestRevision, revision, latest)
	}
}

// publishes checks that each post has the content of the same revision, that of the account.
func (u *run) publishes(revisions ...int64) {
	u.t.Helper()
	for i, p := range u.posts() {
		key := "slides/1.png"
		if revisions[i] > 1 {
			key = fmt.Sprintf("slides/r%d/1.png", revisions[i])
		}
		if p.Spec.Revision != revisions[i] || p.Spec.Media.PhotoKeys[0] != key {
			u.t.Errorf("%s publishes revision %d, %s, want %d", p.Name, p.Spec.Revision, p.Spec.Media.PhotoKeys[0], revisions[i])
		}
	}
}

// scheduled creates a batch with posts on two accounts.
func scheduled(t *testing.T, change func(*v1beta1.PostBatch)) *run {
	t.Helper()
	u := start(t)
	u.show("tidy")
	u.account("tiktok", "a")
	u.account("instagram", "b")
	u.batch("promo", func(b *v1beta1.PostBatch) {
		b.Spec.Accounts = accounts("a", "b")
		if change != nil {
			change(b)
		}
	})
	u.settle("promo")
	u.announced()
	return u
}

func (u *run) brand(change func(*v1beta1.BrandSpec)) {
	u.t.Helper()
	b := &v1beta1.Brand{}
	u.must(cluster.Client.Get(u.t.Context(), u.key("acme"), b))
	change(&b.Spec)
	u.must(cluster.Client.Update(u.t.Context(), b))
}

func pinned(b *v1beta1.PostBatch) { b.Spec.RevisionPolicy = v1beta1.RevisionPinned }

func TestRevision_LatestMovesPostsUntilTheyAreDue(t *testing.T) {
	u := scheduled(t, nil)
	u.content("promo", metav1.ConditionTrue, v1beta1.ReasonUpToDate, 1, 1)
	b := u.live("promo")
	if !u.wakes("promo", "show/tidy") {
		t.Error("an edit of the short does not trigger the batch")
	}
	u.edit("tidy", 2)
	u.settle("promo")
	u.publishes(2, 2)
	u.content("promo", metav1.ConditionTrue, v1beta1.ReasonUpToDate, 2, 2)
	u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
	if got := u.announced(); len(got) != 2 || !strings.HasPrefix(got[0], "Normal RevisionMoved ") || !strings.HasPrefix(got[1], "Normal RevisionMoved ") {
		t.Errorf("got events %q", got)
	}
	for _, p := range u.posts() {
		if posting.PostName(b, p.Spec.Platform, p.Spec.Account, 0) != p.Name || !metav1.IsControlledBy(&p, b) {
			t.Errorf("the post was replaced: %+v", p.ObjectMeta)
		}
	}

	// One post is being sent when the next revision is ready.
	u.state(&u.posts()[0], func(s *v1beta1.PostStatus) {
		s.State = v1beta1.PostPending
		s.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptIntended, StartedAt: metav1.NowMicro()}}
	})
	u.edit("tidy", 3)
	u.settle("promo")
	u.publishes(2, 3)
	u.clock.SetTime(b.Spec.ScheduledAt.Add(4 * time.Second)) // after the writes that are withheld while posts are sent
	u.edit("tidy", 4)
	u.settle("promo")
	u.publishes(2, 3)
	u.content("promo", metav1.ConditionFalse, v1beta1.ReasonNewerRevision, 3, 4)
	posts := u.posts()
	for i := range posts {
		u.state(&posts[i], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
	}
	u.settle("promo")
	if c := meta.FindStatusCondition(u.live("promo").Status.Conditions, string(v1beta1.ConditionContentCurrent)); c != nil {
		t.Errorf("after the posts ended: got %+v", c)
	}
}

func TestRevision_PinnedReportsTheNewerOne(t *testing.T) {
	for name, change := range map[string]func(*v1beta1.PostBatch){
		"by the policy": pinned,
		"by the ids that the front end reserved": func(b *v1beta1.PostBatch) {
			b.Spec.Accounts[0].PostID, b.Spec.Accounts[1].PostID = ids.Add(1), ids.Add(1)
			b.Spec.ScheduledAt.Time = b.Spec.ScheduledAt.Add(time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := scheduled(t, change)
			u.clock.Step(5 * time.Second) // after the front end would have created the posts
			u.settle("promo")
			u.announced()
			u.edit("tidy", 2)
			u.settle("promo")
			u.publishes(1, 1)
			u.content("promo", metav1.ConditionFalse, v1beta1.ReasonNewerRevision, 1, 2)
			u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
			u.announces("Warning", v1beta1.ReasonNewerRevision)

			b := u.live("promo")
			b.Spec.RevisionPolicy = v1beta1.RevisionLatest
			u.must(cluster.Client.Update(t.Context(), b))
			u.settle("promo")
			u.publishes(2, 2)
			u.content("promo", metav1.ConditionTrue, v1beta1.ReasonUpToDate, 2, 2)
		})
	}
}

func TestRevision_ApprovalIsForTheRevisionOfThePosts(t *testing.T) {
	u := start(t)
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "hold" })
	u.show("tidy")
	u.account("tiktok", "a")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("a") })
	u.settle("promo")
	u.hasReady("promo", metav1.ConditionFalse, v1beta1.ReasonAwaitingApproval, false)
	u.announced()
	u.edit("tidy", 2)
	u.settle("promo")
	u.publishes(1) // an edit between the review and the approval is not approved
	u.content("promo", metav1.ConditionFalse, v1beta1.ReasonNewerRevision, 1, 2)
	u.announces("Warning", v1beta1.ReasonNewerRevision)

	b := u.live("promo")
	b.Spec.Approved = true
	u.must(cluster.Client.Update(t.Context(), b))
	u.settle("promo")
	u.publishes(1)
	if u.posts()[0].Spec.Hold {
		t.Error("the approved post is held")
	}
	u.content("promo", metav1.ConditionFalse, v1beta1.ReasonNewerRevision, 1, 2)
	u.edit("tidy", 3)
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "none" })
	u.settle("promo")
	u.publishes(1) // approved content is published, also when the brand requires no approval any more
	u.content("promo", metav1.ConditionFalse, v1beta1.ReasonNewerRevision, 1, 3)
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "hold" })

	// The replacement that the message names publishes the newest revision once it is approved.
	u.must(cluster.Client.Delete(t.Context(), u.live("promo")))
	u.settle("promo")
	for _, p := range u.posts() { // its controller releases it
		p.Finalizers = nil
		u.must(cluster.Client.Update(t.Context(), &p))
	}
	u.batch("promo-2", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("a") })
	u.settle("promo-2")
	u.publishes(3)
	if !u.posts()[0].Spec.Hold {
		t.Error("the replacement is not held")
	}

	// Held posts move once the brand requires no approval any more.
	u.edit("tidy", 4)
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "none" })
	u.settle("promo-2")
	u.publishes(4)
}

// The approval of one post applies to its revision. Other posts of the batch move, also those that were returned.
func TestRevision_ApprovedPostStopsMoving(t *testing.T) {
	u := start(t)
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "hold" })
	u.show("tidy")
	for _, name := range []string{"a", "b", "c"} {
		u.account("tiktok", name)
	}
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("a", "b", "c") })
	u.settle("promo")
	for i, state := range []v1beta1.ApprovalState{v1beta1.ApprovalApproved, v1beta1.ApprovalReturned} {
		p := u.posts()[i]
		p.Spec.Approval = &v1beta1.PostApproval{State: state, By: "ada", At: metav1.Now()}
		u.must(cluster.Client.Update(t.Context(), &p))
	}
	u.settle("promo")
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "none" })
	u.edit("tidy", 2)
	u.settle("promo")
	u.publishes(1, 2, 2)
	u.clock.Step(10 * time.Second) // progress is written with a delay
	u.settle("promo")
	u.content("promo", metav1.ConditionFalse, v1beta1.ReasonNewerRevision, 1, 2)
}

func TestRevision_PostsReleasedBeforeThePolicyBecameStrictStopMoving(t *testing.T) {
	u := scheduled(t, nil)
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "hold" })
	u.edit("tidy", 2)
	u.settle("promo")
	u.publishes(1, 1)
	u.content("promo", metav1.ConditionFalse, v1beta1.ReasonNewerRevision, 1, 2)
}

func TestRevision_SuspendedPostsMove(t *testing.T) {
	u := scheduled(t, func(b *v1beta1.PostBatch) { b.Spec.Suspend = true })
	u.clock.Step(2 * time.Hour) // a held post is not due before it is released
	u.edit("tidy", 2)
	u.settle("promo")
	u.publishes(2, 2)
}

func TestRevision_ShortInProgressOrRejectedIsNotUsed(t *testing.T) {
	u := scheduled(t, nil)
	s := &v1beta1.Slideshow{}
	work := func(state v1beta1.WorkState) {
		u.must(cluster.Client.Get(t.Context(), u.key("tidy"), s))
		s.Status.Work.State = state
		u.must(cluster.Client.Status().Update(t.Context(), s))
	}
	u.edit("tidy", 2)
	work(v1beta1.WorkProcessing)
	u.settle("promo")
	u.publishes(1, 1)
	u.content("promo", metav1.ConditionFalse, v1beta1.ReasonNewerRevision, 1, 0)
	work(v1beta1.WorkSucceeded)
	u.settle("promo")
	u.publishes(2, 2)

	// Instagram takes ten photos at most, TikTok more: each post has one revision, and the batch reports the lower one.
	u.must(cluster.Client.Get(t.Context(), u.key("tidy"), s))
	s.Status.Revision = 3
	for i := range int64(12) {
		slide := s.Status.Slides[0]
		slide.ID, slide.PictureKey = i+1, fmt.Sprintf("slides/r3/%d.png", i+1)
		s.Status.Slides = append(s.Status.Slides[:i:i], slide)
	}
	u.must(cluster.Client.Status().Update(t.Context(), s))
	u.settle("promo")
	u.publishes(3, 2)
	u.content("promo", metav1.ConditionFalse, v1beta1.ReasonNewerRevision, 2, 3)
	c := meta.FindStatusCondition(u.live("promo").Status.Conditions, string(v1beta1.ConditionContentCurrent))
	if !strings.Contains(c.Message, "b cannot publish it") {
		t.Errorf("got message %q", c.Message)
	}
	u.edit("tidy", 4)
	u.must(cluster.Client.Get(t.Context(), u.key("tidy"), s))
	s.Status.Slides = s.Status.Slides[:3]
	u.must(cluster.Client.Status().Update(t.Context(), s))
	u.settle("promo")
	u.publishes(4, 4)
	u.content("promo", metav1.ConditionTrue, v1beta1.ReasonUpToDate, 4, 4)
}

func TestRevision_DeletedShortIsReportedAndHeals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*v1beta1.PostBatch)
		status metav1.ConditionStatus
		reason v1beta1.Reason
		moved  bool
	}{
		"latest": {nil, metav1.ConditionTrue, v1beta1.ReasonUpToDate, true},
		"pinned": {pinned, metav1.ConditionFalse, v1beta1.ReasonNewerRevision, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := scheduled(t, c.change)
			old := u.posts()[0].Spec.ShortID
			s := &v1beta1.Slideshow{}
			u.must(cluster.Client.Get(t.Context(), u.key("tidy"), s))
			u.must(cluster.Client.Delete(t.Context(), s))
			u.settle("promo")
			u.publishes(1, 1)
			u.content("promo", metav1.ConditionFalse, v1beta1.ReasonShortNotFound, 1, 0)
			u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false) // its files are kept
			u.announces("Warning", v1beta1.ReasonShortNotFound)
			u.show("tidy")
			u.settle("promo")
			u.content("promo", c.status, c.reason, 1, 1)
			for _, p := range u.posts() {
				if (p.Spec.ShortID != old) != c.moved || p.Labels[v1beta1.LabelShort] != fmt.Sprint(p.Spec.ShortID) {
					t.Errorf("short %d with the label %s, want %d", p.Spec.ShortID, p.Labels[v1beta1.LabelShort], old)
				}
			}
		})
	}
}

func TestRevision_PreparationOfAnEarlierReleaseIsNotMoved(t *testing.T) {
	u := scheduled(t, nil)
	u.state(&u.posts()[0], func(s *v1beta1.PostStatus) {
		s.State, s.Preparation = v1beta1.PostScheduled, &v1beta1.PostPreparation{Sealed: []byte("session"), Ready: true, Times: 1}
	})
	u.edit("tidy", 2)
	u.settle("promo")
	u.publishes(1, 2)
}

// Each failed write moves each post once, to the content of one revision.
func TestRevision_EachWriteFailing(t *testing.T) {
	move := func(t *testing.T, at int, f testkit.Fault) *run {
		u := scheduled(t, nil)
		u.edit("tidy", 2)
		u.rec.Writes = nil
		u.rec.FailAt, u.rec.Fault = at, f
		u.settle("promo")
		return u
	}
	clean := move(t, 0, "")
	if want := []string{"patch Post", "patch Post", "patch PostBatch/status"}; !slices.Equal(clean.rec.Writes, want) {
		t.Fatalf("got writes %q, want %q", clean.rec.Writes, want)
	}
	for n, write := range clean.rec.Writes {
		for _, f := range []testkit.Fault{testkit.Lost, testkit.Unanswered} {
			t.Run(fmt.Sprintf("%d %s, %s", n+1, write, f), func(t *testing.T) {
				u := move(t, n+1, f)
				u.publishes(2, 2)
				u.content("promo", metav1.ConditionTrue, v1beta1.ReasonUpToDate, 2, 2)
				u.hasReady("promo", metav1.ConditionTrue, v1beta1.ReasonScheduled, false)
			})
		}
	}
}

func TestPost_ContentIsFixedByTheAPIOnceAnAttemptIsRecorded(t *testing.T) {
	u := scheduled(t, nil)
	p := u.posts()[0]
	stale := p.DeepCopy()
	u.state(&p, func(s *v1beta1.PostStatus) {
		s.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptNotSent, StartedAt: metav1.NowMicro()}}
	})
	stale.Spec.Caption = "Other words"
	if err := cluster.Client.Update(t.Context(), stale); !apierrors.IsConflict(err) {
		t.Errorf("moving a post before its attempt: %v", err)
	}
	for name, change := range map[string]func(*v1beta1.PostSpec){
		"caption":  func(s *v1beta1.PostSpec) { s.Caption = "Other words" },
		"title":    func(s *v1beta1.PostSpec) { s.Title = "Another" },
		"media":    func(s *v1beta1.PostSpec) { s.Media.PhotoKeys[0] = "slides/9.png" },
		"revision": func(s *v1beta1.PostSpec) { s.Revision = 2 },
		"short":    func(s *v1beta1.PostSpec) { s.ShortID++ },
		"tags":     func(s *v1beta1.PostSpec) { s.Tags = []string{"x"} },
		"settings": func(s *v1beta1.PostSpec) { s.Settings = &v1beta1.PostSettings{FirstComment: new(string)} },
		"time":     func(s *v1beta1.PostSpec) { s.ScheduledAt.Time = s.ScheduledAt.Add(time.Hour) },
	} {
		now := u.posts()[0]
		change(&now.Spec)
		if err := cluster.Client.Update(t.Context(), &now); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "cannot be changed") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	now := u.posts()[0]
	now.Spec.Cancel = true
	u.must(cluster.Client.Update(t.Context(), &now))
}

// A post that was edited keeps its content, and the approval of its batch does not apply to it.
func TestRevision_EditedPostKeepsItsContentAndNeedsItsOwnApproval(t *testing.T) {
	u := start(t)
	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "hold" })
	u.show("tidy")
	u.account("tiktok", "a")
	u.account("tiktok", "b")
	u.batch("promo", func(b *v1beta1.PostBatch) { b.Spec.Accounts = accounts("a", "b") })
	u.settle("promo")
	change := func(f func(p *v1beta1.Post)) {
		t.Helper()
		p := u.posts()[0]
		f(&p)
		u.must(cluster.Client.Update(t.Context(), &p))
		u.settle("promo")
	}
	number := func(n int64) func(p *v1beta1.Post) {
		return func(p *v1beta1.Post) {
			p.Spec.Caption = "Edited"
			p.Spec.Edit = &v1beta1.PostEdit{Number: n, At: metav1.Now(), AcceptedFor: p.Spec.ScheduledAt}
			p.Spec.Hold = true
		}
	}
	holds := func(want ...bool) {
		t.Helper()
		for i, p := range u.posts() {
			if p.Spec.Hold != want[i] {
				t.Errorf("post %d: got hold %t", i, p.Spec.Hold)
			}
		}
	}
	change(number(1))
	b := u.live("promo")
	b.Spec.Approved = true
	u.must(cluster.Client.Update(t.Context(), b))
	u.settle("promo")
	holds(true, false)
	if a := u.posts()[1].Spec.Approval; a == nil || a.State != v1beta1.ApprovalApproved || a.Edit != 0 || a.At.IsZero() {
		t.Errorf("the approval of the batch is not recorded: %+v", a)
	}
	if a := u.posts()[0].Spec.Approval; a != nil {
		t.Errorf("an approval of other content is recorded: %+v", a)
	}
	change(func(p *v1beta1.Post) {
		p.Spec.Approval = &v1beta1.PostApproval{State: v1beta1.ApprovalApproved, Edit: 1, By: "ada", At: metav1.Now()}
	})
	holds(false, false)
	change(number(2))
	holds(true, false)

	u.brand(func(s *v1beta1.BrandSpec) { s.Approval = "none" })
	b = u.live("promo")
	b.Spec.Approved, b.Spec.RevisionPolicy = false, v1beta1.RevisionLatest
	u.must(cluster.Client.Update(t.Context(), b))
	u.edit("tidy", 2)
	u.settle("promo")
	holds(false, false)
	// The approval that was recorded in a post stays effective when that of the batch is withdrawn.
	if p := u.posts(); p[0].Spec.Revision != 1 || p[0].Spec.Caption != "Edited" || p[1].Spec.Revision != 1 {
		t.Errorf("got revisions %d and %d, caption %q", p[0].Spec.Revision, p[1].Spec.Revision, p[0].Spec.Caption)
	}
}
