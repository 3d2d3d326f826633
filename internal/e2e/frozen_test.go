// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/lease"
)

// frozenPosts is the number of posts that become due around the time when a frozen manager continues; frozenInterval is
// the time between two of them.
const (
	frozenPosts    = 12
	frozenInterval = 250 * time.Millisecond
)

// frozenManager freezes the active manager, like a suspended machine, until another one takes over. Then the first one
// continues in the middle of a series of posts. It detects that it was replaced and exits, and every post is published
// exactly once.
func (s *stack) frozenManager(t *testing.T) {
	want := NewWithT(t)
	a := &api{s.url, s.newKey(t)}
	a.connect(t, "tiktok", "maya")
	a.connections(t, "tiktok")
	id := s.show(t, a, "frozen")
	var accounts v1beta1.SocialAccountList
	want.Expect(s.kube.List(t.Context(), &accounts, client.InNamespace(tenant))).To(Succeed())
	first := s.appears(t, "manager")
	holder := s.holder(want)
	s.standby(t, first)

	at := time.Now().Add(6 * time.Second).Truncate(time.Second)
	for i := range frozenPosts {
		due := metav1.NewTime(at.Add(time.Duration(i) * frozenInterval).Round(time.Second))
		want.Expect(s.kube.Create(t.Context(), &v1beta1.PostBatch{
			ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: fmt.Sprintf("frozen-%02d", i)},
			Spec: v1beta1.PostBatchSpec{
				BrandRef: v1beta1.LocalRef{Name: tenant}, ShortRef: v1beta1.ShortRef{ID: id}, ScheduledAt: &due,
				Accounts: []v1beta1.PostTarget{{Name: accounts.Items[0].Name, PostText: v1beta1.PostText{Caption: ptr.To(frozenCaption(i))}}},
			},
		})).To(Succeed())
	}
	want.Eventually(func(g Gomega) {
		var posts v1beta1.PostList
		g.Expect(s.kube.List(t.Context(), &posts, client.InNamespace(tenant))).To(Succeed())
		g.Expect(posts.Items).To(HaveLen(frozenPosts))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	first.freeze()
	defer first.resume()
	want.Eventually(func(g Gomega) { g.Expect(s.holder(g)).NotTo(Equal(holder)) }).
		WithTimeout(waitTimeout).WithPolling(fastPoll).Should(Succeed(), "another manager takes the Lease")
	want.Eventually(func(g Gomega) { g.Expect(s.ledger(g)).NotTo(BeEmpty()) }).
		WithTimeout(waitTimeout).WithPolling(fastPoll).Should(Succeed(), "the other manager publishes")
	first.resume()
	waitForExit(t, []process{first})
	want.Expect(s.logText("logs", "manager.log")).To(Or(ContainSubstring("another manager acquired the lease"), ContainSubstring("leader election lost")))

	want.Eventually(func(g Gomega) {
		landed := s.ledger(g)
		for i := range frozenPosts {
			g.Expect(withCaption(landed, frozenCaption(i))).NotTo(BeEmpty(), frozenCaption(i))
		}
	}).WithTimeout(2 * waitTimeout).WithPolling(poll).Should(Succeed())
	want.Expect(s.ledger(want)).To(HaveLen(frozenPosts), "every post is published once")
}

func frozenCaption(i int) string { return fmt.Sprintf("While one slept %02d", i) }

// holder returns the identity of the holder of the managers' Lease.
func (s *stack) holder(g Gomega) string {
	l := &coordinationv1.Lease{}
	g.Expect(s.kube.Get(context.Background(), client.ObjectKey{Namespace: "reelops-system", Name: lease.Manager}, l)).To(Succeed())
	return ptr.Deref(l.Spec.HolderIdentity, "")
}

// standby starts a manager with the arguments of the running one, waits until it is warm, and stops it with the test.
func (s *stack) standby(t *testing.T, like process) {
	t.Helper()
	doc, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", like.pid))
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, arg := range bytes.Split(bytes.TrimSuffix(doc, []byte{0}), []byte{0})[1:] {
		args = append(args, string(arg))
	}
	health := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	f := &frontEnd{
		name: "standby", metrics: "http://" + health + "/metrics", program: filepath.Join(s.bin, "manager"), log: s.path("standby.log"),
		args: append(args, "--health-listen", health), env: s.env,
	}
	f.run(t)
}
