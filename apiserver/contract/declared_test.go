// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/fieldowner"
)

var _ = Describe("A slideshow from a manifest", func() {
	var t *tenant
	var key string
	var id int64
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
		id = t.laidOut()
	})
	// declare applies a part of the slideshow with server-side apply, as a tool does.
	declare := func(owner string, spec object) {
		GinkgoHelper()
		show := t.object(id)
		o := &unstructured.Unstructured{Object: object{
			"apiVersion": v1beta1.GroupVersion.String(), "kind": v1beta1.KindSlideshow,
			"metadata": object{"namespace": show.Namespace, "name": show.Name},
		}}
		if spec != nil {
			o.Object["spec"] = spec
		}
		Expect(controlPlane.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(o), client.FieldOwner(owner), client.ForceOwnership)).To(Succeed())
	}

	It("cannot be edited over REST: the error names the tool that applies it", func() {
		declare("argocd-controller", object{"title": "From Git"})
		for _, call := range []*request{
			patch("/slideshows/%d", id, object{"title": "By a caller"}).with(key),
			put("/slideshows/%d", id, object{"caption": "By a caller"}).with(key),
			post("/slideshows/%d/slides", id, object{"heading": "One more"}).with(key),
			remove("/slideshows/%d/slides/%d", id, 1).with(key),
		} {
			a := call.refused(409, catalog.Conflict)
			Expect(a.details()).To(And(HaveKeyWithValue("reason", "declared_elsewhere"), HaveKeyWithValue("managed_by", "argocd-controller")))
		}
		a := rpc("tools/call", object{"name": "update_slideshow", "arguments": object{"short_id": id, "title": "By an agent"}}).with(key).send()
		Expect(a.raw).To(And(ContainSubstring(`"code":"conflict"`), ContainSubstring(`"managed_by":"argocd-controller"`), ContainSubstring(`"isError":true`)))
		Expect(t.object(id).Spec.Title).To(HaveValue(Equal("From Git")))
	})

	It("can be edited once no tool declares its spec", func() {
		declare("kubectl", object{"title": "From Git"})
		patch("/slideshows/%d", id, object{"title": "By a caller"}).with(key).refused(409, catalog.Conflict)
		declare("kubectl", nil)
		patch("/slideshows/%d", id, object{"title": "By a caller"}).with(key).succeeds(200)
		Expect(t.object(id).ManagedFields).To(ContainElement(HaveField("Manager", fieldowner.Frontend)))
	})

	It("can be deleted, and one that a user edited with kubectl can be edited over REST", func() {
		show := t.object(id)
		before := show.DeepCopy()
		show.Spec.Title = ptr.To("By hand")
		Expect(controlPlane.Client.Patch(ctx, show, client.MergeFrom(before), client.FieldOwner("kubectl-edit"))).To(Succeed())
		Eventually(func() int { return patch("/slideshows/%d", id, object{"title": "By a caller"}).with(key).send().status }).WithPolling(often).Should(Equal(200))
	})
})
