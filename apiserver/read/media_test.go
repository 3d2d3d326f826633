// SPDX-License-Identifier: Apache-2.0

package read_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
)

func item(namespace, name, id, brand string) *v1beta1.MediaAsset {
	a := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, ResourceVersion: "1", Labels: map[string]string{v1beta1.LabelID: id}}}
	if brand != "" {
		a.Spec.BrandRef = &v1beta1.LocalRef{Name: brand}
	}
	return a
}

func TestMediaByID(t *testing.T) {
	for _, c := range []struct {
		why    string
		cached []*v1beta1.MediaAsset
		live   []*v1beta1.MediaAsset
		id     int64
		want   string // namespace/name, "" for none
		asks   bool   // whether the cluster is read
	}{
		{"the brand's own", []*v1beta1.MediaAsset{item("n", "mine", "7", "b")}, nil, 7, "n/mine", false},
		{"the account's", []*v1beta1.MediaAsset{item("n", "ours", "7", "")}, nil, 7, "n/ours", false},
		{"everybody's", []*v1beta1.MediaAsset{item("library", "all", "7", "")}, nil, 7, "library/all", false},
		{"the account's before shared ones", []*v1beta1.MediaAsset{item("library", "all", "7", ""), item("n", "ours", "7", "")}, nil, 7, "n/ours", false},
		{"just created by another replica", nil, []*v1beta1.MediaAsset{item("n", "media-7", "7", "b")}, 7, "n/media-7", true},
		{"another brand's", []*v1beta1.MediaAsset{item("n", "theirs", "7", "c")}, nil, 7, "", true},
		{"another brand's, created by another replica", nil, []*v1beta1.MediaAsset{item("n", "media-7", "7", "c")}, 7, "", true},
		{"another account's", []*v1beta1.MediaAsset{item("m", "elsewhere", "7", "")}, nil, 7, "", true},
		{"a brand's in the library's namespace", []*v1beta1.MediaAsset{item("library", "x", "7", "b")}, nil, 7, "", true},
		{"an object with the name but another id", nil, []*v1beta1.MediaAsset{item("n", "media-7", "8", "b")}, 7, "", true},
		{"a stock id without an object", nil, nil, 1 << 52, "", false},
	} {
		x := index.NewMedia(clock.RealClock{}, "library")
		for _, a := range c.cached {
			x.Assets().OnAdd(a, true)
		}
		asked := false
		r := read.Reader{Media: x, Live: interceptor.NewClient(nil, interceptor.Funcs{
			Get: func(_ context.Context, _ client.WithWatch, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
				asked = true
				for _, a := range c.live {
					if client.ObjectKeyFromObject(a) == key {
						a.DeepCopyInto(o.(*v1beta1.MediaAsset))
						return nil
					}
				}
				return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
			},
		})}
		got, err := r.MediaByID(t.Context(), "n", "b", c.id)
		switch {
		case c.want == "" && !errors.Is(err, read.ErrNotFound):
			t.Errorf("%s: got %v %v, want none", c.why, got, err)
		case c.want != "" && (err != nil || got.Namespace+"/"+got.Name != c.want):
			t.Errorf("%s: got %v %v, want %s", c.why, got, err, c.want)
		}
		if asked != c.asks {
			t.Errorf("%s: read from the cluster: %v", c.why, asked)
		}
	}
}

// TestTrimmedMedia_HasTheSameViews compares the views of whole items and of their trimmed form.
func TestTrimmedMedia_HasTheSameViews(t *testing.T) {
	long := strings.Repeat("word ", 200)
	whole := item("n", "media-7", "7", "b")
	whole.Annotations = map[string]string{"kubectl.kubernetes.io/last-applied-configuration": long}
	whole.Finalizers = []string{"reelops.dev/media-blobs"}
	whole.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "a", Time: stamp(1), FieldsV1: &metav1.FieldsV1{}}}
	whole.CreationTimestamp = *stamp(0)
	whole.Spec = v1beta1.MediaAssetSpec{
		BrandRef: whole.Spec.BrandRef, MediaType: "product_demo", Title: "T", Description: "D", Tags: []string{"a", "b"}, PackRef: &v1beta1.LocalRef{Name: "p"},
		ContentType: "video/mp4", Attribution: &v1beta1.Attribution{Provider: "x", Author: "y"}, Source: v1beta1.MediaSource{URL: &long},
	}
	whole.Status = v1beta1.MediaAssetStatus{
		BlobKey: "k", ThumbnailKey: "t", JobName: long, Work: &v1beta1.Work{State: v1beta1.WorkSucceeded, Attempt: 1}, Conditions: []metav1.Condition{{Message: long}},
		Probe: &v1beta1.MediaProbe{Kind: "video", ContentType: "video/mp4", Bytes: 5, Width: 6, Height: 7, DurationMilliseconds: 8, VideoCodec: long, AudioCodec: long, FrameRate: 30},
	}
	failed := whole.DeepCopy()
	failed.Status = v1beta1.MediaAssetStatus{Error: &v1beta1.WorkError{Code: "validation_failed", Message: "No.", Details: map[string]string{"reason": "x"}}}
	brought := whole.DeepCopy()
	brought.OwnerReferences = []metav1.OwnerReference{{APIVersion: long, Kind: "Slideshow", Name: long, UID: "u", Controller: ptr.To(true)}}
	drawn := whole.DeepCopy()
	drawn.Spec.Source = v1beta1.MediaSource{Starter: ptr.To("avatar-1")}
	for _, a := range []*v1beta1.MediaAsset{whole, failed, brought, drawn} {
		part := trimmed(t, a)
		if !read.Partial(part) || part.ResourceVersion != "1" || part.Labels[v1beta1.LabelID] != "7" || part.Spec.BrandRef.Name != "b" || part.Spec.PackRef.Name != "p" {
			t.Errorf("searchable fields are lost: %+v", part)
		}
		if d := cmp.Diff(viewed(t, a), viewed(t, part)); d != "" {
			t.Error(d)
		}
		if view.ImportedForShort(a) != view.ImportedForShort(part) {
			t.Error("the mark of images fetched for slides is lost")
		}
		if d := cmp.Diff(a.Spec.Source.Starter, part.Spec.Source.Starter); d != "" {
			t.Error(d)
		}
		doc := strings.Join([]string{part.Status.JobName, part.Name, part.Spec.Title}, " ")
		if part.Status.Work != nil || part.Status.Conditions != nil || part.Spec.Source.URL != nil || strings.Contains(doc, "word word") || len(part.Finalizers)+len(part.ManagedFields) > 0 {
			t.Errorf("large fields are cached: %+v", part)
		}
	}
}

func viewed(t *testing.T, a *v1beta1.MediaAsset) *view.MediaItem {
	t.Helper()
	out, err := view.MediaOf(7, a, "own", 3, sign)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sign(key string, _ time.Duration) (string, error) { return "https://x.example/" + key, nil }
