// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/yaml"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/keysecret"
	"github.com/reelops/reelops/internal/install/admission"
	"github.com/reelops/reelops/internal/kube/lease"
)

const system = "reelops-system"

// deployed returns a program as config/ installs it, with the store and apps that an installation adds.
func deployed(t *testing.T, part string) *appsv1.Deployment {
	t.Helper()
	text, err := os.ReadFile("../../config/" + part + "/deployment.yaml")
	d := &appsv1.Deployment{}
	if err == nil {
		err = yaml.Unmarshal(text, d)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.Namespace, d.Status.ReadyReplicas = system, 1
	d.Labels[labelPartOf] = "reelops" // kustomize adds it
	set(d, "REELOPS_BLOB_URL", "s3://films?region=eu-1")
	for _, p := range []string{"TIKTOK", "YOUTUBE", "INSTAGRAM", "LINKEDIN"} {
		set(d, "REELOPS_"+p+"_CLIENT_ID", "app-"+p)
	}
	return d
}

func set(d *appsv1.Deployment, name, value string) {
	c := containerOf(d)
	for i := range c.Env {
		if c.Env[i].Name == name {
			c.Env[i].Value = value
			return
		}
	}
	c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value})
}

// installation is an installation in which every check passes.
type installation struct {
	manager, front *appsv1.Deployment
	lease          *coordinationv1.Lease
	signing, token *corev1.Secret
	namespace      *corev1.Namespace
	others         []client.Object
	allowed        func(*authorizationv1.SubjectAccessReviewSpec) bool
	answers        map[string]string
}

func healthy(t *testing.T, now time.Time) *installation {
	t.Helper()
	key := func(name, key string, value []byte) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: name}, Data: map[string][]byte{key: value}}
	}
	i := &installation{
		manager: deployed(t, "manager"), front: deployed(t, "apiserver"),
		lease: &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: lease.Manager},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("one"), RenewTime: ptr.To(metav1.NewMicroTime(now.Add(-time.Second)))},
		},
		signing:   key(keysecret.SigningSecret, keysecret.SigningKey, make([]byte, 48)),
		token:     key(keysecret.TokenSecret, keysecret.TokenKey, []byte(base64.StdEncoding.EncodeToString(make([]byte, 32)))),
		namespace: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: system, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}},
		allowed: func(s *authorizationv1.SubjectAccessReviewSpec) bool {
			front := strings.HasSuffix(s.User, ":reelops-apiserver")
			return s.ResourceAttributes.Resource != "secrets" && !(front && (s.ResourceAttributes.Verb == "revise" || s.ResourceAttributes.Verb == "approve"))
		},
		answers: map[string]string{"readyz": "ok", "metrics": "# HELP\nreelops_ratelimit_shared_up 1\n"},
	}
	crds, err := admission.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range crds {
		i.others = append(i.others, crd(c.Spec.Names.Plural, "v1beta1"))
	}
	policies, err := admission.Policies()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range policies {
		name := p.Name
		i.others = append(i.others, &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}},
			&admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName: name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
			}})
	}
	i.others = append(i.others, &discoveryv1.EndpointSlice{
		ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: "s", Labels: map[string]string{discoveryv1.LabelServiceName: "reelops-apiserver-internal"}},
		Endpoints:  []discoveryv1.Endpoint{{}},
	})
	return i
}

func crd(name, version string) client.Object {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": name + ".reelops.dev"},
		"spec": map[string]any{"versions": []any{map[string]any{"name": version, "served": true}}},
	}}
}

// drop removes an object by its name.
func (i *installation) drop(name string) {
	var kept []client.Object
	for _, o := range i.others {
		if o.GetName() != name {
			kept = append(kept, o)
		}
	}
	i.others = kept
}

// mountSigningKey mounts the signing key of another Secret in the front end.
func (i *installation) mountSigningKey(secret string) {
	for _, v := range i.front.Spec.Template.Spec.Volumes {
		if v.Name == "signing-key" {
			v.Secret.SecretName = secret
		}
	}
}

func (i *installation) examined(t *testing.T, now time.Time) map[string]finding {
	t.Helper()
	objects := i.others
	for _, o := range []client.Object{i.manager, i.front, i.lease, i.signing, i.token, i.namespace} {
		switch o := o.(type) {
		case *appsv1.Deployment:
			if o != nil {
				objects = append(objects, o)
			}
		case *coordinationv1.Lease:
			if o != nil {
				objects = append(objects, o)
			}
		case *corev1.Secret:
			if o != nil {
				objects = append(objects, o)
			}
		default:
			objects = append(objects, o)
		}
	}
	c := interceptor.NewClient(newCluster(t, objects...).WithWatch, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			review, ok := o.(*authorizationv1.SubjectAccessReview)
			if !ok {
				t.Errorf("the doctor creates a %T", o)
				return errors.New("refused")
			}
			review.Status.Allowed = i.allowed(&review.Spec)
			return nil
		},
	})
	p := &patient{admin: &admin{client: c, systemNamespace: system}, now: now, proxyGet: func(_ context.Context, _, _, path string) (string, error) {
		said, ok := i.answers[path]
		if !ok {
			return "", errors.New("no way")
		}
		if strings.HasPrefix(said, "not ready") {
			return said, errors.New("503")
		}
		return said, nil
	}}
	out := map[string]finding{}
	for _, f := range p.examine(t.Context()) {
		out[f.Check] = f
	}
	return out
}

func TestDoctor_HealthyInstallation(t *testing.T) {
	now := time.Now()
	found := healthy(t, now).examined(t, now)
	if len(found) != len(checks) {
		t.Errorf("got %d distinct names of %d checks", len(found), len(checks))
	}
	for _, f := range found {
		if f.Verdict != good {
			t.Errorf("%+v", f)
		}
	}
}

func TestDoctor_ReportsEachProblem(t *testing.T) {
	now := time.Now()
	post := func(p *v1beta1.Post) *v1beta1.Post {
		p.Namespace, p.Name = "acme", "post-1"
		return p
	}
	for name, c := range map[string]struct {
		spoil func(*installation)
		check string
		want  verdict
		says  string
	}{
		"a missing kind": {func(i *installation) { i.drop("posts.reelops.dev") }, "kinds", bad, "posts"},
		"an outdated kind": {func(i *installation) {
			i.drop("posts.reelops.dev")
			i.others = append(i.others, crd("posts", "v1alpha0"))
		}, "kinds", bad, "not served"},
		"no front end":                   {func(i *installation) { i.front = nil }, "programs", bad, "apiserver"},
		"a replica that is not ready":    {func(i *installation) { i.manager.Status.ReadyReplicas = 0 }, "programs", bad, "manager"},
		"two versions":                   {func(i *installation) { containerOf(i.front).Image = "x/apiserver:v2" }, "programs", warning, "v2"},
		"no leader":                      {func(i *installation) { i.lease = nil }, "leader and clocks", bad, "no leader"},
		"a leader that stopped renewing": {func(i *installation) { i.lease.Spec.RenewTime = ptr.To(metav1.NewMicroTime(now.Add(-time.Minute))) }, "leader and clocks", bad, "1m0s ago"},
		"clocks that differ":             {func(i *installation) { i.lease.Spec.RenewTime = ptr.To(metav1.NewMicroTime(now.Add(time.Hour))) }, "leader and clocks", warning, "ahead"},
		"a missing permission": {func(i *installation) {
			i.allowed = func(s *authorizationv1.SubjectAccessReviewSpec) bool {
				return s.ResourceAttributes.Resource != "jobs" && s.ResourceAttributes.Resource != "secrets"
			}
		}, "rights", bad, "may not create jobs"},
		"a front end that may read Secrets": {func(i *installation) { i.allowed = func(*authorizationv1.SubjectAccessReviewSpec) bool { return true } }, "rights", bad, "may get secrets, and must not"},
		"a front end that may change posts": {func(i *installation) {
			i.allowed = func(s *authorizationv1.SubjectAccessReviewSpec) bool {
				return s.ResourceAttributes.Resource != "secrets"
			}
		}, "rights", bad, "may revise posts, and must not"},
		"a missing policy":                {func(i *installation) { i.drop("reelops-marks") }, "admission policies", bad, "reelops-marks"},
		"no signing key":                  {func(i *installation) { i.signing = nil }, "keys", bad, keysecret.SigningSecret},
		"a short signing key":             {func(i *installation) { i.signing.Data[keysecret.SigningKey] = []byte("short") }, "keys", bad, "fewer than 32"},
		"an invalid token key":            {func(i *installation) { i.token.Data[keysecret.TokenKey] = []byte("hunter2") }, "keys", bad, keysecret.TokenSecret},
		"two signing keys":                {func(i *installation) { i.mountSigningKey("other") }, "the same keys in both", bad, "other"},
		"two stores":                      {func(i *installation) { set(i.front, "REELOPS_BLOB_URL", "s3://elsewhere") }, "the same store in both", bad, "elsewhere"},
		"an unavailable store":            {func(i *installation) { i.answers["readyz"] = "not ready: the blob store does not answer" }, "front end and store", bad, "blob store"},
		"an unreachable front end":        {func(i *installation) { delete(i.answers, "readyz") }, "front end and store", skipped, "could not be reached"},
		"a callback without a listener":   {func(i *installation) { i.drop("s") }, "callback", bad, "no ready endpoint"},
		"no renderer":                     {func(i *installation) { set(i.manager, "REELOPS_RENDERER_IMAGE", "") }, "renderer", bad, "no image"},
		"two apps":                        {func(i *installation) { set(i.front, "REELOPS_TIKTOK_CLIENT_ID", "other") }, "platforms", bad, "tiktok"},
		"a sandbox":                       {func(i *installation) { set(i.manager, "REELOPS_SANDBOX", "http://sandbox") }, "platforms", warning, "nothing is published"},
		"front ends with separate counts": {func(i *installation) { i.front.Spec.Replicas, i.front.Status.ReadyReplicas = ptr.To[int32](2), 2 }, "ceilings", warning, "2 replicas"},
		"an unavailable Redis": {func(i *installation) {
			set(i.front, "REELOPS_REDIS_URL", "redis://redis")
			i.answers["metrics"] = "# HELP\nreelops_ratelimit_shared_up 0\n"
		}, "ceilings", bad, "does not answer"},
		"a namespace without Pod Security": {func(i *installation) { i.namespace.Labels = nil }, "pod security", warning, system},
		"a deletion that does not finish": {func(i *installation) {
			i.others = append(i.others, post(&v1beta1.Post{ObjectMeta: metav1.ObjectMeta{
				DeletionTimestamp: ptr.To(metav1.NewTime(now.Add(-3 * time.Hour))), Finalizers: []string{v1beta1.FinalizerPost},
			}}))
		}, "deletions", warning, "acme/post-1"},
		"a post with an unknown outcome": {func(i *installation) {
			i.others = append(i.others, post(&v1beta1.Post{Status: v1beta1.PostStatus{State: v1beta1.PostPending, Attempts: []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptUnknown}}}}))
		}, "posts", warning, "acme/post-1"},
	} {
		t.Run(name, func(t *testing.T) {
			i := healthy(t, now)
			c.spoil(i)
			f := i.examined(t, now)[c.check]
			if f.Verdict != c.want || !strings.Contains(f.Says, c.says) {
				t.Errorf("%+v", f)
			}
			if f.Verdict != skipped && f.Do == "" {
				t.Errorf("the result has no remedy: %+v", f)
			}
			if strings.Contains(f.Says+f.Do, "hunter2") {
				t.Error("the output contains a key")
			}
		})
	}
}

func TestDoctor_ExitsWithAnErrorIfChecksFail(t *testing.T) {
	c := newCluster(t)
	out, err := c.try("doctor")
	if err == nil || !strings.Contains(err.Error(), "failed checks") || !strings.Contains(out, "FAILED") || !strings.Contains(out, "-> ") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestSettings_MatchTheFlagsOfThePrograms(t *testing.T) {
	d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Command: []string{"manager"}, Args: []string{"--key-secrets", "--blob-url", "s3://films", "--callback-url=http://x", "--leader-elect"},
		Env: []corev1.EnvVar{{Name: "REELOPS_BLOB_URL", Value: "s3://other"}, {Name: "REELOPS_RENDERER_IMAGE", Value: "renderer"}, {Name: "REELOPS_REDIS_URL", ValueFrom: &corev1.EnvVarSource{}}},
	}}}}}}
	for flag, want := range map[string]string{
		"key-secrets": "true", "leader-elect": "true", "blob-url": "s3://films", "callback-url": "http://x", "renderer-image": "renderer", "redis-url": "(set)", "sandbox": "",
	} {
		if got := setting(d, flag); got != want {
			t.Errorf("got --%s %q, want %q", flag, got, want)
		}
	}
}

func TestDoctor_DistinguishesDeniedFromMissing(t *testing.T) {
	c := interceptor.NewClient(newCluster(t).WithWatch, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, ok := list.(*appsv1.DeploymentList); ok {
				return errors.New("forbidden")
			}
			return c.List(ctx, list, opts...)
		},
	})
	for _, f := range (&patient{admin: &admin{client: c, systemNamespace: system}, now: time.Now()}).examine(t.Context()) {
		if (f.Check == "programs" || f.Check == "renderer" || f.Check == "rights") && (f.Verdict != skipped || !strings.Contains(f.Says, "forbidden")) {
			t.Errorf("%+v", f)
		}
	}
}
