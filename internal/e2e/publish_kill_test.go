// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

const (
	// stream is the number of posts that are due, one per second, while the manager is killed. kills is the number of
	// kills: hack/run delays each restart of the manager longer than the one before.
	stream, kills = 40, 8
)

// killedPublishing kills the manager at random moments while posts become due. It returns the due times of the posts by
// caption.
func (s *stack) killedPublishing(t *testing.T, short int64) map[string]time.Time {
	var accounts v1beta1.SocialAccountList
	if err := s.kube.List(t.Context(), &accounts, client.InNamespace(tenant)); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(6 * time.Second).Truncate(time.Second)
	times := map[string]time.Time{}
	for i := range stream {
		caption := fmt.Sprintf("Post %02d of a stream", i)
		due := metav1.NewTime(at.Add(time.Duration(i) * time.Second))
		times[caption] = due.Time
		if err := s.kube.Create(t.Context(), &v1beta1.PostBatch{
			ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: fmt.Sprintf("stream-%02d", i)},
			Spec: v1beta1.PostBatchSpec{
				BrandRef: v1beta1.LocalRef{Name: tenant}, ShortRef: v1beta1.ShortRef{ID: short}, ScheduledAt: &due,
				Accounts: []v1beta1.PostTarget{{Name: accounts.Items[i%len(accounts.Items)].Name, PostText: v1beta1.PostText{Caption: &caption}}},
			},
		}); err != nil {
			t.Fatal(err)
		}
	}
	for range kills {
		s.appears(t, "manager")
		<-time.After(200*time.Millisecond + rand.N(2800*time.Millisecond))
		s.kill(t, "manager")
	}
	return times
}

// checkStream checks that every post of a stream was published once, and not before it was due. If the manager was
// killed between the record of the attempt and the call, the attempt is unresolved. Its outcome is looked up for longer
// than this test runs.
func (s *stack) checkStream(t *testing.T, times map[string]time.Time) {
	want := NewWithT(t)
	unsure := map[string]bool{}
	settled := func(g Gomega) {
		var posts v1beta1.PostList
		g.Expect(s.kube.List(t.Context(), &posts, client.InNamespace(tenant))).To(Succeed())
		posts.Items = slices.DeleteFunc(posts.Items, func(p v1beta1.Post) bool { return !strings.HasPrefix(p.Spec.Batch, "stream-") })
		g.Expect(posts.Items).To(HaveLen(stream))
		clear(unsure)
		for _, p := range posts.Items {
			if n := len(p.Status.Attempts); n > 0 && p.Status.Attempts[n-1].State == v1beta1.AttemptUnknown || p.Status.State == v1beta1.PostRetrying {
				unsure[p.Spec.Caption] = true
				continue
			}
			g.Expect(p.Status.State).To(Equal(v1beta1.PostSuccess), "%s: %+v", p.Spec.Caption, p.Status)
		}
	}
	want.Eventually(settled).WithTimeout(2 * waitTimeout).WithPolling(slowPoll).Should(Succeed())
	landed := s.ledger(want)
	for caption, due := range times {
		here := withCaption(landed, caption)
		switch {
		case len(here) == 0 && unsure[caption]:
			t.Logf("the attempt of %q is unresolved", caption)
		case len(here) != 1:
			t.Errorf("%q was published %d times, want 1", caption, len(here))
		case here[0].Time.Before(due):
			t.Errorf("%q was published at %s, before it was due at %s", caption, here[0].Time, due)
		}
	}
	if len(unsure) > kills {
		t.Errorf("%d kills left %d posts unresolved", kills, len(unsure))
	}
}
