// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"os"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// guarded applies the approval policies.
func guarded() {
	GinkgoHelper()
	Expect(policies("approval.yaml")).To(Equal(6))
}

// policies applies a file of config/policy and returns how many objects it has.
func policies(name string) (n int) {
	GinkgoHelper()
	file, err := os.Open("../../config/policy/" + name)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = file.Close() }()
	for docs := utilyaml.NewYAMLOrJSONDecoder(file, 4096); ; n++ {
		o := &unstructured.Unstructured{}
		if docs.Decode(o) != nil {
			break
		}
		Expect(client.IgnoreAlreadyExists(access.Plain.Create(ctx, o))).To(Succeed())
	}
	return n
}

var _ = Describe("Approval", func() {
	It("requires the verb approve, in whichever way it is requested", func() {
		guarded()
		t := newTenant()
		change(t.acme, func() { t.acme.Spec.Approval = "hold" })
		editor, approver := acting("reelops-publisher", t.namespace), acting("reelops-viewer", t.namespace)
		batch := func(name string, approved bool) *v1beta1.PostBatch {
			return &v1beta1.PostBatch{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: name},
				Spec: v1beta1.PostBatchSpec{
					BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{Name: "later"}, Platforms: []v1beta1.Platform{"tiktok"},
					ScheduledAt: ptr.To(metav1.NewTime(time.Now().Add(time.Hour))), Approved: approved,
				},
			}
		}
		words := "setting spec.approved requires the verb approve"
		approve := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"approved":true}}`))

		// The API server enforces a new policy with a delay.
		n := 0
		Eventually(func() error {
			n++
			return editor.Create(ctx, batch("sneaky-"+string(rune('a'+n%26))+string(rune('a'+n/26)), true))
		}).WithPolling(100 * time.Millisecond).Should(MatchError(ContainSubstring(words)))
		held := batch("held", false)
		Expect(editor.Create(ctx, held)).To(Succeed(), "an editor posts, and the batch waits")
		err := editor.Patch(ctx, held, approve)
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)
		Expect(err).To(MatchError(ContainSubstring(words)))
		Expect(editor.Patch(ctx, held, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":true}}`)))).To(Succeed())
		loosen := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"approval":"none"}}`))
		// The policies become effective one by one.
		Eventually(func() error { return editor.Patch(ctx, t.acme.DeepCopy(), loosen, client.DryRunAll) }).
			WithPolling(often).Should(MatchError(ContainSubstring("less strict")))
		Expect(editor.Patch(ctx, t.acme, loosen)).To(MatchError(ContainSubstring("less strict")))
		Expect(editor.Patch(ctx, t.acme, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"approval":"deny","displayName":"Acme"}}`)))).To(Succeed())

		Expect(access.Plain.Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "approver"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "reelops-approver"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "reelops-viewer-of-" + t.namespace}},
		})).To(Succeed())
		Eventually(func() error { return approver.Patch(ctx, held, approve) }).WithPolling(often).Should(Succeed())
		Expect(editor.Patch(ctx, held, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":false}}`)))).To(Succeed(), "what is approved can be edited")
	})

	It("cannot be bypassed by creating the brand again", func() {
		guarded()
		t := newTenant()
		editor, words := acting("reelops-publisher", t.namespace), "deleting a brand that holds posts"
		free := testkit.Brand(t.namespace, "free")
		Expect(access.Plain.Create(ctx, free)).To(Succeed())
		change(t.acme, func() { t.acme.Spec.Approval = "hold" })
		Eventually(func() error { return editor.Delete(ctx, t.acme, client.DryRunAll) }).WithPolling(often).Should(MatchError(ContainSubstring(words)))
		Expect(apierrors.IsForbidden(editor.Delete(ctx, t.acme))).To(BeTrue())
		Expect(editor.DeleteAllOf(ctx, &v1beta1.Brand{}, client.InNamespace(t.namespace))).To(MatchError(ContainSubstring(words)))
		Expect(editor.Create(ctx, testkit.Brand(t.namespace, "other"))).To(Succeed(),
			"another brand has other accounts")
		Expect(client.IgnoreNotFound(editor.Delete(ctx, free))).To(Succeed(), "no batch is held there")
		Expect(access.Plain.Create(ctx, &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "approver"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "reelops-approver"},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "reelops-publisher-of-" + t.namespace}},
		})).To(Succeed())
		Eventually(func() error { return editor.Delete(ctx, t.acme) }).WithPolling(often).Should(Succeed(), "a user who may approve may delete")
	})

	It("does not block the deletion of a namespace", func() {
		guarded()
		t := newTenant()
		change(t.acme, func() { t.acme.Spec.Approval = "deny" })
		// stands in for the cluster's own controller, which may delete everything and approve nothing
		cleaner := acting("reelops-publisher", t.namespace)
		Eventually(func() error { return cleaner.Delete(ctx, t.acme, client.DryRunAll) }).WithPolling(often).Should(MatchError(ContainSubstring("deleting a brand that holds posts")))
		Expect(access.Plain.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: t.namespace}})).To(Succeed())
		Eventually(func() error { return cleaner.Delete(ctx, t.acme) }).WithPolling(often).Should(Succeed())
	})

	It("requires the verb approve for a key that may approve, and for the approval of an edit", func() {
		guarded()
		t := newTenant()
		_, k := t.keyOf("acme", func(*v1beta1.APIKeySpec) {})
		Expect(k.Spec.Approve).To(BeFalse(), "off by default")
		Expect(access.Plain.Create(ctx, &rbacv1.Role{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "keys"},
			Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"reelops.dev"}, Resources: []string{"apikeys"}, Verbs: []string{"patch"}}},
		})).To(Succeed())
		bind := func(kind, role string) {
			Expect(access.Plain.Create(ctx, &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: role},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: role},
				Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "reelops-publisher-of-" + t.namespace}},
			})).To(Succeed())
		}
		editor := acting("reelops-publisher", t.namespace)
		bind("Role", "keys")
		b := &v1beta1.PostBatch{
			ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "held"},
			Spec: v1beta1.PostBatchSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{Name: "later"}, Platforms: []v1beta1.Platform{"tiktok"},
				ScheduledAt: ptr.To(metav1.NewTime(time.Now().Add(time.Hour))),
			},
		}
		Expect(editor.Create(ctx, b)).To(Succeed())
		writes := map[string]func() error{
			"spec.approve of an APIKey": func() error {
				return editor.Patch(ctx, k.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"approve":true}}`)), client.DryRunAll)
			},
			"spec.approvedEdits": func() error {
				return editor.Patch(ctx, b.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"approvedEdits":[{"account":"tik","edit":1}]}}`)), client.DryRunAll)
			},
		}
		for what, write := range writes {
			Eventually(write).WithPolling(often).Should(MatchError(ContainSubstring("setting "+what+" requires the verb approve")), what)
		}
		bind("ClusterRole", "reelops-approver")
		for what, write := range writes {
			Eventually(write).WithPolling(often).Should(Succeed(), what)
		}
	})

	It("is not required from the manager, which creates batches of the archive again", func() {
		guarded()
		t := newTenant()
		publisher := acting("reelops-publisher", t.namespace)
		create := func(labels map[string]string) error {
			b := &v1beta1.PostBatch{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: "again", Labels: labels},
				Spec: v1beta1.PostBatchSpec{
					BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{Name: "later"}, Platforms: []v1beta1.Platform{"tiktok"},
					ScheduledAt: ptr.To(metav1.NewTime(time.Now().Add(time.Hour))), Approved: true,
					ApprovedEdits: []v1beta1.EditApproval{{Account: "tik", Edit: 1}},
				},
			}
			return publisher.Create(ctx, b, client.DryRunAll)
		}
		grant := func(resource, verb string) {
			Expect(access.Plain.Create(ctx, &rbacv1.Role{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: verb},
				Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"reelops.dev"}, Resources: []string{resource}, Verbs: []string{verb}}},
			})).To(Succeed())
			Expect(access.Plain.Create(ctx, &rbacv1.RoleBinding{
				ObjectMeta: metav1.ObjectMeta{Namespace: t.namespace, Name: verb},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: verb},
				Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "reelops-publisher-of-" + t.namespace}},
			})).To(Succeed())
		}
		restoring := map[string]string{v1beta1.LabelRestoring: "true"}
		// Another spec may have applied marks.yaml, which reserves the label. If two policies refuse a request, the
		// response names one of them.
		grant("identities", "assign")
		Eventually(func() error { return create(restoring) }).WithPolling(often).
			Should(MatchError(ContainSubstring("setting spec.approved requires")))
		grant("posts", "revise")
		Eventually(func() error { return create(restoring) }).WithPolling(often).Should(Succeed())
		Expect(create(nil)).To(MatchError(ContainSubstring("setting spec.approved requires")), "a new batch needs an approval")
	})

	It("is not required from API clients: their batches omit it", func() {
		guarded()
		t := newTenant()
		account := t.social("tiktok")
		post("/posts", object{"short_id": t.laidOut(), "social_data_ids": []int64{account}}).
			with(t.everything()).succeeds(202)
		Expect(t.batches()[0].Spec.Approved).To(BeFalse())
	})
})
