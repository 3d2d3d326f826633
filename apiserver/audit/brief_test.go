// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

func show(change func(*v1beta1.SlideshowSpec)) *v1beta1.Slideshow {
	s := &v1beta1.Slideshow{Spec: v1beta1.SlideshowSpec{
		BrandRef: v1beta1.LocalRef{Name: "acme"}, Context: "Sleep well.", Title: ptr.To("Old"),
		Slides: []v1beta1.SlideSpec{{Heading: "One"}, {Heading: "Two"}, {Heading: "Three"}},
	}}
	if change != nil {
		change(&s.Spec)
	}
	return s
}

func TestDifference(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range []struct {
		why           string
		before, after client.Object
		was, is       brief
	}{
		{"nothing", show(nil), show(nil), brief{}, brief{}},
		{
			"contains only differences", show(nil), show(func(s *v1beta1.SlideshowSpec) { s.Title, s.Slides[1].Heading = ptr.To("New"), "Zwei" }),
			brief{"title": "Old", "slides[1].heading": "Two"},
			brief{"title": "New", "slides[1].heading": "Zwei"},
		},
		{
			"contains added and removed fields", show(nil), show(func(s *v1beta1.SlideshowSpec) { s.Title, s.Caption = nil, ptr.To("Good night") }),
			brief{"title": "Old"},
			brief{"caption": "Good night"},
		},
		{
			"a long text is truncated", show(nil), show(func(s *v1beta1.SlideshowSpec) { s.Title = &long }),
			brief{"title": "Old"},
			brief{"title": long[:80] + "… (300 characters)"},
		},
		{
			"a long list is counted", show(nil), show(func(s *v1beta1.SlideshowSpec) { s.Slides = append(s.Slides, s.Slides...) }),
			brief{"slides": "[3 items]"},
			brief{"slides": "[6 items]"},
		},
		{
			"credentials are removed from URLs", show(nil),
			show(func(s *v1beta1.SlideshowSpec) {
				s.Title = ptr.To("see https://u:p@a.example/b?signature=s3cr3t#f and\nhttps://b.example/c")
			}),
			brief{"title": "Old"},
			brief{"title": "see https://…@a.example/b?… and https://b.example/c"},
		},
		{
			"control and direction characters are removed", show(nil), show(func(s *v1beta1.SlideshowSpec) { s.Title = ptr.To("a\u202eb\x00c 👩\u200d🚀") }),
			brief{"title": "Old"},
			brief{"title": "a b c 👩\u200d🚀"},
		},
		{
			"a significant annotation", show(nil), &v1beta1.Slideshow{
				ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{v1beta1.AnnotationRetry: "r", "kubectl.kubernetes.io/x": "y"}, Labels: map[string]string{v1beta1.LabelID: "7"}},
				Spec:       show(nil).Spec,
			},
			brief{},
			brief{"annotations.reelops.dev/retry": "r"},
		},
		{
			"secrets are redacted", nil, &v1beta1.ConnectionRequest{Spec: v1beta1.ConnectionRequestSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, Platform: "tiktok", SealedCode: "c0de", Nonce: "n0nce",
			}},
			brief{},
			brief{"brandRef.name": "acme", "platform": "tiktok", "sealedCode": "[redacted]", "nonce": "[redacted]"},
		},
		{
			"a creation lists all fields, truncated", nil, &v1beta1.PostBatch{Spec: v1beta1.PostBatchSpec{
				ShortRef: v1beta1.ShortRef{ID: 5}, ScheduledAt: &metav1.Time{Time: time.Unix(1800000000, 0)}, Platforms: []v1beta1.Platform{"tiktok", "youtube"},
				Accounts: []v1beta1.PostTarget{{Name: "a", PostID: 9}},
			}},
			brief{},
			brief{
				"brandRef.name": "", "shortRef.id": int64(5), "scheduledAt": "2027-01-15T08:00:00Z", "platforms": []any{"tiktok", "youtube"},
				"accounts[0].name": "a", "accounts[0].postID": int64(9),
			},
		},
		{
			"a deletion lists the previous values", &v1beta1.MediaAsset{Spec: v1beta1.MediaAssetSpec{Title: "Pillow"}}, nil,
			brief{"title": "Pillow"},
			brief{},
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			was, is := difference(c.before, c.after)
			delete(was, "source")
			if diff := cmp.Diff(c.was, was); diff != "" {
				t.Errorf("difference before:\n%s", diff)
			}
			if diff := cmp.Diff(c.is, is); diff != "" {
				t.Errorf("difference after:\n%s", diff)
			}
		})
	}
}

func TestDifferenceIsBounded(t *testing.T) {
	tags := make([]v1beta1.TextOverlay, 8)
	for i := range tags {
		tags[i] = v1beta1.TextOverlay{Text: strings.Repeat("t", 400), Color: "#fff"}
	}
	_, is := difference(show(nil), show(func(s *v1beta1.SlideshowSpec) {
		for i := range s.Slides {
			s.Slides[i].TextOverlays = &tags
			s.Slides[i].AltText, s.Slides[i].Body, s.Slides[i].Role = "a", "b", "hook"
		}
		s.Gradient = &v1beta1.Gradient{Color: "#000", Direction: "top", Enabled: ptr.To(true), Opacity: ptr.To(.5), Coverage: ptr.To(.5)}
		s.Title, s.Caption, s.Tags, s.Language, s.ImageWorld = ptr.To("a"), ptr.To("b"), ptr.To("c"), "en", "night_sky"
		s.DesignStyle, s.AspectRatio, s.AutoRender, s.Suspend, s.SlideCount = "bold", "4:5", true, true, 3
	}))
	if len(is) != maxFields+1 || is[more] == nil {
		t.Errorf("got %d fields: %v", len(is), is)
	}
}

func FuzzLine(f *testing.F) {
	f.Add("https://a@b?c#d", 5)
	f.Add("\xff\u202e://x", 0)
	f.Fuzz(func(t *testing.T, s string, most int) {
		if most < 0 || most > 1000 {
			return
		}
		out := line(s, most)
		if strings.ContainsAny(out, "\n\r\x00\u202e") {
			t.Errorf("%q", out)
		}
		if n := len([]rune(out)); n > most+40 {
			t.Errorf("got %d characters: %q", n, out)
		}
	})
}

func TestActor_IsDescribedInNotes(t *testing.T) {
	for want, a := range map[string]Actor{
		"by key 3 (web)":                            {Kind: ByKey, KeyID: "3", KeyName: "web"},
		"by a user with a link of key 3":            {Kind: ByLink, KeyID: "3"},
		"by a user with a link of anna@example.com": {Kind: ByLink, User: "anna@example.com"},
		"by anna@example.com in the console":        {Kind: ByUser, User: "anna@example.com"},
		"by an unknown caller":                      {},
	} {
		if got := a.who(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
