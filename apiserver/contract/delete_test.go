// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/blob"
)

// deletes calls a function before it deletes an object: another request comes between a check and the deletion.
type deletes struct {
	client.Client
	before func()
}

func (d *deletes) Delete(ctx context.Context, o client.Object, opts ...client.DeleteOption) error {
	if d.before != nil {
		d.before()
	}
	return d.Client.Delete(ctx, o, opts...)
}

// creates calls functions before and after it creates a batch.
type creates struct {
	client.Client
	before, after func()
}

func (c *creates) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	if _, is := o.(*v1beta1.PostBatch); !is {
		return c.Client.Create(ctx, o, opts...)
	}
	if c.before != nil {
		c.before()
	}
	err := c.Client.Create(ctx, o, opts...)
	if c.after != nil {
		c.after()
	}
	return err
}

// lists calls a function after its first list of posts or batches.
type lists struct {
	client.Client
	after func()
}

func (l *lists) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	err := l.Client.List(ctx, list, opts...)
	switch list.(type) {
	case *v1beta1.PostList, *v1beta1.PostBatchList:
		if l.after != nil {
			l.after()
			l.after = nil
		}
	}
	return err
}

// made returns the posts of the account.
func (t *tenant) made() []v1beta1.Post {
	GinkgoHelper()
	var l v1beta1.PostList
	Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace))).To(Succeed())
	return l.Items
}

// gone waits until an object no longer exists.
func gone(o client.Object) {
	GinkgoHelper()
	Eventually(func() bool { return apierrors.IsNotFound(access.Plain.Get(ctx, client.ObjectKeyFromObject(o), o)) }).WithPolling(often).Should(BeTrue())
}

// files returns the keys below a prefix of the store.
func files(prefix string) []string {
	GinkgoHelper()
	out := []string{}
	Expect(store.Walk(ctx, prefix, func(o blob.Object) error { out = append(out, o.Key); return nil })).To(Succeed())
	return out
}

// declares applies a part of an object's spec with server-side apply, as a tool does.
func declares(kind string, o client.Object, spec object) {
	GinkgoHelper()
	part := &unstructured.Unstructured{Object: object{
		"apiVersion": v1beta1.GroupVersion.String(), "kind": kind,
		"metadata": object{"namespace": o.GetNamespace(), "name": o.GetName()}, "spec": spec,
	}}
	Expect(controlPlane.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(part), client.FieldOwner("argocd-controller"), client.ForceOwnership)).To(Succeed())
}

var _ = Describe("Deleting a short", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.everything(), generous()
	})

	It("removes it with its files, once", func() {
		id := t.filmed(key)
		show := t.object(id)
		shorts := "shorts/" + t.namespace + "/"
		Expect(files(shorts)).NotTo(BeEmpty())
		a := remove("/shorts/%d", id).with(key).at(f).succeeds(200)
		Expect(a.data()).To(Equal(object{"id": float64(id), "deleted": true}))
		remove("/shorts/%d", id).with(key).at(f).refused(404, catalog.NotFound)
		get("/shorts/%d", id).with(key).at(f).refused(404, catalog.NotFound)
		get("/jobs/%d", id).with(key).at(f).refused(404, catalog.JobNotFound)
		Expect(get("/shorts").with(key).at(f).succeeds(200).list()).To(BeEmpty())
		gone(show)
		Expect(files(shorts)).To(BeEmpty())
	})

	It("removes a hook-and-demo video, also while it is created", func() {
		id := post("/videos", object{"avatar_media_id": t.avatar()}).with(key).at(f).succeeds(202).id("data.job_id")
		video := t.videoObject(id)
		remove("/shorts/%d", id).with(key).at(f).succeeds(200)
		get("/shorts/%d", id).with(key).at(f).refused(404, catalog.NotFound)
		gone(video)
	})

	It("is a 404 for shorts of others", func() {
		id := newTenant().laidOut()
		remove("/shorts/%d", id).with(key).at(f).refused(404, catalog.NotFound)
		_, other := t.brand("other")
		mine := t.laidOut()
		remove("/shorts/%d?brand_id=%d", mine, other).with(key).at(f).refused(404, catalog.NotFound)
		get("/shorts/%d", mine).with(key).at(f).succeeds(200)
	})

	It("is a conflict while a post needs it, and possible afterwards: records of posts stay", func() {
		id, account := t.laidOut(), t.social("tiktok")
		scheduled := t.applied(id, account, "tiktok")
		held := t.applied(id, account, "tiktok", func(p *v1beta1.Post) { p.Spec.Hold = true })
		sending := t.applied(id, account, "tiktok")
		t.comes(sending, attempted(v1beta1.PostPending, v1beta1.AttemptAccepted))
		published := t.applied(id, account, "tiktok")
		t.comes(published, func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
		other := t.applied(id+1, account, "tiktok")
		a := remove("/shorts/%d", id).with(key).at(f).refused(409, catalog.Conflict)
		Expect(a.details()).To(And(HaveKeyWithValue("short_id", float64(id)), HaveKeyWithValue("reason", "in_use"),
			HaveKeyWithValue("post_ids", Equal([]any{float64(scheduled), float64(held), float64(sending)}))))
		get("/shorts/%d", id).with(key).at(f).succeeds(200)

		remove("/posts/%d", scheduled).with(key).at(f).succeeds(200)
		remove("/posts/%d", held).with(key).at(f).succeeds(200)
		t.comes(sending, func(s *v1beta1.PostStatus) { s.State = v1beta1.PostSuccess })
		remove("/shorts/%d", id).with(key).at(f).succeeds(200)
		for _, p := range []int64{scheduled, published, sending, other} {
			get("/posts/%d", p).with(key).at(f).succeeds(200)
		}
	})

	It("is a conflict while a batch will create posts of it", func() {
		id := t.laidOut()
		batch := func(name string, of v1beta1.ShortRef) *v1beta1.PostBatch {
			return &v1beta1.PostBatch{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name},
				Spec: v1beta1.PostBatchSpec{
					BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: of, Platforms: []v1beta1.Platform{"tiktok"},
					ScheduledAt: ptr.To(metav1.NewTime(time.Now().Add(time.Hour))),
				},
			}
		}
		byID, byName, other := batch("by-id", v1beta1.ShortRef{ID: id}), batch("by-name", v1beta1.ShortRef{Name: t.object(id).Name}), batch("other", v1beta1.ShortRef{ID: id + 1})
		for _, b := range []*v1beta1.PostBatch{byID, byName, other} {
			Expect(access.Plain.Create(ctx, b)).To(Succeed())
		}
		a := remove("/shorts/%d", id).with(key).at(f).refused(409, catalog.Conflict)
		Expect(a.details()).To(HaveKeyWithValue("batch_ids", ConsistOf("by-id", "by-name")))
		Expect(access.Plain.Delete(ctx, byID)).To(Succeed())
		Expect(access.Plain.Delete(ctx, byName)).To(Succeed())
		Eventually(func() int { return remove("/shorts/%d", id).with(key).at(f).send().status }).Should(Equal(200))
	})

	It("is a conflict for a short from a manifest", func() {
		id := t.laidOut()
		declares(v1beta1.KindSlideshow, t.object(id), object{"title": "From Git"})
		a := remove("/shorts/%d", id).with(key).at(f).refused(409, catalog.Conflict)
		Expect(a.details()).To(And(HaveKeyWithValue("reason", "declared_elsewhere"), HaveKeyWithValue("managed_by", "argocd-controller")))
	})

	It("keeps the files of a post that was created after the check", func() {
		id, account := t.laidOut(), t.social("tiktok")
		show := t.object(id)
		kept, dropped := show.Status.Slides[0].PictureKey, show.Status.Slides[1].PictureKey
		var p int64
		between := newFront(frontOptions{change: func(c *apiserver.Config) {
			c.Client = &deletes{c.Client, func() {
				p = t.applied(id, account, "tiktok", func(p *v1beta1.Post) {
					p.Spec.Media = v1beta1.PostMedia{Kind: "photo_set", PhotoKeys: []string{kept}}
				})
			}}
		}})
		remove("/shorts/%d", id).with(key).at(between).succeeds(200)
		gone(show)
		Expect(store.Exists(ctx, kept)).To(BeTrue())
		Expect(store.Exists(ctx, dropped)).To(BeFalse())
		Expect(get("/posts/%d", p).with(key).at(between).succeeds(200).at("data.status")).To(Equal("scheduled"))
	})

	It("refuses a post whose short is deleted, with its files, before the batch is created", func() {
		id, account := t.laidOut(), t.social("tiktok")
		show := t.object(id)
		between := newFront(frontOptions{change: func(c *apiserver.Config) {
			c.Live = &creates{Client: c.Live, before: func() {
				remove("/shorts/%d", id).with(key).at(f).succeeds(200)
				gone(show)
			}}
		}})
		body := object{"short_id": id, "social_data_ids": []int64{account}, "scheduled_at": time.Now().Add(time.Hour).Format(time.RFC3339)}
		post("/posts", body).with(key).at(between).refused(404, catalog.NotFound)
		Expect(t.batches()).To(HaveLen(1))
		posts := get("/posts").with(key).at(between).succeeds(200).list()
		Expect(posts).To(HaveLen(1))
		Eventually(func() any { return get("/posts").with(key).at(between).succeeds(200).at("data.0.status") }).
			WithPolling(often).Should(Equal("cancelled"))
	})

	It("cancels the posts that the controller created of a batch without files", func() {
		id, account := t.laidOut(), t.social("tiktok")
		show := t.object(id)
		between := newFront(frontOptions{change: func(c *apiserver.Config) {
			c.Live = &creates{Client: c.Live, before: func() {
				remove("/shorts/%d", id).with(key).at(f).succeeds(200)
				gone(show)
			}, after: func() { Eventually(t.made).WithPolling(often).Should(HaveLen(1)) }}
		}})
		body := object{"short_id": id, "social_data_ids": []int64{account}, "scheduled_at": time.Now().Add(time.Hour).Format(time.RFC3339)}
		post("/posts", body).with(key).at(between).refused(404, catalog.NotFound)
		Expect(t.made()).To(ConsistOf(HaveField("Spec.Cancel", true)))
	})

	It("is a conflict for a batch whose posts are created during the check", func() {
		id, account := t.laidOut(), t.social("tiktok")
		b := &v1beta1.PostBatch{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "between"},
			Spec: v1beta1.PostBatchSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{ID: id}, Platforms: []v1beta1.Platform{"youtube"},
				ScheduledAt: ptr.To(metav1.NewTime(time.Now().Add(time.Hour))),
			},
		}
		Expect(access.Plain.Create(ctx, b)).To(Succeed())
		between := newFront(frontOptions{change: func(c *apiserver.Config) {
			c.Live = &lists{Client: c.Live, after: func() {
				t.applied(id, account, "tiktok")
				Expect(access.Plain.Delete(ctx, b)).To(Succeed())
				gone(b)
			}}
		}})
		remove("/shorts/%d", id).with(key).at(between).refused(409, catalog.Conflict)
	})
})
