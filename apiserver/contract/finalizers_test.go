// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"context"
	"reflect"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
)

var _ = Describe("An object with files in the blob store", func() {
	It("has its finalizer from its creation, so no deletion comes before it", func() {
		t := newTenant()
		key := t.everything()
		created := &finalizers{of: map[string][][]string{}}
		f := newFront(frontOptions{change: func(c *apiserver.Config) {
			created.Client, c.Client = c.Client, created
			c.AllowHosts = []string{pictures.host}
		}})

		post("/media", object{"file": uploaded(key, pngImage(700), "image/png")}).at(f).with(key).succeeds(201)
		finished(post("/slideshows", object{"context": habits, "slide_count": 3}).at(f).with(key).succeeds(202).id("data.job_id"))
		id := t.laidOut()
		patch("/slideshows/%d", id, object{"slides": []any{object{"id": 1, "image_url": pictures.url + "/listed.png"}}}).at(f).with(key).succeeds(200)
		finished(id)
		post("/slideshows/%d/render", id, nothing).at(f).with(key).succeeds(202)
		post("/videos", object{"avatar_media_id": t.avatar()}).at(f).with(key).succeeds(202)

		Expect(created.list()).To(And(
			HaveKeyWithValue("MediaAsset", Equal([][]string{{v1beta1.FinalizerMediaAsset}, {v1beta1.FinalizerMediaAsset}})),
			HaveKeyWithValue("Slideshow", Equal([][]string{{v1beta1.FinalizerSlideshow}})),
			HaveKeyWithValue("Video", Equal([][]string{{v1beta1.FinalizerVideo}})),
			HaveKeyWithValue("RenderJob", Equal([][]string{{v1beta1.FinalizerRenderJob}})),
		))
	})
})

// finalizers records the finalizers of every created object.
type finalizers struct {
	client.Client

	mu sync.Mutex
	of map[string][][]string // by kind
}

func (f *finalizers) Create(ctx context.Context, o client.Object, opts ...client.CreateOption) error {
	f.mu.Lock()
	kind := reflect.TypeOf(o).Elem().Name()
	f.of[kind] = append(f.of[kind], slices.Clone(o.GetFinalizers()))
	f.mu.Unlock()
	return f.Client.Create(ctx, o, opts...)
}

func (f *finalizers) list() map[string][][]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of
}
