// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func TestWebhook(t *testing.T) {
	c := newCluster(t, &v1beta1.WebhookEndpoint{
		ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "crm"}, Spec: v1beta1.WebhookEndpointSpec{URL: "https://crm.example/"},
	})
	spec := func() v1beta1.WebhookEndpointSpec {
		t.Helper()
		w := &v1beta1.WebhookEndpoint{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "crm"}, w); err != nil {
			t.Fatal(err)
		}
		return w.Spec
	}
	c.refuse(`there is no webhook endpoint "other"`, "webhook", "test", "other", "--account", "acme")
	c.refuse("--since must be positive", "webhook", "replay", "crm", "--account", "acme", "--since", "721h")
	if s := spec(); s.TestAt != nil || s.RotateAt != nil || s.Replay != nil {
		t.Fatalf("a refused command changed the endpoint: %+v", s)
	}
	if out := c.do("webhook", "test", "crm", "--account", "acme"); out["name"] != "crm" || spec().TestAt == nil {
		t.Errorf("test: got %v, %+v", out, spec())
	}
	c.do("webhook", "rotate", "crm", "--account", "acme")
	if s := spec(); s.RotateAt == nil || s.Replay != nil {
		t.Errorf("rotate: got %+v", s)
	}
	c.do("webhook", "replay", "crm", "--account", "acme", "--since", "6h")
	// A time of this kind has whole seconds.
	if p := spec().Replay; p == nil || (p.At.Sub(p.From.Time)-6*time.Hour).Abs() > time.Second {
		t.Errorf("replay: got %+v", p)
	}
}
