// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("Posts", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.everything(), generous()
	})

	Describe("in a list", func() {
		list := func(query string) (out []int64) {
			GinkgoHelper()
			a := get("%s", "/posts?per_page=50"+query).with(key).at(f).succeeds(200)
			for i := range a.list() {
				out = append(out, a.id(fmt.Sprintf("data.%d.id", i)))
			}
			Expect(a.at("meta.pagination.total_count")).To(Equal(float64(len(out))))
			return out
		}

		It("are the newest first, filtered by short, status and platform, and in pages", func() {
			tik, link := t.social("tiktok"), t.social("linkedin")
			var all []int64
			for i := range 6 {
				platform, account := "tiktok", tik
				if i%2 == 1 {
					platform, account = "linkedin", link
				}
				all = append(all, t.applied(int64(1+i/3), account, platform))
			}
			t.comes(all[0], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
			t.comes(all[5], func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
			slices.Reverse(all) // all[0] is now the newest
			Expect(list("")).To(Equal(all))
			Expect(list("&short_id=1")).To(Equal(all[3:]))
		})

		It("combine filters, and are empty if nothing matches", func() {
			tik, link := t.social("tiktok"), t.social("linkedin")
			one, two, three := t.applied(1, tik, "tiktok"), t.applied(1, link, "linkedin"), t.applied(2, tik, "tiktok")
			t.comes(three, func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
			Expect(list("&status=scheduled")).To(Equal([]int64{two, one}))
			Expect(list("&status=success")).To(Equal([]int64{three}))
			Expect(list("&platform=tiktok")).To(Equal([]int64{three, one}))
			Expect(list("&platform=tiktok&status=scheduled&short_id=1")).To(Equal([]int64{one}))
			Expect(list("&platform=youtube")).To(BeEmpty())
			Expect(list("&short_id=3")).To(BeEmpty())
			a := get("/posts?page=2&per_page=2").with(key).at(f).succeeds(200)
			Expect(a.list()).To(HaveLen(1))
			Expect(a.id("data.0.id")).To(Equal(one))
			Expect(a.at("meta.pagination")).To(Equal(object{"page": 2.0, "per_page": 2.0, "total_pages": 2.0, "total_count": 3.0}))
		})

		It("are filtered by account, and by scheduled time with both ends included", func() {
			tik, link := t.social("tiktok"), t.social("linkedin")
			due := time.Now().Add(48 * time.Hour).Truncate(time.Second).UTC()
			at := func(hours int) func(*v1beta1.Post) {
				return func(p *v1beta1.Post) {
					p.Spec.ScheduledAt = metav1.NewMicroTime(due.Add(time.Duration(hours) * time.Hour))
				}
			}
			late, early, middle := t.applied(1, tik, "tiktok", at(3)), t.applied(1, link, "linkedin", at(1)), t.applied(2, tik, "tiktok", at(2))
			now := t.applied(2, tik, "tiktok", func(p *v1beta1.Post) { p.Spec.Immediate, p.Spec.ScheduledAt = true, metav1.NewMicroTime(due) })
			moment := func(hours int) string { return due.Add(time.Duration(hours) * time.Hour).Format(time.RFC3339) }
			Expect(list(fmt.Sprintf("&account=%d", tik))).To(Equal([]int64{now, middle, late}))
			Expect(list(fmt.Sprintf("&account=%d&short_id=2&status=scheduled", tik))).To(Equal([]int64{middle}))
			Expect(list("&account=999999999")).To(BeEmpty())
			Expect(list("&scheduled_after=" + moment(2))).To(Equal([]int64{middle, late}))
			Expect(list("&scheduled_before=" + moment(2))).To(Equal([]int64{middle, early}))
			Expect(list("&scheduled_after=" + moment(2) + "&scheduled_before=" + moment(2))).To(Equal([]int64{middle}))
			Expect(list("&scheduled_after=" + moment(3) + "&scheduled_before=" + moment(1))).To(BeEmpty())
			Expect(list(fmt.Sprintf("&account=%d&scheduled_after=%s", tik, due.Add(2*time.Hour).Format("2006-01-02T15:04:05.000")+"%2B00:00"))).To(Equal([]int64{middle, late}))
		})

		It("are sorted by creation or by due time, in either direction", func() {
			tik := t.social("tiktok")
			due := time.Now().Add(48 * time.Hour)
			at := func(hours int) func(*v1beta1.Post) {
				return func(p *v1beta1.Post) {
					p.Spec.ScheduledAt = metav1.NewMicroTime(due.Add(time.Duration(hours) * time.Hour))
				}
			}
			one, two, three := t.applied(1, tik, "tiktok", at(2)), t.applied(1, tik, "tiktok", at(3)), t.applied(2, tik, "tiktok", at(1))
			now := t.applied(1, tik, "tiktok", func(p *v1beta1.Post) { p.Spec.Immediate, p.Spec.ScheduledAt = true, metav1.NowMicro() })
			for order, want := range map[string][]int64{
				"created_desc": {now, three, two, one}, "created_asc": {one, two, three, now},
				"scheduled_asc": {now, three, one, two}, "scheduled_desc": {two, one, three, now},
			} {
				Expect(list("&order="+order)).To(Equal(want), order)
			}
			Expect(list("&short_id=1&order=scheduled_asc")).To(Equal([]int64{now, one, two}))
			after := "&scheduled_after=" + due.Add(-time.Hour).UTC().Format(time.RFC3339)
			Expect(list(after + "&order=created_asc")).To(Equal([]int64{one, two, three}))
			Expect(list(after + "&order=scheduled_asc")).To(Equal([]int64{three, one, two}))
			a := get("/posts?order=scheduled_asc&per_page=3&page=2").with(key).at(f).succeeds(200)
			Expect(idsOf(a)).To(Equal([]int64{two}))
			Expect(a.at("meta.pagination")).To(Equal(object{"page": 2.0, "per_page": 3.0, "total_pages": 2.0, "total_count": 4.0}))
		})

		It("are of one brand", func() {
			_, other := t.brand("other")
			Expect(list(fmt.Sprintf("&account=%d", t.socialOf("other", "tiktok")))).To(BeEmpty())
			id := t.applied(1, t.social("tiktok"), "tiktok")
			Expect(get("/posts?brand_id=%d", other).with(key).at(f).succeeds(200).list()).To(BeEmpty())
			remove("/posts/%d?brand_id=%d", id, other).with(key).at(f).refused(404, catalog.NotFound)
			Expect(get("/posts").with(newTenant().everything()).at(f).succeeds(200).list()).To(BeEmpty())
		})

		DescribeTable("rejects an invalid filter", func(query, field string) {
			get("/posts?%s", query).with(key).at(f).loosely().refused(422, catalog.ValidationFailed).about(field)
		},
			Entry("short", "short_id=abc", "short_id"), Entry("status", "status=published", "status"), Entry("platform", "platform=myspace", "platform"),
			Entry("page", "page=0", "page"), Entry("account", "account=tiktok", "account"), Entry("order", "order=newest", "order"),
			Entry("earliest time", "scheduled_after=tomorrow", "scheduled_after"), Entry("latest time", "scheduled_before=2026-11-21T12:00:00", "scheduled_before"),
		)
	})

	Describe("in a state", func() {
		DescribeTable("can be cancelled", func(change func(*v1beta1.Post), state v1beta1.PostState) {
			id := t.applied(1, t.social("tiktok"), "tiktok", change)
			if state != "" {
				t.comes(id, func(s *v1beta1.PostStatus) { s.State = state })
			}
			a := remove("/posts/%d", id).with(key).at(f).succeeds(200)
			Expect(a.data()).To(And(HaveKeyWithValue("id", float64(id)), HaveKeyWithValue("status", "cancelled"), HaveKeyWithValue("error", BeNil())))
			Expect(t.post(id).Spec.Cancel).To(BeTrue())
			Expect(get("/posts?status=cancelled").with(key).at(f).succeeds(200).id("data.0.id")).To(Equal(id))
			b := remove("/posts/%d", id).with(key).at(f).refused(409, catalog.NotCancellable)
			Expect(b.details()).To(Equal(object{"post_id": float64(id), "status": "cancelled", "cancellable_statuses": []any{"draft", "pending", "scheduled"}}))
		},
			Entry("scheduled, before its first reconciliation", func(*v1beta1.Post) {}, v1beta1.PostState("")),
			Entry("scheduled", func(*v1beta1.Post) {}, v1beta1.PostScheduled),
			Entry("draft", func(p *v1beta1.Post) { p.Spec.Hold = true }, v1beta1.PostHeld),
			Entry("pending", func(p *v1beta1.Post) { p.Spec.Immediate, p.Spec.ScheduledAt = true, metav1.NowMicro() }, v1beta1.PostPending),
		)

		DescribeTable("cannot be cancelled", func(change func(*v1beta1.PostStatus), status string) {
			id := t.applied(1, t.social("tiktok"), "tiktok")
			t.comes(id, change)
			a := remove("/posts/%d", id).with(key).at(f).refused(409, catalog.NotCancellable)
			Expect(a.details()).To(Equal(object{"post_id": float64(id), "status": status, "cancellable_statuses": []any{"draft", "pending", "scheduled"}}))
			Expect(a.at("errors.0.retryable")).To(BeFalse())
			Expect(t.post(id).Spec.Cancel).To(BeFalse(), "the post is unchanged")
		},
			Entry("success", attempted(v1beta1.PostSuccess, v1beta1.AttemptAccepted), "success"),
			Entry("failed", attempted(v1beta1.PostFailed, v1beta1.AttemptRejected), "failed"),
			Entry("retrying", attempted(v1beta1.PostRetrying, v1beta1.AttemptNotSent), "retrying"),
			Entry("pending and in flight", attempted(v1beta1.PostPending, v1beta1.AttemptIntended), "pending"),
			Entry("with an unknown outcome", attempted(v1beta1.PostPending, v1beta1.AttemptUnknown), "pending"),
		)

		It("are never both sent and cancelled: the first write wins", func() {
			account := t.social("tiktok")
			for range 10 {
				id := t.applied(1, account, "tiktok")
				before := t.post(id)
				var all sync.WaitGroup
				var sent error
				all.Add(1)
				go func() {
					defer all.Done()
					p := before.DeepCopy()
					attempted(v1beta1.PostPending, v1beta1.AttemptIntended)(&p.Status)
					sent = access.Plain.Status().Patch(ctx, p, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
				}()
				a := remove("/posts/%d", id).with(key).at(f).send()
				all.Wait()
				Expect((sent == nil) != (a.status == 200)).To(BeTrue(), "sent: %v, cancelled: %d", sent, a.status)
			}
		})

		It("written by another process meanwhile are evaluated again", func() {
			id := t.applied(1, t.social("tiktok"), "tiktok")
			slow := newFront(frontOptions{change: func(c *apiserver.Config) {
				plenty(c)
				c.Client = &overtaken{Client: c.Client, by: func() { t.comes(id, attempted(v1beta1.PostPending, v1beta1.AttemptIntended)) }}
			}})
			Expect(remove("/posts/%d", id).with(key).at(slow).refused(409, catalog.NotCancellable).details()).To(HaveKeyWithValue("status", "pending"))
		})

		It("show their link, platform state and time once they are published", func() {
			id := t.applied(1, t.social("tiktok"), "tiktok")
			at := metav1.NewTime(time.Now().Add(-time.Minute))
			t.comes(id, func(s *v1beta1.PostStatus) {
				attempted(v1beta1.PostSuccess, v1beta1.AttemptAccepted)(s)
				s.DeliveryState, s.PostURL, s.PlatformPostID, s.PublishedAt = v1beta1.DeliveryPublished, "https://tiktok.example/1", "7434567890123456789", &at
			})
			Expect(get("/posts").with(key).at(f).succeeds(200).at("data.0")).To(And(
				HaveKeyWithValue("status", "success"), HaveKeyWithValue("delivery_state", "published"), HaveKeyWithValue("post_url", "https://tiktok.example/1"),
				HaveKeyWithValue("platform_post_id", "7434567890123456789"), HaveKeyWithValue("published_at", at.UTC().Format(time.RFC3339)), HaveKeyWithValue("attempts", 1.0)))
		})

		It("show why they failed, and when they are retried", func() {
			account := t.social("tiktok")
			next := metav1.NewMicroTime(time.Now().Add(time.Minute))
			retrying, lost := t.applied(1, account, "tiktok"), t.applied(1, account, "tiktok")
			t.comes(retrying, func(s *v1beta1.PostStatus) {
				attempted(v1beta1.PostRetrying, v1beta1.AttemptNotSent)(s)
				s.NextAttemptAt, s.Error = &next, &v1beta1.WorkError{Code: "internal_error", Message: "TikTok did not respond.", Retryable: true}
			})
			t.comes(lost, func(s *v1beta1.PostStatus) {
				attempted(v1beta1.PostFailed, v1beta1.AttemptUnknown)(s)
				s.DeliveryState = v1beta1.DeliveryUnconfirmed
				s.Error = &v1beta1.WorkError{Code: "internal_error", Message: "Nobody can tell whether it came out.", Details: map[string]string{"reason": "outcome_unknown"}}
			})
			a := get("/posts").with(key).at(f).succeeds(200)
			Expect(a.at("data.0")).To(And(HaveKeyWithValue("status", "failed"), HaveKeyWithValue("delivery_state", "unconfirmed"), HaveKeyWithValue("next_attempt_at", BeNil()),
				HaveKeyWithValue("error", Equal(object{"code": "internal_error", "message": "Nobody can tell whether it came out.", "retryable": false, "details": object{"reason": "outcome_unknown"}}))))
			Expect(a.at("data.1")).To(And(HaveKeyWithValue("status", "retrying"), HaveKeyWithValue("next_attempt_at", next.UTC().Format(time.RFC3339)),
				HaveKeyWithValue("error", HaveKeyWithValue("retryable", true))))
		})
	})

	It("that are unknown, or whose id is invalid, are 404", func() {
		remove("/posts/999999999").with(key).at(f).refused(404, catalog.NotFound)
		remove("/posts/abc").with(key).at(f).loosely().refused(404, catalog.NotFound)
	})

	It("of a short are in its detail, newest first, and counted in lists", func() {
		short, account := t.laidOut(), t.social("tiktok")
		first, second, third := t.applied(short, account, "tiktok"), t.applied(short, account, "tiktok"), t.applied(short, account, "tiktok")
		t.comes(first, func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
		t.comes(second, func(s *v1beta1.PostStatus) { s.State = v1beta1.PostFailed })
		counts := object{"total": 3.0, "scheduled": 1.0, "success": 1.0, "failed": 1.0}
		a := get("/shorts/%d", short).with(key).at(f).succeeds(200)
		Expect(a.at("data.post_counts")).To(Equal(counts))
		Expect(a.at("data.posts")).To(HaveLen(3))
		Expect(a.at("data.posts.0")).To(Equal(get("/posts").with(key).at(f).succeeds(200).at("data.0")))
		Expect([]int64{a.id("data.posts.0.id"), a.id("data.posts.1.id"), a.id("data.posts.2.id")}).To(Equal([]int64{third, second, first}))
		Expect(get("/shorts").with(key).at(f).succeeds(200).at("data.0.post_counts")).To(Equal(counts))
	})

	It("from a manifest are listed like any other, and can be cancelled", func() {
		short, _ := t.manifest("tidy-desk", func(s *v1beta1.Slideshow) { s.Spec.AspectRatio = "4:5" })
		t.social("tiktok")
		apply(&v1beta1.PostBatch{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "launch"},
			Spec: v1beta1.PostBatchSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{Name: short.Name}, Platforms: []v1beta1.Platform{"tiktok"},
				ScheduledAt: ptr.To(metav1.NewTime(time.Now().Add(time.Hour))),
			},
		})
		var id int64
		Eventually(func(g Gomega) {
			a := get("/posts").with(key).at(f).succeeds(200)
			g.Expect(a.list()).To(HaveLen(1))
			g.Expect(a.at("data.0")).To(And(HaveKeyWithValue("batch_id", "launch"), HaveKeyWithValue("status", "scheduled"), HaveKeyWithValue("account_name", "Acme on tiktok")))
			id = a.id("data.0.id")
		}).Should(Succeed())
		remove("/posts/%d", id).with(key).at(f).succeeds(200)
	})
})

// overtaken is a client whose first patch arrives after that of another writer.
type overtaken struct {
	client.Client
	once sync.Once
	by   func()
}

// Patch lets the other writer write first.
func (o *overtaken) Patch(ctx context.Context, obj client.Object, p client.Patch, opts ...client.PatchOption) error {
	o.once.Do(o.by)
	return o.Client.Patch(ctx, obj, p, opts...)
}
