// SPDX-License-Identifier: Apache-2.0

package read_test

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/read"
)

// cluster returns a reader that responds to live reads by name from the given objects.
func cluster(reads *int, videos []*v1beta1.Video, shows ...*v1beta1.Slideshow) client.Reader {
	return interceptor.NewClient(nil, interceptor.Funcs{
		Get: func(_ context.Context, _ client.WithWatch, key client.ObjectKey, o client.Object, _ ...client.GetOption) error {
			*reads++
			if o, ok := o.(*v1beta1.Video); ok {
				for _, v := range videos {
					if client.ObjectKeyFromObject(v) == key {
						v.DeepCopyInto(o)
						return nil
					}
				}
				return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
			}
			for _, s := range shows {
				if client.ObjectKeyFromObject(s) == key {
					s.DeepCopyInto(o.(*v1beta1.Slideshow))
					return nil
				}
			}
			return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
		},
	})
}

func named(name, id, brand string) *v1beta1.Slideshow {
	s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name, ResourceVersion: "1", Labels: map[string]string{v1beta1.LabelID: id}}}
	s.Spec.BrandRef.Name, s.Spec.Context = brand, "all of it"
	return s
}

func TestShortsByID(t *testing.T) {
	for _, c := range []struct {
		why     string
		cached  []*v1beta1.Slideshow
		live    []*v1beta1.Slideshow
		part    string // name that Short finds
		whole   string // name that WholeShort finds
		byIndex bool   // Short needs no live read
	}{
		{"cached, and in the cluster", []*v1beta1.Slideshow{named("mine", "7", "b")}, []*v1beta1.Slideshow{named("mine", "7", "b")}, "mine", "mine", true},
		{"just created by another replica", nil, []*v1beta1.Slideshow{named("slideshow-7", "7", "b")}, "slideshow-7", "slideshow-7", false},
		{"just deleted", []*v1beta1.Slideshow{named("mine", "7", "b")}, nil, "mine", "", true},
		{"another brand's", []*v1beta1.Slideshow{named("mine", "7", "other")}, []*v1beta1.Slideshow{named("mine", "7", "other")}, "", "", true},
		{"another brand's, created by another replica", nil, []*v1beta1.Slideshow{named("slideshow-7", "7", "other")}, "", "", false},
		{"an object with the name but another id", nil, []*v1beta1.Slideshow{named("slideshow-7", "8", "b")}, "", "", false},
		{"an unknown id", nil, nil, "", "", false},
	} {
		x := index.New(clock.RealClock{})
		for _, s := range c.cached {
			part, err := read.Trim(s.DeepCopy())
			if err != nil {
				t.Fatal(err)
			}
			x.Slideshows().OnAdd(part, true)
		}
		reads := 0
		r := read.Reader{Live: cluster(&reads, nil, c.live...), Index: x}
		part, err := r.Short(t.Context(), "n", "b", 7)
		check(t, c.why+", in part", part, err, c.part)
		if (reads == 0) != c.byIndex {
			t.Errorf("%s: %d live reads", c.why, reads)
		}
		whole, err := r.WholeShort(t.Context(), "n", "b", 7)
		check(t, c.why+", whole", whole, err, c.whole)
		if c.whole != "" && (read.Partial(whole.Show) || whole.Show.Spec.Context == "") {
			t.Errorf("%s: the whole short is trimmed", c.why)
		}
	}
}

func TestVideosByID(t *testing.T) {
	video := func(name, id, brand string) *v1beta1.Video {
		hook := "all of it"
		v := &v1beta1.Video{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name, ResourceVersion: "1", Labels: map[string]string{v1beta1.LabelID: id}}}
		v.Spec.BrandRef.Name, v.Spec.HookText = brand, &hook
		return v
	}
	for _, c := range []struct {
		why                string
		cached, live, want *v1beta1.Video
	}{
		{"cached, and in the cluster", video("mine", "7", "b"), video("mine", "7", "b"), video("mine", "7", "b")},
		{"just created by another replica", nil, video("video-7", "7", "b"), video("video-7", "7", "b")},
		{"another brand's", video("mine", "7", "other"), video("mine", "7", "other"), nil},
		{"another brand's, created by another replica", nil, video("video-7", "7", "other"), nil},
		{"an object with the name but another id", nil, video("video-7", "8", "b"), nil},
	} {
		x := index.New(clock.RealClock{})
		if c.cached != nil {
			x.Videos().OnAdd(trimmed(t, c.cached), true)
		}
		reads := 0
		r := read.Reader{Live: cluster(&reads, []*v1beta1.Video{c.live}), Index: x}
		part, err := r.Short(t.Context(), "n", "b", 7)
		whole, err2 := r.WholeShort(t.Context(), "n", "b", 7)
		if c.want == nil {
			if !errors.Is(err, read.ErrNotFound) || !errors.Is(err2, read.ErrNotFound) {
				t.Errorf("%s: %v, %v", c.why, err, err2)
			}
			continue
		}
		if err != nil || part.Video == nil || part.Show != nil || part.Video.Name != c.want.Name {
			t.Errorf("%s: %v %v", c.why, part, err)
		}
		if err2 != nil || whole.Video == nil || whole.Video.Spec.HookText == nil || read.Partial(whole.Video) {
			t.Errorf("%s, whole: %v %v", c.why, whole.Video, err2)
		}
	}
}

func check(t *testing.T, why string, got index.Short, err error, want string) {
	t.Helper()
	switch {
	case want == "" && !errors.Is(err, read.ErrNotFound):
		t.Errorf("%s: got %v %v, want none", why, got.Show, err)
	case want != "" && (err != nil || got.Show.Name != want || got.ID != 7):
		t.Errorf("%s: got %v %v, want %s", why, got.Show, err, want)
	}
}
