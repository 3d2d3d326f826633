// SPDX-License-Identifier: Apache-2.0

package v1beta1_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// The account of a post is immutable once it is accepted, its content and time once the first attempt is recorded.
func TestPostIsFixed(t *testing.T) {
	cluster.Start(t)
	p := &v1beta1.Post{ObjectMeta: meta("fixed"), Spec: v1beta1.PostSpec{
		BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "promo", Account: "maya", Platform: "tiktok", ShortID: 7, Revision: 2, Title: "Tea", Caption: "Five teas",
		Media: v1beta1.PostMedia{Kind: "photo_set", PhotoKeys: []string{"1.png"}}, Tags: []string{"tea"}, PostingMode: "direct",
		ScheduledAt: metav1.NewMicroTime(time.Now().Add(time.Hour)),
	}}
	if err := cluster.Client.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	refused := func(changes map[string]func(*v1beta1.PostSpec), why string) {
		t.Helper()
		for what, change := range changes {
			changed := &v1beta1.Post{}
			if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(p), changed); err != nil {
				t.Fatal(err)
			}
			change(&changed.Spec)
			if err := cluster.Client.Update(t.Context(), changed); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	refused(map[string]func(*v1beta1.PostSpec){
		"brand":    func(s *v1beta1.PostSpec) { s.BrandRef.Name = "other" },
		"batch":    func(s *v1beta1.PostSpec) { s.Batch = "other" },
		"account":  func(s *v1beta1.PostSpec) { s.Account = "noor" },
		"platform": func(s *v1beta1.PostSpec) { s.Platform = "linkedin" },
		"mode":     func(s *v1beta1.PostSpec) { s.PostingMode = "draft" },
		"music":    func(s *v1beta1.PostSpec) { s.AutoAddMusic = true },
	}, "batch and brand of a Post cannot be changed")
	p.Spec.Caption, p.Spec.ScheduledAt.Time = "Six teas", p.Spec.ScheduledAt.Add(time.Hour)
	p.Spec.Edit = &v1beta1.PostEdit{Number: 1, At: metav1.Now(), AcceptedFor: p.Spec.ScheduledAt}
	if err := cluster.Client.Update(t.Context(), p); err != nil {
		t.Errorf("an edit before the first attempt: %v", err)
	}
	refused(map[string]func(*v1beta1.PostSpec){
		"no record":         func(s *v1beta1.PostSpec) { s.Edit = nil },
		"an earlier number": func(s *v1beta1.PostSpec) { s.Edit.Number = 0 },
		"another time":      func(s *v1beta1.PostSpec) { s.Edit.AcceptedFor.Time = s.Edit.AcceptedFor.Add(time.Hour) },
	}, "the record of the edits of a Post cannot be removed")
	p.Status.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptNotSent, StartedAt: metav1.NowMicro()}}
	if err := cluster.Client.Status().Update(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	refused(map[string]func(*v1beta1.PostSpec){
		"short":    func(s *v1beta1.PostSpec) { s.ShortID = 8 },
		"revision": func(s *v1beta1.PostSpec) { s.Revision = 3 },
		"title":    func(s *v1beta1.PostSpec) { s.Title = "Coffee" },
		"caption":  func(s *v1beta1.PostSpec) { s.Caption = "" },
		"media":    func(s *v1beta1.PostSpec) { s.Media.PhotoKeys[0] = "2.png" },
		"tags":     func(s *v1beta1.PostSpec) { s.Tags[0] = "coffee" },
		"no tags":  func(s *v1beta1.PostSpec) { s.Tags = nil },
		"time":     func(s *v1beta1.PostSpec) { s.ScheduledAt.Time = s.ScheduledAt.Add(time.Hour) },
		"at once":  func(s *v1beta1.PostSpec) { s.Immediate = true },
	}, "cannot be changed after its first attempt is recorded")
	for range 2 {
		p.Spec.Hold, p.Spec.Cancel = !p.Spec.Hold, true
		if err := cluster.Client.Update(t.Context(), p); err != nil {
			t.Errorf("hold and cancel: %v", err)
		}
	}
	p.Spec.Cancel = false
	if err := cluster.Client.Update(t.Context(), p); err == nil || !strings.Contains(err.Error(), "stays cancelled") {
		t.Errorf("a cancellation that is taken back: %v", err)
	}
}
