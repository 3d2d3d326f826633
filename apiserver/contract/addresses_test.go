// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/process/fetch"
	hostile "github.com/reelops/reelops/internal/testkit/addresses"
)

// These specs test every field that takes a URL with hostile addresses. One field of each entry point is tested with
// all addresses. The others use the same client, so they are tested with the first address of each kind, directly and
// behind a redirect. The fields are taken from the API description and from the schemas of the kinds: a new field
// without a test fails the specs.

// whole lists the fields that are tested with every address.
var whole = map[string]bool{"PATCH /api/v1/slideshows/{id} slides[].image_url": true, "MediaAsset spec.source.url": true}

// hostileURLs returns the addresses to test a field with. Each call uses new names.
func hostileURLs(field string) []hostile.Case {
	table := trap.Table(redirector.url)
	if whole[field] {
		return table
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(table, func(c hostile.Case) bool {
		known := seen[c.Why]
		seen[c.Why] = true
		return known
	})
}

// atLeast returns the minimum number of a field's addresses that redirect, or that are refused when they are fetched.
// It guards against empty tables.
func atLeast(field string, n int) int {
	if whole[field] {
		return n
	}
	return n / 10
}

// trap listens on this machine and must receive no request. The service resolves all names through it and can reach
// nothing else.
var trap = setTrap()

func setTrap() *hostile.Trap {
	t, err := hostile.Open()
	if err != nil {
		panic(err)
	}
	return t
}

// watched returns the configuration for name resolution and connections in these specs.
func watched() fetch.Config {
	return fetch.Config{Resolver: trap.Names.Resolver(), Control: trap.Control}
}

// redirector is a server that may be fetched from and redirects to any requested address.
var redirector = newRedirector()

type redirectServer struct {
	url, host string
	asked     atomic.Int64
}

func newRedirector() *redirectServer {
	l := &redirectServer{}
	l.url = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.asked.Add(1)
		w.Header()["Location"] = []string{r.URL.Query().Get("to")}
		w.WriteHeader(http.StatusFound)
	})).URL
	l.host = strings.TrimPrefix(l.url, "http://")
	return l
}

// urlName matches the names of fields that take URLs.
var urlName = regexp.MustCompile(`(?i)(^|_)(url|uri|href|link|endpoint|webhook|callback|website|homepage|host|address)s?$|[a-z](URL|URI|Link|Endpoint|Webhook)s?$`)

// fetches reports whether the URLs of a field are fetched. A preview fetches nothing, and feeds are read by runs only:
// package feed tests hostile servers.
func fetches(field string) bool { return !strings.Contains(field, "/preview ") && !feeds(field) }

// feeds reports whether the URLs of a field are those of feeds.
func feeds(field string) bool { return strings.Contains(field, "/automations") }

// neverFetched are the fields with URLs that are shown only, and those of webhooks, which webhooks_test.go tests. Every
// other field is tested with hostile URLs.
var neverFetched = []string{"PATCH /api/v1/brand website", "PATCH /api/v1/webhooks/{id} url", "POST /api/v1/webhooks url"}

var _ = Describe("URLs from callers", func() {
	AfterEach(func() {
		seen := slices.DeleteFunc(trap.Seen(), func(s string) bool {
			return strings.HasSuffix(s, " "+strings.TrimPrefix(publicSite, "https://")+":443")
		})
		Expect(seen).To(BeEmpty(), "requests to forbidden addresses")
	})

	It("over REST are rejected in every field, on acceptance or when they are fetched", slow, func() {
		inCluster("it reads their statuses")
		t := newTenant(func(a *v1beta1.Account) {
			a.Spec.Plan.MaxPendingURLs, a.Spec.Plan.AutomationLimit = ptr.To[int32](10_000), ptr.To[int32](100_000)
		}) // each address is a file to fetch
		key := t.everything()
		front := newFront(frontOptions{change: func(c *apiserver.Config) { plenty(c); c.AllowHosts = []string{redirector.host} }})
		shown := t.laidOut()
		image := func(ask func(string, ...any) *request) func(string) *request {
			return func(url string) *request {
				return ask("/slideshows/%d", shown, object{"slides": []any{object{"id": 1, "image_url": url}}}).with(key).at(front)
			}
		}
		anna := t.avatar()
		feed := func(url string) object {
			return but(automated(0), object{
				"paused": true, "source": object{"type": "feed", "url": url}, "publish": object{"platforms": []string{"tiktok"}},
			})
		}
		automation := post("/automations", feed("https://feeds.example/rss")).with(key).at(front).succeeds(201).id("data.id")
		drivers := map[string]func(url string) *request{
			"POST /api/v1/automations source.url": func(url string) *request {
				return post("/automations", feed(url)).with(key).at(front)
			},
			"POST /api/v1/automations/preview source.url": func(url string) *request {
				return post("/automations/preview", feed(url)).with(key).at(front)
			},
			"PATCH /api/v1/automations/{id} source.url": func(url string) *request {
				return patch("/automations/%d", automation, object{"source": object{"url": url}}).with(key).at(front)
			},
			"PATCH /api/v1/slideshows/{id} slides[].image_url": image(patch),
			"PUT /api/v1/slideshows/{id} slides[].image_url":   image(put),
			"POST /api/v1/slideshows/{id}/preview slides[].image_url": func(url string) *request {
				return post("/slideshows/%d/preview", shown, object{"slide_id": 1, "slides": []any{object{"id": 1, "image_url": url}}}).with(key).at(front)
			},
			"POST /api/v1/slideshows/{id}/slides image_url": func(url string) *request {
				return post("/slideshows/%d/slides", shown, object{"image_url": url}).with(key).at(front)
			},
			"POST /api/v1/videos avatar_url": func(url string) *request {
				return post("/videos", object{"avatar_url": url, "hook_text": "Hello."}).with(key).at(front)
			},
			"POST /api/v1/videos clips[].url": func(url string) *request {
				return post("/videos", object{"avatar_media_id": anna, "clips": []any{object{"url": url}}, "hook_text": "Hello."}).with(key).at(front)
			},
			"POST /api/v1/videos product_demo_urls[]": func(url string) *request {
				return post("/videos", object{"avatar_media_id": anna, "product_demo_urls": []string{url}, "hook_text": "Hello."}).with(key).at(front)
			},
		}
		fields := slices.DeleteFunc(describedURLs(), func(field string) bool { return slices.Contains(neverFetched, field) })
		Expect(slices.Sorted(maps.Keys(drivers))).To(Equal(fields), "fields that take a URL equal the tested fields")
		patch("/brand", object{"website": "https://" + trap.Places()[0] + "/"}).with(key).at(front).succeeds(200)
		// An edit waits for its image. A video is accepted, and fails when a clip is fetched.
		named := map[string]string{
			"POST /api/v1/automations source.url": "source.url", "POST /api/v1/automations/preview source.url": "source.url",
			"PATCH /api/v1/automations/{id} source.url":     "source.url",
			"POST /api/v1/slideshows/{id}/slides image_url": "image_url", "POST /api/v1/videos avatar_url": "avatar_url",
			"POST /api/v1/videos product_demo_urls[]": "product_demo_urls[0]", "POST /api/v1/videos clips[].url": "clips[0].url",
		}
		var mu, changing sync.Mutex
		accepted := map[int64]hostile.Case{}

		for _, field := range slices.Sorted(maps.Keys(drivers)) {
			before, late := redirector.asked.Load(), int64(0)
			table := hostileURLs(field)
			each(table, func(c hostile.Case) {
				defer GinkgoRecover()
				if strings.HasPrefix(field, "PATCH /api/v1/automations") {
					changing.Lock() // changes of one object at the same time are refused after some attempts
					defer changing.Unlock()
				}
				a := drivers[field](c.URL).loosely().send()
				if strings.HasPrefix(field, "POST /api/v1/videos") && c.Late {
					Expect(a.status).To(Equal(202), "%s: %s: %s", c.Why, c.URL, a.raw)
					mu.Lock()
					defer mu.Unlock()
					accepted[a.id("data.job_id")] = c
					return
				}
				if feeds(field) && c.Late && a.status != 422 {
					Expect(a.status).To(BeElementOf(200, 201), "%s: %s: %s", c.Why, c.URL, a.raw)
					return
				}
				Expect(a.status).To(Equal(422), "%s: %s: %s", c.Why, c.URL, a.raw)
				Expect(a.code()).To(Equal(catalog.ValidationFailed), a.raw)
				reason := fetch.ReasonForbidden
				if c.Late && !fetches(field) && !feeds(field) {
					reason = "not_stored"
				}
				Expect(a.details()).To(HaveKeyWithValue("reason", reason), "%s: %s: %s", c.Why, c.URL, a.raw)
				Expect(a.details()).To(HaveKeyWithValue("field", cmp.Or(named[field], "slides[0].image_url")), a.raw)
				for _, place := range append(trap.Places(), "169.254.169.254", "10.1.2.3") {
					Expect(strings.ReplaceAll(a.raw, c.URL, "")).NotTo(ContainSubstring(strings.TrimSuffix(place, ":443")),
						"an answer must not reveal what a name resolves to")
				}
			})
			for _, c := range table {
				if strings.HasPrefix(c.URL, redirector.url) {
					late++
				}
			}
			Expect(late).To(BeNumerically(">", atLeast(field, 100)))
			t.refuses(accepted, named[field])
			clear(accepted)
			if !fetches(field) {
				late = 0
			}
			Expect(redirector.asked.Load()-before).To(BeNumerically(">=", late), "requests to the redirecting server")
		}
		Expect(get("/shorts/%d", shown).with(key).succeeds(200).at("data.revision")).To(Equal(1.0),
			"a rejected edit changes nothing")
		// The media of a rejected edit are gone when their finalizer has ended.
		Eventually(func() (left []string) {
			for _, m := range assets(t.namespace) {
				if !view.ImportedForShort(&m) || m.OwnerReferences[0].Kind != "Video" {
					left = append(left, m.Name)
				}
			}
			return left
		}).Should(HaveLen(1), "a rejected edit or video leaves no media except the avatar")
	})

	It("in manifests are rejected in every field, by the schema or when they are fetched", slow, func() {
		t := newTenant()
		asset := func(name, url string) client.Object {
			return &v1beta1.MediaAsset{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name},
				Spec:       v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{URL: &url}},
			}
		}
		track := func(name, url string) client.Object {
			return &v1beta1.MusicTrack{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name},
				Spec:       v1beta1.MusicTrackSpec{Title: "A tune", Source: v1beta1.MediaSource{URL: &url}},
			}
		}
		anna := t.avatar()
		drivers := map[string]func(name, url string) client.Object{
			"MediaAsset spec.source.url": asset,
			"MusicTrack spec.source.url": track,
			"Video spec.avatar.url": func(name, url string) client.Object {
				return t.declared(name, v1beta1.ClipSource{URL: &url})
			},
			"Video spec.demos[].url": func(name, url string) client.Object {
				return t.declared(name, v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: fmt.Sprintf("media-%d", anna)}}, v1beta1.DemoClip{ClipSource: v1beta1.ClipSource{URL: &url}})
			},
		}
		// These are never fetched, only shown. That of a webhook receives requests: the tests of Post in
		// internal/process/fetch have its rules. Feeds are read by runs: package feed tests hostile addresses. The
		// clips of an automation are those of the videos that it creates.
		exempt := []string{
			"Automation spec.source.feed.url", "Automation spec.template.video.avatar.url",
			"Automation spec.template.video.demos[].url", "Brand spec.website", "MediaAsset spec.attribution.authorURL",
			"MusicTrack spec.license.url", "WebhookEndpoint spec.url",
		}
		Expect(append(slices.Sorted(maps.Keys(drivers)), exempt...)).To(ConsistOf(kindURLs()),
			"fields that take a URL equal the tested and the exempt fields")

		// The front end resolves a name once when it accepts the request.
		accepting := watched()
		accepting.Allow = []string{redirector.host}
		accepts := fetch.Open(accepting)
		for field, make := range drivers {
			refused, judged := 0, 0
			table := slices.Collect(slices.Chunk(hostileURLs(field), 150)) // wait for this many at a time
			for n, part := range table {
				cases := map[string]hostile.Case{}
				for i, c := range part {
					cases[fmt.Sprintf("%s-%d-%03d", strings.ToLower(strings.NewReplacer(" ", "-", ".", "-", "[]", "").Replace(field)), n, i)] = c
				}
				var mu sync.Mutex
				each(slices.Sorted(maps.Keys(cases)), func(name string) {
					defer GinkgoRecover()
					c := cases[name]
					if c.Late {
						Expect(accepts.Permit(ctx, c.URL)).To(Succeed())
					}
					err := access.Plain.Create(ctx, make(name, c.URL))
					if apierrors.IsInvalid(err) {
						Expect(err.Error()).To(ContainSubstring("must be a URL"), c.URL)
						mu.Lock()
						defer mu.Unlock()
						refused++
						delete(cases, name)
						return
					}
					Expect(err).NotTo(HaveOccurred(), c.URL)
				})
				Eventually(func(g Gomega) {
					found := map[string]*v1beta1.WorkError{}
					switch {
					case strings.HasPrefix(field, "MediaAsset"):
						for _, m := range assets(t.namespace) {
							found[m.Name] = m.Status.Error
						}
					case strings.HasPrefix(field, "Video"):
						for _, v := range t.videos() {
							if w := v.Status.Work; w != nil {
								found[v.Name] = w.Error
							}
						}
					default:
						var l v1beta1.MusicTrackList
						g.Expect(access.Plain.List(ctx, &l, client.InNamespace(t.namespace))).To(Succeed())
						for _, m := range l.Items {
							found[m.Name] = m.Status.Error
						}
					}
					for name, c := range cases {
						e := found[name]
						g.Expect(e).NotTo(BeNil(), "%s: %s is still pending", c.Why, c.URL)
						g.Expect(e.Code).To(Equal(string(catalog.ValidationFailed)), "%s: %s: %s", c.Why, c.URL, e.Message)
						g.Expect(e.Details).To(HaveKeyWithValue("reason", fetch.ReasonForbidden), "%s: %s: %s", c.Why, c.URL, e.Message)
						for _, place := range trap.Places() {
							g.Expect(e.Message).NotTo(ContainSubstring(strings.TrimSuffix(place, ":443")))
						}
					}
				}).WithPolling(500 * time.Millisecond).Should(Succeed())
				judged += len(cases)
			}
			GinkgoWriter.Printf("%s: %d refused by the kind's rules, %d by its controller\n", field, refused, judged)
			Expect(judged).To(BeNumerically(">", atLeast(field, 300)))
		}
	})
})

// refuses waits until accepted videos have failed because of an address, and checks that the error names the field.
func (t *tenant) refuses(accepted map[int64]hostile.Case, field string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		found := map[string]*v1beta1.WorkError{}
		for _, v := range t.videos() {
			if w := v.Status.Work; w != nil {
				found[v.Labels[v1beta1.LabelID]] = w.Error
			}
		}
		for id, c := range accepted {
			e := found[fmt.Sprint(id)]
			g.Expect(e).NotTo(BeNil(), "%s: %s is still pending", c.Why, c.URL)
			g.Expect(e.Code).To(Equal(string(catalog.ValidationFailed)), "%s: %s: %s", c.Why, c.URL, e.Message)
			g.Expect(e.Details).To(And(HaveKeyWithValue("reason", fetch.ReasonForbidden), HaveKeyWithValue("field", field)), "%s: %s: %s", c.Why, c.URL, e.Message)
		}
	}).WithPolling(500 * time.Millisecond).Should(Succeed())
}

// declared returns a video of acme as in a manifest.
func (t *tenant) declared(name string, avatar v1beta1.ClipSource, demos ...v1beta1.DemoClip) *v1beta1.Video {
	return &v1beta1.Video{
		ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name},
		Spec:       v1beta1.VideoSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, HookText: ptr.To("Hello."), Avatar: avatar, Demos: demos},
	}
}

// each runs work on all elements, some at a time.
func each[T any](all []T, work func(T)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, 8)
	for _, one := range all {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			work(one)
		})
	}
	wg.Wait()
}

// describedURLs returns the parameters and members that take a URL, from the API description: in bodies, paths and
// queries.
func describedURLs() []string {
	GinkgoHelper()
	resp, err := http.Get(service.url + "/openapi.json")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	var doc object
	Expect(json.Unmarshal(read(resp.Body), &doc)).To(Succeed())
	resolve := func(s object) object {
		for {
			ref, ok := s["$ref"].(string)
			if !ok {
				return s
			}
			v, found := lookup(doc, strings.ReplaceAll(strings.TrimPrefix(ref, "#/"), "/", "."))
			Expect(found).To(BeTrue(), ref)
			s = v.(object)
		}
	}
	found := map[string]bool{}
	var walk func(at, name string, s object, depth int)
	walk = func(at, name string, s object, depth int) {
		s = resolve(s)
		Expect(depth).To(BeNumerically("<", 20), "a schema without an end of references: %s", at)
		if format, _ := s["format"].(string); strings.Contains(format, "uri") || strings.Contains(format, "url") || urlName.MatchString(name) {
			if s["type"] == nil || strings.Contains(fmt.Sprint(s["type"]), "string") {
				found[at] = true
			}
		}
		for n, p := range properties(s) {
			walk(strings.TrimPrefix(at+"."+n, "."), n, p, depth+1)
		}
		for _, k := range []string{"items", "additionalProperties"} {
			if in, ok := s[k].(object); ok {
				walk(at+"[]", name, in, depth+1)
			}
		}
		for _, k := range []string{"allOf", "anyOf", "oneOf"} {
			all, _ := s[k].([]any)
			for _, in := range all {
				walk(at, name, in.(object), depth+1)
			}
		}
	}
	out := []string{}
	operations := 0
	for path, methods := range doc["paths"].(object) {
		for method, op := range methods.(object) {
			operations++
			clear(found)
			o := op.(object)
			params, _ := o["parameters"].([]any)
			for _, p := range params {
				if p := resolve(p.(object)); p["in"] != "header" {
					walk(p["name"].(string), p["name"].(string), p["schema"].(object), 0)
				}
			}
			if body, ok := o["requestBody"].(object); ok {
				for _, content := range resolve(body)["content"].(object) {
					walk("", "", content.(object)["schema"].(object), 0)
				}
			}
			for field := range found {
				out = append(out, strings.ToUpper(method)+" "+path+" "+strings.ReplaceAll(strings.TrimPrefix(field, "."), ".[]", "[]"))
			}
		}
	}
	Expect(operations).To(BeNumerically(">", 10))
	slices.Sort(out)
	return out
}

func properties(s object) map[string]object {
	out := map[string]object{}
	all, _ := s["properties"].(object)
	for n, p := range all {
		out[n], _ = p.(object)
	}
	return out
}

// kindURLs returns the fields that take a URL in the specs of the kinds, from their schemas.
func kindURLs() []string {
	GinkgoHelper()
	files, err := filepath.Glob("../../config/crd/bases/*.yaml")
	Expect(err).NotTo(HaveOccurred())
	Expect(len(files)).To(BeNumerically(">", 5))
	var out []string
	for _, file := range files {
		doc, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		var crd apiextensionsv1.CustomResourceDefinition
		Expect(yaml.Unmarshal(doc, &crd)).To(Succeed())
		var walk func(at, name string, s *apiextensionsv1.JSONSchemaProps)
		walk = func(at, name string, s *apiextensionsv1.JSONSchemaProps) {
			takes := urlName.MatchString(name) || strings.Contains(s.Format, "uri")
			for _, rule := range s.XValidations {
				takes = takes || strings.Contains(rule.Rule, "isURL(") || strings.Contains(rule.Rule, "url(")
			}
			if takes && s.Type == "string" {
				out = append(out, crd.Spec.Names.Kind+" "+at)
			}
			for n, p := range s.Properties {
				walk(at+"."+n, n, &p)
			}
			if s.Items != nil && s.Items.Schema != nil {
				walk(at+"[]", name, s.Items.Schema)
			}
			if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
				walk(at+"[]", name, s.AdditionalProperties.Schema)
			}
		}
		for _, v := range crd.Spec.Versions {
			spec := v.Schema.OpenAPIV3Schema.Properties["spec"]
			walk("spec", "", &spec)
		}
	}
	slices.Sort(out)
	return slices.Compact(out) // every version has the same fields
}
