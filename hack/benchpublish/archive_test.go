// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/e2e/atrest"
)

func TestDueWithin_LeavesOutPostsDueLater(t *testing.T) {
	from := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	var posts []v1beta1.Post
	for i := range 4 {
		p := v1beta1.Post{}
		p.Spec.ScheduledAt = metav1.NewMicroTime(from.Add(time.Duration(i) * time.Second))
		posts = append(posts, p)
	}
	got := dueWithin(posts, from, 2*time.Second)
	if len(got) != 2 || !got[1].Spec.ScheduledAt.Equal(&posts[1].Spec.ScheduledAt) {
		t.Errorf("got %d posts: want those of the first two seconds", len(got))
	}
	if len(posts) != 4 || !posts[3].Spec.ScheduledAt.Time.Equal(from.Add(3*time.Second)) {
		t.Error("the list of all posts changed")
	}
}

func TestOfHistory_DistinguishesUnitsFromPublishedPosts(t *testing.T) {
	for uri, want := range map[string]bool{
		"/apis/reelops.dev/v1beta1/namespaces/history-0/posts/post-1":             true,
		"/apis/reelops.dev/v1beta1/namespaces/history-1/posts?labelSelector=a":    true,
		"/apis/reelops.dev/v1beta1/namespaces/bench/posts/post-1":                 false,
		"/apis/coordination.k8s.io/v1/namespaces/reelops-system/leases/history-0": false,
	} {
		if got := ofHistory(atrest.Request{URI: uri}); got != want {
			t.Errorf("%s: got %v, want %v", uri, got, want)
		}
	}
}
