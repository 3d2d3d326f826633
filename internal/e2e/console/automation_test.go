// SPDX-License-Identifier: Apache-2.0

package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// automationLead is the minimum time from the creation of the automation to its slot: enough to draw the slides and to
// approve the post on a busy machine.
const automationLead = 3 * time.Minute

// feedDocument is a feed with one item.
const feedDocument = `<?xml version="1.0"?><rss version="2.0"><channel><title>Tea</title>
<link>https://tea.example</link><description>News</description><item><title>Cold brew in ten minutes</title>
<link>https://tea.example/cold-brew</link><guid>cold-brew</guid>
<description>Use cold water. Wait ten minutes. Add ice and lemon.</description></item></channel></rss>`

// automationManifest is an automation whose posts a user has to approve. Its parameters are the cron expression, the
// URL of the feed and the id of the account on TikTok.
const automationManifest = `
apiVersion: reelops.dev/v1beta1
kind: Automation
metadata: {name: tea, namespace: demo}
spec:
  brandRef: {name: demo}
  schedules: [%q]
  timeZone: UTC
  source: {feed: {url: %q}}
  template:
    slideshow:
      context: "{{item.title}}. {{item.summary}}"
      slideCount: 3
  publish:
    media: photo_set
    accounts: [{name: %s, tiktok: {privacyLevel: SELF_ONLY}}]
  approval: Always
`

// automates applies an automation that creates a slideshow from a feed, and approves its post in the console. It
// returns the check that the post is published at its time, and that the receiver gets its events.
func (c *consoleTest) automates(t *testing.T, hook *receiver) (published func(t *testing.T)) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/rss+xml")
		_, _ = w.Write([]byte(feedDocument))
	}))
	t.Cleanup(server.Close)
	a := api{c: c}
	a.connected(t, "tiktok", "maya")
	a.receive(t, hook, "post.awaiting_approval", "post.published", "automation.run_succeeded")
	social := strings.TrimSpace(c.program(t, "kubectl", "get", "socialaccounts.reelops.dev", "-n", account,
		"-o", `jsonpath={.items[?(@.spec.platform=="tiktok")].metadata.name}`))
	slot := time.Now().UTC().Add(automationLead).Truncate(time.Minute).Add(time.Minute)
	manifest := filepath.Join(c.dir, "automation.yaml")
	text := fmt.Sprintf(automationManifest, slot.Format("4 15 2 1 *"), server.URL+"/feed.xml", strings.Fields(social)[0])
	if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c.program(t, "kubectl", "apply", "-f", manifest)

	w := c.signedIn(t)
	waitUntil(t, workTimeout, func() bool { return c.automationRun(t).Status.State == "AwaitingApproval" },
		"the post waits for approval")
	w.visit(c.url + "/console/approvals")
	w.reads("Cold brew in ten minutes")
	w.click("button", "Select all")
	w.click("button", "Approve 1")
	w.click("button", "Approve")
	w.reads("1 post approved")
	if late := time.Until(slot); late < 0 {
		t.Fatalf("the post was approved %s after its time: this machine is too slow", -late)
	}
	waitFor(t, func() bool { return c.automationRun(t).Status.State == "Scheduled" }, "the post is scheduled")

	return func(t *testing.T) {
		waitUntil(t, time.Until(slot)+workTimeout, func() bool { return c.automationRun(t).Status.State == "Succeeded" },
			"the run succeeds")
		run := c.automationRun(t)
		if run.Status.Item.Link != "https://tea.example/cold-brew" || len(run.Status.Posts) != 1 {
			t.Fatalf("the run used the item %q and has %d posts", run.Status.Item.Link, len(run.Status.Posts))
		}
		var post struct {
			Status      string
			ScheduledAt time.Time `json:"scheduled_at"`
			UpdatedAt   time.Time `json:"updated_at"` // when it was sent
		}
		a.call(t, http.MethodGet, fmt.Sprintf("/posts/%d", run.Status.Posts[0].ID), nil, &post)
		if post.Status != "success" || !post.ScheduledAt.Equal(slot) || post.UpdatedAt.Before(slot) {
			t.Fatalf("the post is %+v, want one that was sent at %s", post, slot)
		}
		hook.got(t, "post.awaiting_approval", float64(run.Status.Posts[0].ID))
		hook.got(t, "post.published", float64(run.Status.Posts[0].ID))
		hook.got(t, "automation.run_succeeded", run.Metadata.Name)
		hook.check(t)
	}
}

// automationRun is the part of an AutomationRun that the test reads.
type automationRun struct {
	Metadata struct{ Name string }
	Status   struct {
		State string
		Item  struct{ Link string }
		Posts []struct {
			ID int64 `json:"postID"`
		}
	}
}

// automationRun returns the only run of the automation, or an empty one before it exists.
func (c *consoleTest) automationRun(t *testing.T) automationRun {
	t.Helper()
	var all struct{ Items []automationRun }
	out := c.program(t, "kubectl", "get", "automationruns.reelops.dev", "-n", account, "-o", "json")
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	switch len(all.Items) {
	case 0:
		return automationRun{}
	case 1:
		return all.Items[0]
	}
	t.Fatalf("the slot has %d runs", len(all.Items))
	return automationRun{}
}
