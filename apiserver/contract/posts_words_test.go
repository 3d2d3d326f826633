// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/ids"
)

// social connects an account of acme and returns its id. change sets its status.
func (t *tenant) social(platform string, change ...func(*v1beta1.SocialAccountStatus)) int64 {
	GinkgoHelper()
	return t.socialOf("acme", platform, change...)
}

func (t *tenant) socialOf(brand, platform string, change ...func(*v1beta1.SocialAccountStatus)) int64 {
	GinkgoHelper()
	id := next(ids.Social)
	a := &v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: fmt.Sprintf("%s-%d", platform, id), Labels: identified(id)},
		Spec: v1beta1.SocialAccountSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, Platform: v1beta1.Platform(platform), PlatformAccountID: fmt.Sprint(id), TokenSecretRef: v1beta1.LocalRef{Name: "tokens"},
		},
	}
	apply(a)
	a.Status = v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenActive, AccountName: "Acme on " + platform}
	for _, f := range change {
		f(&a.Status)
	}
	Expect(access.Client.Status().Update(ctx, a)).To(Succeed())
	return id
}

// withTexts returns a slideshow of acme with slides and the given texts, without a video.
func (t *tenant) withTexts(title, caption, tags string) int64 {
	GinkgoHelper()
	_, id := t.manifest(fmt.Sprintf("worded-%d", keys.Add(1)), func(s *v1beta1.Slideshow) {
		s.Spec.AspectRatio, s.Spec.Title, s.Spec.Caption, s.Spec.Tags = "4:5", &title, &caption, &tags
	})
	finished(id)
	return id
}

// filmed returns a slideshow of acme with a video.
func (t *tenant) filmed(key string) int64 {
	GinkgoHelper()
	id := t.withTexts("Tidy", "A desk that stays tidy.", "desk")
	post("/slideshows/%d/render", id, nothing).with(key).succeeds(202)
	Expect(settled(key, id).at("data.status")).To(Equal("succeeded"))
	return id
}

// withoutSlides returns a short without slides and without a video, with no work in progress.
func (t *tenant) withoutSlides() int64 {
	GinkgoHelper()
	_, id := t.manifest(fmt.Sprintf("undrawn-%d", keys.Add(1)), func(s *v1beta1.Slideshow) { s.Spec.Suspend = true })
	return id
}

// ahead returns a time in the format of requests.
func ahead(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }

// applied creates a post of acme as the API would, without a short behind it.
func (t *tenant) applied(short, account int64, platform string, change ...func(*v1beta1.Post)) int64 {
	GinkgoHelper()
	id := next(ids.Posts)
	p := &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: t.namespace, Name: fmt.Sprintf("post-%d", id),
			Labels: map[string]string{v1beta1.LabelID: fmt.Sprint(id), v1beta1.LabelBrand: "acme", v1beta1.LabelShort: fmt.Sprint(short)},
		},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "batch-none", Account: fmt.Sprintf("%s-%d", platform, account), Platform: v1beta1.Platform(platform),
			ShortID: short, Revision: 1, Media: v1beta1.PostMedia{Kind: "video", VideoKey: "film.mp4"}, Title: "Tidy", Caption: "A desk.", PostingMode: "direct",
			ScheduledAt: metav1.NewMicroTime(time.Now().Add(24 * time.Hour)),
		},
	}
	for _, f := range change {
		f(p)
	}
	apply(p)
	return id
}

// batches returns the batches of the account.
func (t *tenant) batches() []v1beta1.PostBatch {
	GinkgoHelper()
	var l v1beta1.PostBatchList
	Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace))).To(Succeed())
	return l.Items
}

// posts returns the posts of the account in the cluster.
func (t *tenant) posts() []v1beta1.Post {
	GinkgoHelper()
	var l v1beta1.PostList
	Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace))).To(Succeed())
	return l.Items
}

// post reads the object of a post that the API created.
func (t *tenant) post(id int64) *v1beta1.Post {
	GinkgoHelper()
	p := &v1beta1.Post{}
	Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: fmt.Sprintf("post-%d", id)}, p)).To(Succeed())
	return p
}

// comes writes a status as the posts controller would. The front end's own client sees its writes at once.
func (t *tenant) comes(id int64, change func(*v1beta1.PostStatus)) {
	GinkgoHelper()
	Eventually(func() error {
		p := t.post(id)
		change(&p.Status)
		return access.Client.Status().Update(ctx, p)
	}).WithPolling(often).Should(Succeed())
}

// attempted returns a status with one attempt.
func attempted(state v1beta1.PostState, attempt v1beta1.AttemptState) func(*v1beta1.PostStatus) {
	return func(s *v1beta1.PostStatus) {
		s.State = state
		s.Attempts = []v1beta1.PostAttempt{{Number: 1, State: attempt, StartedAt: metav1.NowMicro()}}
	}
}

// posted posts a short to an account for tomorrow, and returns the id of the post.
func posted(f *front, key string, short, account int64) int64 {
	GinkgoHelper()
	a := post("/posts", object{"short_id": short, "social_data_ids": []int64{account}, "scheduled_at": ahead(24 * time.Hour)}).with(key).at(f).succeeds(202)
	return a.id("data.results.0.share_id")
}

// issues returns the codes at a path, each with its severity if it is a warning.
func (a *answer) issues(path string) []string {
	GinkgoHelper()
	out := []string{}
	for _, i := range a.at(path).([]any) {
		o := i.(object)
		Expect(o).To(And(HaveKeyWithValue("message", Not(BeEmpty())), HaveKeyWithValue("retryable", BeAssignableToTypeOf(true)), HaveKeyWithValue("severity", BeElementOf("error", "warning"))))
		code := o["code"].(string)
		if o["severity"] == "warning" {
			code += " (warning)"
		}
		out = append(out, code)
	}
	return out
}
