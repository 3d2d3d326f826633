// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Texts with characters that are often not escaped, or escaped twice.
const (
	oddTitle   = `Sleep "well" & <sooner> \ 😴`
	oddCaption = "Line one 😴 & <two> \"quotes\" \\ back\\nslash @sleep #sleep\n\nLine (three) [x] {y} *z* _u_ ~t~ |p| %41 &amp; 'so'"
	ownCaption = "Own words 🚲 <b>bold</b>\n#bikes @maya"
)

// TestPublish connects an account on every platform, and publishes over REST and from manifests.
func TestPublish(t *testing.T) {
	t.Parallel()
	log.SetLogger(logr.Discard()) // the client of the second stack requires a logger
	spans, withTraces := receiveTraces(t)
	s := newStack(t, withShortCooldown(), withTraces, withEnv("REELOPS_WEBHOOK_HOSTS=127.0.0.1"))
	a := &api{s.url, s.newKey(t)}
	var pages string
	var codes []string
	for _, p := range allPlatforms {
		content, code := a.connect(t, p, "maya")
		pages, codes = pages+content, append(codes, code)
	}
	a.connections(t, allPlatforms...)
	hooks := a.receive(t)
	var id int64
	if !t.Run("published over REST", func(t *testing.T) { id = s.publishEverywhere(t) }) {
		return // every other part needs this one
	}
	t.Run("one trace per request", func(t *testing.T) {
		spans.checkTrace(t, "create_post", "post pass", "platform prepare", "platform commit")
		spans.checkTrace(t, "render_slideshow", "renderjob pass", "render wait", "render work")
	})
	t.Run("published from manifests", s.gitops)
	var times map[string]time.Time
	t.Run("the manager killed while posts are due", func(t *testing.T) { times = s.killedPublishing(t, id) })
	t.Run("tokens stay secret", func(t *testing.T) { s.secretTokens(t, a, pages+spans.all(), codes) })
	t.Run("published batches restored into another cluster", s.restoredElsewhere)
	t.Run("posts due during the kills are published once", func(t *testing.T) { s.checkStream(t, times) })
	t.Run("events of posts are sent to a webhook", func(t *testing.T) { s.webhooks(t, hooks) })
	t.Run("automations from manifests", s.automations)
	t.Run("automations over REST", s.automationsOverREST)
	t.Run("analytics of the video", func(t *testing.T) { s.checkAnalytics(t, a, id) }) // disconnects an account at the end
}

// publishEverywhere publishes as an API client does: it renders a video and posts it to all platforms. It checks that
// each has exactly one post, with the right bytes and texts, and returns the id of the short.
func (s *stack) publishEverywhere(t *testing.T) int64 {
	a := &api{s.url, s.newKey(t)}
	want := NewWithT(t)
	id := s.show(t, a, "publish")
	out, err := a.do(http.MethodPatch, fmt.Sprintf("/slideshows/%d", id), map[string]any{"title": oddTitle, "caption": oddCaption, "tags": "sleep, better nights"})
	if err != nil || out.status != http.StatusOK {
		t.Fatalf("editing: %v %+v", err, out)
	}
	a.succeeded(t, id, "slideshow_generation")
	a.render(t, id)
	video, _ := s.video(t, a, id)
	checkVideo(t, video, 1080, 1920, a.short(t, id).Duration)
	accounts := a.connections(t, allPlatforms...)
	i := slices.IndexFunc(accounts, func(c connection) bool { return c.Username != nil && *c.Username == "acmebikes" })
	if len(accounts) != 5 || i < 0 {
		t.Fatalf("got accounts %+v, want one on each platform and a page", accounts)
	}
	own := accounts[i].ID

	wish := map[string]any{
		"short_id": id, "platforms": allPlatforms,
		"platform_customizations": map[string]any{fmt.Sprint(own): map[string]any{"caption": ownCaption}},
	}
	out, err = a.do(http.MethodPost, "/posts/validate", wish)
	if err != nil || out.status != http.StatusOK {
		t.Fatalf("validating: %v %+v", err, out)
	}
	var judged struct {
		OK       bool
		Verdicts []struct{ OK bool }
	}
	want.Expect(json.Unmarshal(out.data, &judged)).To(Succeed())
	want.Expect(judged.OK).To(BeTrue(), "%s", out.data)
	want.Expect(judged.Verdicts).To(HaveLen(5))
	want.Expect(s.ledger(want)).To(BeEmpty(), "validation must not publish anything")

	a.publish(t, wish)
	posts := a.ended(t, fmt.Sprintf("short_id=%d", id), 2*waitTimeout)
	want.Expect(posts).To(HaveLen(5))
	landed := s.ledger(want)
	want.Expect(landed).To(HaveLen(5))
	sum := sha256.Sum256(video)
	for _, l := range landed {
		title, caption := "", oddCaption+"\n\n#betternights" // #sleep is in the caption
		switch {
		case l.Account == "acme":
			title, caption = oddTitle, ownCaption
		case l.Platform == "linkedin":
			title = oddTitle
		case l.Platform == "youtube": // allows no angle brackets, and has a list of tags
			angles := strings.NewReplacer("<", "‹", ">", "›")
			title, caption = angles.Replace(oddTitle), angles.Replace(oddCaption)
		}
		want.Expect(l.Title).To(Equal(title), l.Platform)
		want.Expect(l.Caption).To(Equal(caption), l.Platform)
		want.Expect(l.Kind+" "+l.Mode).To(Equal("video direct"), l.Platform)
		want.Expect(l.SHA256).To(Equal(hex.EncodeToString(sum[:])), l.Platform)
		want.Expect(l.Bytes).To(BeEquivalentTo(len(video)), l.Platform)
	}
	var links []string
	want.Eventually(func(g Gomega) { // some platforms report the link late
		links = nil
		for _, p := range a.posts(g, fmt.Sprintf("short_id=%d", id)) {
			g.Expect(p.Status).To(Equal("success"), "%s: %+v", p.Platform, p.Error)
			g.Expect(p.Delivery).To(HaveValue(Equal("published")))
			g.Expect(p.PostURL).NotTo(BeNil(), p.Platform)
			g.Expect(slices.ContainsFunc(landed, func(l ledgerEntry) bool {
				return l.Platform == p.Platform && l.ID == *p.PlatformID && l.URL == *p.PostURL
			})).
				To(BeTrue(), "post %d has the link %s, which is not in the ledger", p.ID, *p.PostURL)
			g.Expect(slices.ContainsFunc(landed, func(l ledgerEntry) bool {
				return l.ID == *p.PlatformID && l.Title == ptr.Deref(p.Title, "") && l.Caption == ptr.Deref(p.Caption, "")
			})).To(BeTrue(), "post %d on %s differs from the ledger", p.ID, p.Platform)
			links = append(links, *p.PostURL)
		}
	}).WithTimeout(waitTimeout).WithPolling(slowPoll).Should(Succeed())
	for _, link := range links {
		doc, _ := page(want, link)
		want.Expect(doc).To(ContainSubstring("<video"), link)
	}
	var detail struct{ Posts []post }
	a.read(want, fmt.Sprintf("/shorts/%d", id), &detail)
	want.Expect(detail.Posts).To(HaveLen(5))

	s.cancelPost(t, a, id)
	lines, err := s.program("", "kubectl", "get", "posts,postbatches,socialaccounts", "-n", tenant)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range append(links, "Maya's Kitchen", "cancelled", "Published") {
		want.Expect(lines).To(ContainSubstring(word), "kubectl get shows links and states")
	}
	return id
}

// cancelPost schedules a post and cancels it: nothing is published.
func (s *stack) cancelPost(t *testing.T, a *api, id int64) {
	t.Helper()
	want := NewWithT(t)
	batch, results := a.publish(t, map[string]any{
		"short_id": id, "platforms": []string{"tiktok"}, "scheduled_at": time.Now().Add(6 * time.Minute).UTC().Format(time.RFC3339),
	})
	want.Expect(results[0]["status"]).To(Equal("scheduled"))
	mine := func(g Gomega) post {
		all := a.posts(g, "platform=tiktok")
		i := slices.IndexFunc(all, func(p post) bool { return p.BatchID == batch })
		g.Expect(i).To(BeNumerically(">=", 0))
		return all[i]
	}
	out, err := a.do(http.MethodDelete, fmt.Sprintf("/posts/%d", mine(want).ID), nil)
	if err != nil || out.status != http.StatusOK {
		t.Fatalf("cancelling: %v %+v", err, out)
	}
	want.Expect(mine(want).Status).To(Equal("cancelled"))
	out, err = a.do(http.MethodDelete, fmt.Sprintf("/posts/%d", mine(want).ID), nil)
	want.Expect(err).NotTo(HaveOccurred())
	want.Expect(out.status).To(Equal(http.StatusConflict))
	want.Expect(s.ledger(want)).To(HaveLen(5))
}
