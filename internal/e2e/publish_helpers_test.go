// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// allPlatforms has all platforms.
var allPlatforms = []string{"tiktok", "youtube", "instagram", "linkedin"}

// ledgerEntry is one entry in the ledger of the sandbox.
type ledgerEntry struct {
	Platform, Account, Kind, Mode, Title, Caption, SHA256, URL string
	Time                                                       time.Time
	Bytes                                                      int64
	ID                                                         string `json:"platform_id"`
}

// post is a post as the API returns it.
type post struct {
	ID           int64
	Platform     string
	Status       string
	MediaKind    string `json:"media_kind"`
	SocialDataID *int64 `json:"social_data_id"`
	Title        *string
	Caption      *string
	PostURL      *string `json:"post_url"`
	PlatformID   *string `json:"platform_post_id"`
	Delivery     *string `json:"delivery_state"`
	Error        *problem
	Attempts     int
	BatchID      string `json:"batch_id"`
}

// connection is a connected account.
type connection struct {
	ID       int64 `json:"social_data_id"`
	Platform string
	Username *string
	Ready    bool `json:"ready_to_post"`
	Issues   []problem
}

// sandbox returns the address of the sandbox of the platforms.
func (s *stack) sandbox() string {
	_, rest, _ := strings.Cut(s.logText("run.log"), "published posts are shown at ")
	url, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(url)
}

// ledger returns all posts that became public or reached an inbox.
func (s *stack) ledger(g Gomega) (out []ledgerEntry) {
	res, err := http.Get(s.sandbox() + "/ledger")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = res.Body.Close() }()
	g.Expect(json.NewDecoder(res.Body).Decode(&out)).To(Succeed())
	return out
}

// withCaption returns the entries with a caption.
func withCaption(all []ledgerEntry, caption string) []ledgerEntry {
	return slices.DeleteFunc(slices.Clone(all), func(l ledgerEntry) bool { return l.Caption != caption })
}

// apply applies manifests and returns the output of kubectl.
func (s *stack) apply(t *testing.T, manifests string) string {
	t.Helper()
	out, err := s.program(manifests, "kubectl", "apply", "-f", "-")
	if err != nil {
		t.Fatal(err, out)
	}
	return out
}

// batch returns a PostBatch, which must exist.
func (s *stack) batch(g Gomega, name string) *v1beta1.PostBatch {
	b := &v1beta1.PostBatch{}
	g.Expect(s.kube.Get(context.Background(), client.ObjectKey{Namespace: tenant, Name: name}, b)).To(Succeed())
	return b
}

// health returns the status as GitOps tools interpret it, InProgress, Failed or Current, with the reason of Ready.
func health(generation, observed int64, conditions []metav1.Condition) string {
	ready := meta.FindStatusCondition(conditions, "Ready")
	switch {
	case ready == nil:
		return "unknown"
	case observed != generation || ready.ObservedGeneration != generation:
		return "InProgress: an older generation was observed"
	case meta.IsStatusConditionTrue(conditions, "Stalled"):
		return "Failed: " + ready.Reason
	case ready.Status != metav1.ConditionTrue:
		return "InProgress: " + ready.Reason
	}
	return "Current: " + ready.Reason
}

func healthOf(b *v1beta1.PostBatch) string {
	return health(b.Generation, b.Status.ObservedGeneration, b.Status.Conditions)
}

// read decodes the data of a GET request, which must succeed.
func (a *api) read(g Gomega, path string, into any) {
	out, err := a.do(http.MethodGet, path, nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out.status).To(Equal(http.StatusOK), "%s: %+v", path, out.errors)
	g.Expect(json.Unmarshal(out.data, into)).To(Succeed())
}

// posts returns all posts that match a query, from all pages.
func (a *api) posts(g Gomega, query string) (out []post) {
	for page := 1; ; page++ {
		var some []post
		a.read(g, fmt.Sprintf("/posts?per_page=50&page=%d&%s", page, query), &some)
		if out = append(out, some...); len(some) < 50 {
			return out
		}
	}
}

// ended waits until every post that matches a query has succeeded, failed or was cancelled.
func (a *api) ended(t *testing.T, query string, within time.Duration) (out []post) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		out = a.posts(g, query)
		for _, p := range out {
			g.Expect(p.Status).To(BeElementOf("success", "failed", "cancelled"), "post %d on %s, %d attempts: %+v", p.ID, p.Platform, p.Attempts, p.Error)
		}
	}).WithTimeout(within).WithPolling(slowPoll).Should(Succeed())
	return out
}

// onward matches the automatic refresh of a page: to the captured address, or to itself.
var onward = regexp.MustCompile(`http-equiv="refresh" content="\d+(?:; *url=([^"]+))?"`)

// page opens an address like a browser, and returns the content and the final address.
func page(g Gomega, url string) (doc, at string) {
	res, err := http.Get(url)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(res.StatusCode).To(Equal(http.StatusOK), "%s", body)
	return string(body), res.Request.URL.String()
}

// link returns a new link to the authorization page of a platform.
func (a *api) link(t *testing.T, platform string) (url string) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		out, err := a.do(http.MethodPost, "/connections/link", map[string]any{"platform": platform})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(out.status).To(Equal(http.StatusOK), "%+v", out.errors)
		var made struct {
			URL string `json:"authorize_url"`
		}
		g.Expect(json.Unmarshal(out.data, &made)).To(Succeed())
		url = made.URL
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	return url
}

// connect connects an account like a user in a browser. It returns the content of the pages and the authorization code.
func (a *api) connect(t *testing.T, platform, account string) (content, code string) {
	t.Helper()
	want := NewWithT(t)
	doc, at := page(want, a.link(t, platform)+"&approve="+account)
	back, err := url.Parse(at)
	want.Expect(err).NotTo(HaveOccurred())
	code = back.Query().Get("code")
	want.Expect(code).NotTo(BeEmpty(), "the consent page redirected to %s", at)
	content = doc
	next := onward.FindStringSubmatch(doc)
	for until := time.Now().Add(waitTimeout); next != nil; next = onward.FindStringSubmatch(doc) {
		if time.Now().After(until) {
			t.Fatalf("the page is still waiting:\n%s", doc)
		}
		if next[1] != "" {
			at = html.UnescapeString(next[1])
		} else {
			<-time.After(poll) // a browser waits for a second
		}
		doc, at = page(want, at)
		content += doc
	}
	want.Expect(doc).To(ContainSubstring("is connected"))
	return content, code
}

// connections waits until the accounts of the platforms are ready for posts.
func (a *api) connections(t *testing.T, platforms ...string) (out []connection) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		var all struct{ Accounts []connection }
		a.read(g, "/connections", &all)
		out = all.Accounts
		var ready []string
		for _, c := range out {
			g.Expect(c.Ready).To(BeTrue(), "%s: %+v", c.Platform, c.Issues)
			ready = append(ready, c.Platform)
		}
		slices.Sort(ready)
		g.Expect(slices.Compact(ready)).To(ConsistOf(platforms))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	return out
}

// publish posts a short and returns the batch.
func (a *api) publish(t *testing.T, body map[string]any) (batch string, results []map[string]any) {
	t.Helper()
	out, err := a.do(http.MethodPost, "/posts", body)
	if err != nil || out.status != http.StatusAccepted {
		t.Fatalf("posting: %v %+v", err, out)
	}
	var made struct {
		Overall string           `json:"overall_status"`
		Batch   string           `json:"batch_id"`
		Results []map[string]any `json:"results"`
	}
	if err := json.Unmarshal(out.data, &made); err != nil || made.Overall != "success" {
		t.Fatalf("%v %s", err, out.data)
	}
	return made.Batch, made.Results
}
