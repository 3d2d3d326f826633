// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/analytics"
)

// known is an account with the analytics that a controller would have read.
type known struct {
	t    *tenant
	id   int64
	name string
}

// numbers creates an account of acme without analytics.
func (t *tenant) numbers(platform string, change ...func(*v1beta1.SocialAccountStatus)) *known {
	GinkgoHelper()
	return t.numbersOf("acme", platform, change...)
}

func (t *tenant) numbersOf(brand, platform string, change ...func(*v1beta1.SocialAccountStatus)) *known {
	GinkgoHelper()
	id := t.socialOf(brand, platform, change...)
	return &known{t: t, id: id, name: fmt.Sprintf("%s-%d", platform, id)}
}

func (k *known) key() client.ObjectKey {
	return client.ObjectKey{Namespace: k.t.namespace, Name: k.name}
}

// object returns the account's analytics object from the cluster.
func (k *known) object() *v1beta1.AccountAnalytics {
	GinkgoHelper()
	n := &v1beta1.AccountAnalytics{}
	Expect(access.Plain.Get(ctx, k.key(), n)).To(Succeed())
	return n
}

// read simulates a refresh that began at a time and produced a document, and returns the document's key. It deletes the
// previous document, as controllers do.
func (k *known) read(at time.Time, d *analytics.Document, change ...func(*v1beta1.AccountAnalyticsStatus)) string {
	GinkgoHelper()
	n := &v1beta1.AccountAnalytics{}
	if err := access.Plain.Get(ctx, k.key(), n); err != nil {
		Expect(client.IgnoreNotFound(err)).To(Succeed())
		n = &v1beta1.AccountAnalytics{
			ObjectMeta: metav1.ObjectMeta{Namespace: k.t.namespace, Name: k.name, Labels: map[string]string{v1beta1.LabelBrand: "acme"}},
			Spec:       v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: k.name}},
		}
		apply(n)
	}
	before := n.Status.DocumentKey
	d.Version, d.RefreshedAt = 1, at
	var b bytes.Buffer
	Expect(d.Encode(&b)).To(Succeed())
	key := fmt.Sprintf("analytics/%s/%s/%d.jsonl", k.t.namespace, n.UID, at.UnixNano())
	Expect(store.Put(ctx, key, "application/jsonl", &b)).To(Succeed())
	when := metav1.NewTime(at)
	n.Status = v1beta1.AccountAnalyticsStatus{
		RefreshStartedAt: &when, RefreshedAt: &when, AnsweredRequestAt: n.Spec.RefreshRequestedAt, DocumentKey: key, KnownPosts: int32(len(d.Rows)),
		AccountNumbers: v1beta1.AccountNumbers{Followers: d.Totals.Followers, Posts: d.Totals.Posts, Views: d.Account().Views},
	}
	for _, f := range change {
		f(&n.Status)
	}
	Expect(access.Client.Status().Update(ctx, n)).To(Succeed())
	if before != "" && before != key {
		Expect(store.Delete(ctx, before)).To(Succeed())
	}
	return key
}

// asking sets the time of the requested refresh.
func (k *known) asking(at *metav1.Time) {
	GinkgoHelper()
	n := k.object()
	change(n, func() { n.Spec.RefreshRequestedAt = at })
}

// newRow returns a post of an account with the given age, views, likes, comments, shares and favorites; a value below 0
// means unknown.
func newRow(id string, ago time.Duration, numbers ...int64) analytics.Row {
	r := analytics.Row{Post: analytics.Post{ID: id, Caption: "The " + id, PostedAt: time.Now().Add(-ago).Truncate(time.Second)}}
	for i, to := range []**int64{&r.Views, &r.Likes, &r.Comments, &r.Shares, &r.Favorites} {
		if i < len(numbers) && numbers[i] >= 0 {
			*to = ptr.To(numbers[i])
		}
	}
	return r
}

// ours marks a post as published through the service.
func ours(r analytics.Row, post, short int64) analytics.Row {
	r.OurPost, r.OurShort = post, short
	return r
}

// rows returns the ids of the posts in a response, in order.
func rows(a *answer) string {
	GinkgoHelper()
	var out []string
	for _, r := range a.at("data.posts").([]any) {
		out = append(out, r.(object)["platform_post_id"].(string))
	}
	return strings.Join(out, " ")
}

// stale is a front end's client whose cache lags behind: for one account it returns the previous analytics.
type stale struct {
	client.Client
	was *v1beta1.AccountAnalytics
}

func (s *stale) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if n, ok := o.(*v1beta1.AccountAnalytics); ok && key == client.ObjectKeyFromObject(s.was) {
		s.was.DeepCopyInto(n)
		return nil
	}
	return s.Client.Get(ctx, key, o, opts...)
}
