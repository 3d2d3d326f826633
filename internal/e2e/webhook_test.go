// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// failedEvery is how many events there are for each whose first delivery fails. The second attempt follows after 5 s.
const failedEvery = 5

// webhookManifest is an endpoint that a user applies.
const webhookManifest = `
apiVersion: reelops.dev/v1beta1
kind: WebhookEndpoint
metadata: {name: declared, namespace: %s}
spec: {url: "https://crm.example.com/reelops", suspend: true}
`

// receiver receives the webhooks of an endpoint, and sometimes fails.
type receiver struct {
	*api
	id  int64 // of the endpoint
	key *standardwebhooks.Webhook

	mu      sync.Mutex
	failed  map[string]bool  // by webhook-id: whether the first delivery failed
	refused []error          // errors of bodies and signatures
	events  map[string]event // by webhook-id
}

// event is the body of a webhook.
type event struct {
	Type     string
	Sequence int64
	Data     struct{ ID any } // a number; the name of a run
}

// receive creates an endpoint over REST.
func (a *api) receive(t *testing.T) *receiver {
	t.Helper()
	want := NewWithT(t)
	r := &receiver{api: a, failed: map[string]bool{}, events: map[string]event{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	var made struct {
		ID     int64
		Secret string
	}
	r.change(want, http.MethodPost, "/webhooks", map[string]any{"url": server.URL}, &made)
	r.id = made.ID
	r.mu.Lock()
	defer r.mu.Unlock()
	var err error
	r.key, err = standardwebhooks.NewWebhook(made.Secret)
	want.Expect(err).NotTo(HaveOccurred())
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	id := req.Header.Get(standardwebhooks.HeaderWebhookID)
	var e event
	if err == nil {
		err = r.key.Verify(body, req.Header)
	}
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		r.refused = append(r.refused, err)
		return
	}
	if _, known := r.failed[id]; !known && e.Type != string(v1beta1.EventTest) { // a test is sent once
		r.failed[id] = len(r.failed)%failedEvery == failedEvery-1
		if r.failed[id] {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
	}
	r.events[id] = e
}

// change sends a request, which must succeed, and decodes the data of the response.
func (a *api) change(g Gomega, method, path string, body, into any) {
	out, err := a.do(method, path, body)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out.status).To(BeNumerically("<", 300), "%s %s: %+v", method, path, out.errors)
	if into != nil {
		g.Expect(json.Unmarshal(out.data, into)).To(Succeed())
	}
}

// of returns the sequences of the events of a type by the ids of their objects.
func (r *receiver) of(prefix string) map[int64][]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := map[int64][]int64{}
	for _, e := range r.events {
		if strings.HasPrefix(e.Type, prefix) {
			id, _ := e.Data.ID.(float64)
			out[int64(id)] = append(out[int64(id)], e.Sequence)
		}
	}
	return out
}

// webhooks checks that the receiver got every event of the posts that were published while the manager was killed, each
// under one id, numbered without gaps and with a valid signature.
func (s *stack) webhooks(t *testing.T, r *receiver) {
	want := NewWithT(t)
	var posts v1beta1.PostList
	want.Expect(s.kube.List(t.Context(), &posts, client.InNamespace(tenant))).To(Succeed())
	want.Eventually(func(g Gomega) {
		events := r.of("post.")
		for i := range posts.Items {
			p := &posts.Items[i]
			if p.Status.State != v1beta1.PostSuccess {
				continue
			}
			id, err := strconv.ParseInt(p.Labels[v1beta1.LabelID], 10, 64)
			g.Expect(err).NotTo(HaveOccurred())
			got := events[id]
			slices.Sort(got)
			var whole []int64
			for n := range p.Status.Transitions[len(p.Status.Transitions)-1].Sequence {
				whole = append(whole, n+1)
			}
			g.Expect(got).To(Equal(whole), "events of post %s, which has %+v", p.Name, p.Status.Transitions)
		}
		g.Expect(len(events)).To(BeNumerically(">=", stream))
	}).WithTimeout(3 * waitTimeout).WithPolling(poll).Should(Succeed())
	want.Expect(r.refused).To(BeEmpty(), "signatures and bodies")

	path := fmt.Sprintf("/webhooks/%d", r.id)
	r.change(want, http.MethodPost, path+"/test", nil, nil)
	want.Eventually(func(g Gomega) {
		g.Expect(r.of("webhook.")).To(HaveLen(1))
		var deliveries []struct{ Type, State string }
		r.read(g, path+"/deliveries", &deliveries)
		g.Expect(deliveries).To(ContainElement(HaveField("Type", "webhook.test")))
	}).WithTimeout(waitTimeout).WithPolling(slowPoll).Should(Succeed())
	r.change(want, http.MethodPatch, path, map[string]any{"paused": true}, nil)
	s.apply(t, fmt.Sprintf(webhookManifest, tenant))
	want.Eventually(func(g Gomega) {
		w := &v1beta1.WebhookEndpoint{}
		g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: tenant, Name: "declared"}, w)).To(Succeed())
		g.Expect(w.Labels).To(HaveKey(v1beta1.LabelID))
		g.Expect(w.Status.ObservedGeneration).To(Equal(w.Generation))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	want.Expect(s.kube.DeleteAllOf(t.Context(), &v1beta1.WebhookEndpoint{}, client.InNamespace(tenant),
		client.MatchingFields{"metadata.name": "declared"})).To(Succeed())
	r.change(want, http.MethodDelete, path, nil, nil)
	want.Eventually(func(g Gomega) {
		var list v1beta1.WebhookEndpointList
		g.Expect(s.kube.List(t.Context(), &list, client.InNamespace(tenant))).To(Succeed())
		g.Expect(list.Items).To(BeEmpty())
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
}
