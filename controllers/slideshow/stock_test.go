// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/stockapi"
)

// withStock configures the stock providers of the images.
func withStock(t *testing.T, st *stage, api *stockapi.Server, providers string) func(*run, *v1beta1.Account, *v1beta1.Slideshow) {
	t.Helper()
	c := stock.Config{Store: st.drawer.Store, Clock: clock.RealClock{}, Log: slog.New(slog.DiscardHandler)}
	for _, name := range strings.Fields(providers) {
		open := map[string]func(stock.Endpoint) (stock.Provider, error){"pexels": stock.NewPexels, "unsplash": stock.NewUnsplash}[name]
		p, err := open(stock.Endpoint{BaseURL: api.URL, Key: stockapi.Key})
		if err != nil {
			t.Fatal(err)
		}
		c.Providers = append(c.Providers, p)
	}
	u, err := url.Parse(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	library := stock.New(c)
	return func(r *run, _ *v1beta1.Account, _ *v1beta1.Slideshow) {
		r.r.Stock, r.r.Fetch = library, fetch.New(10*time.Second, u.Host)
	}
}

// shows returns the stock ids of the slides' backgrounds.
func (u *run) shows() []string {
	u.t.Helper()
	s := u.live()
	if s.Status.Work.State != v1beta1.WorkSucceeded {
		u.t.Fatalf("got work %+v", s.Status.Work)
	}
	var out []string
	for _, sl := range s.Status.Slides {
		if sl.Background.Source != "stock" {
			u.t.Errorf("the background of slide %d is from %q", sl.ID, sl.Background.Source)
		}
		out = append(out, sl.Background.ID)
	}
	return out
}

// TestStock_ImagesOfProviders checks that a slideshow shows images of providers and credits their authors. It shows
// and fetches the same images wherever its creation is interrupted.
func TestStock_ImagesOfProviders(t *testing.T) {
	st := newStage(t)
	scenario := func(t *testing.T, ns string, n int, f testkit.Fault) *run {
		api := stockapi.New(t)
		u := st.run(t, ns, &writer{}, n, f, withStock(t, st, api, "pexels unsplash"))
		u.t = t
		ids := u.shows()
		if len(ids) != 3 || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 3 {
			t.Errorf("the slides show %v", ids)
		}
		if n := len(api.Calls("pictures")); n != 3 {
			t.Errorf("got %d fetched images for three slides: %v", n, api.Calls("pictures"))
		}
		told := 0
		for _, sl := range u.live().Status.Slides {
			b := sl.Background
			provider, id, _ := strings.Cut(b.ID, ":")
			if b.MediaID != stock.IDOf(provider, id) || b.Attribution == nil || b.Attribution.Author == "" || b.Attribution.License == "" {
				t.Errorf("got background %+v of %+v", b, b.Attribution)
			}
			if provider == "unsplash" {
				told++
			}
			if img := st.picture(t, b.BlobKey); img.Bounds().Dx() != 1080 {
				t.Errorf("got an image of %v", img.Bounds())
			}
		}
		reports := 0
		for _, c := range api.Calls("unsplash") {
			if strings.Contains(c, "/download") {
				reports++
			}
		}
		if reports != told {
			t.Errorf("Unsplash got %d download reports, want %d", reports, told)
		}
		u.isStable()
		return u
	}
	clean := scenario(t, "photos", 0, "")
	// Faults before the rendering are tested with generated backgrounds.
	for n := len(clean.rec.Writes) - 3; n <= len(clean.rec.Writes); n++ {
		for tag, f := range testkit.Faults() {
			t.Run(fmt.Sprintf("%s %s", clean.rec.Writes[n-1], f), func(t *testing.T) {
				t.Parallel() // each has its own namespace and providers
				scenario(t, fmt.Sprintf("photos-%d-%s", n, tag), n, f)
			})
		}
	}
}

func TestStock_GeneratedBackgroundsReplaceMissingImages(t *testing.T) {
	st := newStage(t)
	for name, prepare := range map[string]func(*stockapi.Server, *v1beta1.Slideshow){
		"failing providers": func(api *stockapi.Server, _ *v1beta1.Slideshow) {
			api.Fail("pexels", http.StatusServiceUnavailable)
		},
		"truncated images":           func(api *stockapi.Server, _ *v1beta1.Slideshow) { api.BreakPictures(true) },
		"providers without a result": func(api *stockapi.Server, _ *v1beta1.Slideshow) { api.Has("pexels", 0) },
		"an image world":             func(_ *stockapi.Server, s *v1beta1.Slideshow) { s.Spec.ImageWorld = "night_sky" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api := stockapi.New(t)
			u := st.run(t, "drawn-"+strings.ReplaceAll(name, " ", "-"), &writer{}, 0, "", withStock(t, st, api, "pexels"),
				func(_ *run, _ *v1beta1.Account, s *v1beta1.Slideshow) { prepare(api, s) })
			for _, id := range u.shows() {
				if !strings.HasPrefix(id, "starter-") {
					t.Errorf("a slide shows %s", id)
				}
			}
			if n := len(api.Calls("pexels")); name == "an image world" && n != 0 {
				t.Errorf("Pexels, which has no image worlds, got %d requests", n)
			}
		})
	}
}

// namingStock sets slides written by hand, one of which names a stock image.
func namingStock(ref string) func(*run, *v1beta1.Account, *v1beta1.Slideshow) {
	return func(_ *run, _ *v1beta1.Account, s *v1beta1.Slideshow) {
		s.Spec.Context = ""
		for i := range 3 {
			s.Spec.Slides = append(s.Spec.Slides, v1beta1.SlideSpec{ID: int64(i + 1), Heading: fmt.Sprintf("Tea %d", i)})
		}
		s.Spec.Slides[1].Image = &v1beta1.SlideImage{Stock: &ref}
	}
}

func TestStock_SlideNamesAnImageOfAProvider(t *testing.T) {
	st := newStage(t)
	api := stockapi.New(t)
	u := st.run(t, "named", &writer{}, 0, "", withStock(t, st, api, "pexels"), namingStock("pexels:1042"))
	ids := u.shows()
	if ids[1] != "pexels:1042" || slices.Contains(ids[:1], "pexels:1042") {
		t.Errorf("the slides show %v", ids)
	}
	// An edit of the text shows the same images, even if no provider responds any more.
	api.Fail("pexels", http.StatusServiceUnavailable)
	fetched := len(api.Calls("pictures"))
	s := u.live()
	s.Spec.Slides[0].Heading, s.Spec.Slides[1].Heading = "Green tea", "Black tea"
	if err := st.cluster.Client.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	u.settle()
	if again := u.shows(); !slices.Equal(again, ids) || u.live().Status.Revision != 2 {
		t.Errorf("revision %d shows %v, not %v", u.live().Status.Revision, again, ids)
	}
	if n := len(api.Calls("pictures")); n != fetched {
		t.Errorf("fetched %d images again", n-fetched)
	}
	if a := u.live().Status.Slides[1].Background.Attribution; a == nil || a.Author != "Ana 42" {
		t.Errorf("got the author %+v", a)
	}
}

func TestStock_MissingImage(t *testing.T) {
	st := newStage(t)
	for ref, want := range map[string]struct {
		code      catalog.Code
		retryable bool
		prepare   func(*stockapi.Server)
	}{
		"pexels:7":          {catalog.ValidationFailed, false, func(*stockapi.Server) {}},
		"pexels:video-5001": {catalog.ValidationFailed, false, func(*stockapi.Server) {}},
		"pexels:1001":       {catalog.GenerationFailed, true, func(a *stockapi.Server) { a.Fail("pexels", http.StatusBadGateway) }},
		"pexels:1002":       {catalog.GenerationFailed, true, func(a *stockapi.Server) { a.BreakPictures(true) }},
		"unsplash:x":        {catalog.ValidationFailed, false, func(*stockapi.Server) {}},
		"other:1":           {catalog.ValidationFailed, false, func(*stockapi.Server) {}},
	} {
		t.Run(ref, func(t *testing.T) {
			t.Parallel()
			api := stockapi.New(t)
			want.prepare(api)
			u := st.run(t, "absent-"+strings.ReplaceAll(ref, ":", "-"), &writer{}, 0, "", withStock(t, st, api, "pexels"), namingStock(ref))
			w := u.live().Status.Work
			if w.State != v1beta1.WorkFailed || w.Error.Code != string(want.code) || w.Error.Retryable != want.retryable || w.Error.Details["field"] != "slides[1].image.stock" {
				t.Errorf("got work %+v, %+v", w, w.Error)
			}
		})
	}
}

func TestStock_SlideNamesAnImageOfTheLibrary(t *testing.T) {
	st := newStage(t)
	ctx := t.Context()
	if err := st.cluster.Client.Create(ctx, testkit.Namespace("shared-media")); err != nil {
		t.Fatal(err)
	}
	u := st.run(t, "library", &writer{}, 0, "", namingStock("library:dunes"), func(u *run, _ *v1beta1.Account, _ *v1beta1.Slideshow) {
		u.r.Library = "shared-media"
		a := &v1beta1.MediaAsset{}
		a.Namespace, a.Name, a.Labels = "shared-media", "dunes", map[string]string{v1beta1.LabelID: "77"}
		a.Spec.Source.BlobKey = ptr.To("imports/shared/dunes.jpg")
		a.Spec.Attribution = &v1beta1.Attribution{Provider: "The museum", Author: "Unknown"}
		if err := st.cluster.Client.Create(ctx, a); err != nil {
			t.Fatal(err)
		}
		p, _ := starter.ByID("starter-desert_dunes-01")
		img, err := starter.Draw(ctx, p, 90, 160)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := jpeg.Encode(&file, img, nil); err != nil {
			t.Fatal(err)
		}
		if err := st.drawer.Store.Put(ctx, "media/shared-media/u/file.jpg", "image/jpeg", &file); err != nil {
			t.Fatal(err)
		}
		a.Status.BlobKey = "media/shared-media/u/file.jpg"
		a.Status.Probe = &v1beta1.MediaProbe{Kind: "image", ContentType: "image/jpeg", Bytes: 1, Width: 90, Height: 160}
		if err := st.cluster.Client.Status().Update(ctx, a); err != nil {
			t.Fatal(err)
		}
	})
	ids := u.shows()
	b := u.live().Status.Slides[1].Background
	if ids[1] != "library:dunes" || b.MediaID != 77 || b.Attribution == nil || b.Attribution.Provider != "The museum" {
		t.Errorf("the slides show %v; %+v of %+v", ids, b, b.Attribution)
	}
}
