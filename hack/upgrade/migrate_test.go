// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/yaml"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/install/migrate"
	"github.com/reelops/reelops/internal/testkit"
)

// v1alpha1 is the version that v0.1.0 stored.
const v1alpha1 = "v1alpha1"

// newKinds are the CustomResourceDefinitions that v0.1.0 did not have.
var newKinds = []string{
	"archives.reelops.dev", "automationruns.reelops.dev", "automations.reelops.dev", "consolelinks.reelops.dev",
	"webhookendpoints.reelops.dev",
}

// TestMigrate creates the objects of v0.1.0 in a cluster, upgrades the kinds, rewrites all objects, and checks that a
// client of v0.1.0 sees no difference.
func TestMigrate(t *testing.T) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set to a folder with etcd and kube-apiserver: run the tests with `make test`")
	}
	ctrl.SetLogger(logr.Discard())
	m := startV010(t)
	for _, o := range m.objects {
		must(t, m.Get(t.Context(), client.ObjectKeyFromObject(o), o)) // after all writes
	}

	_, err := envtest.InstallCRDs(m.env.Config, envtest.CRDInstallOptions{Paths: []string{filepath.Join(root(), bases)}, ErrorIfPathMissing: true})
	must(t, err)
	m.await(t, v1beta1.GroupVersion.Version)
	m.same(t, "the upgrade of the kinds")
	m.noDiff(t)

	before := m.versions(t)
	m.run(t, true)
	if d := cmp.Diff(before, m.versions(t)); d != "" {
		t.Errorf("the dry run wrote (-, +):\n%s", d)
	}
	m.stored(t, v1alpha1, v1beta1.GroupVersion.Version)

	m.run(t, false)
	m.same(t, "the migration")
	m.stored(t, v1beta1.GroupVersion.Version)
	after := m.versions(t)
	for name, was := range before {
		if after[name] == was {
			t.Errorf("%s was not stored again", name)
		}
	}
	m.noDiff(t)

	m.run(t, false)
	if d := cmp.Diff(after, m.versions(t)); d != "" {
		t.Errorf("a second migration wrote objects that were stored in the version already (-, +):\n%s", d)
	}
	m.goesOn(t)
}

// migrating is a cluster with the objects of v0.1.0.
type migrating struct {
	client.Client
	env     *envtest.Environment
	objects []*unstructured.Unstructured
	// migrator has only the permissions that docs/operations/upgrade.md lists.
	migrator client.Client
	// kubectl runs the program as an administrator.
	kubectl func(t *testing.T, args ...string) (string, error)
}

// startV010 starts a cluster with the kinds of v0.1.0 and its objects: those of every kind, manifests that kubectl
// applied on the client's and on the server's side, and a scheduled post that its batch owns.
func startV010(t *testing.T) *migrating {
	t.Helper()
	env := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join(root(), releases, "v0.1.0")}, ErrorIfCRDPathMissing: true}
	config, err := env.Start()
	must(t, err)
	t.Cleanup(func() { _ = env.Stop() })
	scheme := testkit.Scheme()
	must(t, apiextensionsv1.AddToScheme(scheme))
	c, err := client.New(config, client.Options{Scheme: scheme, FieldOwner: "v0.1.0"})
	must(t, err)
	m := &migrating{Client: c, env: env, kubectl: kubectl(t, env)}
	for _, namespace := range []string{"acme", "applied"} {
		must(t, m.Create(t.Context(), testkit.Namespace(namespace)))
	}
	m.objects = objects(t, filepath.Join("testdata", "v0.1.0", "objects.yaml"))
	for _, o := range m.objects {
		status, has := o.Object["status"]
		must(t, m.Create(t.Context(), o))
		if o.Object["status"] = status; has {
			must(t, m.Status().Update(t.Context(), o))
		}
	}
	m.apply(t)
	m.schedule(t)
	m.migrator = documented(t, m)
	return m
}

// documented returns the client of a user with the ClusterRole of docs/operations/upgrade.md.
func documented(t *testing.T, m *migrating) client.Client {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root(), "docs", "operations", "upgrade.md"))
	must(t, err)
	_, rest, found := bytes.Cut(page, []byte("```yaml\n"))
	text, _, closed := bytes.Cut(rest, []byte("```\n"))
	if !found || !closed {
		t.Fatal("docs/operations/upgrade.md has no ClusterRole")
	}
	role := &rbacv1.ClusterRole{}
	must(t, yaml.UnmarshalStrict(text, role))
	must(t, m.Create(t.Context(), role))
	must(t, m.Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: "migrator"}},
	}))
	user, err := m.env.AddUser(envtest.User{Name: "migrator"}, nil)
	must(t, err)
	c, err := client.New(user.Config(), client.Options{Scheme: m.Scheme()})
	must(t, err)
	return c
}

// applyModes are the ways in which the manifests of the release were applied, each in its own namespace.
var applyModes = map[string][]string{"acme": nil, "applied": {"--server-side", "--field-manager=flux"}}

// manifests returns the file with the manifests of the release for a namespace, and its objects.
func (m *migrating) manifests(t *testing.T, namespace string) (string, []*unstructured.Unstructured) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "v0.1.0", "manifests", "content.yaml"))
	must(t, err)
	file := filepath.Join(t.TempDir(), namespace+".yaml")
	must(t, os.WriteFile(file, bytes.ReplaceAll(text, []byte("namespace: acme"), []byte("namespace: "+namespace)), 0o600))
	return file, objects(t, file)
}

// apply applies the manifests of the release with kubectl.
func (m *migrating) apply(t *testing.T) {
	t.Helper()
	for namespace, mode := range applyModes {
		file, applied := m.manifests(t, namespace)
		if out, err := m.kubectl(t, append([]string{"apply", "-f", file}, mode...)...); err != nil {
			t.Fatal(err, out)
		}
		m.objects = append(m.objects, applied...)
	}
}

// noDiff checks that kubectl diff reports no change.
func (m *migrating) noDiff(t *testing.T) {
	t.Helper()
	for namespace, mode := range applyModes {
		file, _ := m.manifests(t, namespace)
		if out, err := m.kubectl(t, append([]string{"diff", "-f", file}, mode...)...); err != nil {
			t.Errorf("kubectl diff %v: %v:\n%s", mode, err, out)
		}
	}
}

// kubectl returns a function that runs kubectl as an administrator.
func kubectl(t *testing.T, env *envtest.Environment) func(*testing.T, ...string) (string, error) {
	t.Helper()
	user, err := env.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
	must(t, err)
	config, err := user.KubeConfig()
	must(t, err)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, os.WriteFile(file, config, 0o600))
	return func(t *testing.T, args ...string) (string, error) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), append(args, "--kubeconfig", file)...).CombinedOutput()
		return string(out), err
	}
}

// schedule creates a post like the manager of v0.1.0: it waits for its time, and its batch owns it in v1alpha1.
func (m *migrating) schedule(t *testing.T) {
	t.Helper()
	batch := &unstructured.Unstructured{}
	batch.SetGroupVersionKind(kind(v1alpha1, "PostBatch"))
	must(t, m.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "herbs-launch"}, batch))
	post := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{
			"name": "post-14", "namespace": "acme", "finalizers": []any{v1beta1.FinalizerPost}, "labels": map[string]any{v1beta1.LabelID: "14"},
			"ownerReferences": []any{map[string]any{
				"apiVersion": batch.GetAPIVersion(), "kind": "PostBatch", "name": batch.GetName(), "uid": string(batch.GetUID()), "controller": true,
			}},
		},
		"spec": map[string]any{
			"brandRef": map[string]any{"name": "garden"}, "batch": batch.GetName(), "account": "tiktok-10", "platform": "tiktok", "shortID": int64(8),
			"media":   map[string]any{"kind": "video", "videoKey": "renders/acme/film.mp4", "durationMillis": int64(9000), "cover": map[string]any{"offsetMillis": int64(1500)}},
			"caption": "Three herbs", "postingMode": "direct", "scheduledAt": "2126-11-20T10:00:00.000000Z",
		},
	}}
	post.SetGroupVersionKind(kind(v1alpha1, "Post"))
	must(t, m.Create(t.Context(), post))
	post.Object["status"] = map[string]any{
		"observedGeneration": int64(1), "state": "scheduled",
		"attempts": []any{map[string]any{"number": int64(1), "state": "NotSent", "digest": "d", "startedAt": "2026-11-20T10:00:00.100000Z"}},
	}
	must(t, m.Status().Update(t.Context(), post))
	m.objects = append(m.objects, post)
}

func kind(version, name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: v1beta1.GroupVersion.Group, Version: version, Kind: name}
}

// await waits until the API server serves every kind in a version.
func (m *migrating) await(t *testing.T, version string) {
	t.Helper()
	for _, o := range m.objects {
		must(t, wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
			_, err := m.in(ctx, version, o)
			return err == nil, nil
		}))
	}
}

// in returns an object, read in a version.
func (m *migrating) in(ctx context.Context, version string, o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	out := &unstructured.Unstructured{}
	out.SetGroupVersionKind(kind(version, o.GetKind()))
	return out, m.Get(ctx, client.ObjectKeyFromObject(o), out)
}

// same compares every object, except its resourceVersion and the owners of fields of its status, with the objects of
// v0.1.0, in both versions.
func (m *migrating) same(t *testing.T, after string) {
	t.Helper()
	for _, was := range m.objects {
		for _, version := range []string{v1alpha1, v1beta1.GroupVersion.Version} {
			now, err := m.in(t.Context(), version, was)
			must(t, err)
			now.SetResourceVersion(was.GetResourceVersion())
			now.SetAPIVersion(was.GetAPIVersion())
			if d := cmp.Diff(withAtomicStatus(t, was).Object, withAtomicStatus(t, now).Object); d != "" {
				t.Errorf("%s %s differs in %s after %s (-, +):\n%s", was.GetKind(), was.GetName(), version, after, d)
			}
		}
	}
}

// withAtomicStatus returns a copy of an object whose managedFields have an owner for the whole status only.
func withAtomicStatus(t *testing.T, o *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	o = o.DeepCopy()
	entries := o.GetManagedFields()
	for i := range entries {
		if entries[i].Subresource == "status" {
			entries[i].FieldsV1 = metav1.NewFieldsV1(`{"f:status":{}}`)
		}
	}
	o.SetManagedFields(entries)
	return o
}

// versions returns the resourceVersion of every object. It changes exactly when the object is stored.
func (m *migrating) versions(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, o := range m.objects {
		now, err := m.in(t.Context(), v1beta1.GroupVersion.Version, o)
		must(t, err)
		out[o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName()] = now.GetResourceVersion()
	}
	return out
}

func (m *migrating) run(t *testing.T, dryRun bool) {
	t.Helper()
	done := 0
	got, err := (&migrate.Migration{Client: m.migrator, DryRun: dryRun, Progress: func(migrate.Kind) { done++ }}).Run(t.Context())
	must(t, err)
	var objects int64
	for _, k := range got {
		objects += k.Objects
	}
	kinds := 15 + len(newKinds) // v0.1.0 had 15
	if len(got) != kinds || done != kinds || objects != int64(len(m.objects)) {
		t.Errorf("got %d objects of %d kinds with %d reports, want %d of %d with %[5]d", objects, len(got), done, len(m.objects), kinds)
	}
}

// stored checks status.storedVersions of every kind.
func (m *migrating) stored(t *testing.T, want ...string) {
	t.Helper()
	list := &apiextensionsv1.CustomResourceDefinitionList{}
	must(t, m.List(t.Context(), list))
	for _, d := range list.Items {
		if !slices.Contains(newKinds, d.Name) && !slices.Equal(d.Status.StoredVersions, want) {
			t.Errorf("%s: got stored versions %v, want %v", d.Name, d.Status.StoredVersions, want)
		}
	}
}

// goesOn does the work of rolled-back programs of v0.1.0: they write in v1alpha1, and fields that they do not know are
// preserved.
func (m *migrating) goesOn(t *testing.T) {
	t.Helper()
	made := &v1beta1.Slideshow{}
	made.Namespace, made.Name = "acme", "made-by-the-new-release"
	made.Spec = v1beta1.SlideshowSpec{BrandRef: v1beta1.LocalRef{Name: "garden"}, Context: "Herbs.", Hashtags: &[]string{"herbs"}}
	must(t, m.Create(t.Context(), made))
	old := &unstructured.Unstructured{}
	old.SetGroupVersionKind(kind(v1alpha1, "Slideshow"))
	must(t, m.Get(t.Context(), client.ObjectKeyFromObject(made), old))
	before := old.DeepCopy()
	must(t, unstructured.SetNestedField(old.Object, "Mint", "spec", "title"))
	must(t, m.Patch(t.Context(), old, client.MergeFrom(before)))
	must(t, m.Get(t.Context(), client.ObjectKeyFromObject(made), made))
	if made.Spec.Hashtags == nil || made.Spec.Title == nil || *made.Spec.Title != "Mint" {
		t.Errorf("a write in v1alpha1 lost a field: %+v", made.Spec)
	}
	post := &unstructured.Unstructured{}
	post.SetGroupVersionKind(kind(v1alpha1, "Post"))
	must(t, m.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "post-14"}, post))
	before = post.DeepCopy()
	must(t, unstructured.SetNestedField(post.Object, true, "spec", "cancel"))
	must(t, m.Patch(t.Context(), post, client.MergeFrom(before)))
	for _, o := range m.objects {
		alike(t, m.Client, o)
	}
}
