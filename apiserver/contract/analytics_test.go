// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
)

const day = 24 * time.Hour

var _ = Describe("The list of accounts with analytics", func() {
	var t *tenant
	var key string
	BeforeEach(func() { t = newTenant(); key = t.key(v1beta1.ScopeAnalyticsRead) })
	list := func() *answer { GinkgoHelper(); return get("/analytics").with(key).succeeds(200) }

	It("shows the totals of each account at its last refresh", func() {
		k := t.numbers("tiktok", func(s *v1beta1.SocialAccountStatus) { s.AvatarURL = "https://p16.tiktok.example/a.jpg" })
		at := time.Now().Add(-5 * time.Minute).Truncate(time.Second)
		k.read(at, &analytics.Document{Totals: analytics.Totals{Followers: ptr.To[int64](1840), Posts: ptr.To[int64](0), Views: ptr.To[int64](402_113)}})
		a := list()
		Expect(a.data()).To(Equal(object{
			"accounts": []any{object{
				"social_data_id": float64(k.id), "platform": "tiktok", "account_name": "Acme on tiktok", "avatar_url": "https://p16.tiktok.example/a.jpg", "token_status": "active",
				"follower_count": 1840.0, "post_count": 0.0, "view_count": 402113.0, "last_refreshed_at": at.UTC().Format(time.RFC3339),
				"refresh_available_at": at.Add(15 * time.Minute).UTC().Format(time.RFC3339), "refreshing": false, "refresh_error": nil,
			}},
			"supported_platforms": []any{"tiktok", "youtube", "instagram"},
			"note":                "LinkedIn member accounts expose no post metrics; such accounts are not listed.",
		}))
	})

	It("shows nulls for an account without a refresh, and for values that a platform does not report", func() {
		never, some := t.numbers("youtube"), t.numbers("instagram")
		some.read(time.Now().Add(-time.Hour), &analytics.Document{Totals: analytics.Totals{Followers: ptr.To[int64](0)}})
		a := list()
		Expect(a.id("data.accounts.0.social_data_id")).To(Equal(never.id), "accounts in the order of their ids")
		for _, member := range []string{"follower_count", "post_count", "view_count", "last_refreshed_at", "refresh_available_at"} {
			Expect(a.at("data.accounts.0." + member)).To(BeNil())
		}
		Expect(a.at("data.accounts.1.follower_count")).To(Equal(0.0), "a reported 0 is not null")
		Expect(a.at("data.accounts.1.post_count")).To(BeNil())
		Expect(a.at("data.accounts.1.view_count")).To(BeNil())
		Expect(a.at("data.accounts.1.refresh_available_at")).To(BeNil(), "the account can be refreshed now")
	})

	It("omits LinkedIn, unless the installation's app may read analytics there", func() {
		t.numbers("linkedin")
		Expect(list().at("data.accounts")).To(BeEmpty())
		f := newFront(frontOptions{change: func(c *apiserver.Config) { plenty(c); c.LinkedInAnalytics = true }})
		a := get("/analytics").with(key).at(f).succeeds(200)
		Expect(a.at("data.accounts")).To(HaveLen(1))
		Expect(a.at("data.supported_platforms")).To(Equal([]any{"tiktok", "youtube", "instagram", "linkedin"}))
		Expect(a.at("data.note")).To(ContainSubstring("published through the service"))
	})

	It("is of the key's brand, or of another named brand", func() {
		other, otherID := t.brand("other")
		mine, theirs := t.numbers("tiktok"), t.numbersOf(other.Name, "tiktok")
		newTenant().numbers("tiktok")
		Expect(list().at("data.accounts")).To(HaveLen(1))
		Expect(list().id("data.accounts.0.social_data_id")).To(Equal(mine.id))
		Expect(get("/analytics?brand_id=%d", otherID).with(t.everything()).succeeds(200).id("data.accounts.0.social_data_id")).To(Equal(theirs.id))
		get("/analytics?brand_id=%d", otherID).with(key).refused(403, catalog.MissingScope)
	})

	It("reports a failed refresh, and keeps the previous analytics", func() {
		k := t.numbers("tiktok")
		k.read(time.Now().Add(-time.Hour), &analytics.Document{Totals: analytics.Totals{Followers: ptr.To[int64](7)}}, func(s *v1beta1.AccountAnalyticsStatus) {
			s.Error = &v1beta1.WorkError{Code: "platform_rate_limited", Message: "The platform takes no more calls for now", Retryable: true, Details: map[string]string{"resets_at": "2026-11-21T12:00:00Z"}}
			s.Failures = 1
		})
		a := list()
		Expect(a.at("data.accounts.0.follower_count")).To(Equal(7.0))
		Expect(a.at("data.accounts.0.refresh_error")).To(Equal(object{
			"code": "platform_rate_limited", "message": "The platform takes no more calls for now", "retryable": true, "details": object{"resets_at": "2026-11-21T12:00:00Z"},
		}))
	})
})

var _ = Describe("The analytics of an account", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() { t = newTenant(); key, f = t.key(v1beta1.ScopeAnalyticsRead), generous() })
	of := func(k *known, query string) *answer {
		GinkgoHelper()
		return get("/analytics/accounts/%d%s", k.id, query).with(key).at(f).succeeds(200)
	}

	It("contain the account, the totals of its posts, each post, and the history", func() {
		k := t.numbers("tiktok")
		// The day stays the same even if the spec runs across midnight.
		now := time.Now().Truncate(time.Second)
		f = newFront(frontOptions{change: func(c *apiserver.Config) { plenty(c); c.Clock = clocktesting.NewFakePassiveClock(now) }})
		at := now.Add(-20 * time.Minute)
		mine := ours(newRow("7312345678901234567", 2*time.Hour, 1000, 60, 12, 4, 24), 512, 123)
		mine.Title, mine.URL, mine.ThumbnailURL, mine.Seconds, mine.MeasuredAt = "Tidy", "https://www.tiktok.com/@a/video/7312345678901234567", "https://p16.tiktok.example/t.jpg", 24.5, at
		theirs := newRow("7312345678901234568", 3*day, 500, 40)
		theirs.Caption = ""
		week := now.UTC().Add(-7 * day).Format(time.DateOnly)
		today := now.UTC().Format(time.DateOnly)
		k.read(at, &analytics.Document{
			Totals: analytics.Totals{Followers: ptr.To[int64](110), Posts: ptr.To[int64](9), Views: ptr.To[int64](8000)}, Rows: []analytics.Row{mine, theirs},
			History: []analytics.Day{
				{Day: "2020-01-01", Totals: analytics.Totals{Followers: ptr.To[int64](1)}},
				{Day: week, Totals: analytics.Totals{Followers: ptr.To[int64](98), Posts: ptr.To[int64](8), Views: ptr.To[int64](7000)}, Change: ptr.To[int64](3), Likes: ptr.To[int64](80), Comments: ptr.To[int64](10)},
				{Day: today, Totals: analytics.Totals{Followers: ptr.To[int64](110)}},
			},
		})
		a := of(k, "?period=7d")
		Expect(a.at("data.account")).To(Equal(get("/analytics").with(key).at(f).succeeds(200).at("data.accounts.0")))
		rate := 100.0 / 1000
		Expect(a.at("data.posts")).To(Equal([]any{
			object{
				"platform_post_id": "7312345678901234567", "post_id": 512.0, "short_id": 123.0, "published_by_service": true, "title": "Tidy", "caption": "The 7312345678901234567",
				"post_url": mine.URL, "thumbnail_url": mine.ThumbnailURL, "posted_at": mine.PostedAt.UTC().Format(time.RFC3339), "view_count": 1000.0, "like_count": 60.0,
				"comment_count": 12.0, "share_count": 4.0, "favorite_count": 24.0, "engagement_rate": rate, "duration_seconds": 24.5, "metrics_updated_at": at.UTC().Format(time.RFC3339),
			},
			object{
				"platform_post_id": "7312345678901234568", "post_id": nil, "short_id": nil, "published_by_service": false, "title": nil, "caption": nil, "post_url": nil,
				"thumbnail_url": nil, "posted_at": theirs.PostedAt.UTC().Format(time.RFC3339), "view_count": 500.0, "like_count": 40.0, "comment_count": nil, "share_count": nil,
				"favorite_count": nil, "engagement_rate": 0.08, "duration_seconds": nil, "metrics_updated_at": nil,
			},
		}))
		summary := a.at("data.summary").(object)
		Expect(summary).To(Equal(object{
			"period": "7d", "filter": "all", "since": summary["since"], "until": summary["until"], "follower_count": 110.0, "follower_change": 12.0, "post_count": 2.0,
			"view_count": 1500.0, "like_count": 100.0, "comment_count": 12.0, "share_count": 4.0, "favorite_count": 24.0, "engagement_rate": 140.0 / 1500,
			"average_view_count": 750.0, "last_refreshed_at": at.UTC().Format(time.RFC3339),
		}))
		since, err := time.Parse(time.RFC3339, summary["since"].(string))
		Expect(err).NotTo(HaveOccurred())
		until, err := time.Parse(time.RFC3339, summary["until"].(string))
		Expect(err).NotTo(HaveOccurred())
		Expect(until.Sub(since)).To(Equal(7 * day))
		Expect(until).To(BeTemporally("==", now))
		Expect(a.at("data.history")).To(Equal([]any{
			object{
				"date": week, "follower_count": 98.0, "follower_change": 3.0, "post_count": 8.0, "view_count": 7000.0, "like_count": 80.0, "comment_count": 10.0,
				"share_count": nil, "favorite_count": nil,
			},
			object{
				"date": today, "follower_count": 110.0, "follower_change": nil, "post_count": nil, "view_count": nil, "like_count": nil, "comment_count": nil,
				"share_count": nil, "favorite_count": nil,
			},
		}))
		Expect(a.at("meta")).To(Equal(object{"pagination": object{"page": 1.0, "per_page": 25.0, "total_pages": 1.0, "total_count": 2.0}}))
	})

	It("are empty, with nulls, before the first refresh", func() {
		a := of(t.numbers("youtube"), "")
		Expect(a.at("data.posts")).To(BeEmpty())
		Expect(a.at("data.history")).To(BeEmpty())
		Expect(a.at("data.summary.post_count")).To(Equal(0.0))
		for _, member := range []string{
			"follower_count", "follower_change", "view_count", "like_count", "comment_count", "share_count", "favorite_count", "engagement_rate", "average_view_count", "last_refreshed_at",
		} {
			Expect(a.at("data.summary." + member)).To(BeNil())
		}
		Expect(a.at("meta")).To(Equal(object{"pagination": object{"page": 1.0, "per_page": 25.0, "total_pages": 0.0, "total_count": 0.0}}))
	})

	It("cover posts of the last 24 hours, 7 days or 30 days, by default 30 days", func() {
		k := t.numbers("instagram")
		k.read(time.Now(), &analytics.Document{Rows: []analytics.Row{
			newRow("hour", time.Hour, 1), newRow("day", day-10*time.Minute, 2), newRow("two", day+10*time.Minute, 4), newRow("week", 7*day-10*time.Minute, 8), newRow("eight", 7*day+10*time.Minute, 16),
			newRow("month", 30*day-10*time.Minute, 32), newRow("old", 30*day+10*time.Minute, 64),
		}})
		for query, want := range map[string]struct {
			rows, period string
			views        float64
		}{
			"?period=24h": {"hour day", "24h", 3},
			"?period=7d":  {"hour day two week", "7d", 15},
			"?period=30d": {"hour day two week eight month", "30d", 63},
			"":            {"hour day two week eight month", "30d", 63},
			"?period=":    {"hour day two week eight month", "30d", 63},
		} {
			a := of(k, query)
			Expect(rows(a)).To(Equal(want.rows), query)
			Expect(a.at("data.summary")).To(And(HaveKeyWithValue("view_count", want.views), HaveKeyWithValue("period", want.period)), query)
			Expect(a.at("meta.pagination.total_count")).To(Equal(float64(len(strings.Fields(want.rows)))), query)
		}
	})

	It("cover all posts, or with the filter reelmoney or service those published through the service", func() {
		k := t.numbers("tiktok")
		k.read(time.Now(), &analytics.Document{Rows: []analytics.Row{newRow("a", time.Hour, 10), ours(newRow("b", 2*time.Hour, 5), 7, 8), newRow("c", 3*time.Hour, 20), ours(newRow("d", 4*time.Hour), 9, 8)}})
		for query, want := range map[string]string{"": "a b c d", "?filter=all": "a b c d", "?filter=reelmoney": "b d", "?filter=service": "b d"} {
			a := of(k, query)
			Expect(rows(a)).To(Equal(want), query)
			Expect(a.at("data.summary.post_count")).To(Equal(float64(len(strings.Fields(want)))), query)
			filter := "all"
			if want == "b d" {
				filter = "reelmoney"
				Expect(a.at("data.summary.view_count")).To(Equal(5.0))
				Expect(a.at("data.posts.0")).To(And(HaveKeyWithValue("post_id", 7.0), HaveKeyWithValue("short_id", 8.0), HaveKeyWithValue("published_by_service", true)))
			}
			Expect(a.at("data.summary.filter")).To(Equal(filter), query)
		}
	})

	It("can be sorted by each of the six columns in both directions, unknown values last, then newest first", func() {
		k := t.numbers("tiktok")
		var all []analytics.Row
		for i := range 5 { // a is the newest post
			n := int64([]int{20, -1, 30, 20, -1}[i])
			all = append(all, newRow(string(rune('a'+i)), time.Duration(i+1)*time.Hour, n, n, n, n, n))
		}
		k.read(time.Now(), &analytics.Document{Rows: all})
		Expect(rows(of(k, ""))).To(Equal("a b c d e"))
		Expect(rows(of(k, "?dir=asc"))).To(Equal("e d c b a"))
		for _, column := range []string{"posted_at", "view_count", "like_count", "comment_count", "share_count", "favorite_count"} {
			down, up := "c a d b e", "a d c b e"
			if column == "posted_at" {
				down, up = "a b c d e", "e d c b a"
			}
			Expect(rows(of(k, "?sort="+column))).To(Equal(down), column)
			Expect(rows(of(k, "?sort="+column+"&dir=desc"))).To(Equal(down), column)
			Expect(rows(of(k, "?sort="+column+"&dir=asc"))).To(Equal(up), column)
		}
	})

	It("have pages of 25 posts by default and at most 50, and an empty page past the end", func() {
		k := t.numbers("tiktok")
		var all []analytics.Row
		for i := range 60 {
			all = append(all, newRow(fmt.Sprintf("p%02d", i), time.Duration(i+1)*time.Hour, int64(i)))
		}
		k.read(time.Now(), &analytics.Document{Rows: all})
		for query, want := range map[string][]float64{ // first, count, page, per_page, pages
			"":                                {0, 25, 1, 25, 3},
			"?page=3":                         {50, 10, 3, 25, 3},
			"?per_page=50":                    {0, 50, 1, 50, 2},
			"?per_page=51":                    {0, 50, 1, 50, 2},
			"?per_page=7&page=2":              {7, 7, 2, 7, 9},
			"?page=4":                         {-1, 0, 4, 25, 3},
			"?page=9007199254740991":          {-1, 0, 9007199254740991, 25, 3},
			"?page=2&sort=view_count&dir=asc": {25, 25, 2, 25, 3},
		} {
			a := of(k, query)
			Expect(a.at("data.posts")).To(HaveLen(int(want[1])), query)
			if want[0] >= 0 {
				Expect(a.at("data.posts.0.view_count")).To(Equal(want[0]), query)
			}
			Expect(a.at("meta.pagination")).To(Equal(object{"page": want[2], "per_page": want[3], "total_pages": want[4], "total_count": 60.0}), query)
			Expect(a.at("data.summary.post_count")).To(Equal(60.0), "the summary covers all pages")
		}
	})

	DescribeTable("reject invalid parameters",
		func(query, field string, allowed ...any) {
			k := t.numbers("tiktok")
			d := get("/analytics/accounts/%d%s", k.id, query).with(key).at(f).refused(422, catalog.ValidationFailed).about(field).details()
			if len(allowed) > 0 {
				Expect(d["allowed"]).To(Equal(allowed))
			}
		},
		Entry("an unknown period", "?period=1y", "period", "24h", "7d", "30d"), Entry("an unknown filter", "?filter=mine", "filter", "all", "reelmoney", "service"),
		Entry("an unknown column", "?sort=caption", "sort", "posted_at", "view_count", "like_count", "comment_count", "share_count", "favorite_count"),
		Entry("an unknown direction", "?dir=up", "dir", "asc", "desc"), Entry("page 0", "?page=0", "page"), Entry("a page that is no integer", "?page=x", "page"), Entry("per_page 0", "?per_page=0", "per_page"),
	)

	It("are 404 for an account of another brand, an unknown one, or a platform without analytics", func() {
		other, otherID := t.brand("other")
		theirs := t.numbersOf(other.Name, "tiktok")
		for _, id := range []any{theirs.id, newTenant().numbers("tiktok").id, t.numbers("linkedin").id, 999999999, "abc", 0, "99999999999999999999"} {
			get("/analytics/accounts/%v", id).with(key).at(f).loosely().refused(404, catalog.NotFound)
			post("/analytics/accounts/%v/refresh", id, nothing).with(key).at(f).loosely().refused(404, catalog.NotFound)
		}
		get("/analytics/accounts/%d?brand_id=%d", theirs.id, otherID).with(t.everything()).at(f).succeeds(200)
	})

	DescribeTable("stay as they are if the platform no longer accepts the connection",
		func(status v1beta1.TokenStatus) {
			k := t.numbers("youtube", func(s *v1beta1.SocialAccountStatus) { s.TokenStatus = status })
			k.read(time.Now().Add(-40*day), &analytics.Document{Totals: analytics.Totals{Followers: ptr.To[int64](5)}, Rows: []analytics.Row{newRow("a", time.Hour, 3)}})
			a := of(k, "")
			Expect(a.at("data.account")).To(And(HaveKeyWithValue("token_status", string(status)), HaveKeyWithValue("follower_count", 5.0)))
			Expect(rows(a)).To(Equal("a"))
		},
		Entry("expired token", v1beta1.TokenExpired), Entry("revoked access", v1beta1.TokenRevoked), Entry("missing scopes", v1beta1.TokenInsufficientScope),
	)

	It("omit the posts with a warning if their document is lost or damaged", func() {
		for _, lose := range []func(blobKey string) error{
			func(k string) error { return store.Delete(ctx, k) },
			func(k string) error { return store.Put(ctx, k, "application/jsonl", strings.NewReader("<html>")) },
		} {
			k := t.numbers("tiktok")
			blobKey := k.read(time.Now().Add(-time.Hour), &analytics.Document{Totals: analytics.Totals{Followers: ptr.To[int64](5)}, Rows: []analytics.Row{newRow("a", time.Hour, 3)}})
			Expect(lose(blobKey)).To(Succeed())
			a := of(k, "")
			Expect(a.at("meta.warnings.0.code")).To(Equal("analytics_unreadable"))
			Expect(a.at("data.account.follower_count")).To(Equal(5.0))
			Expect(a.at("data.summary")).To(And(HaveKeyWithValue("follower_count", 5.0), HaveKeyWithValue("view_count", BeNil()), HaveKeyWithValue("last_refreshed_at", Not(BeNil()))))
			Expect(a.at("data.posts")).To(BeEmpty())
			k.read(time.Now(), &analytics.Document{Rows: []analytics.Row{newRow("b", time.Hour, 3)}})
			a = of(k, "")
			Expect(rows(a)).To(Equal("b"), "the next refresh restores the posts")
			Expect(a.meta()).NotTo(HaveKey("warnings"))
		}
	})

	It("never come from the document of another account", func() {
		victim := newTenant().numbers("tiktok")
		secret := victim.read(time.Now(), &analytics.Document{Rows: []analytics.Row{newRow("secret", time.Hour, 3)}})
		k := t.numbers("tiktok")
		for _, path := range []string{secret, "analytics/" + t.namespace + "/../" + strings.TrimPrefix(secret, "analytics/")} {
			k.read(time.Now(), &analytics.Document{}, func(s *v1beta1.AccountAnalyticsStatus) { s.DocumentKey = path })
			a := of(k, "")
			Expect(a.raw).NotTo(ContainSubstring("secret"))
			Expect(a.at("meta.warnings.0.code")).To(Equal("analytics_unreadable"))
		}
	})

	It("are complete while a refresh replaces the document that the cache still names", func() {
		k := t.numbers("tiktok")
		k.read(time.Now().Add(-time.Hour), &analytics.Document{Rows: []analytics.Row{newRow("old", time.Hour, 1)}})
		behind := &stale{Client: access.Client, was: k.object()}
		lagging := newFront(frontOptions{change: func(c *apiserver.Config) { plenty(c); c.Client = behind }})
		k.read(time.Now(), &analytics.Document{Totals: analytics.Totals{Followers: ptr.To[int64](9)}, Rows: []analytics.Row{newRow("new", time.Hour, 2)}})
		a := get("/analytics/accounts/%d", k.id).with(key).at(lagging).succeeds(200)
		Expect(rows(a)).To(Equal("new"))
		Expect(a.meta()).NotTo(HaveKey("warnings"))
		Expect(a.at("data.account.follower_count")).To(Equal(9.0),
			"the account and its posts are from the same refresh")
	})

	It("change with the refresh that brings new values, and not before", func() {
		k := t.numbers("tiktok")
		for i := range 3 {
			k.read(time.Now().Add(time.Duration(i-5)*time.Hour), &analytics.Document{Rows: []analytics.Row{newRow("a", 10*time.Hour, int64(i))}})
			for range 2 {
				Expect(of(k, "").at("data.posts.0.view_count")).To(Equal(float64(i)))
			}
		}
	})

	It("can be read only by keys of the brand with the scope", func() {
		k := t.numbers("tiktok")
		without := t.key(v1beta1.ScopeBrandRead, v1beta1.ScopePostsRead)
		Expect(get("/analytics/accounts/%d", k.id).with(without).refused(403, catalog.MissingScope).details()).To(HaveKeyWithValue("required_scope", "analytics:read"))
		get("/analytics/accounts/%d", k.id).with(t.key("read")).at(f).succeeds(200)
	})
})
