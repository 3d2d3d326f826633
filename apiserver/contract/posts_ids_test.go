// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/social/posting"
)

var _ = Describe("The ids of posts", func() {
	// manifest returns a batch for tomorrow that reserves an id itself.
	manifest := func(t *tenant, name string, short, account, id int64) *v1beta1.PostBatch {
		return &v1beta1.PostBatch{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name},
			Spec: v1beta1.PostBatchSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{ID: short},
				Accounts:    []v1beta1.PostTarget{{Name: fmt.Sprintf("linkedin-%d", account), PostID: id}},
				ScheduledAt: ptr.To(metav1.NewTime(time.Now().Add(24 * time.Hour).Truncate(time.Second))),
			},
		}
	}
	// handingOut returns a front end whose allocator returns these post ids first.
	handingOut := func(reserved []int64, change ...func(*apiserver.Config)) *front {
		return newFront(frontOptions{change: func(c *apiserver.Config) {
			plenty(c)
			for _, f := range change {
				f(c)
			}
			c.NextPost = func(ctx context.Context) (int64, error) {
				if len(reserved) == 0 {
					return allocator.Next(ctx, ids.Posts)
				}
				id := reserved[0]
				reserved = reserved[1:]
				return id, nil
			}
		}})
	}

	It("can only be set by Reelops: a publisher's batch that sets one is rejected", func() {
		Expect(policies("marks.yaml")).To(Equal(2))
		t := newTenant()
		short, account, publisher := t.laidOut(), t.social("linkedin"), acting("reelops-publisher", t.namespace)
		Eventually(func() error { // the cluster enforces a policy a moment after its creation
			return publisher.Create(ctx, manifest(t, "taking", short, account, 1), client.DryRunAll)
		}).WithPolling(100 * time.Millisecond).Should(And(MatchError(ContainSubstring("postID")), WithTransform(apierrors.IsForbidden, BeTrue())))
		forged := manifest(t, "forged", short, account, 1)
		forged.Spec.Accounts[0].Accepted = &v1beta1.AcceptedPost{Platform: "linkedin", Media: v1beta1.PostMedia{Kind: "video", VideoKey: "renders/other/film.mp4"}}
		Expect(publisher.Create(ctx, forged)).To(And(MatchError(ContainSubstring("accepted")), WithTransform(apierrors.IsForbidden, BeTrue())))
		forged.Spec.Accounts[0].PostID = 0
		Expect(access.Plain.Create(ctx, forged)).To(And(MatchError(ContainSubstring("accepted needs a postID")), WithTransform(apierrors.IsInvalid, BeTrue())))
		plain := manifest(t, "plain", short, account, 0)
		Expect(publisher.Create(ctx, plain)).To(Succeed(), "a batch without ids is accepted")
		restored := manifest(t, "restored", short, account, next(ids.Posts))
		Expect(access.Plain.Create(ctx, restored)).To(Succeed(), "an administrator can restore ids")
		restored.Labels = map[string]string{"team": "a"}
		Expect(publisher.Patch(ctx, restored, client.MergeFrom(restored.DeepCopy()))).To(Succeed(),
			"unchanged ids can be applied again")
	})

	It("that another batch has are skipped", func() {
		t := newTenant()
		key, short, account := t.everything(), t.laidOut(), t.social("linkedin")
		taken := next(ids.Posts)
		stranger := manifest(t, "stranger", short, account, taken)
		Expect(access.Plain.Create(ctx, stranger)).To(Succeed())
		Eventually(func() any { return access.Posts.Get(t.namespace, taken) }).WithPolling(often).ShouldNot(BeNil())

		f := handingOut([]int64{taken})
		id := post("/posts", object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(time.Hour)}).
			with(key).at(f).succeeds(202).id("data.results.0.share_id")
		Expect(id).NotTo(Equal(taken))
		Expect(t.post(id).Spec.Batch).To(HavePrefix("batch-"))
		Expect(t.post(taken).Spec.Batch).To(Equal("stranger"))
	})

	It("found in another batch later fail that account alone, as retryable, and are not in the answer", func() {
		t := newTenant()
		key, short := t.everything(), t.laidOut()
		account, other := t.social("linkedin"), t.social("tiktok")
		taken := next(ids.Posts)
		// The stranger's post is created between the reservation of the id and the creation of the post.
		stranger := t.stranger(fmt.Sprintf("linkedin-%d", account), taken)
		late := func(c *apiserver.Config) {
			c.Client = &beforePosts{Client: c.Client, do: func() {
				Expect(client.IgnoreAlreadyExists(access.Plain.Create(ctx, stranger.DeepCopy()))).To(Succeed())
			}}
		}
		body := object{"short_id": short, "social_data_ids": []int64{account, other}, "scheduled_at": ahead(time.Hour)}
		a := post("/posts", body).with(key).at(handingOut([]int64{taken}, late)).succeeds(202)
		Expect(a.at("data.overall_status")).To(Equal("partial"))
		Expect(a.at("data.results.0")).To(And(HaveKeyWithValue("share_id", BeNil()), HaveKeyWithValue("status", "failed"),
			HaveKeyWithValue("error", And(HaveKeyWithValue("code", "conflict"), HaveKeyWithValue("retryable", true), HaveKeyWithValue("details", HaveKeyWithValue("reason", "name_taken"))))))
		Expect(a.at("data.results.1")).To(And(HaveKeyWithValue("status", "scheduled"), HaveKeyWithValue("share_id", BeNumerically(">", 0))))
		Expect(t.post(taken).Spec.Batch).To(Equal("strange"))
		Eventually(func(g Gomega) { // the controller reaches the same result
			b := &v1beta1.PostBatch{}
			g.Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: a.at("data.batch_id").(string)}, b)).To(Succeed())
			g.Expect(b.Status.Targets).To(HaveLen(2))
			g.Expect(b.Status.Targets[0].State).To(Equal(v1beta1.PostFailed))
			g.Expect(b.Status.Targets[1].State).To(Equal(v1beta1.PostScheduled))
		}).WithPolling(often).Should(Succeed())

		Expect(access.Plain.Delete(ctx, stranger.DeepCopy(), client.GracePeriodSeconds(0))).To(Succeed())
		alone := object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(time.Hour)}
		taken = next(ids.Posts)
		stranger = t.stranger(fmt.Sprintf("linkedin-%d", account), taken)
		refusal := post("/posts", alone).with(key).at(handingOut([]int64{taken}, late)).refused(422, catalog.Conflict)
		Expect(refusal.details()["results"]).To(HaveLen(1))
	})
})

// stranger returns the post of a batch that the API did not create.
func (t *tenant) stranger(account string, id int64) *v1beta1.Post {
	return &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: fmt.Sprintf("post-%d", id), Labels: identified(id)},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "strange", Account: account, Platform: "linkedin", PostingMode: "direct", Hold: true,
			ScheduledAt: metav1.NewMicroTime(time.Now().Add(24 * time.Hour)), Media: v1beta1.PostMedia{Kind: "video", VideoKey: "renders/a.mp4"},
		},
	}
}

// beforePosts calls a function before each creation of a post.
type beforePosts struct {
	client.Client
	do func()
}

// Create calls the function before a post.
func (c *beforePosts) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	if _, ok := o.(*v1beta1.Post); ok {
		c.do()
	}
	return c.Client.Create(ctx, o, opts...)
}

var _ = Describe("Posting from a front end with a wrong clock", func() {
	It("at once dates the batch by the cluster's clock, so that it is neither missed nor late", func() {
		t := newTenant()
		key, short, account := t.everything(), t.laidOut(), t.social("linkedin")
		for _, ahead := range []time.Duration{-3 * time.Minute, 10 * time.Minute} {
			f := newFront(frontOptions{change: func(c *apiserver.Config) {
				plenty(c)
				c.Clock = clocktesting.NewFakeClock(time.Now().Add(ahead))
				c.Ahead = func() time.Duration { return ahead }
			}})
			a := post("/posts", object{"short_id": short, "social_data_ids": []int64{account}}).with(key).at(f).succeeds(202)
			b := &v1beta1.PostBatch{}
			Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: a.at("data.batch_id").(string)}, b)).To(Succeed())
			Expect(posting.Missed(b)).To(BeFalse(), "%v", ahead)
			Expect(b.Spec.ScheduledAt.Time).To(BeTemporally("<=", time.Now()), "%v", ahead)
		}
	})
})
