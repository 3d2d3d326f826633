// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	. "github.com/onsi/gomega"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/keysecret"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/pod"
)

// rolesAccount is the account whose users have roles.
const rolesAccount = "roled"

// userOf returns the name of the user with a role in that account.
func userOf(role string) string { return "has-" + role }

// as returns a client that impersonates a user. With an empty user, the client is the owner of the kubeconfig.
func (s *stack) as(t *testing.T, kubeconfig, user string) client.Client {
	t.Helper()
	log.SetLogger(logr.Discard()) // a client requires a logger
	config, err := clientcmd.BuildConfigFromFlags("", s.path(kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.Impersonate.UserName = -1, user
	c, err := client.New(config, client.Options{Scheme: testkit.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// may returns whether the cluster allows a user's request.
func (s *stack) may(g Gomega, user, verb, resource, namespace string) bool {
	kind, sub, _ := strings.Cut(resource, "/")
	group := v1beta1.GroupVersion.Group
	if kind == "secrets" {
		group = ""
	}
	r := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: verb, Group: group, Resource: kind, Subresource: sub},
	}}
	g.Expect(s.kube.Create(context.Background(), r)).To(Succeed())
	return r.Status.Allowed
}

// roles checks the permissions of users in an account who have one of its roles, or one of the roles of Kubernetes.
func (s *stack) roles(t *testing.T) {
	want := NewWithT(t)
	if out, err := s.program("", "reelops", "account", "create", rolesAccount, "--email", "roles@example.com"); err != nil {
		t.Fatal(out, err)
	}
	space := &corev1.Namespace{}
	want.Expect(s.kube.Get(t.Context(), client.ObjectKey{Name: rolesAccount}, space)).To(Succeed())
	want.Expect(space.Labels).To(HaveKeyWithValue("pod-security.kubernetes.io/enforce", "restricted"))
	var everybody []string
	for _, role := range []string{"view", "edit", "admin", "reelops-viewer", "reelops-editor", "reelops-publisher", "reelops-approver"} {
		everybody = append(everybody, role)
		want.Expect(s.kube.Create(t.Context(), &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: rolesAccount, Name: userOf(role)},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: userOf(role)}},
		})).To(Succeed())
	}
	want.Eventually(func(g Gomega) { // the cluster aggregates new roles, and reads bindings, after a moment
		g.Expect(s.may(g, userOf("admin"), "approve", "postbatches", rolesAccount)).To(BeTrue())
		g.Expect(s.may(g, userOf("reelops-approver"), "approve", "postbatches", rolesAccount)).To(BeTrue())
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	for _, c := range []struct{ verb, resource, who string }{
		{"list", "slideshows", "all"},
		{"watch", "posts", "all"},
		{"get", "accountanalytics", "all"},
		{"list", "socialaccounts", "all"},
		{"list", "archives", "all"},
		{"patch", "archives", "edit admin reelops-editor reelops-publisher"},
		{"delete", "archives", ""},
		{"patch", "archives/status", ""},
		{"create", "consolelinks", "all"},
		{"list", "consolelinks", ""},
		{"create", "slideshows", "edit admin reelops-editor reelops-publisher"},
		{"delete", "brands", "edit admin reelops-editor reelops-publisher"},
		{"create", "postbatches", "edit admin reelops-publisher"},
		{"delete", "postbatches", "edit admin reelops-publisher"},
		{"patch", "postbatches", "edit admin reelops-publisher reelops-approver"},
		{"approve", "postbatches", "admin reelops-approver"},
		{"create", "posts", ""},
		{"revise", "posts", ""},
		{"patch", "posts/status", ""},
		{"patch", "slideshows/status", ""},
		{"patch", "accounts", ""},
		{"get", "apikeys", ""},
		{"create", "apikeys", ""},
		{"get", "connectionrequests", ""},
		{"get", "idempotencyrecords", ""},
		{"assign", "identities", ""},
		{"create", "socialaccounts", ""},
		{"update", "postbatches/finalizers", ""},
	} {
		for _, role := range everybody {
			expected := c.who == "all" || strings.Contains(" "+c.who+" ", " "+role+" ")
			if got := s.may(want, userOf(role), c.verb, c.resource, rolesAccount); got != expected {
				t.Errorf("%s may %s %s: got %t", role, c.verb, c.resource, got)
			}
			if s.may(want, userOf(role), c.verb, c.resource, tenant) {
				t.Errorf("%s may %s %s in another account", role, c.verb, c.resource)
			}
		}
	}
}

// expectForbidden returns a function that checks for a denial with the given words.
func expectForbidden(t *testing.T) func(err error, words string) {
	return func(err error, words string) {
		t.Helper()
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), words) {
			t.Errorf("got error %v, want one that contains %q", err, words)
		}
	}
}

// identityFields checks that users cannot set the fields that identify an object.
func (s *stack) identityFields(t *testing.T) {
	want := NewWithT(t)
	editor, restorer := s.as(t, "kubeconfig", userOf("reelops-editor")), s.kube
	refused := expectForbidden(t)
	merge := func(doc string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(doc)) }
	want.Expect(editor.Create(t.Context(), testkit.Brand(rolesAccount, "acme"))).To(Succeed())
	show := func(name string) *v1beta1.Slideshow {
		return testkit.HandWritten(rolesAccount, name, "acme", "One", "Two", "Three")
	}
	posing := show("posing")
	posing.Labels = map[string]string{v1beta1.LabelID: "1"}
	refused(editor.Create(t.Context(), posing), v1beta1.LabelID)
	want.Expect(restorer.Create(t.Context(), posing, client.DryRunAll)).To(Succeed(), "an administrator can set ids")

	made := show("made")
	made.Labels = map[string]string{v1beta1.LabelBrand: "acme", "team": "a"}
	made.Annotations = map[string]string{v1beta1.AnnotationRetry: "1", v1beta1.AnnotationTraceParent: "00-1-1-00"}
	want.Expect(editor.Create(t.Context(), made)).To(Succeed(), "labels that match the spec are accepted")
	want.Eventually(func(g Gomega) {
		g.Expect(s.kube.Get(t.Context(), client.ObjectKeyFromObject(made), made)).To(Succeed())
		g.Expect(made.Labels).To(HaveKey(v1beta1.LabelID))
		g.Expect(made.Finalizers).To(ContainElement(v1beta1.FinalizerSlideshow))
		g.Expect(made.Status.Work).To(HaveValue(HaveField("State", v1beta1.WorkSucceeded)))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	for word, doc := range map[string]string{
		v1beta1.LabelID:            `{"metadata":{"labels":{"reelops.dev/id":"77777"}}}`,
		v1beta1.LabelID + " ":      `{"metadata":{"labels":{"reelops.dev/id":null}}}`,
		v1beta1.LabelBrand:         `{"metadata":{"labels":{"reelops.dev/brand":"other"}}}`,
		v1beta1.LabelComponent:     `{"metadata":{"labels":{"reelops.dev/component":"starter"}}}`,
		v1beta1.AnnotationOrigin:   `{"metadata":{"annotations":{"reelops.dev/origin":"x"}}}`,
		"internal.reelops.dev/any": `{"metadata":{"annotations":{"internal.reelops.dev/any":"x"}}}`,
		v1beta1.FinalizerSlideshow: `{"metadata":{"finalizers":[]}}`,
	} {
		refused(editor.Patch(t.Context(), made.DeepCopy(), merge(doc)), strings.TrimSpace(word))
		want.Expect(restorer.Patch(t.Context(), made.DeepCopy(), merge(doc), client.DryRunAll)).To(Succeed(), doc)
	}
	want.Expect(editor.Patch(t.Context(), made.DeepCopy(), merge(`{"metadata":{"labels":{"team":"b"},"annotations":{"reelops.dev/retry":"2"}}}`))).To(Succeed())
	want.Expect(s.kube.Get(t.Context(), client.ObjectKeyFromObject(made), made)).To(Succeed())
	want.Expect(editor.Update(t.Context(), made)).To(Succeed(), "an unchanged object is accepted")

	reserving := &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{Namespace: rolesAccount, Name: "reserving"},
		Spec: v1beta1.PostBatchSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, ShortRef: v1beta1.ShortRef{Name: "made"}, ScheduledAt: &metav1.Time{Time: time.Now().Add(time.Hour)},
			Accounts: []v1beta1.PostTarget{{Name: "one"}, {Name: "two", PostID: 77777}},
		},
	}
	refused(s.as(t, "kubeconfig", userOf("reelops-publisher")).Create(t.Context(), reserving.DeepCopy()), "postID")
	want.Expect(restorer.Create(t.Context(), reserving, client.DryRunAll)).To(Succeed(), "an administrator can set ids")
	batch := &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Namespace: rolesAccount, Name: "now"}}
	refused(editor.Create(t.Context(), batch), "postbatches") // editors can write only content
}

// managerPermissions checks what admission policies deny the manager although its role permits it.
func (s *stack) managerPermissions(t *testing.T) {
	want := NewWithT(t)
	manager, other := s.as(t, "manager.kubeconfig", ""), "kube-system"
	refused := expectForbidden(t)
	secret := func(namespace, component string, kind corev1.SecretType) *corev1.Secret {
		return &corev1.Secret{Type: kind, ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "mine", Labels: map[string]string{v1beta1.LabelComponent: component},
			Annotations: map[string]string{corev1.ServiceAccountNameKey: "default"},
		}}
	}
	theirs := secret(rolesAccount, "theirs", corev1.SecretTypeOpaque)
	want.Expect(s.kube.Create(t.Context(), theirs)).To(Succeed())
	refused(manager.Get(t.Context(), client.ObjectKey{Namespace: other, Name: "any"}, &corev1.Secret{}), "cannot get")
	refused(manager.List(t.Context(), &corev1.SecretList{}, client.InNamespace(rolesAccount)), "cannot list")
	refused(manager.Create(t.Context(), secret(other, "", "")), "with the label")
	refused(manager.Create(t.Context(), secret(rolesAccount, "tokens", corev1.SecretTypeServiceAccountToken)), "acts upon")
	refused(manager.Create(t.Context(), secret(other, "tokens", corev1.SecretTypeOpaque)), "namespaces with the label")
	refused(manager.Delete(t.Context(), theirs.DeepCopy()), "with the label")
	refused(manager.Patch(t.Context(), theirs.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"reelops.dev/component":"tokens"}}}`))), "with the label")

	// The tests of internal/work/pod cover every kind of hostile Job. This one checks that the local cluster enforces
	// the policy.
	job := func(namespace string, change func(*batchv1.Job)) *batchv1.Job {
		j := pod.Work{Namespace: namespace, Name: "mine", MemoryBytes: 1 << 30, Queue: time.Minute, Run: time.Minute}.Job(pod.Options{
			Image: "reelops.dev/renderer", CPU: resource.MustParse("1"), Scratch: resource.MustParse("1Gi"),
		})
		change(j)
		return j
	}
	want.Expect(manager.Create(t.Context(), job(rolesAccount, func(*batchv1.Job) {}), client.DryRunAll)).To(Succeed())
	refused(manager.Create(t.Context(), job(other, func(*batchv1.Job) {})), "namespaces with the label")
	refused(manager.Create(t.Context(), job(rolesAccount, func(j *batchv1.Job) { j.Spec.Template.Spec.ServiceAccountName = "job-controller" })), "service account")
	refused(manager.Create(t.Context(), job(rolesAccount, func(j *batchv1.Job) { j.Spec.Template.Spec.HostPID = true })), "host namespace")
	refused(manager.Create(t.Context(), job(rolesAccount, func(j *batchv1.Job) {
		j.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "b"}}}}
	})), "no volumes except emptyDir")

	binding := func(namespace, role, who string) *rbacv1.RoleBinding {
		return &rbacv1.RoleBinding{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "mine"},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "reelops-system", Name: who}},
		}
	}
	refused(manager.Create(t.Context(), binding(other, tenancy.Role, tenancy.ServiceAccount)), "is not an account's")
	refused(manager.Create(t.Context(), binding(rolesAccount, tenancy.Role, "reelops-apiserver")), "binds only itself")
	refused(manager.Create(t.Context(), binding(rolesAccount, "cluster-admin", tenancy.ServiceAccount)), "")

	// An Account in a namespace without the label: it cannot be connected, and gets no Jobs.
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "unlabelled"}}
	did.Expect("/apis/rbac.authorization.k8s.io/v1/namespaces/unlabelled/rolebindings")
	want.Expect(s.kube.Create(t.Context(), space)).To(Succeed())
	a := &v1beta1.Account{ObjectMeta: metav1.ObjectMeta{Namespace: space.Name, Name: v1beta1.AccountName}, Spec: v1beta1.AccountSpec{Email: "a@example.com"}}
	want.Expect(s.kube.Create(t.Context(), a)).To(Succeed())
	connectable := func(namespace string, is metav1.ConditionStatus) {
		t.Helper()
		want.Eventually(func(g Gomega) {
			a := &v1beta1.Account{}
			g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: v1beta1.AccountName}, a)).To(Succeed())
			g.Expect(meta.IsStatusConditionPresentAndEqual(a.Status.Conditions, string(v1beta1.ConditionConnectable), is)).To(BeTrue(), "%+v", a.Status.Conditions)
		}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed())
	}
	connectable(space.Name, metav1.ConditionFalse)
	connectable(rolesAccount, metav1.ConditionTrue)
	refused(manager.Get(t.Context(), client.ObjectKey{Namespace: space.Name, Name: "any"}, &corev1.Secret{}), "cannot get")

	// A namespace is deleted with its content, even if the permission to read its Secrets is deleted first.
	for _, name := range []string{space.Name, rolesAccount} {
		want.Expect(s.kube.Delete(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})).To(Succeed())
	}
	want.Eventually(func() bool {
		return apierrors.IsNotFound(s.kube.Get(t.Context(), client.ObjectKey{Name: rolesAccount}, &corev1.Namespace{})) &&
			apierrors.IsNotFound(s.kube.Get(t.Context(), client.ObjectKey{Name: space.Name}, &corev1.Namespace{}))
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(BeTrue(), "the namespaces are deleted")
}

// inCluster runs a manager with the flags of a cluster, as one of several and with key Secrets, until it leads.
func (s *stack) inCluster(t *testing.T) {
	want := NewWithT(t)
	health := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	f := &frontEnd{
		name: "second", metrics: "http://" + health + "/metrics", program: filepath.Join(s.bin, "manager"), log: s.path("second.log"),
		args: []string{
			"--leader-elect", "--key-secrets", "--starter-set=false", "--kubeconfig", s.path("manager.kubeconfig"), "--health-listen", health,
			"--blob-url", "file://" + s.path("blobs"), "--blob-base-url", s.url, "--callback-url", s.url, "--renderer-image", "none",
		},
		env: s.env,
	}
	f.run(t)
	want.Eventually(func(g Gomega) {
		g.Expect(s.holder(g)).NotTo(BeEmpty())
		for _, name := range []string{keysecret.SigningSecret, keysecret.TokenSecret} {
			g.Expect(s.kube.Get(t.Context(), client.ObjectKey{Namespace: "reelops-system", Name: name}, &corev1.Secret{})).To(Succeed())
		}
	}).WithTimeout(waitTimeout).WithPolling(poll).Should(Succeed(), "the second manager leads")
	want.Expect(f.cmd.Process.Signal(syscall.SIGTERM)).To(Succeed())
	<-f.ended
	want.Expect(f.cmd.ProcessState.ExitCode()).To(BeZero(), "exit code of the second manager")
	want.Expect(s.holder(want)).To(BeEmpty(), "the Lease is released")
	front := s.as(t, "apiserver.kubeconfig", "")
	if err := front.Get(t.Context(), client.ObjectKey{Namespace: "reelops-system", Name: keysecret.TokenSecret}, &corev1.Secret{}); !apierrors.IsForbidden(err) {
		t.Errorf("reading the token key as the front end: got %v, want a denial", fmt.Sprint(err))
	}
}
