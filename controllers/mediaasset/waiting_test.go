// SPDX-License-Identifier: Apache-2.0

package mediaasset

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// requested marks the asset as created by Reelops for a slideshow.
func (u *run) requested() {
	u.t.Helper()
	m := u.live()
	before := m.DeepCopy()
	m.OwnerReferences = []metav1.OwnerReference{{APIVersion: v1beta1.GroupVersion.String(), Kind: v1beta1.KindSlideshow, Name: "tips", UID: "1"}}
	if err := u.cluster.Client.Patch(u.t.Context(), m, client.MergeFrom(before)); err != nil {
		u.t.Fatal(err)
	}
}

// waits checks that the asset is neither Ready nor Stalled, and has the given reason.
func (u *run) waits(reason v1beta1.Reason, says string) {
	u.t.Helper()
	m := u.live()
	c := meta.FindStatusCondition(m.Status.Conditions, "Ready")
	if c == nil || c.Status != "False" || c.Reason != string(reason) || !strings.Contains(c.Message, says) || !strings.Contains(c.Message, v1beta1.AnnotationRetry) {
		u.t.Fatalf("Ready is %+v, want %s", c, reason)
	}
	if stalled := meta.FindStatusCondition(m.Status.Conditions, "Stalled"); stalled != nil || m.Status.Error != nil {
		u.t.Errorf("the failure is final: %+v, %+v", stalled, m.Status.Error)
	}
}

func TestWaiting_ForAFileOfTheStore(t *testing.T) {
	u := theStage.start(t, "wait-file", 0, "", from("imports/NAMESPACE/late.png"))
	u.settle()
	u.waits(v1beta1.ReasonFileNotFound, "no object with this key")
	waits := []time.Duration{u.last}
	for range 8 {
		u.clock.Step(u.last)
		u.settle()
		u.waits(v1beta1.ReasonFileNotFound, "no object with this key")
		waits = append(waits, u.last)
	}
	if waits[0] != 20*time.Second || waits[8] != 15*time.Minute {
		t.Errorf("requeued after %v", waits)
	}
	if n := len(u.told.Events); n != 1 {
		t.Errorf("got %d Events, want 1", n)
	} else if event := <-u.told.Events; !strings.HasPrefix(event, "Warning FileNotFound The blob store has no object with this key") {
		t.Errorf("got Event %q", event)
	}
	u.put(t, "imports/wait-file/late.png", pngOf(40, 40))
	u.clock.Step(u.last)
	u.settle()
	if yes, says := u.ready(); !yes {
		t.Errorf("not Ready although the file exists: %s", says)
	}
}

func TestWaiting_EndsWithTheRetryAnnotation(t *testing.T) {
	u := theStage.start(t, "wait-retry", 0, "", from("imports/NAMESPACE/late.png"))
	for range 5 {
		u.settle()
		u.clock.Step(u.last)
	}
	u.settle()
	u.put(t, "imports/wait-retry/late.png", pngOf(40, 40))
	u.retry("now")
	if yes, says := u.ready(); !yes || u.live().Status.RetriedFor != "now" {
		t.Errorf("not Ready after the retry: %s", says)
	}
}

func TestWaiting_ForAURL(t *testing.T) {
	for _, answer := range []int{404, 403, 410, 503} {
		url, asked := server(t, pngOf(50, 50), answer, answer, answer, answer, answer, 200)
		u := theStage.start(t, "wait-url-"+string(rune('a'+answer%26)), 0, "", v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{URL: &url}})
		for range 5 {
			u.settle()
			u.waits(v1beta1.ReasonSourceUnavailable, "instead of the file")
			u.clock.Step(u.last)
		}
		u.settle()
		if yes, says := u.ready(); !yes || *asked != 6 {
			t.Errorf("status %d: got %d requests: %s", answer, *asked, says)
		}
	}
}

func TestWaiting_RetriesFailuresOfAnOlderRelease(t *testing.T) {
	u := theStage.start(t, "wait-old", 0, "", from("imports/NAMESPACE/late.png"))
	m := u.live()
	at := metav1.NewTime(u.clock.Now())
	e := &v1beta1.WorkError{Code: "validation_failed", Message: "The blob store has no object with this key", Details: map[string]string{"reason": "not_in_store"}}
	before := m.DeepCopy()
	m.Status.Error, m.Status.Work = e, &v1beta1.Work{State: v1beta1.WorkFailed, Attempt: 1, StartedAt: &at, FinishedAt: &at, Error: e.DeepCopy()}
	if err := u.cluster.Client.Status().Patch(t.Context(), m, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	u.settle()
	u.waits(v1beta1.ReasonFileNotFound, "no object with this key")
	u.put(t, "imports/wait-old/late.png", pngOf(40, 40))
	u.clock.Step(u.last)
	u.settle()
	if yes, says := u.ready(); !yes {
		t.Errorf("not Ready although the file exists: %s", says)
	}
}

func TestRejectedImport_IsIngestedOnceReplaced(t *testing.T) {
	u := theStage.start(t, "replaced", 0, "", v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: ptr.To("imports/NAMESPACE/a.png")}})
	u.put(t, "imports/replaced/a.png", []byte("no picture"))
	u.settle()
	stalled := meta.FindStatusCondition(u.live().Status.Conditions, "Stalled")
	if stalled == nil || !strings.HasPrefix(stalled.Message, "Replace the file and set the annotation "+v1beta1.AnnotationRetry) {
		t.Fatalf("got Stalled %+v", stalled)
	}
	u.put(t, "imports/replaced/a.png", pngOf(40, 40))
	u.retry("now")
	if yes, says := u.ready(); !yes {
		t.Errorf("not Ready although the file was replaced: %s", says)
	}
}
