// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/kube/ids"
)

// picture applies an image as a manifest would, and returns its id. Its status is processing for a moment.
func picture(namespace string, change func(*v1beta1.MediaAsset)) (*v1beta1.MediaAsset, int64) {
	GinkgoHelper()
	id := next(ids.Media)
	name := fmt.Sprintf("picture-%d", id)
	blobKey := "imports/" + namespace + "/" + name + ".png"
	img := image.NewRGBA(image.Rect(0, 0, 400, 600))
	for i := range img.Pix {
		img.Pix[i] = uint8(i*7) | 0x80
	}
	img.Set(0, 0, color.RGBA{uint8(id), uint8(id >> 8), 0, 255})
	file := &bytes.Buffer{}
	Expect(png.Encode(file, img)).To(Succeed())
	Expect(store.Put(ctx, blobKey, "image/png", file)).To(Succeed())
	m := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: identified(id)},
		Spec:       v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: &blobKey}},
	}
	if change != nil {
		change(m)
	}
	apply(m)
	return m, id
}

// awaitMedia waits until the files of an account's media have been probed and the front end has received the result.
func awaitMedia(namespace string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		var l v1beta1.MediaAssetList
		g.Expect(access.Plain.List(ctx, &l, client.InNamespace(namespace))).To(Succeed())
		for _, m := range l.Items {
			g.Expect(view.MediaStatus(&m)).NotTo(Equal("processing"), m.Name)
			known, ok := access.Media.Named(namespace, m.Name)
			g.Expect(ok).To(BeTrue())
			g.Expect(view.MediaStatus(known.Asset)).To(Equal(view.MediaStatus(&m)))
		}
	}).WithPolling(often).Should(Succeed())
}

// packOf applies a pack and returns its id.
func packOf(namespace, name string, change func(*v1beta1.MediaPack)) int64 {
	GinkgoHelper()
	p := &v1beta1.MediaPack{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	id := next(ids.Packs)
	p.Labels = identified(id)
	if change != nil {
		change(p)
	}
	apply(p)
	return id
}

func of(brand string) *v1beta1.LocalRef { return &v1beta1.LocalRef{Name: brand} }

// tell sets the searchable texts of an item.
func tell(title, description string, tags ...string) func(*v1beta1.MediaAsset) {
	return func(m *v1beta1.MediaAsset) {
		m.Spec.BrandRef, m.Spec.Title, m.Spec.Description, m.Spec.Tags = of("acme"), title, description, tags
	}
}

var _ = Describe("The library of media", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.key("media:read")
	})
	list := func(query string) *answer { GinkgoHelper(); return get("%s", "/media"+query).with(key).succeeds(200) }
	byID := func(a *answer, id int64) object {
		GinkgoHelper()
		i := slices.Index(idsOf(a), id)
		Expect(i).To(BeNumerically(">=", 0), a.raw)
		return a.list()[i].(object)
	}

	Describe("an item", func() {
		It("has every field, with null for absent values", func() {
			_, id := picture(t.namespace, tell("A sunset", "The sun goes down.", "sun", "sea"))
			awaitMedia(t.namespace)
			Expect(byID(list(""), id)).To(And(
				HaveKeyWithValue("id", float64(id)), HaveKeyWithValue("title", "A sunset"), HaveKeyWithValue("media_type", "user_upload"),
				HaveKeyWithValue("kind", "image"), HaveKeyWithValue("source", "own"), HaveKeyWithValue("content_type", "image/png"),
				HaveKeyWithValue("width", 400.0), HaveKeyWithValue("height", 600.0), HaveKeyWithValue("duration_seconds", BeNil()),
				HaveKeyWithValue("byte_size", BeNumerically(">", 0)), HaveKeyWithValue("tags", []any{"sun", "sea"}),
				HaveKeyWithValue("description", "The sun goes down."), HaveKeyWithValue("media_pack_id", BeNil()), HaveKeyWithValue("attribution", BeNil()),
				HaveKeyWithValue("status", "ready"), HaveKeyWithValue("created_at", MatchRegexp(moment)), HaveKey("thumbnail_url"), Not(HaveKey("error"))))
			_, bare := picture(t.namespace, nil)
			Expect(byID(list(""), bare)).To(And(HaveKeyWithValue("title", BeNil()), HaveKeyWithValue("description", BeNil()), HaveKeyWithValue("tags", []any{})))
		})

		It("has URLs that work without a key", func() {
			_, id := picture(t.namespace, tell("A sunset", ""))
			awaitMedia(t.namespace)
			item := byID(list(""), id)
			for _, name := range []string{"url", "thumbnail_url"} {
				_, kind := fetched(item[name])
				Expect(kind).To(HavePrefix("image/"), name)
			}
		})

		It("shows its source", func() {
			_, id := picture(t.namespace, func(m *v1beta1.MediaAsset) {
				m.Spec.Attribution = &v1beta1.Attribution{Provider: "archive", Author: "A. Painter"}
			})
			Expect(byID(list(""), id)).To(HaveKeyWithValue("attribution",
				object{"provider": "archive", "author": "A. Painter", "author_url": nil, "license": nil}))
		})

		It("has status processing and no URL until its file was probed", func() {
			absent := "https://127.0.0.1:1/not-there.jpg"
			m := &v1beta1.MediaAsset{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "absent", Labels: identified(next(ids.Media))},
				Spec:       v1beta1.MediaAssetSpec{ContentType: "video/mp4", MediaType: "product_demo", Source: v1beta1.MediaSource{URL: &absent}},
			}
			apply(m)
			a := list("")
			Expect(a.list()[0]).To(And(HaveKeyWithValue("kind", "video"), HaveKeyWithValue("content_type", "video/mp4"), HaveKeyWithValue("url", BeNil()),
				HaveKeyWithValue("thumbnail_url", BeNil()), HaveKeyWithValue("width", BeNil()), HaveKeyWithValue("status", BeElementOf("processing", "failed"))))
		})

		It("with an unusable file stays listed as failed, with the reason", func() {
			key := "imports/" + t.namespace + "/text.png"
			Expect(store.Put(ctx, key, "image/png", strings.NewReader("no picture"))).To(Succeed())
			_, id := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.Source.BlobKey = &key })
			awaitMedia(t.namespace)
			Expect(byID(list(""), id)).To(And(HaveKeyWithValue("status", "failed"), HaveKeyWithValue("url", BeNil()),
				HaveKeyWithValue("error", And(HaveKeyWithValue("code", Not(BeEmpty())), HaveKeyWithValue("message", Not(BeEmpty())), HaveKey("details")))))
		})
	})

	It("created before its file has status processing", func() {
		m, id := picture(t.namespace, func(m *v1beta1.MediaAsset) {
			key := "imports/" + t.namespace + "/none.png"
			m.Spec.Source.BlobKey = &key
		})
		Eventually(func(g Gomega) {
			g.Expect(access.Plain.Get(ctx, client.ObjectKeyFromObject(m), m)).To(Succeed())
			g.Expect(m.Status.Work).To(HaveField("Error", HaveField("Details", HaveKeyWithValue("reason", "not_in_store"))))
		}).Should(Succeed())
		Expect(byID(list(""), id)).To(And(HaveKeyWithValue("status", "processing"), HaveKeyWithValue("url", BeNil())))
	})

	Describe("own media", func() {
		It("is the default, newest first, with source, search_method and pagination in meta", func() {
			var made []int64
			for i := range 3 {
				_, id := picture(t.namespace, tell(fmt.Sprint("Picture ", i), ""))
				made = append(made, id)
			}
			slices.Reverse(made)
			for _, query := range []string{"", "?source=own"} {
				a := list(query)
				Expect(idsOf(a)).To(Equal(made))
				Expect(a.meta()).To(Equal(object{
					"source": "own", "search_method": "recent", "pagination": object{"page": 1.0, "per_page": 25.0, "total_pages": 1.0, "total_count": 3.0},
				}))
			}
			Expect(idsOf(list("?page=2&per_page=2"))).To(Equal(made[2:]))
			a := list("?page=9")
			Expect(a.list()).To(BeEmpty())
			Expect(a.at("meta.pagination.total_count")).To(Equal(3.0))
		})

		It("is empty for a brand without media", func() {
			a := list("")
			Expect(a.list()).To(BeEmpty())
			Expect(a.at("meta.pagination")).To(Equal(object{"page": 1.0, "per_page": 25.0, "total_pages": 0.0, "total_count": 0.0}))
		})

		It("contains the media of the brand and those that its account shares, and none of another brand or account", func() {
			t.brand("other")
			_, mine := picture(t.namespace, tell("mine", ""))
			_, shared := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.Title = "shared" })
			_, others := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.Title, m.Spec.BrandRef = "mine", of("other") })
			stranger := newTenant()
			picture(stranger.namespace, tell("mine", ""))
			picture(stranger.namespace, func(m *v1beta1.MediaAsset) { m.Spec.Title = "mine" })
			Expect(idsOf(list(""))).To(Equal([]int64{shared, mine}))
			Expect(idsOf(list("?query=mine"))).To(Equal([]int64{mine}))
			Expect(idsOf(get("/media").with(keyOfOther(t)).succeeds(200))).To(Equal([]int64{others, shared}))
		})

		It("contains own images in packs too, and shared images in packs only in the packs", func() {
			pack := packOf(t.namespace, "set", nil)
			_, mine := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef, m.Spec.PackRef = of("acme"), of("set") })
			_, shared := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.PackRef = of("set") })
			Expect(idsOf(list(""))).To(Equal([]int64{mine}))
			Expect(byID(list(""), mine)).To(And(HaveKeyWithValue("source", "own"), HaveKeyWithValue("media_pack_id", float64(pack))))
			Expect(idsOf(list("?source=packs"))[:2]).To(Equal([]int64{shared, mine}))
		})

		It("can be limited to one type", func() {
			_, demo := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef, m.Spec.MediaType = of("acme"), "product_demo" })
			_, upload := picture(t.namespace, tell("", ""))
			Expect(idsOf(list("?media_type=product_demo"))).To(Equal([]int64{demo}))
			Expect(idsOf(list("?media_type=user_upload"))).To(Equal([]int64{upload}))
			for _, none := range []string{"avatar_video", "stock_image", "stock_video", "ai_image", "pack_image"} {
				Expect(list("?media_type="+none).list()).To(BeEmpty(), none)
			}
		})

		It("omits images that were fetched for a slide by URL", func() {
			front := newFront(frontOptions{change: func(c *apiserver.Config) { c.AllowHosts = []string{pictures.host} }})
			writer := t.everything()
			short := t.laidOut()
			patch("/slideshows/%d", short, object{"slides": []any{object{"id": 1, "image_url": pictures.url + "/listed.png"}}}).with(writer).at(front).succeeds(200)
			Expect(list("").list()).To(BeEmpty())
		})
	})

	Describe("a query", func() {
		It("finds own items by title, tags, description and the name of their pack", func() {
			packOf(t.namespace, "set", func(p *v1beta1.MediaPack) { p.Spec.DisplayName = "Holiday" })
			_, titled := picture(t.namespace, tell("Running shoes", ""))
			_, tagged := picture(t.namespace, tell("", "", "harbour"))
			_, described := picture(t.namespace, tell("", "A lighthouse in the evening"))
			_, packed := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.BrandRef, m.Spec.PackRef = of("acme"), of("set") })
			for query, id := range map[string]int64{"shoe": titled, "HARBOUR": tagged, "lighthouses": described, "holiday": packed} {
				a := list("?query=" + query)
				Expect(idsOf(a)).To(Equal([]int64{id}), query)
				Expect(a.at("meta.search_method")).To(Equal("text"))
				Expect(a.at("meta.pagination.total_count")).To(Equal(1.0))
			}
		})

		It("ranks items with every word before those with some, titles before descriptions, then newest first", func() {
			_, both := picture(t.namespace, tell("A long description of something else entirely", "with a red car somewhere in it"))
			_, old := picture(t.namespace, tell("Car", ""))
			_, young := picture(t.namespace, tell("Car", ""))
			_, below := picture(t.namespace, tell("Garage", "car"))
			Expect(idsOf(list("?query=red%20car"))).To(Equal([]int64{both, young, old, below}))
			Expect(idsOf(list("?query=red%20car&page=2&per_page=3"))).To(Equal([]int64{below}))
		})

		It("matches the last word as a prefix, ignores accents, and matches scripts without spaces", func() {
			_, french := picture(t.namespace, tell("Crème brûlée", ""))
			_, chinese := picture(t.namespace, tell("夏天的海边日落", ""))
			Expect(idsOf(list("?query=creme%20bru"))).To(Equal([]int64{french}))
			Expect(idsOf(list("?query=" + escaped("海边")))).To(Equal([]int64{chinese}))
		})

		It("of blanks alone matches everything; one without any word matches nothing", func() {
			_, id := picture(t.namespace, tell("x", ""))
			a := list("?query=%20%20")
			Expect(idsOf(a)).To(Equal([]int64{id}))
			Expect(a.at("meta.search_method")).To(Equal("recent"))
			Expect(list("?query=%3F%21").list()).To(BeEmpty())
		})

		It("may have 500 characters", func() {
			list("?query=" + strings.Repeat("a", 500))
			get("/media?query=%s", strings.Repeat("a", 501)).with(key).refused(422, catalog.ValidationFailed).about("query")
		})
	})

	It("rejects an unknown source or type, and lists the accepted ones", func() {
		a := get("/media?source=mine").with(key).loosely().refused(422, catalog.ValidationFailed).about("source")
		Expect(a.details()).To(HaveKeyWithValue("allowed", []any{"own", "packs", "stock"}))
		a = get("/media?media_type=gif").with(key).loosely().refused(422, catalog.ValidationFailed).about("media_type")
		Expect(a.details()).To(HaveKeyWithValue("allowed", ConsistOf("user_upload", "product_demo", "avatar_video", "stock_image", "stock_video", "pack_image", "ai_image")))
		for _, bad := range []string{"page=0", "page=x", "per_page=0"} {
			get("/media?"+bad).with(key).loosely().refused(422, catalog.ValidationFailed)
		}
		Expect(list("?per_page=51").at("meta.pagination.per_page")).To(Equal(50.0))
	})

	It("contains a new item, a change and a deletion from the next list on", func() {
		m, id := picture(t.namespace, tell("before", ""))
		awaitMedia(t.namespace)
		change(m, func() { m.Spec.Title = "after" })
		Expect(byID(list(""), id)).To(HaveKeyWithValue("title", "after"))
		Expect(idsOf(list("?query=after"))).To(Equal([]int64{id}))
		Expect(list("?query=before").list()).To(BeEmpty())
		Expect(access.Client.Delete(ctx, m)).To(Succeed())
		Expect(list("").list()).To(BeEmpty())
	})

	It("of packs contains the images of packs that the brand may use: its own, the account's, and shared ones", func() {
		t.brand("other")
		packOf(t.namespace, "ours", func(p *v1beta1.MediaPack) { p.Spec.DisplayName, p.Spec.BrandRef = "Ours", of("acme") })
		packOf(t.namespace, "theirs", func(p *v1beta1.MediaPack) { p.Spec.BrandRef = of("other") })
		_, ours := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.PackRef = of("ours") })
		picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.PackRef = of("theirs") })
		stranger := newTenant()
		packOf(stranger.namespace, "ours", nil)
		picture(stranger.namespace, func(m *v1beta1.MediaAsset) { m.Spec.PackRef = of("ours") })
		common := packOf(systemNamespace, "common-"+t.namespace, func(p *v1beta1.MediaPack) { p.Spec.DisplayName = "Quokka selection" })
		_, everybodys := picture(systemNamespace, func(m *v1beta1.MediaAsset) { m.Spec.Title, m.Spec.PackRef = "Smile", of("common-"+t.namespace) })
		awaitMedia(systemNamespace)

		a := list("?source=packs&query=quokka")
		Expect(idsOf(a)).To(Equal([]int64{everybodys}))
		Expect(a.meta()).To(And(HaveKeyWithValue("source", "packs"), HaveKeyWithValue("search_method", "text")))
		Expect(a.list()[0]).To(And(HaveKeyWithValue("media_type", "pack_image"), HaveKeyWithValue("source", "packs"), HaveKeyWithValue("media_pack_id", float64(common))))
		Expect(idsOf(list("?source=packs&query=ours"))).To(Equal([]int64{ours}))

		By("listing the generated backgrounds of every world after the items with a date")
		a = list("?source=packs&per_page=50")
		Expect(idsOf(a)).To(And(ContainElements(ours, everybodys), ContainElement(starter.All()[0].Number)))
		Expect(a.at("meta.pagination.total_count")).To(BeNumerically(">=", len(starter.All())+2))
		drawn := byID(a, starter.All()[0].Number)
		pack, _ := starter.PackOf(starter.All()[0])
		Expect(drawn).To(And(HaveKeyWithValue("media_type", "pack_image"), HaveKeyWithValue("kind", "image"), HaveKeyWithValue("status", "ready"),
			HaveKeyWithValue("created_at", BeNil()), HaveKeyWithValue("media_pack_id", float64(pack.ID)), HaveKeyWithValue("width", 1080.0)))
		for _, name := range []string{"url", "thumbnail_url"} {
			_, kind := fetched(drawn[name])
			Expect(kind).To(Equal("image/jpeg"), name)
		}
	})

	It("of stock is searched by meaning, and has no dates", func() {
		a := list("?source=stock&query=calm%20evening%20by%20the%20sea&per_page=5")
		Expect(a.meta()).To(And(HaveKeyWithValue("source", "stock"), HaveKeyWithValue("search_method", "semantic")))
		Expect(a.list()).To(HaveLen(5))
		for _, i := range a.list() {
			Expect(i).To(And(HaveKeyWithValue("media_type", "stock_image"), HaveKeyWithValue("source", "stock"), HaveKeyWithValue("status", "ready"),
				HaveKeyWithValue("created_at", BeNil()), HaveKeyWithValue("url", HavePrefix("http"))))
		}
		a = list("?source=stock")
		Expect(a.meta()).To(HaveKeyWithValue("search_method", "recent"))
		Expect(a.at("meta.pagination.total_count")).To(BeNumerically(">=", len(starter.All())))
		Expect(list("?source=stock&page=1000").list()).To(BeEmpty())
		for _, none := range []string{"user_upload", "product_demo", "pack_image", "ai_image"} {
			Expect(list("?source=stock&media_type="+none).list()).To(BeEmpty(), none)
		}
	})

	It("of stock contains what the installation shares with every account, once it is ready", func() {
		_, id := picture(systemNamespace, func(m *v1beta1.MediaAsset) {
			m.Spec.Title, m.Spec.Description = "Zeppelin "+t.namespace, "A zeppelin above "+t.namespace
		})
		awaitMedia(systemNamespace)
		a := list("?source=stock&query=zeppelin%20" + t.namespace)
		item := byID(a, id)
		Expect(item).To(And(HaveKeyWithValue("media_type", "stock_image"), HaveKeyWithValue("source", "stock"), HaveKeyWithValue("created_at", BeNil())))
		_, kind := fetched(item["url"])
		Expect(kind).To(HavePrefix("image/"))
		Expect(idsOf(list(""))).To(BeEmpty(), "it is not in the own media")
	})

	It("has ids that an edit accepts as a background: stock, the library's and those of packs", func() {
		writer := t.everything()
		short := t.laidOut()
		_, shared := picture(systemNamespace, nil)
		packOf(t.namespace, "set", nil)
		_, packed := picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.PackRef = of("set") })
		awaitMedia(systemNamespace)
		awaitMedia(t.namespace)
		stock := idsOf(list("?source=stock&query=desert&per_page=1"))[0]
		for i, id := range []int64{stock, shared, packed} {
			a := patch("/slideshows/%d", short, object{"slides": []any{object{"id": i + 1, "media_id": id}}}).with(writer).succeeds(200)
			Expect(a.at("data.type_data.slides").([]any)[i]).To(HaveKeyWithValue("media_id", float64(id)))
		}
	})

	It("finds an item that another replica created by its id", func() {
		second := newFront(frontOptions{change: replica})
		writer := t.everything()
		short := t.laidOut()
		_, id := picture(t.namespace, func(m *v1beta1.MediaAsset) {
			m.Name, m.Spec.BrandRef = fmt.Sprintf("media-%s", m.Labels[v1beta1.LabelID]), of("acme")
		})
		awaitMedia(t.namespace)
		patch("/slideshows/%d", short, object{"slides": []any{object{"id": 1, "media_id": id}}}).with(writer).at(second).succeeds(200)
	})
})

// keyOfOther returns a key of the brand "other" that may read media.
func keyOfOther(t *tenant) string {
	GinkgoHelper()
	secret, _ := t.keyOf("other", func(s *v1beta1.APIKeySpec) { s.Scopes = []v1beta1.Scope{"media:read"} })
	return secret
}

var _ = Describe("The list of media packs", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.key("media:read")
	})
	list := func() *answer { GinkgoHelper(); return get("/media_packs?per_page=50").with(key).succeeds(200) }

	It("contains the packs of the brand and the account, newest first, then shared ones by name", func() {
		t.brand("other")
		first := packOf(t.namespace, "a", func(p *v1beta1.MediaPack) { p.Spec.BrandRef = of("acme") })
		second := packOf(t.namespace, "b", nil)
		packOf(t.namespace, "c", func(p *v1beta1.MediaPack) { p.Spec.BrandRef = of("other") })
		packOf(newTenant().namespace, "d", nil)
		common := packOf(systemNamespace, "aaa-"+t.namespace, func(p *v1beta1.MediaPack) { p.Spec.DisplayName = "Aardvarks" })
		Eventually(func() bool { _, ok := access.Media.NamedPack(systemNamespace, "aaa-"+t.namespace); return ok }).WithPolling(often).Should(BeTrue())
		a := list()
		Expect(idsOf(a)[:3]).To(Equal([]int64{second, first, common}))
		var names []string
		for _, p := range a.list()[2:] {
			Expect(p).To(HaveKeyWithValue("is_global", true))
			names = append(names, p.(object)["name"].(string))
		}
		Expect(slices.IsSorted(names)).To(BeTrue())
		for _, w := range catalog.ImageWorlds {
			Expect(names).To(ContainElement(w.Name))
		}
		Expect(a.meta()).To(BeEmpty(), "the list has no pages")
	})

	It("has every field of a pack, with up to four small images as previews", func() {
		id := packOf(t.namespace, "set", func(p *v1beta1.MediaPack) {
			p.Spec.DisplayName, p.Spec.Description, p.Spec.Tags = "My set", "Mine", []string{"sea"}
		})
		bare := packOf(t.namespace, "bare", nil)
		for range 5 {
			picture(t.namespace, func(m *v1beta1.MediaAsset) { m.Spec.PackRef = of("set") })
		}
		awaitMedia(t.namespace)
		var pack object
		Eventually(func(g Gomega) {
			a := list()
			pack = a.list()[slices.Index(idsOf(a), id)].(object)
			g.Expect(pack).To(HaveKeyWithValue("image_count", 5.0))
		}).Should(Succeed())
		Expect(pack).To(And(HaveKeyWithValue("name", "My set"), HaveKeyWithValue("description", "Mine"), HaveKeyWithValue("is_global", false),
			HaveKeyWithValue("tags", []any{"sea"}), HaveKeyWithValue("created_at", MatchRegexp(moment)), HaveKeyWithValue("updated_at", MatchRegexp(moment))))
		Expect(pack["preview_image_urls"]).To(HaveLen(4))
		for _, u := range pack["preview_image_urls"].([]any) {
			_, kind := fetched(u)
			Expect(kind).To(HavePrefix("image/"))
		}
		a := list()
		Expect(a.list()[slices.Index(idsOf(a), bare)]).To(And(HaveKeyWithValue("name", "bare"), HaveKeyWithValue("description", BeNil()),
			HaveKeyWithValue("image_count", 0.0), HaveKeyWithValue("preview_image_urls", []any{}), HaveKeyWithValue("tags", []any{})))
	})

	It("has a pack of generated backgrounds for every image world", func() {
		a := list()
		for _, p := range starter.Packs() {
			i := slices.Index(idsOf(a), p.ID)
			Expect(i).To(BeNumerically(">=", 0), p.Name)
			pack := a.list()[i].(object)
			Expect(pack).To(And(HaveKeyWithValue("image_count", float64(len(p.Pictures))), HaveKeyWithValue("preview_image_urls", HaveLen(4)), HaveKeyWithValue("is_global", true)))
			_, kind := fetched(pack["preview_image_urls"].([]any)[0])
			Expect(kind).To(Equal("image/jpeg"))
		}
	})
})
