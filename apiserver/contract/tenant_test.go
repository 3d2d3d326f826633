// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strconv"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/testkit"
)

// tenant is one account. Objects are created through the front end's own client, so that its next read sees them.
type tenant struct {
	namespace string
	id        int64
	account   *v1beta1.Account
	// acme is the default brand of keys, and acmeID its id.
	acme   *v1beta1.Brand
	acmeID int64
}

var tenants, keys atomic.Int64

// often is the interval for polling objects that another process changes. Polling calls no operation of the API.
const often = 20 * time.Millisecond

// newTenant creates an account, without limits unless change sets them, and its brand "acme".
func newTenant(change ...func(*v1beta1.Account)) *tenant {
	GinkgoHelper()
	t := &tenant{namespace: fmt.Sprintf("acct-%d", tenants.Add(1))}
	Expect(access.Plain.Create(ctx, testkit.Namespace(t.namespace))).To(Succeed())
	t.id = next(ids.Accounts)
	t.account = testkit.Account(t.namespace)
	t.account.Labels = identified(t.id)
	t.account.Spec.Email, t.account.Spec.Plan.Name = "anna@example.com", "self-hosted"
	for _, f := range change {
		f(t.account)
	}
	apply(t.account)
	t.acme, t.acmeID = t.brand("acme")
	return t
}

// planned limits the slideshows of a period.
func planned(slideshows int32) func(*v1beta1.Account) {
	return func(a *v1beta1.Account) { a.Spec.Plan.SlideshowLimit = ptr.To(slideshows) }
}

func (t *tenant) brand(name string, change ...func(*v1beta1.Brand)) (*v1beta1.Brand, int64) {
	GinkgoHelper()
	b, id := testkit.Brand(t.namespace, name), next(ids.Brands)
	b.Labels = identified(id)
	for _, f := range change {
		f(b)
	}
	apply(b)
	return b, id
}

// key creates a key of acme with the scopes and returns its secret.
func (t *tenant) key(scopes ...v1beta1.Scope) string {
	GinkgoHelper()
	secret, _ := t.keyOf("acme", func(s *v1beta1.APIKeySpec) { s.Scopes = scopes })
	return secret
}

func (t *tenant) keyOf(brand string, change func(*v1beta1.APIKeySpec)) (string, *v1beta1.APIKey) {
	GinkgoHelper()
	secret, hash, hint := apikey.New(apikey.DefaultPrefix)
	id := next(ids.Keys)
	k := &v1beta1.APIKey{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: fmt.Sprintf("key-%d", keys.Add(1)), Labels: identified(id)},
		Spec:       v1beta1.APIKeySpec{BrandRef: v1beta1.LocalRef{Name: brand}, DisplayName: "a key", SecretSHA256: hash, Hint: hint},
	}
	if change != nil {
		change(&k.Spec)
	}
	apply(k)
	return secret, k
}

// everything returns a key with all scopes.
func (t *tenant) everything() string { GinkgoHelper(); return t.key("admin") }

func apply(o client.Object) {
	GinkgoHelper()
	Expect(access.Client.Create(ctx, o)).To(Succeed())
}

// change updates an object, and retries if a controller changed it in between.
func change[T client.Object](o T, f func()) {
	GinkgoHelper()
	Eventually(func() error {
		if err := access.Plain.Get(ctx, client.ObjectKeyFromObject(o), o); err != nil {
			return err
		}
		f()
		return access.Client.Update(ctx, o)
	}).WithPolling(often).Should(Succeed())
}

func next(s ids.Space) int64 {
	GinkgoHelper()
	id, err := allocator.Next(ctx, s)
	Expect(err).NotTo(HaveOccurred())
	return id
}

func identified(id int64) map[string]string {
	return map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10)}
}

// manifest applies a slideshow of acme as kubectl would and waits until it has its id.
func (t *tenant) manifest(name string, change func(*v1beta1.Slideshow)) (*v1beta1.Slideshow, int64) {
	GinkgoHelper()
	s := testkit.HandWritten(t.namespace, name, "acme", "One", "Two", "Three")
	s.Spec.DesignStyle = "bold_center" // otherwise it depends on the name, which differs with the order of specs
	if change != nil {
		change(s)
	}
	apply(s)
	Eventually(func(g Gomega) {
		g.Expect(access.Client.Get(ctx, client.ObjectKeyFromObject(s), s)).To(Succeed())
		g.Expect(s.Labels).To(HaveKey(v1beta1.LabelID))
	}).WithPolling(often).Should(Succeed())
	id, err := strconv.ParseInt(s.Labels[v1beta1.LabelID], 10, 64)
	Expect(err).NotTo(HaveOccurred())
	Eventually(func() bool { _, _, ok := access.Index.Get(t.namespace, id); return ok }).WithPolling(often).Should(BeTrue())
	return s, id
}

// slideshow creates a slideshow through the API and waits until its slides exist.
func (t *tenant) slideshow(key string, body object) int64 {
	GinkgoHelper()
	id := post("/slideshows", body).with(key).succeeds(202).id("data.job_id")
	a := settled(key, id)
	Expect(a.at("data.status")).To(Equal("succeeded"), a.raw)
	return id
}

// finished waits until no work on a short is in progress. It polls the objects, so that it calls no operation.
func finished(id int64) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		var shows v1beta1.SlideshowList
		g.Expect(access.Plain.List(ctx, &shows, client.MatchingLabels(identified(id)))).To(Succeed())
		if archiveAfter() > 0 && len(shows.Items) == 0 {
			return // only finished shorts leave the cluster
		}
		g.Expect(shows.Items).To(HaveLen(1))
		w := shows.Items[0].Status.Work
		g.Expect(w).NotTo(BeNil())
		g.Expect(w.State.Settled()).To(BeTrue())
		var renders v1beta1.RenderJobList
		g.Expect(access.Plain.List(ctx, &renders, client.MatchingLabels{v1beta1.LabelShort: strconv.FormatInt(id, 10)})).To(Succeed())
		for _, r := range renders.Items {
			g.Expect(r.Status.Work).NotTo(BeNil())
			g.Expect(r.Status.Work.State.Settled()).To(BeTrue())
		}
	}).WithPolling(often).Should(Succeed())
}

// settled waits until the newest work on a short has ended, and returns the job.
func settled(key string, id int64) *answer {
	GinkgoHelper()
	finished(id)
	var a *answer
	// The front end's cache may be a moment behind the cluster.
	Eventually(func(g Gomega) {
		a = get("/jobs/%d", id).with(key).succeeds(200)
		g.Expect(a.at("data.status")).To(BeElementOf("succeeded", "failed"))
	}).WithPolling(100 * time.Millisecond).Should(Succeed())
	return a
}

// slideshowOf creates a slideshow for another brand of the account.
func (t *tenant) slideshowOf(brand int64, key string, body object) int64 {
	GinkgoHelper()
	id := post("/slideshows?brand_id=%d", brand, body).with(key).succeeds(202).id("data.job_id")
	finished(id)
	return id
}

// media applies an image of a pack.
func (t *tenant) media(pack string) {
	GinkgoHelper()
	name := fmt.Sprintf("picture-%d", keys.Add(1))
	blobKey := "imports/" + t.namespace + "/" + name + ".png"
	picture := &bytes.Buffer{}
	Expect(png.Encode(picture, image.NewRGBA(image.Rect(0, 0, 600, 900)))).To(Succeed())
	Expect(store.Put(ctx, blobKey, "image/png", picture)).To(Succeed())
	apply(&v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name},
		Spec:       v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: &blobKey}, PackRef: &v1beta1.LocalRef{Name: pack}},
	})
}

// laidOut returns a slideshow of acme with slides and without a video, for specs that do not depend on its content.
func (t *tenant) laidOut() int64 {
	GinkgoHelper()
	_, id := t.manifest(fmt.Sprintf("drawn-%d", keys.Add(1)), func(s *v1beta1.Slideshow) { s.Spec.AspectRatio = "4:5" })
	finished(id)
	return id
}

// tried is a slideshow whose writer is unavailable: a retryable failure. The service retries for a while, so the
// slideshow is created before all specs, in an account of its own.
var tried struct {
	key string
	id  int64
}

func tryInVain() {
	GinkgoHelper()
	here = sources.another()
	tried.key = newTenant(planned(5)).everything()
	tried.id = post("/slideshows", object{"context": unwritableOnce}).with(tried.key).succeeds(202).id("data.job_id")
}

// shared is a slideshow that several specs use, created when the first of them needs it.
type shared struct {
	t   *tenant
	key string
	id  int64
}

func (s *shared) use() (*tenant, string, int64) {
	GinkgoHelper()
	if s.t == nil {
		t := newTenant()
		s.key, s.id, s.t = t.everything(), t.laidOut(), t
	}
	return s.t, s.key, s.id
}

// untouched is for specs in which an edit is refused and the slideshow stays as it is. worn is for specs that replace
// all text of a slide and depend on nothing else.
var untouched, worn = new(shared).use, new(shared).use
