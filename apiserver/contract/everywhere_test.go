// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"encoding/json"
	"errors"
	"net"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/internal/catalog"
)

// Checks for every operation. After all specs, they also check that every response in the description was returned at
// least once.
var _ = Describe("Every operation", func() {
	It("rejects a revoked key and an expired one", func() {
		t := newTenant()
		past := metav1.NewTime(time.Now().Add(-time.Minute))
		revoked, _ := t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.Revoked = true })
		expired, _ := t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.ExpiresAt = &past })
		for _, o := range operations {
			another := sources.another() // an address has 60 requests without a valid key
			ask(o.method, o.path).with(revoked).from(another).refused(401, catalog.KeyRevoked)
			ask(o.method, o.path).with(expired).from(another).refused(401, catalog.KeyExpired)
		}
	})

	It("is rejected beyond the rate limit of all requests, whatever its own", func() {
		key := newTenant().everything()
		f := newFront(frontOptions{change: func(c *apiserver.Config) {
			all := limit.Default()
			all[limit.Global] = limit.Ceiling{Limit: 1, Window: 5 * time.Minute}
			c.Limits = limit.New(all, c.Clock)
		}})
		get("/capabilities").with(key).at(f).succeeds(200)
		for _, o := range operations {
			ask(o.method, o.path).with(key).at(f).limited("global", 1, 300)
		}
	})

	It("rejects an invalid query, and an invalid body if it takes one", func() {
		key, paths := newTenant().everything(), describedPaths()
		for _, o := range operations {
			Expect(ask(o.method, o.path+"?%%zz").with(key).refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "query"), o.path)
			if _, takes := paths[templateOf(o.path)].(object)[strings.ToLower(o.method)].(object)["requestBody"]; takes {
				Expect(ask(o.method, o.path).saying("{").with(key).refused(400, catalog.BadRequest).details()).To(HaveKeyWithValue("parameter", "body"), o.path)
			}
		}
	})

	It("rejects other methods with a 405 that lists the existing ones", func() {
		key := newTenant().everything()
		for _, o := range operations {
			a := ask("PURGE", o.path).with(key).refused(405, catalog.BadRequest)
			Expect(strings.Split(a.header.Get("Allow"), ", ")).To(ContainElement(o.method), o.path)
		}
	})

	It("is a 404 for invalid ids, without another record", func() {
		key := newTenant().everything()
		for _, o := range operations {
			if !strings.Contains(templateOf(o.path), "{id}") {
				continue
			}
			code := catalog.NotFound
			if strings.HasPrefix(o.path, "/jobs/") {
				code = catalog.JobNotFound
			}
			for _, id := range []string{"999999999", "abc", "0", "9007199254740992"} {
				path := digits.ReplaceAllString(o.path, "/"+id+"$1")
				Expect(ask(o.method, path).with(key).loosely().refused(404, code).details()).NotTo(HaveKey("field"), path)
			}
		}
	})

	DescribeTable("is internal_error if the outcome cannot be determined", func(status int, change func(*apiserver.Config)) {
		key := newTenant().everything()
		f := newFront(frontOptions{change: change})
		for _, o := range operations {
			a := ask(o.method, o.path).with(key).at(f).refused(status, catalog.InternalError)
			Expect(a.at("errors.0.retryable")).To(BeTrue(), o.path)
			Expect(a.details()).To(Equal(object{"request_id": a.header.Get("X-Request-Id")}), o.path)
			if status == 503 {
				Expect(a.header.Get("Retry-After")).To(MatchRegexp(`^[1-9]\d*$`), o.path)
			}
		}
	},
		Entry("because of an internal fault", 500, func(c *apiserver.Config) { c.Client = &unread{c.Client, errors.New("a fault")} }),
		Entry("because the cluster does not respond", 503, func(c *apiserver.Config) {
			c.Client = &unread{c.Client, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}}
		}),
		Entry("because it has just started", 503, func(c *apiserver.Config) { c.Synced = func() bool { return false } }),
	)
})

// idle lists responses in the description that cannot be caused, each with the reason why it stays there.
var idle = map[string]string{
	"POST /api/v1/videos 402 insufficient_credits":               "videos cost no credits in any plan there is; callers were told of the code from the start, and a plan may come",
	"PATCH /api/v1/posts/{id} 422 platform_not_connected":        notEdited,
	"PATCH /api/v1/posts/{id} 422 platform_rate_limited":         notEdited,
	"PATCH /api/v1/posts/{id} 422 short_not_postable":            notEdited,
	"PATCH /api/v1/posts/{id} 422 title_too_long":                notEdited,
	"POST /api/v1/media_packs 409 conflict":                      "only for an image that a manifest manages; updates of media and packs test the rule",
	"POST /api/v1/webhooks 409 idempotency_conflict":             sameKey,
	"POST /api/v1/webhooks/{id}/test 409 idempotency_conflict":   sameKey,
	"POST /api/v1/webhooks/{id}/rotate 409 idempotency_conflict": sameKey,
	"POST /api/v1/webhooks/{id}/replay 409 idempotency_conflict": sameKey,
	"POST /api/v1/posts/{id}/approve 409 idempotency_conflict":   sameKey,
	"POST /api/v1/posts/{id}/return 409 idempotency_conflict":    sameKey,
}

// Reasons of idle.
const (
	notEdited = "the rules are those of POST /posts, whose specs receive the code; internal/social/posting tests them for edits"
	sameKey   = "the check is that of all operations with an Idempotency-Key, whose specs receive the code"
)

// unseenEntry is the name of the report entry with the responses that no spec of one process received.
const unseenEntry = "unseen answers"

// Each process of a parallel run adds the responses that it did not see to the report.
var _ = AfterSuite(func() {
	if service != nil { // otherwise the cluster did not start, and the suite has failed
		AddReportEntry(unseenEntry, unseenAnswers(judge().Unanswered()), ReportEntryVisibilityNever)
	}
})

// unseenAnswers is the value of the entry. The processes of a parallel run send it as JSON.
type unseenAnswers []string

// unseenByAll returns the responses that no process has received.
func unseenByAll(r Report) (unseen []string) {
	GinkgoHelper()
	processes := 0
	for _, spec := range r.SpecReports {
		for _, e := range spec.ReportEntries {
			if e.Name != unseenEntry {
				continue
			}
			here, decoded := e.GetRawValue(), unseenAnswers{}
			doc, err := json.Marshal(here)
			Expect(err).NotTo(HaveOccurred())
			Expect(json.Unmarshal(doc, &decoded)).To(Succeed())
			if processes++; processes == 1 {
				unseen = decoded
			}
			unseen = slices.DeleteFunc(unseen, func(answer string) bool { return !slices.Contains(decoded, answer) })
		}
	}
	Expect(processes).To(Equal(r.SuiteConfig.ParallelTotal), "processes that report what they have seen")
	return unseen
}

var _ = ReportAfterSuite("Every answer that is described was given by a spec", func(r Report) {
	if !r.SuiteSucceeded || r.PreRunStats.SpecsThatWillRun < r.PreRunStats.TotalSpecs {
		return // some specs only
	}
	unseen := unseenByAll(r)
	for answer, why := range idle {
		Expect(unseen).To(ContainElement(answer), "the response is no exception, because it was returned (%s)", why)
	}
	unseen = slices.DeleteFunc(unseen, func(answer string) bool { return idle[answer] != "" })
	Expect(unseen).To(BeEmpty(), "described responses that no spec received")
})
