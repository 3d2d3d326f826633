// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// automationManifests are an automation whose only slot is at a cron expression, and a run that a user requests of an
// automation with a template of a video. The manager gives all of them their ids, labels and owners.
const automationManifests = `
apiVersion: reelops.dev/v1beta1
kind: Automation
metadata: {name: unapproved, namespace: %[1]s}
spec:
  brandRef: {name: %[1]s}
  schedules: [%[2]q]
  timeZone: UTC
  source: {prompts: {items: [{text: Sleep better}]}}
  template: {slideshow: {context: "{{item.title}}. Keep the bedroom cool. No coffee after lunch.", slideCount: 3}}
  publish: {platforms: [tiktok], media: photo_set, caption: Nobody approves this}
  approval: Always
  failedRunsHistoryLimit: 0
---
apiVersion: reelops.dev/v1beta1
kind: Automation
metadata: {name: hooks, namespace: %[1]s}
spec:
  brandRef: {name: %[1]s}
  schedules: ["0 0 1 1 *"]
  timeZone: UTC
  source: {prompts: {items: [{text: Sleep better}]}}
  template: {video: {hookText: "{{item.title}} tonight", avatar: {mediaRef: {name: none}}}}
  publish: {platforms: [tiktok]}
---
apiVersion: reelops.dev/v1beta1
kind: AutomationRun
metadata: {name: hooks-now, namespace: %[1]s}
spec: {automationRef: {name: hooks}, scheduledAt: %[3]q, manual: true}
`

// automations creates automations from manifests. The posts of one are not approved in time: its batch is deleted, its
// run is skipped and deleted from the history. A run that a user creates creates a video.
func (s *stack) automations(t *testing.T) {
	want := NewWithT(t)
	slot := time.Now().UTC().Add(waitTimeout).Truncate(time.Minute).Add(time.Minute)
	s.apply(t, fmt.Sprintf(automationManifests, tenant, slot.Format("4 15 2 1 *"), time.Now().UTC().Format(time.RFC3339)))
	a := &v1beta1.Automation{}
	reads := func(g Gomega, name string, into client.Object) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: name}, into)).To(Succeed())
	}
	run := fmt.Sprintf("unapproved-%d", slot.Unix()/60)
	want.Eventually(func(g Gomega) {
		r := &v1beta1.AutomationRun{}
		reads(g, run, r)
		g.Expect(r.Status.State).To(Equal(v1beta1.RunAwaitingApproval))
	}).WithTimeout(time.Until(slot)).WithPolling(poll).Should(Succeed())
	want.Eventually(func(g Gomega) {
		v := &v1beta1.Video{}
		reads(g, "hooks-now", v)
		g.Expect(v.Spec.HookText).To(HaveValue(Equal("Sleep better tonight")))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	want.Eventually(func(g Gomega) {
		reads(g, "unapproved", a)
		g.Expect(a.Status.Runs).To(BeEquivalentTo(1))
		g.Expect(a.Status.Active).To(BeEmpty())
		var runs v1beta1.AutomationRunList
		g.Expect(s.kube.List(t.Context(), &runs, client.InNamespace(tenant),
			client.MatchingLabels{v1beta1.LabelAutomation: "unapproved"})).To(Succeed())
		g.Expect(runs.Items).To(BeEmpty(), "the history keeps no run that was skipped")
		err := s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: run}, &v1beta1.PostBatch{})
		g.Expect(client.IgnoreNotFound(err)).To(Succeed())
		g.Expect(err).To(HaveOccurred(), "the batch was not deleted")
	}).WithTimeout(time.Until(slot) + waitTimeout).WithPolling(poll).Should(Succeed())
	for _, l := range s.ledger(want) {
		want.Expect(l.Title+l.Caption).NotTo(ContainSubstring("Nobody approves this"), "it was published")
	}
	if out, err := s.program("", "kubectl", "delete", "automations.reelops.dev", "-n", tenant, "--all"); err != nil {
		t.Fatal(err, out)
	}
}

// automationsOverREST creates an automation over REST, changes and runs it, and deletes it.
func (s *stack) automationsOverREST(t *testing.T) {
	a := &api{s.url, s.newKey(t)}
	want := NewWithT(t)
	var made struct{ ID int64 }
	body := map[string]any{
		"name": "Tips", "schedules": []string{"0 0 1 1 *"}, "time_zone": "UTC",
		"source":   map[string]any{"type": "prompts", "prompts": []string{"Sleep better"}},
		"template": map[string]any{"context": "{{item.title}}. Keep the bedroom cool."},
		"publish":  map[string]any{"platforms": []string{"tiktok"}, "media": "photo_set"}, "approval": "always",
	}
	want.Eventually(func(g Gomega) { a.change(g, http.MethodPost, "/automations", body, &made) }).
		WithTimeout(waitTimeout).WithPolling(slowPoll).Should(Succeed(), "a new key is accepted after a moment")
	path := fmt.Sprintf("/automations/%d", made.ID)
	a.change(want, http.MethodPatch, path, map[string]any{"name": "Better tips"}, nil)
	a.change(want, http.MethodPost, path+"/run", nil, nil)
	want.Eventually(func(g Gomega) {
		var runs []struct{ Status string }
		a.read(g, path+"/runs", &runs)
		g.Expect(runs).To(ConsistOf(HaveField("Status", "awaiting_approval")))
	}).WithTimeout(2 * waitTimeout).WithPolling(slowPoll).Should(Succeed())
	a.change(want, http.MethodDelete, path, nil, nil)
}
