// SPDX-License-Identifier: Apache-2.0

package move

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/install/backup"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/testkit"
)

// TestMove publishes and schedules in one cluster, and restores a backup into another whose manager is running. The
// first attempt to restore is interrupted.
func TestMove(t *testing.T) {
	ctrl.SetLogger(logr.Discard())
	w := newWorld(t)
	want := NewWithT(t)
	old := w.newSite(t, "old")
	old.start(t)
	ns := testkit.Namespace(tenant)
	ns.Labels = map[string]string{"reelops.dev/account": tenant, "pod-security.kubernetes.io/enforce": "restricted"}
	show := testkit.HandWritten(tenant, "spring", brand, "One", "Two", "Three")
	for _, o := range []client.Object{ns, testkit.Account(tenant), testkit.Brand(tenant, brand), show} {
		must(t, old.kube.Create(t.Context(), o))
	}
	for _, p := range []v1beta1.Platform{"tiktok", "youtube"} {
		old.connect(t, p)
	}
	accounts, film := old.accounts(t, 2), w.film(t, "renders/acme/film.mp4")
	old.post(t, 101, time.Now(), film, accounts)
	want.Eventually(func(g Gomega) {
		for name, p := range old.posts(g, t) {
			g.Expect(p.Status.State).To(Equal(v1beta1.PostSuccess), name)
		}
		g.Expect(old.kube.Get(t.Context(), client.ObjectKeyFromObject(show), show)).To(Succeed())
		g.Expect(show.Status.Work).NotTo(BeNil())
		g.Expect(show.Status.Work.State).To(Equal(v1beta1.WorkSucceeded))
	}).WithTimeout(2 * patience).WithPolling(seldom).Should(Succeed())

	// The duration of the backup and restore depends on the machine. At least one due time is after the restore.
	times := map[string]time.Time{}
	begin := time.Now()
	for i, in := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 4 * time.Minute} {
		b := old.post(t, int64(201+10*i), begin.Add(in), film, accounts)
		times[b.Name] = b.Spec.ScheduledAt.Time
	}
	late := old.post(t, 301, begin.Add(10*time.Second), film, accounts[:1])
	must(t, old.kube.Create(t.Context(), testkit.Brand(tenant, "second")))
	old.kill()
	flight := old.post(t, 401, time.Now(), film, accounts[:1])
	old.inFlight(t, flight)

	archive, err := os.Create(w.path("backup.tar.gz"))
	must(t, err)
	_, end, err := old.installation().Take(t.Context(), archive, true)
	must(t, errors.Join(err, archive.Close()))
	before := old.sums(want, t)
	want.Expect(end.Objects).To(HaveKeyWithValue("Post", 12))
	want.Expect(end.Objects).To(HaveKeyWithValue("Secret", 2))
	want.Expect(end.Files).To(BeNumerically(">", 3))

	fresh := w.newSite(t, "fresh")
	fresh.start(t)
	want.Eventually(func(g Gomega) { g.Expect(fresh.holder(g, t)).NotTo(BeEmpty()) }).WithTimeout(patience).WithPolling(seldom).Should(Succeed())
	r := backup.Restore{Open: func() (io.ReadCloser, error) { return os.Open(archive.Name()) }, Wait: time.Second}

	want.Eventually(time.Now).WithTimeout(patience).WithPolling(seldom).Should(BeTemporally(">", begin.Add(10*time.Second)))

	// The first attempt is interrupted while it creates objects. A manager that starts then must wait.
	dying := fresh.installation()
	dying.Client = dies(fresh.kube, 15)
	if _, err := dying.Put(t.Context(), r); !errors.Is(err, errDied) {
		t.Fatalf("first attempt to restore: %v", err)
	}
	select {
	case <-fresh.ended: // the manager lost its Lease
	case <-time.After(patience):
		t.Fatal("the manager did not exit after it lost its Lease")
	}
	fresh.start(t)
	for _, u := range fresh.everything(want, t) {
		if u.Kind != "Secret" {
			want.Expect(u.Labels).To(HaveKey(v1beta1.LabelRestoring),
				"%s %s has no restore label before the restore is complete", u.Kind, u.Name)
		}
	}
	if _, err := (&backup.Installation{Client: fresh.kube, SystemNamespace: system, Clock: clock.RealClock{}}).Put(t.Context(), r); err != nil {
		t.Fatal(err) // without the files: both clusters use the same store
	}
	restored := time.Now()
	next, batch := "", time.Time{}
	for name, at := range times {
		if at.After(restored.Add(2*time.Second)) && (next == "" || at.Before(batch)) {
			next, batch = name, at
		}
	}
	if next == "" {
		t.Fatal("the restore took longer than four minutes")
	}
	fresh.same(t, before)
	fresh.missed(t, times, late.Name, restored)

	want.Eventually(func(g Gomega) {
		got := fresh.posts(g, t)
		for _, p := range []string{" tiktok", " youtube"} {
			g.Expect(got[next+p].Status.State).To(Equal(v1beta1.PostSuccess), "%s%s: %+v", next, p, got[next+p].Status)
		}
		f := got[flight.Name+" "+string(accounts[0].Spec.Platform)]
		g.Expect(f.Status.Attempts).To(HaveLen(1), "the in-flight post is not sent again")
	}).WithTimeout(time.Until(batch) + patience).WithPolling(seldom).Should(Succeed())
	landed := w.landed(want)
	want.Expect(landed["batch-101"]).To(Equal(2), "posts published before the backup")
	want.Expect(landed[next]).To(Equal(2), "posts scheduled before the backup, due after the restore")
	want.Expect(landed).NotTo(HaveKey(flight.Name))
	want.Expect(landed).NotTo(HaveKey(late.Name))
	id, err := ids.New(fresh.kube, system).Next(t.Context(), ids.Brands)
	must(t, err)
	want.Expect(id).To(BeNumerically(">", 2), "restored ids are not assigned again")
	now := &v1beta1.Slideshow{}
	must(t, fresh.kube.Get(t.Context(), client.ObjectKeyFromObject(show), now))
	want.Expect(now.Status.Slides).To(Equal(show.Status.Slides), "slides are not rendered again")
	want.Expect(v1beta1.Origin(now)).To(Equal(show.UID))

	// A deleted object removes its files, also those under the UID of the original object.
	key := now.Status.Slides[0].PictureKey
	want.Expect(w.store.Exists(t.Context(), key)).To(BeTrue())
	must(t, fresh.kube.Delete(t.Context(), now))
	want.Eventually(func() (bool, error) { return w.store.Exists(t.Context(), key) }).WithTimeout(patience).WithPolling(seldom).Should(BeFalse())

	// Backup of the restored cluster with the CLI, and a restore into a cluster that has objects.
	must(t, fresh.kube.Create(t.Context(), testkit.Brand(tenant, "third")))
	out, err := fresh.reelops("backup", w.path("again.tar.gz"), "--kubeconfig", fresh.config)
	want.Expect(err).NotTo(HaveOccurred(), out)
	want.Expect(out).To(ContainSubstring("12 Post"))
	out, err = fresh.reelops("restore", archive.Name(), "--kubeconfig", fresh.config)
	want.Expect(err).To(HaveOccurred(), out)
	want.Expect(out).To(ContainSubstring("Brand third exists in acme"))
	want.Expect(fresh.holder(want, t)).NotTo(HavePrefix("restore-"), "a rejected restore does not take the Lease")
}

var errDied = errors.New("write limit reached")

// dies returns a client that creates n objects and then fails.
func dies(c client.WithWatch, n int) client.Client {
	left := make(chan struct{}, n)
	for range n {
		left <- struct{}{}
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			select {
			case <-left:
				return c.Create(ctx, o, opts...)
			default:
				return errDied
			}
		},
	})
}

// inFlight records an attempt whose call had begun when the process was killed.
func (s *site) inFlight(t *testing.T, b *v1beta1.PostBatch) {
	t.Helper()
	for _, p := range s.posts(NewWithT(t), t) {
		if p.Spec.Batch != b.Name {
			continue
		}
		p.Status.State = v1beta1.PostPending
		p.Status.Attempts = []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptIntended, Digest: "d", StartedAt: metav1.NowMicro()}}
		must(t, s.kube.Status().Update(t.Context(), p))
	}
}

func (s *site) holder(g Gomega, t *testing.T) string {
	l := &coordinationv1.Lease{}
	g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: system, Name: backup.LeaseName}, l)).To(Succeed())
	return *l.Spec.HolderIdentity
}

// everything returns all objects of the tenant.
func (s *site) everything(g Gomega, t *testing.T) (out []metav1.PartialObjectMetadata) {
	for _, kind := range []string{"Account", "Brand", "Slideshow", "SocialAccount", "PostBatch", "Post", "AccountAnalytics"} {
		l := &metav1.PartialObjectMetadataList{}
		l.SetGroupVersionKind(v1beta1.GroupVersion.WithKind(kind + "List"))
		g.Expect(s.kube.List(t.Context(), l, client.InNamespace(tenant))).To(Succeed())
		for _, o := range l.Items {
			o.Kind = kind
			out = append(out, o)
		}
	}
	var secrets corev1.SecretList
	g.Expect(s.kube.List(t.Context(), &secrets, client.InNamespace(tenant))).To(Succeed())
	for _, o := range secrets.Items {
		out = append(out, metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{Kind: "Secret"}, ObjectMeta: o.ObjectMeta})
	}
	return out
}

// kept holds the fields of an object that a restore keeps.
type kept struct{ ID, UID string }

func (s *site) sums(g Gomega, t *testing.T) map[string]kept {
	out := map[string]kept{}
	for _, o := range s.everything(g, t) {
		if o.Kind != "Secret" {
			out[o.Kind+" "+o.Name] = kept{o.Labels[v1beta1.LabelID], string(v1beta1.Origin(&o))}
			continue
		}
		out[o.Kind+" "+o.Name] = kept{}
	}
	return out
}

// same checks that all objects exist with their ids and owners, and have no restore label.
func (s *site) same(t *testing.T, before map[string]kept) {
	t.Helper()
	want := NewWithT(t)
	if d := cmp.Diff(before, s.sums(want, t)); d != "" {
		t.Errorf("objects before and after the restore (-before +after):\n%s", d)
	}
	uids := map[string]bool{}
	all := s.everything(want, t)
	for _, o := range all {
		uids[string(o.UID)] = true
	}
	for _, o := range all {
		want.Expect(o.Labels).NotTo(HaveKey(v1beta1.LabelRestoring), "%s %s", o.Kind, o.Name)
		for _, r := range o.OwnerReferences {
			want.Expect(uids).To(HaveKey(string(r.UID)), "%s %s has a %s as its owner that does not exist",
				o.Kind, o.Name, r.Kind)
		}
	}
	ns := &corev1.Namespace{}
	must(t, s.kube.Get(t.Context(), client.ObjectKey{Name: tenant}, ns))
	want.Expect(ns.Labels).To(HaveKeyWithValue("reelops.dev/account", tenant))
}

// missed checks that posts due between backup and restore failed with the reason missed_schedule.
func (s *site) missed(t *testing.T, times map[string]time.Time, late string, restored time.Time) {
	t.Helper()
	NewWithT(t).Eventually(func(g Gomega) {
		for _, p := range s.posts(g, t) {
			if at, ok := times[p.Spec.Batch]; p.Spec.Batch != late && (!ok || at.After(restored.Add(-10*time.Second))) || p.Status.State == v1beta1.PostSuccess {
				continue
			}
			g.Expect(p.Status.State).To(Equal(v1beta1.PostFailed), p.Spec.Batch)
			g.Expect(p.Status.Error.Details).To(HaveKeyWithValue("reason", "missed_schedule"))
		}
	}).WithTimeout(patience).WithPolling(seldom).Should(Succeed())
}
