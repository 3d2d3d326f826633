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

// What was accepted is what is sent: nothing of a post changes between the check, the approval and the call but whether it goes.
func TestPostIsFixed(t *testing.T) {
	p := &v1beta1.Post{ObjectMeta: meta("fixed"), Spec: v1beta1.PostSpec{
		BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "promo", Account: "maya", Platform: "tiktok", ShortID: 7, Revision: 2, Title: "Tea", Caption: "Five teas",
		Media: v1beta1.PostMedia{Kind: "photo_set", PhotoKeys: []string{"1.png"}}, Tags: []string{"tea"}, PostingMode: "direct",
		ScheduledAt: metav1.NewMicroTime(time.Now().Add(time.Hour)),
	}}
	if err := cluster.Client.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*v1beta1.PostSpec){
		"brand":     func(s *v1beta1.PostSpec) { s.BrandRef.Name = "other" },
		"batch":     func(s *v1beta1.PostSpec) { s.Batch = "other" },
		"account":   func(s *v1beta1.PostSpec) { s.Account = "noor" },
		"platform":  func(s *v1beta1.PostSpec) { s.Platform = "linkedin" },
		"short":     func(s *v1beta1.PostSpec) { s.ShortID = 8 },
		"revision":  func(s *v1beta1.PostSpec) { s.Revision = 3 },
		"title":     func(s *v1beta1.PostSpec) { s.Title = "Coffee" },
		"caption":   func(s *v1beta1.PostSpec) { s.Caption = "" },
		"media":     func(s *v1beta1.PostSpec) { s.Media.PhotoKeys[0] = "2.png" },
		"tags":      func(s *v1beta1.PostSpec) { s.Tags[0] = "coffee" },
		"no tags":   func(s *v1beta1.PostSpec) { s.Tags = nil },
		"mode":      func(s *v1beta1.PostSpec) { s.PostingMode = "draft" },
		"music":     func(s *v1beta1.PostSpec) { s.AutoAddMusic = true },
		"time":      func(s *v1beta1.PostSpec) { s.ScheduledAt.Time = s.ScheduledAt.Add(time.Hour) },
		"immediate": func(s *v1beta1.PostSpec) { s.Immediate = true },
	} {
		changed := &v1beta1.Post{}
		if err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(p), changed); err != nil {
			t.Fatal(err)
		}
		change(&changed.Spec)
		if err := cluster.Client.Update(t.Context(), changed); err == nil || !strings.Contains(err.Error(), "only cancel and hold can be changed") {
			t.Errorf("%s: %v", what, err)
		}
	}
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
