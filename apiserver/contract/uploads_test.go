// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/testkit"
)

// pngImage returns a PNG that is different for each number.
func pngImage(n int) []byte {
	GinkgoHelper()
	return encoded(n, png.Encode)
}

func encoded(n int, encode func(io.Writer, image.Image) error) []byte {
	GinkgoHelper()
	img := image.NewRGBA(image.Rect(0, 0, 300, 400))
	for i := range img.Pix {
		img.Pix[i] = uint8(i*7+n) | 0x80
	}
	img.Set(0, 0, color.RGBA{uint8(n), uint8(n >> 8), 0, 255})
	out := &bytes.Buffer{}
	Expect(encode(out, img)).To(Succeed())
	return out.Bytes()
}

func md5Of(b []byte) string    { s := md5.Sum(b); return base64.StdEncoding.EncodeToString(s[:]) }
func sha256Of(b []byte) string { s := sha256.Sum256(b); return base64.StdEncoding.EncodeToString(s[:]) }

// declaration returns the body that declares a file, as a client sends it.
func declaration(file []byte, name, contentType string) object {
	return object{"filename": name, "byte_size": len(file), "checksum": md5Of(file), "content_type": contentType}
}

// sent PUTs bytes to the declared URL, and returns the status.
func sent(declared *answer, file []byte) int {
	GinkgoHelper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, declared.at("data.direct_upload.url").(string), bytes.NewReader(file))
	Expect(err).NotTo(HaveOccurred())
	for name, value := range declared.at("data.direct_upload.headers").(object) {
		req.Header.Set(name, value.(string))
	}
	resp, err := http.DefaultClient.Do(req)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	return resp.StatusCode
}

// refusedUpload PUTs bytes to the URL of a declared upload, with a change of the request, and returns the refusal.
func refusedUpload(declared *answer, file []byte, change func(*http.Request)) (status int, refusal object) {
	GinkgoHelper()
	url := declared.at("data.direct_upload.url").(string)
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(file))
	Expect(err).NotTo(HaveOccurred())
	for name, value := range declared.at("data.direct_upload.headers").(object) {
		req.Header.Set(name, value.(string))
	}
	change(req)
	resp, err := http.DefaultClient.Do(req)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	Expect(resp.Header.Get("Content-Type")).To(HavePrefix("application/json"))
	Expect(json.NewDecoder(resp.Body).Decode(&refusal)).To(Succeed())
	return resp.StatusCode, refusal
}

// uploaded declares a file, sends it and returns its signed id.
func uploaded(key string, file []byte, contentType string) string {
	GinkgoHelper()
	a := post("/direct_uploads", declaration(file, "holiday.png", contentType)).with(key).succeeds(201)
	Expect(sent(a, file)).To(Equal(204))
	return a.at("data.signed_id").(string)
}

// assets returns the media of an account.
func assets(namespace string) []v1beta1.MediaAsset {
	GinkgoHelper()
	var l v1beta1.MediaAssetList
	Expect(access.Plain.List(ctx, &l, client.InNamespace(namespace))).To(Succeed())
	return l.Items
}

// waitIngested waits until the only media item of an account has been probed and the upload has been deleted.
func waitIngested(namespace string) v1beta1.MediaAsset {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		l := assets(namespace)
		g.Expect(l).To(HaveLen(1))
		g.Expect(l[0].Status.BlobKey != "" || l[0].Status.Error != nil).To(BeTrue())
		g.Expect(store.Exists(ctx, *l[0].Spec.Source.BlobKey)).To(BeFalse())
	}).WithPolling(often).Should(Succeed())
	return assets(namespace)[0]
}

var _ = Describe("Uploads", func() {
	var t *tenant
	var key string
	BeforeEach(func() { t = newTenant(); key = t.key("media:read", "media:write") })

	It("are declared, sent to the store and claimed as a media item", func() {
		file := pngImage(1)
		declared := post("/direct_uploads", declaration(file, "My holiday.png", "image/png")).with(key).succeeds(201)
		Expect(declared.data()).To(And(HaveLen(2), HaveKey("signed_id")))
		Expect(declared.at("data.direct_upload.headers")).To(Equal(object{"Content-Type": "image/png", "Content-MD5": md5Of(file)}))
		ends, err := time.Parse(time.RFC3339, declared.at("data.direct_upload.expires_at").(string))
		Expect(err).NotTo(HaveOccurred())
		Expect(ends).To(BeTemporally("~", time.Now().Add(15*time.Minute), time.Minute))
		Expect(assets(t.namespace)).To(BeEmpty(), "no item is created before the claim")
		Expect(sent(declared, file)).To(Equal(204))

		kept := post("/media", object{"file": declared.at("data.signed_id")}).with(key).succeeds(201)
		Expect(kept.data()).To(And(
			HaveKeyWithValue("title", "My holiday"), HaveKeyWithValue("media_type", "user_upload"), HaveKeyWithValue("kind", "image"),
			HaveKeyWithValue("source", "own"), HaveKeyWithValue("content_type", "image/png"), HaveKeyWithValue("tags", BeEmpty()),
			HaveKeyWithValue("status", "processing"), HaveKeyWithValue("url", BeNil()), HaveKeyWithValue("created_at", Not(BeNil())),
		))
		id := kept.id("data.id")
		Expect(waitIngested(t.namespace).Name).To(Equal(fmt.Sprintf("media-%d", id)))
		Eventually(func(g Gomega) {
			listed := get("/media").with(key).succeeds(200)
			g.Expect(listed.at("data.0.status")).To(Equal("ready"))
			g.Expect(listed.id("data.0.id")).To(Equal(id))
			g.Expect(listed.at("data.0.byte_size")).To(BeEquivalentTo(len(file)))
			g.Expect(listed.at("data.0.width")).To(BeEquivalentTo(300))
			resp, err := http.Get(listed.at("data.0.url").(string))
			g.Expect(err).NotTo(HaveOccurred())
			defer func() { _ = resp.Body.Close() }()
			g.Expect(read(resp.Body)).To(Equal(file))
		}).Should(Succeed())
	})

	It("are claimed with a type, a title and tags", func() {
		file := pngImage(2)
		body := object{"file": uploaded(key, file, "image/png"), "title": "  The pillow ", "media_type": "product_demo", "tags": []string{" bed ", "pillow", "bed", ""}}
		Expect(post("/media", body).with(key).succeeds(201).data()).To(And(
			HaveKeyWithValue("title", "The pillow"), HaveKeyWithValue("media_type", "product_demo"), HaveKeyWithValue("tags", Equal([]any{"bed", "pillow"})),
		))
	})

	It("may be declared with SHA-256, and with a type in capitals", func() {
		file := pngImage(3)
		body := declaration(file, "x.png", "Image/PNG")
		body["checksum"] = sha256Of(file)
		a := post("/direct_uploads", body).with(key).succeeds(201)
		Expect(a.at("data.direct_upload.headers")).To(Equal(object{"Content-Type": "image/png", "x-amz-checksum-sha256": sha256Of(file)}))
		Expect(sent(a, file)).To(Equal(204))
		post("/media", object{"file": a.at("data.signed_id")}).with(key).succeeds(201)
	})

	DescribeTable("are rejected on declaration", func(change object, status int, code catalog.Code, details object) {
		body := declaration(pngImage(1), "holiday.png", "image/png")
		maps.Copy(body, change)
		for name, value := range change {
			if value == nil {
				delete(body, name)
			}
		}
		a := post("/direct_uploads", body).with(key).refused(status, code)
		for name, value := range details {
			Expect(a.details()).To(HaveKeyWithValue(name, value), a.raw)
		}
	},
		Entry("without a name", object{"filename": nil}, 422, catalog.ValidationFailed, object{"field": "filename"}),
		Entry("with an empty name", object{"filename": ""}, 422, catalog.ValidationFailed, object{"field": "filename"}),
		Entry("with NUL in its name", object{"filename": "a\x00b.png"}, 422, catalog.ValidationFailed, object{"field": "filename"}),
		Entry("without a size", object{"byte_size": nil}, 422, catalog.ValidationFailed, object{"field": "byte_size"}),
		Entry("with 0 bytes", object{"byte_size": 0}, 422, catalog.ValidationFailed, object{"field": "byte_size"}),
		Entry("with a negative size", object{"byte_size": -5}, 422, catalog.ValidationFailed, object{"field": "byte_size"}),
		Entry("with a fractional size", object{"byte_size": 10.5}, 422, catalog.ValidationFailed, object{"field": "byte_size"}),
		Entry("with a size as a text", object{"byte_size": "large"}, 422, catalog.ValidationFailed, object{"field": "byte_size"}),
		Entry("without a checksum", object{"checksum": nil}, 422, catalog.ValidationFailed, object{"field": "checksum"}),
		Entry("with a checksum in hex", object{"checksum": "5d41402abc4b2a76b9719d911017c592"}, 422, catalog.ValidationFailed, object{"field": "checksum"}),
		Entry("with a truncated checksum", object{"checksum": "XUFAKrxLKna5cZ2REBfFkg="}, 422, catalog.ValidationFailed, object{"field": "checksum"}),
		Entry("with SHA-1", object{"checksum": "2jmj7l5rSw0yVb/vlWAYkK/YBwk="}, 422, catalog.ValidationFailed, object{"field": "checksum"}),
		Entry("without a type", object{"content_type": nil}, 422, catalog.ValidationFailed, object{"field": "content_type"}),
		Entry("with an unsupported type", object{"content_type": "image/svg+xml"}, 415, catalog.UnsupportedMediaType, object{
			"content_type": "image/svg+xml",
			"allowed":      []any{"image/jpeg", "image/png", "image/webp", "image/gif", "image/heic", "image/heif", "video/mp4", "video/webm", "video/quicktime"},
		}),
		Entry("with an empty type", object{"content_type": ""}, 415, catalog.UnsupportedMediaType, object{"content_type": ""}),
		Entry("with an image one byte too large", object{"byte_size": 10485761}, 422, catalog.MediaTooLarge, object{"byte_size": 10485761.0, "limit_bytes": 10485760.0, "kind": "image"}),
		Entry("with a clip one byte too large", object{"byte_size": 209715201, "content_type": "video/mp4"}, 422, catalog.MediaTooLarge,
			object{"byte_size": 209715201.0, "limit_bytes": 209715200.0, "kind": "video"}),
		Entry("with a size beyond any integer", object{"byte_size": 1e300}, 422, catalog.ValidationFailed, object{"field": "byte_size"}),
	)

	It("may be as large as the limits", func() {
		for contentType, limit := range map[string]int{"image/heic": 10485760, "video/quicktime": 209715200} {
			body := declaration(nil, "x", contentType)
			body["byte_size"] = limit
			post("/direct_uploads", body).with(key).succeeds(201)
		}
	})

	DescribeTable("have names that are never paths, and never rejected", func(name, title string) {
		file := pngImage(4)
		a := post("/direct_uploads", declaration(file, name, "image/png")).with(key).succeeds(201)
		Expect(a.at("data.direct_upload.url")).To(ContainSubstring("/uploads/" + t.namespace + "/"))
		Expect(sent(a, file)).To(Equal(204))
		Expect(post("/media", object{"file": a.at("data.signed_id")}).with(key).succeeds(201).at("data.title")).To(Equal(title))
		Expect(waitIngested(t.namespace).Status.BlobKey).To(HavePrefix("media/" + t.namespace + "/"))
	},
		Entry("a path to a parent", "../../../etc/passwd.png", "passwd"),
		Entry("an absolute path", "/etc/shadow", "shadow"),
		Entry("a path on Windows", `C:\Windows\system.ini`, "system"),
		Entry("control characters", "a\x07b\n\r\nc.png", "ab c"),
		Entry("500 characters", strings.Repeat("ä", 500)+".png", strings.Repeat("ä", 200)),
		Entry("invisible characters", "\u200b\x01", "Untitled"),
		Entry("a path with a folder", "uploads/", "Untitled"),
		Entry("percent encoding", "..%2f..%2fx.png", "..%2f..%2fx"),
		Entry("shell commands", "$(touch x); `y` | z.png", "$(touch x); `y` | z"),
	)

	Describe("at the store", func() {
		It("are rejected if they are one byte too long or short, or differ, and leave nothing", func() {
			file := pngImage(5)
			other := bytes.Clone(file)
			other[len(other)-1] ^= 1
			for status, wrong := range map[int][]byte{413: append(bytes.Clone(file), 0), 400: other} {
				a := post("/direct_uploads", declaration(file, "x.png", "image/png")).with(key).succeeds(201)
				Expect(sent(a, wrong)).To(Equal(status))
				refused := post("/media", object{"file": a.at("data.signed_id")}).with(key).refused(422, catalog.ValidationFailed)
				Expect(refused.details()).To(And(HaveKeyWithValue("field", "file"), HaveKeyWithValue("reason", "upload_incomplete")))
				Expect(sent(a, file)).To(Equal(204), "the right bytes are still accepted")
				post("/media", object{"file": a.at("data.signed_id")}).with(key).succeeds(201)
			}
		})
	})

	It("are rejected in the envelope, with the invalid part of the request", func() {
		file := pngImage(5)
		a := post("/direct_uploads", declaration(file, "x.png", "image/png")).with(key).succeeds(201)
		for parameter, c := range map[string]struct {
			status int
			file   []byte
			change func(*http.Request)
		}{
			"Content-Type": {403, file, func(r *http.Request) { r.Header.Set("Content-Type", "image/gif") }},
			"url":          {403, file, func(r *http.Request) { r.URL.RawQuery += "x" }},
			"body":         {413, append(bytes.Clone(file), 0), func(*http.Request) {}},
		} {
			status, refusal := refusedUpload(a, c.file, c.change)
			Expect(status).To(Equal(c.status), parameter)
			Expect(refusal).To(HaveKeyWithValue("success", false))
			Expect(refusal["errors"]).To(ConsistOf(And(
				HaveKeyWithValue("code", "bad_request"), HaveKeyWithValue("retryable", false),
				HaveKeyWithValue("message", MatchRegexp(`^[A-Z0-9].+[.]$`)),
				HaveKeyWithValue("details", HaveKeyWithValue("parameter", parameter)))))
		}
	})

	Describe("cannot be claimed", func() {
		refused := func(reason string, body object) {
			GinkgoHelper()
			a := post("/media", body).with(key).refused(422, catalog.ValidationFailed)
			Expect(a.details()).To(And(HaveKeyWithValue("field", "file"), HaveKeyWithValue("reason", reason)), a.raw)
			Expect(assets(t.namespace)).To(BeEmpty())
		}

		It("with an id that was never issued", func() {
			for _, id := range []string{"x", strings.Repeat("A", 100), strings.Repeat("A", 10000), "../../1"} {
				refused("unknown_signed_id", object{"file": id})
			}
		})

		It("by another brand, also one of the same account", func() {
			id := uploaded(key, pngImage(6), "image/png")
			t.brand("beta")
			beta, _ := t.keyOf("beta", func(s *v1beta1.APIKeySpec) { s.Scopes = []v1beta1.Scope{"media:write"} })
			for _, stranger := range []string{beta, newTenant().key("media:write")} {
				a := post("/media", object{"file": id}).with(stranger).refused(422, catalog.ValidationFailed)
				Expect(a.details()).To(HaveKeyWithValue("reason", "unknown_signed_id"))
			}
		})

		It("before the bytes were sent", func() {
			a := post("/direct_uploads", declaration(pngImage(7), "x.png", "image/png")).with(key).succeeds(201)
			refused("upload_incomplete", object{"file": a.at("data.signed_id")})
		})

		It("with bytes of an unknown type", func() {
			for _, file := range [][]byte{[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), []byte("#!/bin/sh\n"), make([]byte, 5000), {0}} {
				refused("unreadable", object{"file": uploaded(key, file, "image/png")})
			}
		})

		It("with bytes of another type than declared", func() {
			refused("type_mismatch", object{"file": uploaded(key, pngImage(8), "image/jpeg")})
			refused("type_mismatch", object{"file": uploaded(key, pngImage(9), "video/mp4")})
			refused("type_mismatch", object{"file": uploaded(key, encoded(1, func(w io.Writer, i image.Image) error { return gif.Encode(w, i, nil) }), "image/png")})
		})

		It("after they expire", func() {
			id := uploaded(key, pngImage(10), "image/png")
			late := newFront(frontOptions{change: func(c *apiserver.Config) {
				c.Uploads = sealer(clocktesting.NewFakePassiveClock(time.Now().Add(24*time.Hour + time.Second)))
			}})
			a := post("/media", object{"file": id}).at(late).with(key).refused(422, catalog.ValidationFailed)
			Expect(a.details()).To(And(HaveKeyWithValue("field", "file"), HaveKeyWithValue("reason", "expired")))
			justInTime := newFront(frontOptions{change: func(c *apiserver.Config) {
				c.Uploads = sealer(clocktesting.NewFakePassiveClock(time.Now().Add(23 * time.Hour)))
			}})
			post("/media", object{"file": id}).at(justInTime).with(key).succeeds(201)
		})

		DescribeTable("with invalid fields", func(field string, change object) {
			body := object{"file": uploaded(key, pngImage(11), "image/png")}
			maps.Copy(body, change)
			a := post("/media", body).with(key).refused(422, catalog.ValidationFailed)
			Expect(a.details()).To(HaveKeyWithValue("field", HavePrefix(field)), a.raw)
			Expect(assets(t.namespace)).To(BeEmpty())
		},
			Entry("a missing file", "file", object{"file": nil}),
			Entry("an empty file", "file", object{"file": ""}),
			Entry("a title too long", "title", object{"title": strings.Repeat("x", 201)}),
			Entry("a tag too long", "tags", object{"tags": []string{strings.Repeat("x", 51)}}),
			Entry("too many tags", "tags", object{"tags": strings.Split(strings.Repeat("x,", 30)+"x", ",")}),
			Entry("tags in one text", "tags", object{"tags": "a,b"}),
			Entry("a type that users may not set", "media_type", object{"media_type": "stock_image"}),
			Entry("an image as an avatar", "media_type", object{"media_type": "avatar_video"}),
		)
	})

	It("create one item, however often they are claimed", func() {
		id := uploaded(key, pngImage(12), "image/png")
		first := post("/media", object{"file": id, "title": "First"}).with(key).succeeds(201)
		again := post("/media", object{"file": id, "title": "Second", "tags": []string{"other"}}).with(key).succeeds(201)
		Expect(again.id("data.id")).To(Equal(first.id("data.id")))
		Expect(again.at("data.title")).To(Equal("First"))
		waitIngested(t.namespace) // the upload itself has been deleted now
		Expect(post("/media", object{"file": id}).with(key).succeeds(201).id("data.id")).To(Equal(first.id("data.id")))
		Expect(assets(t.namespace)).To(HaveLen(1))
	})

	It("create one item if two replicas receive the claim concurrently", func() {
		other := newFront(frontOptions{change: replica})
		for n := range 3 {
			id := uploaded(key, pngImage(100+n), "image/png")
			ids := make([]int64, 10)
			var all sync.WaitGroup
			for i := range ids {
				all.Go(func() {
					defer GinkgoRecover()
					ids[i] = post("/media", object{"file": id, "title": fmt.Sprint(i)}).at([]*front{service, other}[i%2]).with(key).succeeds(201).id("data.id")
				})
			}
			all.Wait()
			Expect(ids).To(HaveEach(ids[0]))
			Expect(assets(t.namespace)).To(HaveLen(n + 1))
		}
	})

	It("create one item if the first front end is killed between creation and answer", func() {
		id := uploaded(key, pngImage(13), "image/png")
		dying := newFront(frontOptions{change: func(c *apiserver.Config) { c.Client = &unanswered{Client: c.Client} }})
		post("/media", object{"file": id, "title": "First"}).at(dying).with(key).refused(500, catalog.InternalError)
		Expect(assets(t.namespace)).To(HaveLen(1))
		Expect(post("/media", object{"file": id}).with(key).succeeds(201).at("data.title")).To(Equal("First"))
		Expect(assets(t.namespace)).To(HaveLen(1))
	})

	It("are deleted permanently with their item", func() {
		id := uploaded(key, pngImage(14), "image/png")
		post("/media", object{"file": id}).with(key).succeeds(201)
		asset := waitIngested(t.namespace)
		Expect(access.Plain.Delete(ctx, &asset)).To(Succeed())
		Eventually(func() []v1beta1.MediaAsset { return assets(t.namespace) }).WithPolling(often).Should(BeEmpty())
		a := post("/media", object{"file": id}).with(key).refused(422, catalog.ValidationFailed)
		Expect(a.details()).To(HaveKeyWithValue("reason", "upload_incomplete"))
		Expect(store.Exists(ctx, asset.Status.BlobKey)).To(BeFalse())
	})

	It("do not replace an object with their name", func() {
		file := encoded(15, func(w io.Writer, i image.Image) error { return jpeg.Encode(w, i, nil) })
		id := uploaded(key, file, "image/jpeg")
		a := post("/direct_uploads", declaration(file, "x.jpg", "image/jpeg")).with(key).succeeds(201)
		_, path, _ := strings.Cut(a.at("data.direct_upload.url").(string), "/uploads/"+t.namespace+"/")
		number, _, _ := strings.Cut(path, "?")
		blobKey := "imports/" + t.namespace + "/x.jpg"
		Expect(store.Put(ctx, blobKey, "image/jpeg", bytes.NewReader(file))).To(Succeed())
		apply(&v1beta1.MediaAsset{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "media-" + number},
			Spec:       v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: &blobKey}},
		})
		Expect(sent(a, file)).To(Equal(204))
		post("/media", object{"file": a.at("data.signed_id")}).with(key).refused(409, catalog.Conflict)
		post("/media", object{"file": id}).with(key).succeeds(201)
	})
})

// unanswered creates media, but loses the response.
type unanswered struct{ client.Client }

func (u *unanswered) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	err := u.Client.Create(ctx, o, opts...)
	if _, ok := o.(*v1beta1.MediaAsset); ok && err == nil {
		return testkit.ErrFault
	}
	return err
}
