// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

// picture uploads an image and waits until it is ready.
func (t *tenant) picture(key string, f *front) int64 {
	GinkgoHelper()
	id := post("/media", object{"file": uploaded(key, pngImage(700), "image/png")}).with(key).at(f).succeeds(201).id("data.id")
	Eventually(func() any { return get("/media/%d", id).with(key).at(f).succeeds(200).at("data.status") }).Should(Equal("ready"))
	return id
}

// asset reads the object of an uploaded item.
func (t *tenant) asset(id int64) *v1beta1.MediaAsset {
	GinkgoHelper()
	a := &v1beta1.MediaAsset{}
	a.Namespace, a.Name = t.namespace, fmt.Sprintf("media-%d", id)
	Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(a), a)).To(Succeed())
	return a
}

var _ = Describe("Changing media", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.everything(), generous()
	})

	It("merges the body: omitted members stay, null clears", func() {
		id := t.picture(key, f)
		patch("/media/%d", id, object{"title": " Pillow ", "description": "A pillow.", "tags": []string{"bed", " bed", "soft"}, "media_type": "product_demo"}).
			with(key).at(f).succeeds(200)
		for _, a := range []*answer{
			patch("/media/%d", id, object{"description": nil}).with(key).at(f).succeeds(200), get("/media/%d", id).with(key).at(f).succeeds(200),
		} {
			Expect(a.data()).To(And(HaveKeyWithValue("title", "Pillow"), HaveKeyWithValue("description", BeNil()),
				HaveKeyWithValue("tags", Equal([]any{"bed", "soft"})), HaveKeyWithValue("media_type", "product_demo")))
		}
		a := patch("/media/%d", id, object{"title": nil, "tags": nil}).with(key).at(f).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("title", BeNil()), HaveKeyWithValue("tags", BeEmpty()), HaveKeyWithValue("media_type", "product_demo")))
	})

	It("rejects invalid values, and items that the brand may not change", func() {
		id := t.picture(key, f)
		patch("/media/%d", id, object{"media_type": "avatar_video"}).with(key).at(f).refused(422, catalog.ValidationFailed).about("media_type")
		patch("/media/%d", id, object{"tags": []string{"a", stringOf(51)}}).with(key).at(f).refused(422, catalog.ValidationFailed).about("tags[1]")
		patch("/media/%d", id, object{"media_pack_id": 999999}).with(key).at(f).refused(422, catalog.ValidationFailed).about("media_pack_id")
		stranger := newTenant()
		patch("/media/%d", id, object{"title": "x"}).with(stranger.everything()).at(f).refused(404, catalog.NotFound)
		declares("MediaAsset", t.asset(id), object{"title": "From Git", "source": object{"blobKey": *t.asset(id).Spec.Source.BlobKey}})
		a := patch("/media/%d", id, object{"title": "x"}).with(key).at(f).refused(409, catalog.Conflict)
		Expect(a.details()).To(HaveKeyWithValue("managed_by", "argocd-controller"))
		remove("/media/%d", id).with(key).at(f).refused(409, catalog.Conflict)
	})

	It("deletes an item with its file, once", func() {
		id := t.picture(key, f)
		a := t.asset(id)
		Expect(remove("/media/%d", id).with(key).at(f).succeeds(200).data()).To(Equal(object{"id": float64(id), "deleted": true}))
		remove("/media/%d", id).with(key).at(f).refused(404, catalog.NotFound)
		get("/media/%d", id).with(key).at(f).refused(404, catalog.NotFound)
		Expect(get("/media").with(key).at(f).succeeds(200).list()).To(BeEmpty())
		file := a.Status.BlobKey
		gone(a)
		Expect(store.Exists(ctx, file)).To(BeFalse())
	})

	It("is a conflict to delete the cover of a post that is not published", func() {
		id, account := t.picture(key, f), t.social("youtube")
		p := t.applied(1, account, "youtube", func(p *v1beta1.Post) {
			p.Spec.Settings = &v1beta1.PostSettings{Cover: &v1beta1.PostCover{MediaID: ptr.To(id)}}
		})
		a := remove("/media/%d", id).with(key).at(f).refused(409, catalog.Conflict)
		Expect(a.details()).To(And(HaveKeyWithValue("reason", "in_use"), HaveKeyWithValue("media_id", float64(id)), HaveKeyWithValue("post_ids", Equal([]any{float64(p)}))))
		remove("/posts/%d", p).with(key).at(f).succeeds(200)
		remove("/media/%d", id).with(key).at(f).succeeds(200)
	})

	It("leaves no post with a deleted cover", func() {
		short, account := t.filmed(key), t.social("youtube")
		covered := func(id int64) object {
			return object{"platform_customizations": object{fmt.Sprint(account): object{"cover": object{"media_id": id}}}}
		}
		request := func(id int64) object {
			body := covered(id)
			body["short_id"], body["social_data_ids"], body["scheduled_at"] = short, []int64{account}, ahead(time.Hour)
			return body
		}
		By("an item that is being deleted is refused")
		id := t.picture(key, f)
		p := post("/posts", request(t.picture(key, f))).with(key).at(f).succeeds(202).id("data.results.0.share_id")
		a := t.asset(id)
		held := a.DeepCopy()
		held.Finalizers = append(held.Finalizers, "example.com/held")
		Expect(access.Plain.Patch(ctx, held, client.MergeFrom(a))).To(Succeed())
		Expect(access.Plain.Delete(ctx, held)).To(Succeed())
		patch("/posts/%d", p, covered(id)).with(key).at(f).refused(422, catalog.ValidationFailed)
		post("/posts", request(id)).with(key).at(f).refused(422, catalog.ValidationFailed)
		Eventually(func(g Gomega) { // the controller removes its own finalizer at the same time
			g.Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(held), held)).To(Succeed())
			free := held.DeepCopy()
			free.Finalizers = slices.DeleteFunc(free.Finalizers, func(name string) bool { return name == "example.com/held" })
			g.Expect(access.Plain.Patch(ctx, free, client.MergeFromWithOptions(held, client.MergeFromWithOptimisticLock{}))).To(Succeed())
		}).Should(Succeed())

		By("an item that is deleted before the batch is created cancels the post")
		id = t.picture(key, f)
		a = t.asset(id)
		between := newFront(frontOptions{change: func(c *apiserver.Config) {
			c.Live = &creates{Client: c.Live, before: func() {
				remove("/media/%d", id).with(key).at(f).succeeds(200)
				gone(a)
			}}
		}})
		refused := post("/posts", request(id)).with(key).at(between).refused(422, catalog.Conflict)
		Expect(refused.details()).To(HaveKeyWithValue("media_id", float64(id)))
		Expect(t.made()).To(ConsistOf(HaveField("Spec.Cancel", false), HaveField("Spec.Cancel", true)))
	})

	It("is a conflict to delete a clip of a video that is being created", func() {
		avatar := t.avatar()
		id := post("/videos", object{"avatar_media_id": avatar}).with(key).at(f).succeeds(202).id("data.job_id")
		a := remove("/media/%d", avatar).with(key).at(f).refused(409, catalog.Conflict)
		Expect(a.details()).To(HaveKeyWithValue("short_ids", Equal([]any{float64(id)})))
		get("/media/%d", avatar).with(key).at(f).succeeds(200)
	})
})

var _ = Describe("Changing media packs", func() {
	var t *tenant
	var key string
	var f *front
	BeforeEach(func() {
		t = newTenant()
		key, f = t.everything(), generous()
	})
	members := func(pack int64) []int64 {
		GinkgoHelper()
		a := get("/media_packs/%d", pack).with(key).at(f).succeeds(200)
		out := []int64{}
		for i := range a.at("data.media").([]any) {
			out = append(out, a.id(fmt.Sprintf("data.media.%d.id", i)))
		}
		Expect(a.at("meta.pagination.total_count")).To(Equal(float64(len(out))))
		return out
	}

	It("creates a pack with images, changes it, and deletes it without its images", func() {
		one, two := t.picture(key, f), t.picture(key, f)
		a := post("/media_packs", object{"name": " Calm ", "description": "Mist.", "tags": []string{"calm"}, "media_ids": []int64{one}}).with(key).at(f).succeeds(201)
		pack := a.id("data.id")
		Expect(a.data()).To(And(HaveKeyWithValue("name", "Calm"), HaveKeyWithValue("description", "Mist."), HaveKeyWithValue("is_global", false)))
		Expect(members(pack)).To(Equal([]int64{one}))
		Expect(get("/media_packs").with(key).at(f).succeeds(200).id("data.0.id")).To(Equal(pack))

		a = patch("/media_packs/%d", pack, object{"description": nil, "add_media_ids": []int64{two}, "remove_media_ids": []int64{one}}).with(key).at(f).succeeds(200)
		Expect(a.data()).To(And(HaveKeyWithValue("name", "Calm"), HaveKeyWithValue("description", BeNil()), HaveKeyWithValue("tags", Equal([]any{"calm"}))))
		Expect(members(pack)).To(Equal([]int64{two}))
		Expect(get("/media/%d", two).with(key).at(f).succeeds(200).id("data.media_pack_id")).To(Equal(pack))
		patch("/media/%d", one, object{"media_pack_id": pack}).with(key).at(f).succeeds(200)
		Expect(members(pack)).To(Equal([]int64{two, one}))
		patch("/media/%d", one, object{"media_pack_id": nil}).with(key).at(f).succeeds(200)
		Expect(members(pack)).To(Equal([]int64{two}))

		Expect(remove("/media_packs/%d", pack).with(key).at(f).succeeds(200).data()).To(Equal(object{"id": float64(pack), "deleted": true}))
		remove("/media_packs/%d", pack).with(key).at(f).refused(404, catalog.NotFound)
		get("/media_packs/%d", pack).with(key).at(f).refused(404, catalog.NotFound)
		Expect(get("/media/%d", two).with(key).at(f).succeeds(200).at("data.media_pack_id")).To(BeNil())
		Expect(get("/media").with(key).at(f).succeeds(200).list()).To(HaveLen(2))
	})

	It("rejects invalid bodies with the field", func() {
		clip := t.avatar()
		post("/media_packs", object{"name": "  "}).with(key).at(f).refused(422, catalog.ValidationFailed).about("name")
		post("/media_packs", object{"name": "x", "media_ids": []int64{999999}}).with(key).at(f).refused(422, catalog.ValidationFailed).about("media_ids[0]")
		post("/media_packs", object{"name": "x", "media_ids": []int64{clip}}).with(key).at(f).refused(422, catalog.ValidationFailed).about("media_ids[0]")
		var packs v1beta1.MediaPackList
		Expect(access.Plain.List(ctx, &packs, client.InNamespace(t.namespace))).To(Succeed())
		Expect(packs.Items).To(BeEmpty())
		id := post("/media_packs", object{"name": "x"}).with(key).at(f).succeeds(201).id("data.id")
		patch("/media_packs/%d", id, object{"name": "  "}).with(key).at(f).refused(422, catalog.ValidationFailed).about("name")
		get("/media_packs/%d?page=0", id).with(key).at(f).loosely().refused(422, catalog.ValidationFailed).about("page")
	})

	It("shows packs that all accounts share, and does not change them", func() {
		shared := int64(0)
		a := get("/media_packs").with(key).at(f).succeeds(200)
		for i, one := range a.list() {
			if one.(object)["is_global"] == true {
				shared = a.id(fmt.Sprintf("data.%d.id", i))
			}
		}
		Expect(shared).NotTo(BeZero())
		Expect(get("/media_packs/%d?per_page=2", shared).with(key).at(f).succeeds(200).at("data.media")).To(HaveLen(2))
		patch("/media_packs/%d", shared, object{"name": "Mine"}).with(key).at(f).refused(404, catalog.NotFound)
		remove("/media_packs/%d", shared).with(key).at(f).refused(404, catalog.NotFound)
	})

	It("is a conflict to delete a pack that the defaults of a brand name, or to change one from a manifest", func() {
		pack := post("/media_packs", object{"name": "Calm"}).with(key).at(f).succeeds(201).id("data.id")
		name := fmt.Sprintf("pack-%d", pack)
		change(t.acme, func() {
			t.acme.Spec.SlideshowDefaults.ImageSource = &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack, PackRef: &v1beta1.LocalRef{Name: name}}
		})
		Eventually(func(g Gomega) {
			a := remove("/media_packs/%d", pack).with(key).at(f).refused(409, catalog.Conflict)
			g.Expect(a.details()).To(HaveKeyWithValue("brand_ids", Equal([]any{float64(t.acmeID)})))
		}).Should(Succeed())
		p := &v1beta1.MediaPack{}
		Expect(access.Plain.Get(ctx, client.ObjectKey{Namespace: t.namespace, Name: name}, p)).To(Succeed())
		declares("MediaPack", p, object{"displayName": "From Git"})
		a := patch("/media_packs/%d", pack, object{"name": "Mine"}).with(key).at(f).refused(409, catalog.Conflict)
		Expect(a.details()).To(HaveKeyWithValue("managed_by", "argocd-controller"))
	})
})
