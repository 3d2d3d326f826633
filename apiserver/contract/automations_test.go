// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"maps"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
)

// never is a schedule whose next time is years ahead.
const never = "0 9 29 2 *"

// automated returns the body of an automation that posts to an account. Its runs cannot write their slideshows.
func automated(account int64) object {
	return object{
		"name": "Daily", "schedules": []string{never}, "time_zone": "Europe/Paris",
		"source":   object{"type": "prompts", "prompts": []string{"One", "Two", "Three"}},
		"template": object{"context": unwritable}, "publish": object{"social_data_ids": []int64{account}},
	}
}

// but returns a body with other members.
func but(body, changes object) object {
	out := maps.Clone(body)
	maps.Copy(out, changes)
	return out
}

// automations returns the automations and runs of the account.
func (t *tenant) automations() ([]v1beta1.Automation, []v1beta1.AutomationRun) {
	GinkgoHelper()
	var all v1beta1.AutomationList
	var runs v1beta1.AutomationRunList
	Expect(access.Plain.List(ctx, &all, client.InNamespace(t.namespace))).To(Succeed())
	Expect(access.Plain.List(ctx, &runs, client.InNamespace(t.namespace))).To(Succeed())
	return all.Items, runs.Items
}

// automation reads the object of an automation that was created over REST.
func (t *tenant) automation(id int64) *v1beta1.Automation {
	GinkgoHelper()
	a := &v1beta1.Automation{}
	Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: fmt.Sprintf("automation-%d", id)}, a)).To(Succeed())
	return a
}

var _ = Describe("Automations", func() {
	var t *tenant
	var key string
	var f *front
	var account int64
	BeforeEach(func() {
		t = newTenant()
		key, f, account = t.everything(), generous(), t.social("tiktok")
	})
	create := func(body object) int64 {
		GinkgoHelper()
		return post("/automations", body).with(key).at(f).succeeds(201).id("data.id")
	}
	used := func() any {
		GinkgoHelper()
		return get("/account").with(key).at(f).succeeds(200).at("data.plan.capabilities.automations_used")
	}

	It("are created with defaults, shown with their next times, listed and deleted", func() {
		Expect(used()).To(BeZero())
		a := post("/automations", automated(account)).with(key).at(f).succeeds(201)
		id := a.id("data.id")
		Expect(a.data()).To(And(
			HaveKeyWithValue("name", "Daily"), HaveKeyWithValue("paused", false), HaveKeyWithValue("schedules", Equal([]any{never})),
			HaveKeyWithValue("time_zone", "Europe/Paris"), HaveKeyWithValue("lead_time_seconds", 3600.0), HaveKeyWithValue("starting_deadline_seconds", 3600.0),
			HaveKeyWithValue("catch_up", "skip"), HaveKeyWithValue("concurrency_policy", "forbid"), HaveKeyWithValue("approval", "inherit"),
			HaveKeyWithValue("on_approval_timeout", "skip"), HaveKeyWithValue("deduplication", Equal(object{"by": "item", "window_days": 90.0})),
			HaveKeyWithValue("source", Equal(object{
				"type": "prompts", "prompts": []any{"One", "Two", "Three"}, "order": "sequential", "on_exhausted": "repeat",
			})),
			HaveKeyWithValue("template", Equal(object{"context": unwritable})),
			HaveKeyWithValue("publish", Equal(object{"social_data_ids": []any{float64(account)}, "posting_mode": "direct"})),
			HaveKeyWithValue("runs", 0.0), HaveKeyWithValue("active_runs", BeEmpty()), HaveKeyWithValue("last_scheduled_at", BeNil()),
			HaveKeyWithValue("last_successful_at", BeNil()), HaveKey("created_at"), HaveKey("status_message")))
		Eventually(func(g Gomega) {
			d := get("/automations/%d", id).with(key).at(f).succeeds(200).data()
			g.Expect(d).To(And(HaveKeyWithValue("ready", true), HaveKeyWithValue("next_times", HaveLen(3)), HaveKeyWithValue("conditions", Not(BeEmpty()))))
		}).Should(Succeed())
		newer := create(but(automated(account), object{"name": "Newer", "publish": object{"platforms": []string{"tiktok", "youtube"}, "media": "video"}}))
		list := get("/automations?per_page=1").with(key).at(f).succeeds(200)
		Expect(list.list()).To(HaveLen(1))
		Expect(list.id("data.0.id")).To(Equal(newer))
		Expect(list.at("meta.pagination")).To(HaveKeyWithValue("total_count", 2.0))
		Expect(get("/automations?per_page=1&page=2").with(key).at(f).succeeds(200).id("data.0.id")).To(Equal(id))
		get("/automations?per_page=0").with(key).at(f).refused(422, catalog.ValidationFailed)
		Expect(used()).To(BeEquivalentTo(2))

		Expect(remove("/automations/%d", id).with(key).at(f).succeeds(200).data()).To(Equal(object{"id": float64(id), "deleted": true}))
		remove("/automations/%d", id).with(key).at(f).refused(404, catalog.NotFound)
		get("/automations/%d", id).with(key).at(f).refused(404, catalog.NotFound)
		Expect(used()).To(BeEquivalentTo(1))
	})

	It("are changed by a merge patch: omitted members stay, null clears, arrays are replaced", func() {
		id := create(but(automated(account), object{
			"lead_time_seconds": 0, "catch_up": "latest_once", "budget": object{"runs_per_month": 3}, "stop": object{"after_failures": 2, "at": "2040-01-01T00:00:00+01:00"},
		}))
		Expect(t.automation(id).Spec.LeadTimeSeconds).To(HaveValue(BeZero()))
		a := patch("/automations/%d", id, object{
			"name": " Weekly ", "schedules": []string{never, "0 10 29 2 *"}, "budget": nil, "stop": object{"at": nil}, "source": object{"order": "shuffled"},
		}).with(key).at(f).succeeds(200)
		Expect(a.data()).To(And(
			HaveKeyWithValue("name", "Weekly"), HaveKeyWithValue("schedules", HaveLen(2)), Not(HaveKey("budget")), HaveKeyWithValue("lead_time_seconds", 0.0),
			HaveKeyWithValue("stop", Equal(object{"after_failures": 2.0})), HaveKeyWithValue("catch_up", "latest_once"),
			HaveKeyWithValue("source", And(HaveKeyWithValue("order", "shuffled"), HaveKeyWithValue("prompts", HaveLen(3))))))
		b := patch("/automations/%d", id, object{
			"name": nil, "lead_time_seconds": nil, "time_zone": nil, "source": object{"type": "evergreen", "cooldown_hours": 24}, "template": nil,
			"publish": object{"social_data_ids": nil, "platforms": []string{"tiktok"}},
		}).with(key).at(f).succeeds(200)
		Expect(b.data()).To(And(
			HaveKeyWithValue("name", fmt.Sprintf("automation-%d", id)), HaveKeyWithValue("lead_time_seconds", 3600.0), Not(HaveKey("time_zone")),
			HaveKeyWithValue("source", Equal(object{"type": "evergreen", "cooldown_hours": 24.0, "order": "oldest"})), Not(HaveKey("template")),
			HaveKeyWithValue("publish", Equal(object{"platforms": []any{"tiktok"}, "posting_mode": "direct"}))))
		c := patch("/automations/%d", id, object{"colour": "red", "publish": object{"mood": "calm"}}).with(key).at(f).loosely().succeeds(200)
		Expect(c.at("meta.ignored_fields")).To(ConsistOf("colour", "publish.mood"))
	})

	It("pause and resume, also with an account or a feed that cannot be used any more", func() {
		id := create(automated(account))
		gone := &v1beta1.SocialAccount{ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: fmt.Sprintf("tiktok-%d", account)}}
		Expect(access.Client.Delete(ctx, gone)).To(Succeed())
		Eventually(func() any {
			return get("/automations/%d", id).with(key).at(f).succeeds(200).at("data.publish")
		}).ShouldNot(HaveKey("social_data_ids"))
		Expect(patch("/automations/%d", id, object{"paused": true}).with(key).at(f).succeeds(200).data()).To(And(
			HaveKeyWithValue("paused", true), HaveKeyWithValue("ready", false)))
		Expect(t.automation(id).Spec.Publish.Accounts).To(HaveLen(1), "the target stays")
		Eventually(func() any { return get("/automations/%d", id).with(key).at(f).succeeds(200).at("data.next_times") }).Should(BeEmpty())
		Expect(post("/automations/%d/run", id, nothing).with(key).at(f).refused(409, catalog.Conflict).details()).To(HaveKeyWithValue("reason", "paused"))
		patch("/automations/%d", id, object{"paused": false}).with(key).at(f).succeeds(200)
		Eventually(func() any { return get("/automations/%d", id).with(key).at(f).succeeds(200).at("data.next_times") }).Should(HaveLen(3))

		feed := create(but(automated(account+1000), object{
			"source": object{"type": "feed", "url": "https://feeds.example/rss"}, "publish": object{"platforms": []string{"tiktok"}},
		}))
		a := t.automation(feed)
		change(a, func() { a.Spec.Source.Feed.URL = "https://10.0.0.1/rss" })
		patch("/automations/%d", feed, object{"paused": true}).with(key).at(f).succeeds(200)
	})

	DescribeTable("reject an invalid setting with its field, and create nothing", func(changes object, field string) {
		body := but(automated(account), changes)
		a := post("/automations", body).with(key).at(f).loosely().refused(422, catalog.ValidationFailed).about(field)
		Expect(a.at("errors.0.message")).To(MatchRegexp(`^.{15,}\.$`), "a sentence")
		post("/automations/preview", body).with(key).at(f).loosely().refused(422, catalog.ValidationFailed).about(field)
		all, _ := t.automations()
		Expect(all).To(BeEmpty())
	},
		Entry("no schedule", object{"schedules": []string{}}, "schedules"),
		Entry("an expression with six fields", object{"schedules": []string{never, "0 0 9 * * *"}}, "schedules[1]"),
		Entry("an hour that does not exist", object{"schedules": []string{"0 25 * * *"}}, "schedules[0]"),
		Entry("an unknown time zone", object{"time_zone": "Mars/Base"}, "time_zone"),
		Entry("an unknown placeholder", object{"template": object{"context": "{{item.colour}}"}}, "template.context"),
		Entry("an unknown placeholder in a post", object{"publish": object{"platforms": []string{"tiktok"}, "caption": "{{secret}}"}}, "publish.caption"),
		Entry("a pattern that is none", object{"source": object{"type": "feed", "url": "https://feeds.example/rss", "exclude": []string{"a", "/(/"}}}, "source.exclude[1]"),
		Entry("a feed on http", object{"source": object{"type": "feed", "url": "http://feeds.example/rss"}}, "source.url"),
		Entry("a feed on a private address", object{"source": object{"type": "feed", "url": "https://10.0.0.1/rss"}}, "source.url"),
		Entry("a feed on another port", object{"source": object{"type": "feed", "url": "https://feeds.example:8443/rss"}}, "source.url"),
		Entry("a feed without a URL", object{"source": object{"type": "feed"}}, "source.url"),
		Entry("no source", object{"source": nil}, "source"),
		Entry("a blank prompt", object{"source": object{"type": "prompts", "prompts": []string{"One", " "}}}, "source.prompts[1]"),
		Entry("no prompts", object{"source": object{"type": "prompts"}}, "source.prompts"),
		Entry("an order of another source", object{"source": object{"type": "prompts", "prompts": []string{"One"}, "order": "views"}}, "source.order"),
		Entry("a queue without labels", object{"source": object{"type": "queue"}, "template": nil}, "source.labels"),
		Entry("a label that is none", object{"source": object{"type": "queue", "labels": object{"a": "b c"}}, "template": nil}, "source.labels"),
		Entry("no template", object{"template": nil}, "template"),
		Entry("a template for evergreen", object{"source": object{"type": "evergreen"}}, "template"),
		Entry("two slides", object{"template": object{"context": "x", "slide_count": 2}}, "template.slide_count"),
		Entry("an unknown design style", object{"template": object{"context": "x", "design_style": "none"}}, "template.design_style"),
		Entry("an unknown image world", object{"template": object{"context": "x", "image_world": "none"}}, "template.image_world"),
		Entry("a language that is none", object{"template": object{"context": "x", "language": "not a language"}}, "template.language"),
		Entry("an unknown account", object{"publish": object{"social_data_ids": []int64{999999}}}, "publish.social_data_ids[0]"),
		Entry("an unknown platform", object{"publish": object{"platforms": []string{"tiktok", "myspace"}}}, "publish.platforms[1]"),
		Entry("a platform twice", object{"publish": object{"platforms": []string{"tiktok", "tiktok"}}}, "publish.platforms[1]"),
		Entry("no target", object{"publish": object{"media": "video"}}, "publish"),
		Entry("no publication", object{"publish": nil}, "publish"),
		Entry("a time that is none", object{"stop": object{"at": "tomorrow"}}, "stop.at"),
		Entry("a policy that is none", object{"catch_up": "all"}, "catch_up"),
	)

	It("reject an account of another brand, and changes that are invalid", func() {
		t.brand("other")
		foreign := t.socialOf("other", "tiktok")
		post("/automations", automated(foreign)).with(key).at(f).refused(422, catalog.ValidationFailed).about("publish.social_data_ids[0]")
		id := create(automated(account))
		before := t.automation(id).Spec
		for field, changes := range map[string]object{
			"schedules[0]": {"schedules": []string{"daily"}}, "publish.social_data_ids[0]": {"publish": object{"social_data_ids": []int64{foreign}}},
			"source.url": {"source": object{"type": "feed", "url": "https://127.0.0.1/rss"}}, "template": {"source": object{"type": "queue", "labels": object{"a": "b"}}},
			"schedules": {"schedules": nil}, "source": {"source": nil}, "source.type": {"source": object{"type": nil}}, "template.context": {"template": object{"context": nil}},
			"publish": {"publish": nil},
		} {
			patch("/automations/%d", id, changes).with(key).at(f).refused(422, catalog.ValidationFailed).about(field)
		}
		Expect(t.automation(id).Spec).To(Equal(before))
	})

	It("are created once for an idempotency key, and so are their runs", func() {
		first := post("/automations", automated(account)).with(key).at(f).once("k-1").succeeds(201)
		again := post("/automations", automated(account)).with(key).at(f).once("k-1").succeeds(201)
		Expect(again.at("data")).To(Equal(first.at("data")))
		Expect(again.at("meta.idempotent_replay")).To(BeTrue())
		post("/automations", but(automated(account), object{"name": "x"})).with(key).at(f).once("k-1").refused(409, catalog.IdempotencyConflict)
		id := first.id("data.id")
		run := post("/automations/%d/run", id, nothing).with(key).at(f).once("k-2").succeeds(202)
		Expect(post("/automations/%d/run", id, nothing).with(key).at(f).once("k-2").succeeds(202).at("data")).To(Equal(run.at("data")))
		post("/automations/%d/run", id, object{"x": 1}).with(key).at(f).loosely().once("k-2").refused(409, catalog.IdempotencyConflict)
		all, runs := t.automations()
		Expect(all).To(HaveLen(1))
		Expect(runs).To(HaveLen(1))
	})

	It("run on request, and list their runs, the newest first", func() {
		id := create(automated(account))
		run := post("/automations/%d/run", id, nothing).with(key).at(f).succeeds(202)
		Expect(run.data()).To(And(HaveKeyWithValue("status", "pending"), HaveKeyWithValue("manual", true), HaveKeyWithValue("item", BeNil()),
			HaveKeyWithValue("short_id", BeNil()), HaveKeyWithValue("post_ids", BeEmpty())))
		Eventually(func(g Gomega) {
			list := get("/automations/%d/runs", id).with(key).at(f).succeeds(200)
			g.Expect(list.list()).To(ConsistOf(And(
				HaveKeyWithValue("id", run.at("data.id")), HaveKeyWithValue("status", "failed"), HaveKeyWithValue("item", HaveKeyWithValue("title", "One")),
				HaveKeyWithValue("short_id", Not(BeNil())), HaveKeyWithValue("finished_at", Not(BeNil())))))
		}).Should(Succeed())
		time.Sleep(time.Second) // runs are ordered by whole seconds
		second := post("/automations/%d/run", id, nothing).with(key).at(f).succeeds(202).at("data.id")
		page := get("/automations/%d/runs?per_page=1", id).with(key).at(f).succeeds(200)
		Expect(page.list()).To(ConsistOf(HaveKeyWithValue("id", second)))
		Expect(page.at("meta.pagination")).To(HaveKeyWithValue("total_count", 2.0))
		Expect(get("/automations/%d/runs?per_page=1&page=2", id).with(key).at(f).succeeds(200).at("data.0.id")).To(Equal(run.at("data.id")))
		get("/automations/%d/runs?page=0", id).with(key).at(f).refused(422, catalog.ValidationFailed)
		Expect(get("/automations/%d", id).with(key).at(f).succeeds(200).at("data.runs")).To(BeNumerically(">=", 1))
	})

	It("are previewed without creating anything", func() {
		body := but(automated(account), object{"schedules": []string{"0 9 * * *"}})
		a := post("/automations/preview", body).with(key).at(f).succeeds(200)
		paris, err := time.LoadLocation("Europe/Paris")
		Expect(err).NotTo(HaveOccurred())
		Expect(a.at("data.next_times")).To(HaveLen(5))
		for _, text := range a.at("data.next_times").([]any) {
			at, err := time.Parse(time.RFC3339, text.(string))
			Expect(err).NotTo(HaveOccurred())
			Expect(at.In(paris).Format("15:04")).To(Equal("09:00"))
		}
		titles := func(a *answer) (out []any) {
			GinkgoHelper()
			for _, i := range a.at("data.items").([]any) {
				out = append(out, i.(object)["title"])
			}
			return out
		}
		Expect(titles(a)).To(Equal([]any{"One", "Two", "Three", "One", "Two"}))
		Expect(a.at("data.items_message")).To(BeNil())
		prompts := func(order string) object {
			return object{"source": object{"type": "prompts", "prompts": []string{"One", "Two", "Three"}, "order": order, "on_exhausted": "stop"}}
		}
		ends := post("/automations/preview", but(body, prompts("sequential"))).with(key).at(f).succeeds(200)
		Expect(titles(ends)).To(HaveLen(3))
		Expect(ends.at("data.items_message")).NotTo(BeNil())
		stops := post("/automations/preview", but(body, object{"stop": object{"after_runs": 2}})).with(key).at(f).succeeds(200)
		Expect(stops.at("data.next_times")).To(HaveLen(2))
		Expect(titles(stops)).To(HaveLen(2))
		for _, source := range []object{
			prompts("shuffled"),
			{"source": object{"type": "feed", "url": "https://feeds.example/rss"}},
			{"source": object{"type": "evergreen"}, "template": nil},
			{"source": object{"type": "queue", "labels": object{"series": "tips"}}, "template": nil},
		} {
			unknown := post("/automations/preview", but(body, source)).with(key).at(f).loosely().succeeds(200)
			Expect(titles(unknown)).To(BeEmpty())
			Expect(unknown.at("data.items_message")).To(MatchRegexp(`^.{15,}\.$`))
		}
		_, one := t.manifest("tip-1", func(s *v1beta1.Slideshow) { s.Labels = map[string]string{"series": "tips"} })
		finished(one)
		queued := post("/automations/preview", but(body, object{"source": object{"type": "queue", "labels": object{"series": "tips"}}, "template": nil})).
			with(key).at(f).loosely().succeeds(200)
		Expect(queued.at("data.items.0.id")).To(Equal("Slideshow/tip-1"))
		all, runs := t.automations()
		Expect(all).To(BeEmpty())
		Expect(runs).To(BeEmpty())
	})

	It("show in a preview what the next run uses, also of shuffled prompts", func() {
		body := but(automated(account), object{"source": object{"type": "prompts", "prompts": []string{"One", "Two", "Three", "Four", "Five"}, "order": "shuffled"}})
		id := create(body)
		preview := func() *answer {
			GinkgoHelper()
			return post("/automations/preview", but(body, object{"automation_id": id})).with(key).at(f).succeeds(200)
		}
		shown := preview()
		Expect(shown.at("data.items")).To(HaveLen(5))
		post("/automations/%d/run", id, nothing).with(key).at(f).succeeds(202)
		Eventually(func() any { return get("/automations/%d/runs", id).with(key).at(f).succeeds(200).at("data.0.item") }).
			Should(Equal(shown.at("data.items.0")))
		Eventually(func() any { return preview().at("data.items.0") }).Should(Equal(shown.at("data.items.1")), "the preview continues")
		post("/automations/preview", but(body, object{"automation_id": 999999})).with(key).at(f).refused(422, catalog.ValidationFailed).about("automation_id")
	})

	It("over the plan's limit are quota_exceeded", func() {
		change(t.account, func() { t.account.Spec.Plan.AutomationLimit = ptr.To[int32](1) })
		Eventually(func() any {
			return get("/account").with(key).at(f).succeeds(200).at("data.plan.capabilities.automation_limit")
		}).Should(BeEquivalentTo(1))
		id := create(automated(account))
		a := post("/automations", automated(account)).with(key).at(f).refused(403, catalog.QuotaExceeded)
		Expect(a.details()).To(Equal(object{"limit": 1.0, "used": 1.0, "remaining": 0.0}))
		remove("/automations/%d", id).with(key).at(f).succeeds(200)
		create(automated(account))
	})

	It("of a new account have a limit that allows them", func() {
		Expect(get("/account").with(key).at(f).succeeds(200).at("data.plan.capabilities.automation_limit")).To(BeNumerically(">", 1))
	})

	It("of another account or brand are a 404", func() {
		id := create(automated(account))
		post("/automations/%d/run", id, nothing).with(key).at(f).succeeds(202)
		t.brand("other")
		stranger, _ := t.keyOf("other", func(s *v1beta1.APIKeySpec) { s.Scopes = []v1beta1.Scope{"admin"} })
		for _, key := range []string{newTenant().everything(), stranger} {
			for _, call := range []*request{
				get("/automations/%d", id), patch("/automations/%d", id, object{"paused": true}), remove("/automations/%d", id),
				post("/automations/%d/run", id, nothing), get("/automations/%d/runs", id),
			} {
				call.with(key).at(f).refused(404, catalog.NotFound)
			}
			Expect(get("/automations").with(key).at(f).succeeds(200).list()).To(BeEmpty())
		}
		Expect(t.automation(id).Spec.Suspend).To(BeFalse())
		for _, call := range []*request{
			get("/automations?brand_id=999999"), post("/automations?brand_id=999999", automated(account)), post("/automations/preview?brand_id=999999", automated(account)),
		} {
			call.with(key).at(f).refused(404, catalog.NotFound)
		}
	})

	It("from a manifest cannot be changed or deleted: the error names the tool that applies it", func() {
		id := create(automated(account))
		declares("Automation", t.automation(id), object{"displayName": "From Git"})
		for _, call := range []*request{patch("/automations/%d", id, object{"name": "By a caller"}), remove("/automations/%d", id)} {
			a := call.with(key).at(f).refused(409, catalog.Conflict)
			Expect(a.details()).To(And(HaveKeyWithValue("reason", "declared_elsewhere"), HaveKeyWithValue("managed_by", "argocd-controller")))
		}
		Expect(t.automation(id).Spec.DisplayName).To(Equal("From Git"))
		post("/automations/%d/run", id, nothing).with(key).at(f).succeeds(202)
	})

	It("keep what a manifest set and the API does not have", func() {
		name, id := "written", next(ids.Automations)
		apply(&v1beta1.Automation{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name, Labels: identified(id)},
			Spec: v1beta1.AutomationSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, Schedules: []string{never},
				Source:   v1beta1.AutomationSource{Prompts: &v1beta1.PromptsSource{Items: []v1beta1.Prompt{{Text: "One"}}}},
				Template: &v1beta1.AutomationTemplate{Slideshow: &v1beta1.SlideshowTemplate{Context: unwritable, Hashtags: &[]string{"calm"}}},
				Publish:  v1beta1.AutomationPublish{Platforms: []v1beta1.Platform{"tiktok"}},
			},
		})
		patch("/automations/%d", id, object{"template": object{"title": "{{item.title}}"}}).with(key).at(f).succeeds(200)
		a := &v1beta1.Automation{}
		Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: name}, a)).To(Succeed())
		Expect(a.Spec.Template.Slideshow).To(And(HaveField("Hashtags", HaveValue(Equal([]string{"calm"}))), HaveField("Title", HaveValue(Equal("{{item.title}}")))))
	})
})
