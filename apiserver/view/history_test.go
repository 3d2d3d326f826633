// SPDX-License-Identifier: Apache-2.0

package view_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/kube/fieldowner"
)

func TestHistory(t *testing.T) {
	began := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(s int) *metav1.Time { x := metav1.NewTime(began.Add(time.Duration(s) * time.Second)); return &x }
	micro := func(s float64) *metav1.MicroTime {
		x := metav1.NewMicroTime(began.Add(time.Duration(s * float64(time.Second))))
		return &x
	}
	wrote := func(manager string, s int, fields, subresource string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{
			Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Time: at(s), FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields), Subresource: subresource,
		}
	}
	const title, label = `{"f:spec":{"f:title":{}}}`, `{"f:metadata":{"f:labels":{"f:a":{}}}}`
	failure := &v1beta1.WorkError{Code: "generation_failed", Message: "No."}
	show := &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(0), Generation: 3, ManagedFields: []metav1.ManagedFieldsEntry{
			wrote(fieldowner.Frontend, 30, title, ""), wrote("kubectl-edit", 20, title, ""), wrote("kubectl-label", 21, label, ""),
			wrote(fieldowner.Manager, 22, label, ""), wrote(fieldowner.Manager, 70, `{"f:status":{}}`, "status"), wrote("kubectl-create", 0, title, ""),
		}},
		Status: v1beta1.SlideshowStatus{
			Generated: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: at(1), FinishedAt: at(9)},
			Work:      &v1beta1.Work{State: v1beta1.WorkFailed, Attempt: 3, StartedAt: at(31), FinishedAt: at(35), Error: failure},
		},
	}
	renders := []v1beta1.RenderJob{
		{
			ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(50)}, Spec: v1beta1.RenderJobSpec{Revision: ptr.To[int64](2)},
			Status: v1beta1.RenderJobStatus{Work: &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 1, StartedAt: at(51), Error: failure}},
		},
		{
			ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(10)}, Spec: v1beta1.RenderJobSpec{Revision: ptr.To[int64](1)},
			Status: v1beta1.RenderJobStatus{Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1, StartedAt: at(10), FinishedAt: at(19)}},
		},
	}
	posts := []view.IdentifiedPost{
		{ID: 8, Post: &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(41)}, Status: v1beta1.PostStatus{State: v1beta1.PostCancelled, FinishedAt: at(42)}}},
		{ID: 7, Post: &v1beta1.Post{
			ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(40)},
			Status: v1beta1.PostStatus{
				State: v1beta1.PostSuccess, HeldUntil: micro(43.5), FinishedAt: at(46),
				Attempts: []v1beta1.PostAttempt{
					{Number: 1, State: v1beta1.AttemptRejected, StartedAt: *micro(44), SettledAt: micro(44.5), Error: failure},
					{Number: 2, State: v1beta1.AttemptAccepted, StartedAt: *micro(46.2), SettledAt: micro(46.8)},
				},
			},
		}},
	}
	want := []string{
		"51 render started revision 2 attempt 1",
		"50 render created revision 2",
		"46 post succeeded post 7",
		"46 post accepted post 7 attempt 2",
		"46 post started post 7 attempt 2",
		"44 post rejected post 7 attempt 1 error generation_failed",
		"44 post started post 7 attempt 1",
		"43 post released post 7",
		"42 post cancelled post 8",
		"41 post created post 8",
		"40 post created post 7",
		"35 edit failed attempt 3 error generation_failed",
		"31 edit started attempt 3",
		"30 short changed by api",
		"20 short changed by kubectl-edit",
		"19 render succeeded revision 1 attempt 1",
		"10 render started revision 1 attempt 1",
		"10 render created revision 1",
		"9 generation succeeded attempt 1",
		"1 generation started attempt 1",
		"0 short created",
	}
	if d := cmp.Diff(want, inWords(t, began, (&view.Short{Show: show, Renders: renders}).History(posts))); d != "" {
		t.Error(d)
	}
	video := &v1beta1.Video{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(0)},
		Status:     v1beta1.VideoStatus{Work: &v1beta1.Work{State: v1beta1.WorkFailed, Attempt: 1, StartedAt: at(2), FinishedAt: at(3)}},
	}
	want = []string{"3 generation failed attempt 1 error generation_failed", "2 generation started attempt 1", "0 short created"}
	if d := cmp.Diff(want, inWords(t, began, (&view.Short{Video: video}).History(nil))); d != "" {
		t.Error(d)
	}
	// The write that created an object may have a later time than the object.
	draft := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{
		CreationTimestamp: *at(0), Generation: 1, ManagedFields: []metav1.ManagedFieldsEntry{wrote("kubectl-create", 1, title, "")},
	}}
	if d := cmp.Diff([]string{"0 short created"}, inWords(t, began, (&view.Short{Show: draft}).History(nil))); d != "" {
		t.Error(d)
	}
}

// inWords returns the entries in words, and checks that every member is encoded.
func inWords(t *testing.T, began time.Time, entries []view.HistoryEntry) (out []string) {
	t.Helper()
	for _, e := range entries {
		doc, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]any
		if err := json.Unmarshal(doc, &members); err != nil || len(members) != 8 {
			t.Errorf("got %s (%v)", doc, err)
		}
		s := fmt.Sprintf("%d %s %s", e.At.Unix()-began.Unix(), e.Subject, e.Event)
		if e.PostID != nil {
			s += fmt.Sprintf(" post %d", *e.PostID)
		}
		if e.Revision != nil {
			s += fmt.Sprintf(" revision %d", *e.Revision)
		}
		if e.Attempt != nil {
			s += fmt.Sprintf(" attempt %d", *e.Attempt)
		}
		if e.ChangedBy != nil {
			s += " by " + *e.ChangedBy
		}
		if e.Error.Value != nil {
			s += " error " + string(e.Error.Value.Code)
		}
		out = append(out, s)
	}
	return out
}
