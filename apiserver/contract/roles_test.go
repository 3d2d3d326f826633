// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"os"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// acting returns a client of a user who has one of the roles of config/rbac/tenant.yaml in a namespace.
func acting(role, namespace string) client.Client {
	GinkgoHelper()
	file, err := os.Open("../../config/rbac/tenant.yaml")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = file.Close() }()
	roles := map[string]bool{}
	for docs := utilyaml.NewYAMLOrJSONDecoder(file, 4096); ; {
		r := &rbacv1.ClusterRole{}
		if docs.Decode(r) != nil {
			break
		}
		roles[r.Name] = true
		Expect(client.IgnoreAlreadyExists(access.Plain.Create(ctx, r))).To(Succeed())
	}
	Expect(roles).To(HaveKey(role))
	user := role + "-of-" + namespace
	Expect(access.Plain.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	})).To(Succeed())
	c, err := controlPlane.As(user)
	Expect(err).NotTo(HaveOccurred())
	Eventually(func() error { // the authorizer receives a binding with a delay
		return c.List(ctx, &v1beta1.MediaPackList{}, client.InNamespace(namespace))
	}).WithPolling(often).Should(Succeed())
	return c
}

var _ = Describe("Roles for manifests", func() {
	var t *tenant
	BeforeEach(func() { t = newTenant() })
	forbidden := func(err error) {
		GinkgoHelper()
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
	}
	in := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}

	It("let an editor write content of the account, and nothing else", func() {
		c := acting("reelops-editor", t.namespace)
		pack := &v1beta1.MediaPack{ObjectMeta: in(t.namespace, "seaside")}
		for _, o := range []client.Object{
			pack, testkit.HandWritten(t.namespace, "tidy", "acme", "One", "Two", "Three"), testkit.Brand(t.namespace, "second"),
		} {
			Expect(c.Create(ctx, o)).To(Succeed())
		}
		forbidden(c.Status().Patch(ctx, pack, client.RawPatch(types.MergePatchType, []byte(`{"status":{"imageCount":9}}`))))
		forbidden(c.List(ctx, &v1beta1.APIKeyList{}, client.InNamespace(t.namespace)))
		forbidden(c.Patch(ctx, t.account, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"plan":{"slideshowLimit":9}}}`))))
		forbidden(c.Create(ctx, &v1beta1.PostBatch{ObjectMeta: in(t.namespace, "seaside")}))
		forbidden(c.Create(ctx, &v1beta1.MediaPack{ObjectMeta: in(newTenant().namespace, "seaside")}))
		forbidden(c.Create(ctx, &v1beta1.MediaPack{ObjectMeta: in(systemNamespace, "seaside")}))
		Expect(c.Delete(ctx, pack)).To(Succeed())
	})

	It("let a viewer read, and a librarian write only media", func() {
		viewer := acting("reelops-viewer", t.namespace)
		forbidden(viewer.Create(ctx, &v1beta1.MediaPack{ObjectMeta: in(t.namespace, "seaside")}))
		forbidden(viewer.List(ctx, &v1beta1.APIKeyList{}, client.InNamespace(t.namespace)))
		librarian := acting("reelops-librarian", t.namespace)
		Expect(librarian.Create(ctx, &v1beta1.MediaPack{ObjectMeta: in(t.namespace, "seaside")})).To(Succeed())
		forbidden(librarian.Create(ctx, testkit.HandWritten(t.namespace, "tidy", "acme", "One", "Two", "Three")))
	})
})
