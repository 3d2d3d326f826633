// SPDX-License-Identifier: Apache-2.0

package v1beta1_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

func video(change func(*v1beta1.VideoSpec)) *v1beta1.Video {
	v := &v1beta1.Video{ObjectMeta: meta("spelled"), Spec: v1beta1.VideoSpec{
		BrandRef: v1beta1.LocalRef{Name: "acme"}, Avatar: v1beta1.ClipSource{MediaRef: &v1beta1.LocalRef{Name: "avatar"}},
	}}
	change(&v.Spec)
	return v
}

func post(change func(*v1beta1.PostSpec)) *v1beta1.Post {
	p := &v1beta1.Post{ObjectMeta: meta("spelled"), Spec: v1beta1.PostSpec{
		BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "promo", Account: "maya", Platform: "tiktok", ShortID: 7,
		Media: v1beta1.PostMedia{Kind: "video"}, PostingMode: "direct", ScheduledAt: metav1.NewMicroTime(time.Now().Add(time.Hour)),
	}}
	change(&p.Spec)
	return p
}

func brand(change func(*v1beta1.PostSettings)) *v1beta1.Brand {
	b := testkit.Brand("default", "spelled")
	b.Spec.PostingDefaults = &v1beta1.PostSettings{}
	change(b.Spec.PostingDefaults)
	return b
}

// TestSpellings creates objects with the new spelling of a field, the deprecated one, both with one value and both with
// different values. Only the last is rejected.
func TestSpellings(t *testing.T) {
	cluster.Start(t)
	type settings = v1beta1.PostSettings
	for name, c := range map[string]struct {
		object  client.Object
		refused string // empty: accepted
	}{
		"tags of a slideshow":     {show(func(s *v1beta1.SlideshowSpec) { s.Tags = ptr.To("tea, green tea") }), ""},
		"hashtags of a slideshow": {show(func(s *v1beta1.SlideshowSpec) { s.Hashtags = &[]string{"tea", "green tea"} }), ""},
		"no hashtags":             {show(func(s *v1beta1.SlideshowSpec) { s.Hashtags = &[]string{} }), ""},
		"equal hashtags and tags": {show(func(s *v1beta1.SlideshowSpec) {
			s.Hashtags, s.Tags = &[]string{"tea", "green tea"}, ptr.To("tea, green tea")
		}), ""},
		"other hashtags than tags":            {show(func(s *v1beta1.SlideshowSpec) { s.Hashtags, s.Tags = &[]string{"tea"}, ptr.To("coffee") }), "hashtags and tags differ"},
		"a hashtag that is a list":            {show(func(s *v1beta1.SlideshowSpec) { s.Hashtags = &[]string{"tea,coffee"} }), "spec.hashtags[0]"},
		"hashtags of a video":                 {video(func(s *v1beta1.VideoSpec) { s.Hashtags = &[]string{"tea"} }), ""},
		"other hashtags than tags of a video": {video(func(s *v1beta1.VideoSpec) { s.Hashtags, s.Tags = &[]string{"tea"}, ptr.To("coffee") }), "hashtags and tags differ"},
		"the time of a slide": {show(func(s *v1beta1.SlideshowSpec) {
			s.Slides = []v1beta1.SlideSpec{{Heading: "Tea", DurationMilliseconds: 1001}}
		}), ""},
		"the time of a slide twice": {show(func(s *v1beta1.SlideshowSpec) {
			s.Slides = []v1beta1.SlideSpec{{Heading: "Tea", DurationMilliseconds: 1001, DurationSeconds: 1.001}}
		}), ""},
		"two times of a slide": {show(func(s *v1beta1.SlideshowSpec) {
			s.Slides = []v1beta1.SlideSpec{{Heading: "Tea", DurationMilliseconds: 2000, DurationSeconds: 3}}
		}), "durationMilliseconds and durationSeconds differ"},
		"a cover": {brand(func(s *settings) { s.Cover = &v1beta1.PostCover{OffsetMilliseconds: ptr.To[int64](1)} }), ""},
		"the same cover": {brand(func(s *settings) {
			s.Cover = &v1beta1.PostCover{OffsetMilliseconds: ptr.To[int64](1), OffsetMillis: ptr.To[int64](1)}
		}), ""},
		"another cover": {brand(func(s *settings) {
			s.Cover = &v1beta1.PostCover{OffsetMilliseconds: ptr.To[int64](1), OffsetMillis: ptr.To[int64](2)}
		}), "offsetMilliseconds and offsetMillis differ"},
		"a second cover": {brand(func(s *settings) {
			s.Cover = &v1beta1.PostCover{OffsetMilliseconds: ptr.To[int64](1), Slide: ptr.To[int32](2)}
		}), "a cover is exactly one of"},
		"a reel's cover": {brand(func(s *settings) { s.Instagram = &v1beta1.InstagramSettings{CoverOffsetMilliseconds: ptr.To[int64](1)} }), ""},
		"a reel's covers": {brand(func(s *settings) {
			s.Instagram = &v1beta1.InstagramSettings{CoverOffsetMilliseconds: ptr.To[int64](1), CoverOffsetMillis: ptr.To[int64](2)}
		}), "coverOffsetMilliseconds and coverOffsetMillis differ"},
		"a post as v0.1.0 writes it": {post(func(s *v1beta1.PostSpec) {
			s.Media.DurationMillis, s.Media.Cover = 9000, &v1beta1.PostMediaCover{OffsetMillis: ptr.To[int64](1)}
		}), ""},
		"a post as it is written now": {post(func(s *v1beta1.PostSpec) {
			s.BatchRef, s.AccountRef = &v1beta1.LocalRef{Name: "promo"}, &v1beta1.LocalRef{Name: "maya"}
			s.Media.SetMilliseconds(9000)
			s.Media.Cover = v1beta1.VideoCoverAt(1)
		}), ""},
		"a post of two accounts":  {post(func(s *v1beta1.PostSpec) { s.AccountRef = &v1beta1.LocalRef{Name: "noor"} }), "must name the same SocialAccount"},
		"a post of two batches":   {post(func(s *v1beta1.PostSpec) { s.BatchRef = &v1beta1.LocalRef{Name: "other"} }), "must name the same PostBatch"},
		"a post of two durations": {post(func(s *v1beta1.PostSpec) { s.Media.DurationMilliseconds = 2 }), "durationMilliseconds and durationMillis must be equal"},
		"a post of two covers": {post(func(s *v1beta1.PostSpec) {
			s.Media.Cover = &v1beta1.PostMediaCover{OffsetMilliseconds: ptr.To[int64](1)}
		}), "offsetMilliseconds and offsetMillis must be equal"},
	} {
		t.Run(name, func(t *testing.T) {
			c.object.SetName("spelled")
			err := cluster.Client.Create(t.Context(), c.object, client.DryRunAll)
			if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
				t.Errorf("got %v, want a refusal with %q", err, c.refused)
			}
		})
	}
}

// TestEditsKeepTheSpelling: a program that changes the tags keeps the field that the manifest uses.
func TestEditsKeepTheSpelling(t *testing.T) {
	cluster.Start(t)
	type tags struct {
		List *[]string
		Text *string
	}
	for name, c := range map[string]struct {
		before tags
		set    *string
		want   tags
		reads  *string
	}{
		"nothing set":         {tags{}, ptr.To("a,b"), tags{Text: ptr.To("a,b")}, ptr.To("a,b")},
		"deprecated":          {tags{Text: ptr.To("x")}, ptr.To("a, b"), tags{Text: ptr.To("a, b")}, ptr.To("a, b")},
		"deprecated, removed": {tags{Text: ptr.To("x")}, nil, tags{}, nil},
		"new":                 {tags{List: &[]string{"x"}}, ptr.To("a, b,"), tags{List: &[]string{"a", "b"}}, ptr.To("a,b")},
		"new, emptied":        {tags{List: &[]string{"x"}}, ptr.To(""), tags{List: &[]string{}}, ptr.To("")},
		"new, removed":        {tags{List: &[]string{"x"}}, nil, tags{}, nil},
		"both":                {tags{List: &[]string{"x"}, Text: ptr.To("x")}, ptr.To("a"), tags{List: &[]string{"a"}}, ptr.To("a")},
	} {
		s := v1beta1.SlideshowSpec{Hashtags: c.before.List, Tags: c.before.Text}
		s.SetTagText(c.set)
		if d := cmp.Diff(c.want, tags{s.Hashtags, s.Tags}); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(c.reads, s.TagText()); d != "" {
			t.Errorf("%s is read as another: %s", name, d)
		}
	}
}

// TestFieldSelectors lists posts by the fields that an operator selects on, in both versions.
func TestFieldSelectors(t *testing.T) {
	cluster.Start(t)
	for account, platform := range map[string]v1beta1.Platform{"maya": "tiktok", "noor": "linkedin"} {
		p := post(func(s *v1beta1.PostSpec) { s.Account, s.Platform = account, platform })
		p.Name = "selected-" + account
		if err := cluster.Client.Create(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		p.Status.State = v1beta1.PostScheduled
		if err := cluster.Client.Status().Update(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, by := range []client.MatchingFields{
		{"spec.account": "noor"}, {"spec.platform": "linkedin", "status.state": "scheduled"}, {"spec.account": "noor", "spec.brandRef.name": "acme"},
	} {
		for _, version := range []string{"v1beta1", "v1alpha1"} {
			list := &metav1.PartialObjectMetadataList{}
			list.SetGroupVersionKind(v1beta1.GroupVersion.WithKind("PostList"))
			list.APIVersion = v1beta1.GroupVersion.Group + "/" + version
			if err := cluster.Client.List(t.Context(), list, client.InNamespace("default"), by); err != nil || len(list.Items) != 1 || list.Items[0].Name != "selected-noor" {
				t.Errorf("%s by %v: %v, %d posts", version, by, err, len(list.Items))
			}
		}
	}
}
