// SPDX-License-Identifier: Apache-2.0

package v1beta1_test

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// cluster is the test cluster of all tests of the package.
var cluster testkit.Shared

func TestMain(m *testing.M) { cluster.Main(m) }

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "default", Name: name} }

func show(change func(*v1beta1.SlideshowSpec)) *v1beta1.Slideshow {
	s := testkit.Slideshow("default", "show", "acme", "Three tips for tidy desks.")
	change(&s.Spec)
	return s
}

// Objects are rejected with the message of the rule that they violate: each case contains a part of that message.
func TestRefusedAtOnce(t *testing.T) {
	cluster.Start(t)
	slides := func(n int) []v1beta1.SlideSpec {
		out := make([]v1beta1.SlideSpec, n)
		for i := range out {
			out[i].Heading = "Heading"
		}
		return out
	}
	plan := func(p v1beta1.Plan) *v1beta1.Account {
		return &v1beta1.Account{ObjectMeta: meta("account"), Spec: v1beta1.AccountSpec{Email: "a@b.c", Plan: p}}
	}
	for _, c := range []struct {
		why    string
		object client.Object
		say    string
	}{
		{"an account by another name", &v1beta1.Account{ObjectMeta: meta("acme"), Spec: v1beta1.AccountSpec{Email: "a@b.c"}}, "a namespace is one account"},
		{"an email that is none", &v1beta1.Account{ObjectMeta: meta("account"), Spec: v1beta1.AccountSpec{Email: "nobody"}}, "email must look like name@domain"},
		{"a retention of no days", plan(v1beta1.Plan{DeleteArchivedAfterDays: ptr.To[int32](0)}), "should be greater than or equal to 1"},
		{"a retention without an archive", plan(v1beta1.Plan{ArchiveAfterDays: ptr.To[int32](0), DeleteArchivedAfterDays: ptr.To[int32](9)}), "archiveAfterDays 0 switches archiving off"},
		{"a website that is no URL", &v1beta1.Brand{ObjectMeta: meta("acme"), Spec: v1beta1.BrandSpec{Website: "acme"}}, "website must be a URL"},
		{"two slides asked for", show(func(s *v1beta1.SlideshowSpec) { s.SlideCount = 2 }), "slideCount must be 0 (automatic) or from 3 to 12"},
		{"thirteen slides asked for", show(func(s *v1beta1.SlideshowSpec) { s.SlideCount = 13 }), "slideCount must be 0 (automatic) or from 3 to 12"},
		{"nothing to say", show(func(s *v1beta1.SlideshowSpec) { s.Context = "  " }), "needs context (the input of text generation) or slides"},
		{"a context that is too long", show(func(s *v1beta1.SlideshowSpec) { s.Context = strings.Repeat("x", 5001) }), "may not be more than 5000"},
		{"thirteen slides by hand", show(func(s *v1beta1.SlideshowSpec) { s.Slides = slides(13) }), "must have at most 12 items"},
		{"an empty slide", show(func(s *v1beta1.SlideshowSpec) { s.Slides = slides(3); s.Slides[1] = v1beta1.SlideSpec{} }), "a slide needs a heading, textOverlays or an image"},
		{"heading and overlays on one slide", show(func(s *v1beta1.SlideshowSpec) {
			s.Slides = slides(3)
			s.Slides[0].TextOverlays = &[]v1beta1.TextOverlay{{Text: "x"}}
		}), "not both"},
		{"nine overlays", show(func(s *v1beta1.SlideshowSpec) {
			s.Slides = slides(3)
			nine := make([]v1beta1.TextOverlay, 9)
			for i := range nine {
				nine[i].Text = "x"
			}
			s.Slides[0] = v1beta1.SlideSpec{TextOverlays: &nine}
		}), "must have at most 8 items"},
		{"an id on some slides only", show(func(s *v1beta1.SlideshowSpec) { s.Slides = slides(3); s.Slides[0].ID = 7 }), "give every slide an id, or none"},
		{"an id on two slides", show(func(s *v1beta1.SlideshowSpec) {
			s.Slides = slides(3)
			s.Slides[0].ID, s.Slides[1].ID, s.Slides[2].ID = 2, 1, 2
		}), "the id of a slide must be unique"},
		{"an id below one", show(func(s *v1beta1.SlideshowSpec) {
			s.Slides = slides(3)
			s.Slides[0].ID, s.Slides[1].ID, s.Slides[2].ID = -1, 1, 2
		}), "greater than or equal to 1"},
		{"a role that is none", show(func(s *v1beta1.SlideshowSpec) { s.Slides = slides(3); s.Slides[0].Role = "villain" }), `supported values: "hook"`},
		{"a picture of two sources", show(func(s *v1beta1.SlideshowSpec) {
			s.Slides = slides(3)
			s.Slides[0].Image = &v1beta1.SlideImage{Stock: ptr.To("a"), MediaRef: &v1beta1.LocalRef{Name: "b"}}
		}), "give exactly one of stock"},
		{"a pack that is not named", show(func(s *v1beta1.SlideshowSpec) { s.ImageSource = &v1beta1.ImageSource{Type: "pack"} }), "needs packRef"},
		{"an unknown ratio", show(func(s *v1beta1.SlideshowSpec) { s.AspectRatio = "16:9" }), `supported values: "9:16", "4:5"`},
		{"a colour that is none", show(func(s *v1beta1.SlideshowSpec) { s.Gradient = &v1beta1.Gradient{Color: "black"} }), "gradient.color"},
		{"media of two sources", &v1beta1.MediaAsset{ObjectMeta: meta("m"), Spec: v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{URL: ptr.To("https://a.b/c"), BlobKey: ptr.To("x")}}}, "give exactly one of url"},
		{"media of no source", &v1beta1.MediaAsset{ObjectMeta: meta("m")}, "give exactly one of url"},
		{"a key with a broken hash", &v1beta1.APIKey{ObjectMeta: meta("k"), Spec: v1beta1.APIKeySpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, DisplayName: "k", SecretSHA256: "abc"}}, "secretSHA256"},
		{"a slideshow with a long name", testkit.Slideshow("default", strings.Repeat("a", 51), "acme", "Three tips."), "at most 50 characters"},
		{"a brand with a long name", testkit.Brand("default", strings.Repeat("a", 64)), "at most 63 characters"},
		{"another format", &v1beta1.RenderJob{ObjectMeta: meta("r"), Spec: v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Name: "show"}, Format: "photos"}}, `supported values: "video"`},
	} {
		t.Run(c.why, func(t *testing.T) {
			err := cluster.Client.Create(context.Background(), c.object)
			if err == nil {
				_ = cluster.Client.Delete(context.Background(), c.object)
				t.Fatal("it was accepted")
			}
			if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.say)) {
				t.Errorf("refused with %q, which does not say %q", err, c.say)
			}
		})
	}
}

func TestWhatCannotChange(t *testing.T) {
	cluster.Start(t)
	ctx := context.Background()
	key := &v1beta1.APIKey{ObjectMeta: meta("key"), Spec: v1beta1.APIKeySpec{
		BrandRef: v1beta1.LocalRef{Name: "acme"}, DisplayName: "k", SecretSHA256: strings.Repeat("a", 64), Revoked: true,
	}}
	job := &v1beta1.RenderJob{ObjectMeta: meta("job"), Spec: v1beta1.RenderJobSpec{Source: v1beta1.RenderSource{Name: "show"}}}
	asset := &v1beta1.MediaAsset{ObjectMeta: meta("asset"), Spec: v1beta1.MediaAssetSpec{Source: v1beta1.MediaSource{BlobKey: ptr.To("x")}}}
	slideshow := show(func(*v1beta1.SlideshowSpec) {})
	for _, o := range []client.Object{key, job, asset, slideshow} {
		if err := cluster.Client.Create(ctx, o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cluster.Client.Delete(ctx, o) })
	}
	for _, c := range []struct {
		why    string
		object client.Object
		change func()
		say    string
	}{
		{"a revoked key comes back", key, func() { key.Spec.Revoked = false }, "a revoked key stays revoked"},
		{"a key gets another secret", key, func() { key.Spec.SecretSHA256 = strings.Repeat("b", 64) }, "secretSHA256 cannot be changed"},
		{"a key moves to another brand", key, func() { key.Spec.BrandRef.Name = "other" }, "brandRef cannot be changed"},
		{"a render renders something else", job, func() { job.Spec.Source.Name = "other" }, "a RenderJob cannot be changed"},
		{"an asset gets another file", asset, func() { asset.Spec.Source.BlobKey = ptr.To("y") }, "source cannot be changed"},
		{"a slideshow moves to another brand", slideshow, func() { slideshow.Spec.BrandRef.Name = "other" }, "brandRef cannot be changed"},
	} {
		t.Run(c.why, func(t *testing.T) {
			if err := cluster.Client.Get(ctx, client.ObjectKeyFromObject(c.object), c.object); err != nil {
				t.Fatal(err)
			}
			c.change()
			if err := cluster.Client.Update(ctx, c.object); err == nil || !strings.Contains(err.Error(), c.say) {
				t.Errorf("%v, want a refusal that says %q", err, c.say)
			}
		})
	}
}

// Values that the renderer cannot draw are accepted, because normalization corrects them.
func TestOddOverlaysAreTaken(t *testing.T) {
	cluster.Start(t)
	odd := []v1beta1.TextOverlay{
		{Text: "", FontSize: -5, FontWeight: 9000, Color: "rgb(255, 255, 255)"},
		{Text: "x", FontFamily: "Papyrus", FontSize: 4000, StrokeWidth: ptr.To(-3.0), Position: &v1beta1.Position{X: 4000, Y: -20}, MaxWidth: 300, LineHeight: 50},
	}
	s := show(func(s *v1beta1.SlideshowSpec) {
		s.Slides = []v1beta1.SlideSpec{{ID: 3, TextOverlays: &odd}, {ID: 1, Heading: "One"}, {ID: 2, Heading: "Two", Role: "hook"}}
	})
	s.Name = "odd"
	if err := cluster.Client.Create(context.Background(), s); err != nil {
		t.Fatal(err)
	}
}
