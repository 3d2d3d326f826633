// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// withShortCooldown allows a refresh of the analytics of a stack every second.
func withShortCooldown() option {
	return withEnv("REELOPS_ANALYTICS_COOLDOWN=1s", "REELOPS_CEILINGS=analytics_refresh=1/1s")
}

// accountAnalytics is an account with its analytics as the API returns it.
type accountAnalytics struct {
	ID         int64 `json:"social_data_id"`
	Platform   string
	Followers  *int64  `json:"follower_count"`
	Posts      *int64  `json:"post_count"`
	Views      *int64  `json:"view_count"`
	Refreshed  *string `json:"last_refreshed_at"`
	Refreshing bool
	Error      *problem `json:"refresh_error"`
}

// analyticsRow is a post with its analytics.
type analyticsRow struct {
	Post      *int64 `json:"post_id"`
	Short     *int64 `json:"short_id"`
	Ours      bool   `json:"published_by_service"`
	Caption   *string
	Views     *int64 `json:"view_count"`
	Favorites *int64 `json:"favorite_count"`
}

// analytics has the analytics of one account and its posts.
type analytics struct {
	Account accountAnalytics
	Summary struct {
		Posts int    `json:"post_count"`
		Views *int64 `json:"view_count"`
	}
	Posts   []analyticsRow
	History []struct {
		Followers *int64 `json:"follower_count"`
	}
}

// checkAnalytics reads the analytics of all accounts and refreshes them. It publishes in a platform's own app, then
// refreshes over REST and with kubectl.
func (s *stack) checkAnalytics(t *testing.T, a *api, short int64) {
	want := NewWithT(t)
	want.SetDefaultEventuallyTimeout(waitTimeout)
	want.SetDefaultEventuallyPollingInterval(slowPoll)
	var all struct{ Accounts []accountAnalytics }
	a.read(want, "/analytics", &all)
	for _, m := range all.Accounts {
		out, err := a.do(http.MethodPost, fmt.Sprintf("/analytics/accounts/%d/refresh", m.ID), nil)
		want.Expect(err).NotTo(HaveOccurred())
		want.Expect(out.status).To(Equal(http.StatusAccepted), "%+v", out.errors)
	}
	want.Eventually(func(g Gomega) {
		a.read(g, "/analytics", &all)
		var read []string
		for _, m := range all.Accounts {
			g.Expect(m.Refreshed).NotTo(BeNil(), m.Platform)
			g.Expect(m.Error).To(BeNil(), m.Platform)
			read = append(read, m.Platform)
		}
		g.Expect(read).To(ConsistOf("tiktok", "youtube", "instagram"))
	}).Should(Succeed(), "the first analytics of all accounts")
	i := slices.IndexFunc(all.Accounts, func(m accountAnalytics) bool { return m.Platform == "tiktok" })
	id := all.Accounts[i].ID

	post := func(caption string) {
		t.Helper()
		doc, _ := json.Marshal(map[string]any{
			"platform": "tiktok", "account": "maya", "caption": caption, "at": time.Now().Add(-5 * time.Hour).UTC().Format(time.RFC3339),
		})
		res, err := http.Post(s.sandbox()+"/elsewhere", "application/json", bytes.NewReader(doc))
		want.Expect(err).NotTo(HaveOccurred())
		want.Expect(res.Body.Close()).To(Succeed())
		want.Expect(res.StatusCode).To(BeNumerically("<", 300))
	}
	shown := func(g Gomega, query string) (n analytics) {
		a.read(g, fmt.Sprintf("/analytics/accounts/%d?dir=asc&per_page=50%s", id, query), &n)
		return n
	}
	elsewhere := func(g Gomega, n analytics, caption string) {
		k := slices.IndexFunc(n.Posts, func(p analyticsRow) bool {
			return ptr.Deref(p.Caption, "") == caption
		})
		g.Expect(k).To(BeNumerically(">=", 0), "%q is missing among %d posts", caption, len(n.Posts))
		p := n.Posts[k]
		g.Expect(p.Ours).To(BeFalse())
		g.Expect(p.Post).To(BeNil())
		g.Expect(p.Views).To(HaveValue(BeNumerically(">", 500)))
		g.Expect(p.Favorites).To(BeNil(), "TikTok does not report favorites")
	}

	post("made in the app")
	want.Eventually(func(g Gomega) {
		out, err := a.do(http.MethodPost, fmt.Sprintf("/analytics/accounts/%d/refresh", id), nil)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(out.status).To(Equal(http.StatusAccepted), "%+v", out.errors)
	}).Should(Succeed())
	var before analytics
	want.Eventually(func(g Gomega) {
		before = shown(g, "")
		elsewhere(g, before, "made in the app")
		g.Expect(before.Account.Refreshing).To(BeFalse())
	}).Should(Succeed())
	ours := shown(want, "&filter=reelmoney")
	// the outcome of posts interrupted by a kill is unknown
	want.Expect(ours.Summary.Posts).To(BeNumerically("<", before.Summary.Posts))
	for _, p := range ours.Posts {
		want.Expect(p.Caption).NotTo(HaveValue(Equal("made in the app")))
	}
	want.Expect(ours.Posts).To(ContainElement(HaveField("Short", HaveValue(Equal(short)))),
		"the video is linked to its short")
	for _, p := range ours.Posts {
		want.Expect(p.Ours).To(BeTrue())
		want.Expect(p.Post).NotTo(BeNil())
	}

	post("made in the app later")
	var list v1beta1.SocialAccountList
	want.Expect(s.kube.List(t.Context(), &list, client.InNamespace(tenant), client.MatchingLabels{v1beta1.LabelID: fmt.Sprint(id)})).To(Succeed())
	want.Expect(list.Items).To(HaveLen(1))
	soon := time.Now().Add(time.Second) // in the same second, the request would equal the one before
	patch := fmt.Sprintf(`{"spec":{"refreshRequestedAt":%q}}`, soon.UTC().Format(time.RFC3339))
	if _, err := s.program("", "kubectl", "patch", "analytics", list.Items[0].Name, "-n", tenant, "--type", "merge", "-p", patch); err != nil {
		t.Fatal(err)
	}
	var after analytics
	want.Eventually(func(g Gomega) {
		after = shown(g, "")
		elsewhere(g, after, "made in the app later")
	}).Should(Succeed())
	want.Expect(*after.Account.Posts).To(BeNumerically(">", *before.Account.Posts))
	want.Expect(*after.Account.Followers).To(BeNumerically(">", *before.Account.Followers), "publishing adds followers")
	want.Expect(*after.Summary.Views).To(BeNumerically(">", *before.Summary.Views+500))
	want.Expect(after.History[len(after.History)-1].Followers).To(Equal(after.Account.Followers))

	lines, err := s.program("", "kubectl", "get", "analytics,posts", "-n", tenant)
	if err != nil {
		t.Fatal(err)
	}
	want.Expect(lines).To(ContainSubstring(list.Items[0].Name))
	want.Expect(lines).To(ContainSubstring(fmt.Sprint(*after.Account.Followers)), "kubectl get shows the followers")
	told, err := s.program("", "kubectl", "get", "events", "-n", tenant)
	if err != nil || !strings.Contains(told, string(v1beta1.ReasonRefreshed)) {
		t.Errorf("no event reports the refresh: %v", err)
	}
	want.Eventually(func(g Gomega) { // the analytics of the video are copied to its post
		var posts v1beta1.PostList
		g.Expect(s.kube.List(t.Context(), &posts, client.InNamespace(tenant))).To(Succeed())
		k := slices.IndexFunc(posts.Items, func(p v1beta1.Post) bool {
			return p.Spec.Account == list.Items[0].Name && p.Spec.ShortID == short && p.Status.State == v1beta1.PostSuccess
		})
		g.Expect(k).To(BeNumerically(">=", 0))
		g.Expect(posts.Items[k].Status.Metrics).NotTo(BeNil())
	}).Should(Succeed())

	n := &v1beta1.AccountAnalytics{}
	want.Expect(s.kube.Get(t.Context(), client.ObjectKeyFromObject(&list.Items[0]), n)).To(Succeed())
	document := s.path("blobs", n.Status.DocumentKey)
	want.Expect(document).To(BeARegularFile())
	want.Expect(s.kube.Delete(t.Context(), &list.Items[0])).To(Succeed())
	want.Eventually(func(g Gomega) {
		err := s.kube.Get(t.Context(), client.ObjectKeyFromObject(n), n)
		g.Expect(apierrors.IsNotFound(err)).To(BeTrue(), "%v", err)
		g.Expect(document).NotTo(BeAnExistingFile())
	}).Should(Succeed(), "analytics are deleted with their account")
}
