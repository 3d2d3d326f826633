// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

var _ = Describe("Posting, at its limits", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.everything(), generous()
	})

	It("accepts fifty targets at once, and rejects 51", func() {
		short := t.laidOut()
		var accounts []int64
		for range 50 {
			accounts = append(accounts, t.social("linkedin"))
		}
		post("/posts/validate", object{"short_id": short, "platforms": []string{"linkedin"}}).with(key).at(f).succeeds(200)
		a := post("/posts", object{"short_id": short, "social_data_ids": accounts, "scheduled_at": ahead(time.Hour)}).with(key).at(f).succeeds(202)
		Expect(a.at("data.results")).To(HaveLen(50))
		t.social("linkedin")
		for _, path := range []string{"/posts", "/posts/validate"} {
			post(path, object{"short_id": short, "platforms": []string{"linkedin"}}).with(key).at(f).refused(422, catalog.ValidationFailed).about("social_data_ids")
			post(path, object{"short_id": short, "social_data_ids": accounts, "platforms": []string{"tiktok"}}).with(key).at(f).refused(422, catalog.ValidationFailed).about("social_data_ids")
		}
		Expect(t.batches()).To(HaveLen(1))
	})

	It("accepts null for now, and a time with any offset for the same moment", func() {
		short, account := t.laidOut(), t.social("tiktok")
		body := func(at any) object {
			return object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": at}
		}
		a := post("/posts", body(nil)).with(key).at(f).succeeds(202)
		Expect(a.at("data.results.0.status")).To(Equal("pending"))
		Expect(a.at("data.results.0.scheduled_at")).To(BeNil())
		when := time.Now().Add(2 * time.Hour).Truncate(time.Second)
		for _, zone := range []*time.Location{time.UTC, time.FixedZone("", -11*3600), time.FixedZone("", 14*3600), time.FixedZone("", 5*3600+45*60)} {
			a := post("/posts", body(when.In(zone).Format(time.RFC3339))).with(key).at(f).succeeds(202)
			Expect(a.at("data.results.0.scheduled_at")).To(Equal(when.UTC().Format(time.RFC3339)))
			Expect(t.post(a.id("data.results.0.share_id")).Spec.ScheduledAt.Time).To(BeTemporally("==", when))
		}
		for _, at := range []string{"9999-12-31T23:59:59Z", ahead(365*24*time.Hour + time.Hour)} {
			post("/posts", body(at)).with(key).at(f).refused(422, catalog.ValidationFailed).about("scheduled_at")
			post("/posts/validate", body(at)).with(key).at(f).refused(422, catalog.ValidationFailed).about("scheduled_at")
		}
		post("/posts", body(ahead(365*24*time.Hour-time.Hour))).with(key).at(f).succeeds(202)
		a = post("/posts/validate", body("0001-01-01T00:00:00Z")).with(key).at(f).succeeds(200)
		Expect(a.at("data.issues.0.code")).To(BeEquivalentTo(catalog.ScheduleTooSoon))
	})

	It("rejects shorts, accounts and posts of another brand", func() {
		t.brand("other")
		other, _ := t.keyOf("other", func(s *v1beta1.APIKeySpec) { s.Scopes = []v1beta1.Scope{"admin"} })
		short, account, theirs := t.laidOut(), t.social("tiktok"), t.socialOf("other", "tiktok")
		id := t.applied(short, account, "tiktok")
		for _, path := range []string{"/posts", "/posts/validate"} {
			post(path, object{"short_id": short, "social_data_ids": []int64{theirs}}).with(other).at(f).refused(404, catalog.NotFound)
			a := post(path, object{"short_id": short, "social_data_ids": []int64{theirs}}).with(key).at(f).refused(422, catalog.ValidationFailed)
			Expect(a.details()).To(HaveKeyWithValue("invalid_ids", []any{float64(theirs)}))
		}
		remove("/posts/%d", id).with(other).at(f).refused(404, catalog.NotFound)
		Expect(t.post(id).Spec.Cancel).To(BeFalse())
		Expect(get("/posts").with(other).at(f).succeeds(200).list()).To(BeEmpty())
		remove("/posts/%d", id).with(key).at(f).succeeds(200)
	})
})
