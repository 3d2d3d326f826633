// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

func jsonInt(v any) string { return strconv.FormatFloat(v.(float64), 'f', -1, 64) }

var _ = Describe("Creating a slideshow", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })

	It("stores every field of the body in the object", func() {
		r := call("POST", "/api/v1/slideshows", t.writer, map[string]any{
			"context": "Sleep well.", "slide_count": 7, "aspect_ratio": "4:5", "design_style": "bold_center", "image_world": "night_sky",
			"image_source": map[string]any{"type": "stock"}, "title": "T", "caption": "C", "tags": " sleep, , habits ", "language": "PT-br",
			"gradient_enabled": false, "gradient_color": "#112233", "gradient_opacity": 40, "gradient_direction": "top", "gradient_coverage": 0.25,
			"background_music_id": nil, "auto_render": true,
		})
		Expect(r.status).To(Equal(202), r.raw)
		Expect(r.meta).To(BeEmpty())
		s := &v1beta1.Slideshow{}
		Expect(access.Plain.Get(context.Background(), client.ObjectKey{Namespace: t.namespace, Name: "slideshow-" + jsonInt(r.data["job_id"])}, s)).To(Succeed())
		Expect(s.Spec).To(Equal(v1beta1.SlideshowSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Context: "Sleep well.", SlideCount: 7, AspectRatio: "4:5", DesignStyle: "bold_center",
			ImageWorld: "night_sky", ImageSource: &v1beta1.ImageSource{Type: "stock"}, Title: ptr.To("T"), Caption: ptr.To("C"),
			Tags: ptr.To("sleep,habits"), Language: "pt-BR", AutoRender: true,
			Gradient: &v1beta1.Gradient{Enabled: ptr.To(false), Color: "#112233", Opacity: ptr.To(0.4), Direction: "top", Coverage: ptr.To(0.25)},
		}))
	})
})

var _ = Describe("A short and its job", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant(nil) })

	It("shows a generation in progress", func() {
		at := metav1.NewTime(now.Now())
		_, id := t.newShow(func(s *v1beta1.Slideshow) {
			s.Status.Work = &v1beta1.Work{State: v1beta1.WorkProcessing, Attempt: 2, StartedAt: &at}
		})
		r := call("GET", "/api/v1/jobs/"+id, t.reader, nil)
		Expect(r.header.Get("Retry-After")).To(MatchRegexp(`^([1-9]|1\d|2\d|30)$`))
		Expect(r.data).To(And(HaveKeyWithValue("status", "processing"), HaveKeyWithValue("attempt", 2.0), HaveKey("estimated_completion_at"),
			HaveKeyWithValue("status_message", "Writing and laying out the slides."), HaveKeyWithValue("render_requested_at", BeNil())))
	})

	It("is found by id if another replica has just created it", func() {
		s := &v1beta1.Slideshow{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "slideshow-555001", Labels: map[string]string{v1beta1.LabelID: "555001", v1beta1.LabelBrand: "acme"}},
			Spec:       v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "acme"}, Context: "x"},
		}
		Expect(access.Plain.Create(context.Background(), s)).To(Succeed())
		Expect(call("GET", "/api/v1/jobs/555001", t.reader, nil).status).To(Equal(200))
	})
})
