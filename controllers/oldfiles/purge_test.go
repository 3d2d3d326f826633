// SPDX-License-Identifier: Apache-2.0

package oldfiles

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	testclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/testkit"
)

// Files have the time of the file system, so the clock runs ahead of it.
func purge(t *testing.T, age time.Duration, c client.Reader, keys ...string) *Purge {
	t.Helper()
	clk := testclock.NewFakeClock(time.Now().Add(age))
	return &Purge{Client: c, Live: c, Store: testkit.Files(t, clk, keys...), Clock: clk}
}

func post(name string, state v1beta1.PostState, ended time.Time) *v1beta1.Post {
	p := &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: name, UID: types.UID(name)}}
	p.Status.State = state
	if !ended.IsZero() {
		p.Status.FinishedAt = &metav1.Time{Time: ended}
	}
	return p
}

func TestPass(t *testing.T) {
	const age = 8 * 24 * time.Hour
	now := time.Now().Add(age)
	restored := post("restored", v1beta1.PostScheduled, time.Time{})
	const original = "0b6f9f1e-7c39-4a39-9f0a-6f5b6d0c7e11"
	v1beta1.SetOrigin(restored, original, metav1.Now())
	objects := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(
		post("open", v1beta1.PostScheduled, time.Time{}), post("new", "", time.Time{}),
		post("recent", v1beta1.PostSuccess, now.Add(-imageAge+time.Minute)),
		post("ended", v1beta1.PostFailed, now.Add(-imageAge-time.Minute)), restored,
	).Build()
	all := map[string]bool{ // whether a pass deletes the file
		"renders/acme/1/pack":                     true,
		"renders/acme/1/film.mp4":                 false,
		"renders/acme/1/a1/pack":                  false,
		"posts/acme/open/digest/photo-01.jpg":     false,
		"posts/acme/new/digest/photo-01.jpg":      false,
		"posts/acme/recent/digest/cover.jpg":      false,
		"posts/acme/ended/digest/photo-01.jpg":    true,
		"posts/acme/" + original + "/d/cover.jpg": false,
		"posts/acme/gone/digest/photo-01.jpg":     true,
		"posts/other/open/digest/photo-01.jpg":    true,
		"shorts/acme/1/r1/pack":                   false,
	}
	var keys, want []string
	for k, old := range all {
		keys = append(keys, k)
		if !old {
			want = append(want, k)
		}
	}
	p := purge(t, age, objects, keys...)
	n, err := p.Pass(t.Context())
	if err != nil || n != len(all)-len(want) {
		t.Errorf("deleted %d files, %v; want %d", n, err, len(all)-len(want))
	}
	slices.Sort(want)
	if got := testkit.Keys(t, p.Store); !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
}

func TestPass_KeepsRecentFiles(t *testing.T) {
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).Build()
	for age, want := range map[time.Duration]int{
		imageAge - time.Minute: 0, imageAge + time.Minute: 1, cacheAge - time.Minute: 1, cacheAge + time.Minute: 2,
	} {
		p := purge(t, age, c, "renders/acme/1/pack", "posts/acme/gone/digest/photo-01.jpg")
		if n, err := p.Pass(t.Context()); n != want || err != nil {
			t.Errorf("after %s: deleted %d files, %v; want %d", age, n, err, want)
		}
	}
}

func TestPass_DeletesRecordsAndEmbeddingsThatAreNotUsed(t *testing.T) {
	record := func(provider, id string) string { return stock.RecordKey(stock.IDOf(provider, id)) }
	named := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "named"}}
	named.Spec.Slides = []v1beta1.SlideSpec{{ID: 1, Image: &v1beta1.SlideImage{Stock: ptr.To("pexels:1")}}, {ID: 2}}
	shown := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "shown"}}
	shown.Status.Slides = []v1beta1.Slide{
		{Background: v1beta1.SlideBackground{Source: "stock", ID: "pixabay:2"}},
		{Background: v1beta1.SlideBackground{Source: "media", ID: "pexels:3"}},
	}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(named, shown).Build()
	keys := []string{record("pexels", "1"), record("pixabay", "2"), record("pexels", "3"), "stock/embeddings/model/text"}
	for age, left := range map[time.Duration][]string{
		stock.RecordTime - time.Minute: keys,
		stock.RecordTime + time.Minute: keys[:2],
	} {
		p := purge(t, age, c, keys...)
		if _, err := p.Pass(t.Context()); err != nil {
			t.Error(err)
		}
		want := slices.Sorted(slices.Values(left))
		if got := testkit.Keys(t, p.Store); !slices.Equal(got, want) {
			t.Errorf("after %s: left %v, want %v", age, got, want)
		}
	}
}

func TestPass_DeletesNothingWithoutTheObjects(t *testing.T) {
	for _, missing := range []client.ObjectList{&v1beta1.PostList{}, &v1beta1.SlideshowList{}} {
		broken := interceptor.NewClient(fake.NewClientBuilder().WithScheme(testkit.Scheme()).Build(), interceptor.Funcs{
			List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
				if reflect.TypeOf(l) == reflect.TypeOf(missing) {
					return errors.New("no cluster")
				}
				return c.List(ctx, l, opts...)
			},
		})
		p := purge(t, 31*24*time.Hour, broken, "posts/acme/gone/digest/photo-01.jpg", stock.RecordKey(1))
		if n, err := p.Pass(t.Context()); n != 0 || err == nil {
			t.Errorf("without %T: deleted %d files, %v", missing, n, err)
		}
	}
}
