// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"encoding/json"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/store/outbox"
)

func TestWebhookDeliveries(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	at := func(n int64) v1beta1.WebhookCursor { return v1beta1.WebhookCursor{Segment: n} }
	delivery := func(id string, position int64, attempt, code int32, failure string) v1beta1.WebhookDelivery {
		p := at(position)
		return v1beta1.WebhookDelivery{EventID: id, Event: v1beta1.EventPostFailed, Position: &p, Attempt: attempt, At: metav1.NewMicroTime(now), Code: code, Error: failure}
	}
	test := delivery("test", 0, 1, 204, "")
	test.Position = nil
	w := &v1beta1.WebhookEndpoint{Status: v1beta1.WebhookEndpointStatus{
		Deliveries: []v1beta1.WebhookDelivery{ // newest first
			delivery("waits", 3, 2, 503, "status 503"), delivery("ends", 2, 10, 0, "closed"), delivery("works", 1, 2, 204, ""), test,
			delivery("works", 1, 1, 500, "status 500"), delivery("waits", 3, 1, 503, "status 503"),
		},
		Pending: []v1beta1.WebhookPending{
			{WebhookCursor: at(3), Attempts: 2, NextAt: metav1.NewMicroTime(now.Add(time.Minute))},
			{WebhookCursor: at(4), Attempts: 7, NextAt: metav1.NewMicroTime(now.Add(time.Hour))}, // its attempts are not recorded any more
		},
	}}
	got, positions := view.WebhookDeliveries(w)
	want := []struct {
		id, state string
		attempts  int32
		segment   int64
		next      bool
	}{{"waits", "waiting", 2, 3, true}, {"ends", "failed", 10, 2, false}, {"works", "delivered", 2, 1, false}, {"test", "delivered", 1, 0, false}, {"", "waiting", 7, 4, true}}
	if len(got) != len(want) || len(positions) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, c := range want {
		segment := int64(0)
		if positions[i] != nil {
			segment = positions[i].Segment
		}
		d := &got[i]
		if d.EventID != c.id || d.State != c.state || d.Attempts != c.attempts || segment != c.segment || (d.NextAttemptAt != nil) != c.next {
			t.Errorf("delivery %d: got %+v in segment %d, want %+v", i, d, segment, c)
		}
	}
	if got[0].StatusCode == nil || *got[0].StatusCode != 503 || got[1].StatusCode != nil || got[1].Error == nil || got[2].Error != nil {
		t.Errorf("got %+v", got)
	}
}

func TestWebhookDelivery_Recorded(t *testing.T) {
	for body, want := range map[string]int64{
		`{"data":{"id":7,"job_id":8}}`: 7, `{"data":{"job_id":8}}`: 8, `{"data":{"id":"x"}}`: 0, `{"data":[]}`: 0, `{}`: 0,
	} {
		for _, may := range []bool{true, false} {
			d := view.WebhookDelivery{}
			d.Recorded(&outbox.Event{ID: "evt_1", Transition: v1beta1.Transition{Event: v1beta1.EventJobFailed, Sequence: 3}, Body: json.RawMessage(body)}, may)
			id := int64(0)
			if d.ObjectID != nil {
				id = *d.ObjectID
			}
			if id != want || d.EventID != "evt_1" || *d.Sequence != 3 || (d.Body != nil) != may {
				t.Errorf("%s: got %+v with the id %d", body, d, id)
			}
		}
	}
}
