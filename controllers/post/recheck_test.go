// SPDX-License-Identifier: Apache-2.0

package post

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
)

// TestRecheck_ReportsAWithdrawnPost checks that a post that the platform may withdraw is read again at the time set
// by the adapter, and is then reported as private.
func TestRecheck_ReportsAWithdrawnPost(t *testing.T) {
	p := aPost("1", noon)
	at := metav1.NewMicroTime(noon)
	p.Status.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, StartedAt: at, SettledAt: &at}}
	published := &publish.View{
		State: v1beta1.DeliveryPublished, PostID: "7", URL: "https://social.example/7", PublishedAt: noon, Settled: true, Recheck: 10 * time.Minute,
		Warnings: []string{"The cover was refused."},
	}
	applyView(p, published, noon)
	report(p, decision{})
	if p.Status.State != v1beta1.PostSuccess || !seekingLink(p) || !p.Status.RecheckAt.Equal(&metav1.Time{Time: noon.Add(10 * time.Minute)}) {
		t.Fatalf("got status %+v", p.Status)
	}
	if message := p.Status.Conditions[0].Message; message != "https://social.example/7. The cover was refused" {
		t.Errorf("got condition %q", message)
	}
	o := &observed{now: noon, account: socialAccount(), configured: true, local: &localState{}}
	if got := decide(p, o); got.kind != doNothing || !got.again.Equal(noon.Add(10*time.Minute)) {
		t.Errorf("before the recheck: %+v", got)
	}
	o.now = noon.Add(10 * time.Minute)
	if got := decide(p, o); got.kind != doPoll {
		t.Errorf("at the recheck: %+v", got)
	}
	o.account = nil
	if got := decide(p, o); got.kind != doNothing || !got.again.IsZero() {
		t.Errorf("without an account: %+v", got)
	}
	locked := &publish.View{State: v1beta1.DeliveryPrivate, PostID: "7", URL: "https://social.example/7", Settled: true, Warnings: []string{"The platform keeps it private."}}
	for range 2 {
		applyView(p, locked, o.now)
	}
	report(p, decision{})
	if p.Status.DeliveryState != v1beta1.DeliveryPrivate || p.Status.RecheckAt != nil || seekingLink(p) || len(p.Status.Warnings) != 2 {
		t.Errorf("made private: %+v", p.Status)
	}
	if message := p.Status.Conditions[0].Message; !strings.HasPrefix(message, "On the platform, visible only to the account") || !strings.Contains(message, "keeps it private") {
		t.Errorf("got condition %q", message)
	}
}

func TestRecheck_BoundsWarnings(t *testing.T) {
	p := aPost("1", noon)
	for i := range 20 {
		applyView(p, &publish.View{State: v1beta1.DeliveryProcessing, Warnings: []string{strings.Repeat("x", 600+i)}}, noon)
		applyView(p, &publish.View{State: v1beta1.DeliveryProcessing, Warnings: []string{strings.Repeat("y", i)}}, noon)
	}
	if n := len(p.Status.Warnings); n != 8 {
		t.Errorf("got %d warnings", n)
	}
	for _, w := range p.Status.Warnings {
		if len(w) > 500 {
			t.Errorf("got a warning of %d characters", len(w))
		}
	}
}
