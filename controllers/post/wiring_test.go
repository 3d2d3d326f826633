// SPDX-License-Identifier: Apache-2.0

package post

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/testkit"
)

// ledger is a platform that accepts every post and records the time.
type ledger struct {
	publish.OAuth
	mu     sync.Mutex
	landed map[string][]time.Time
	order  []string
	going  map[string]int
	beside bool // two posts of one account were in flight at the same time
	down   bool
}

func (*ledger) Name() v1beta1.Platform { return catalog.TikTok }
func (*ledger) Missing() []string      { return nil }

func (*ledger) Headroom(context.Context, publish.Account) (*publish.Headroom, error) { return nil, nil }

func (*ledger) Prepare(_ context.Context, _ publish.Account, draft publish.Draft, _ []byte, save func([]byte) error) (publish.Step, error) {
	note := []byte("session of " + draft.Key)
	return publish.Step{Note: note, Ready: true}, save(note)
}

func (l *ledger) Commit(_ context.Context, a publish.Account, draft publish.Draft, _ []byte) (*publish.Receipt, error) {
	l.mu.Lock()
	if l.going[a.ID]++; l.going[a.ID] > 1 {
		l.beside = true
	}
	down := l.down
	if !down {
		l.landed[draft.Caption] = append(l.landed[draft.Caption], time.Now())
		l.order = append(l.order, draft.Caption)
	}
	l.mu.Unlock()
	defer func() { l.mu.Lock(); l.going[a.ID]--; l.mu.Unlock() }()
	if down {
		return nil, &publish.Error{Kind: publish.Transient, Safe: "The platform is down"}
	}
	return &publish.Receipt{Handle: draft.Key, View: &publish.View{State: v1beta1.DeliveryPublished, PostID: draft.Key, URL: "https://social.example/" + draft.Key, Settled: true}}, nil
}

func (*ledger) Find(context.Context, publish.Account, publish.Draft, []byte, time.Time) (*publish.Receipt, error) {
	return nil, publish.ErrCannotTell
}

func (*ledger) Look(context.Context, publish.Account, publish.Draft, string) (*publish.View, error) {
	return nil, publish.ErrNotFound
}

// named returns a different account ID for every account.
type named struct{}

func (named) Account(_ context.Context, a *v1beta1.SocialAccount) (publish.Account, error) {
	return publish.Account{ID: a.Name, AccessToken: "t"}, nil
}

func (n named) Renew(ctx context.Context, a *v1beta1.SocialAccount, _ string) (publish.Account, error) {
	return n.Account(ctx, a)
}

func (named) Refused(context.Context, *v1beta1.SocialAccount, string, error) error { return nil }

// hangGuard is the timeout for events that take seconds. It only ends a test that hangs.
const hangGuard = 3 * time.Minute

// TestController_InAManager runs the controller in a real manager with a real API server: watches, indexes, the due
// queue, and the validation rules of the kinds.
func TestController_InAManager(t *testing.T) {
	g, cluster := NewWithT(t), testkit.Start(t)
	mgr, err := ctrl.NewManager(cluster.Config, ctrl.Options{
		Scheme: testkit.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: config.Controller{SkipNameValidation: ptr.To(true)}, // the test may run more than once
		Client:     client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}},
	})
	g.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(t.Context())
	l := &ledger{landed: map[string][]time.Time{}, going: map[string]int{}}
	g.Expect(mgr.GetFieldIndexer().IndexField(ctx, &v1beta1.Post{}, IndexOpen, OpenIndex)).To(Succeed())
	r := New(Config{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("post"),
		Platforms: map[v1beta1.Platform]publish.Platform{catalog.TikTok: l}, Accounts: named{}, Sealer: plainSealer{}, Store: stored,
	})
	g.Expect(r.SetupWithManager(ctx, mgr)).To(Succeed())

	k8s := cluster.Client
	g.Expect(k8s.Create(ctx, testkit.Namespace("tenant"))).To(Succeed())
	// The manager must start before this time: if posts are due when it starts, the first ones that it reads are sent first.
	soon := metav1.NewTime(time.Now().Add(10 * time.Second).Truncate(time.Second))
	batch := postBatch(soon.Time)
	batch.UID, batch.CreationTimestamp = "", metav1.Time{}
	batch.Spec.Accounts = []v1beta1.PostTarget{{Name: "maya"}}
	g.Expect(k8s.Create(ctx, batch)).To(Succeed())
	// Posts that are canceled or held before their time need a batch with a late time, because a machine may be slow.
	later := batch.DeepCopy()
	later.Name, later.UID, later.ResourceVersion, later.Spec.ScheduledAt = "later", "", "", ptr.To(metav1.NewTime(soon.Add(time.Hour)))
	g.Expect(k8s.Create(ctx, later)).To(Succeed())
	isLater := func(p *v1beta1.Post) {
		p.Spec.Batch, p.Spec.ScheduledAt, p.OwnerReferences = later.Name, metav1.NewMicroTime(later.Spec.ScheduledAt.Time), []metav1.OwnerReference{posting.OwnerOf(later)}
	}
	g.Expect(k8s.Create(ctx, aBrand(false))).To(Succeed())
	for _, name := range []string{"maya", "noor", "gone"} {
		a := socialAccount()
		a.Name, a.Spec.TokenSecretRef.Name = name, name+"-tokens"
		g.Expect(k8s.Create(ctx, a)).To(Succeed())
	}
	// The posts exist before the manager starts, in no order.
	make1 := func(id int, account string, change func(*v1beta1.Post)) *v1beta1.Post {
		p := aPost(fmt.Sprint(id), soon.Time)
		p.UID, p.CreationTimestamp, p.OwnerReferences[0].UID = "", metav1.Time{}, batch.UID
		p.Spec.Account, p.Spec.Caption = account, fmt.Sprintf("%s %02d", account, id)
		if change != nil {
			change(p)
		}
		g.Expect(k8s.Create(ctx, p)).To(Succeed())
		return p
	}
	var all []*v1beta1.Post
	for _, id := range []int{7, 3, 9, 1, 5} {
		all = append(all, make1(id, "maya", nil), make1(id+20, "noor", nil))
	}
	cancelled := make1(40, "maya", isLater)
	deleted := make1(41, "maya", isLater)
	orphan := make1(42, "gone", nil)
	g.Expect(k8s.Delete(ctx, &v1beta1.SocialAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "tenant", Name: "gone"}})).To(Succeed())
	held := make1(43, "noor", func(p *v1beta1.Post) { p.Spec.Hold = true })

	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	live := func(p *v1beta1.Post) *v1beta1.Post {
		out := &v1beta1.Post{}
		if err := k8s.Get(ctx, client.ObjectKeyFromObject(p), out); err != nil {
			return nil
		}
		return out
	}
	state := func(p *v1beta1.Post) func() v1beta1.PostState {
		return func() v1beta1.PostState {
			if out := live(p); out != nil {
				return out.Status.State
			}
			return ""
		}
	}
	g.Eventually(state(cancelled), hangGuard, 20*time.Millisecond).Should(Equal(v1beta1.PostScheduled))
	change := func(p *v1beta1.Post, how func(*v1beta1.PostSpec)) {
		g.Expect(retry.RetryOnConflict(retry.DefaultRetry, func() error {
			out := live(p)
			how(&out.Spec)
			return k8s.Update(ctx, out)
		})).To(Succeed())
	}
	change(cancelled, func(s *v1beta1.PostSpec) { s.Cancel = true })
	g.Expect(k8s.Delete(ctx, deleted)).To(Succeed())

	for _, p := range all {
		g.Eventually(state(p), hangGuard, 50*time.Millisecond).Should(Equal(v1beta1.PostSuccess), p.Name)
	}
	g.Eventually(state(cancelled), hangGuard).Should(Equal(v1beta1.PostCancelled))
	g.Eventually(state(orphan), hangGuard).Should(Equal(v1beta1.PostFailed))
	g.Expect(live(orphan).Status.Error.Code).To(BeEquivalentTo(catalog.PlatformNotConnected))
	g.Expect(state(held)()).To(Equal(v1beta1.PostHeld))
	g.Eventually(func() bool {
		return apierrors.IsNotFound(k8s.Get(ctx, client.ObjectKeyFromObject(deleted), &v1beta1.Post{}))
	}, hangGuard).Should(BeTrue())

	change(held, func(s *v1beta1.PostSpec) { s.Hold = false })
	g.Eventually(state(held), hangGuard).Should(Equal(v1beta1.PostSuccess))

	l.mu.Lock()
	defer l.mu.Unlock()
	g.Expect(l.beside).To(BeFalse(), "two posts of one account were in flight at the same time")
	g.Expect(l.landed).To(HaveLen(len(all) + 1))
	for caption, at := range l.landed {
		g.Expect(at).To(HaveLen(1), caption)
		g.Expect(at[0]).To(BeTemporally(">=", soon.Time), caption)
	}
	for _, name := range []string{"maya", "noor"} {
		own := slices.DeleteFunc(slices.Clone(l.order), func(c string) bool { return c[:4] != name })
		g.Expect(slices.IsSorted(own)).To(BeTrue(), "got %v", own)
	}
	before := live(all[0]).ResourceVersion
	g.Expect(r.sweep(ctx)).To(Succeed())
	g.Eventually(r.queue.Len, hangGuard).Should(BeZero(), "posts are still waiting")
	g.Expect(live(all[0]).ResourceVersion).To(Equal(before), "final posts are written")
}
