// SPDX-License-Identifier: Apache-2.0

package migrate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/install/migrate"
	"github.com/reelops/reelops/internal/kube/fieldowner"
	"github.com/reelops/reelops/internal/testkit"
)

// TestMigrate of hack/upgrade tests the whole path with an API server. These tests inject faults.

func definition(plural, kind, stored string) *apiextensionsv1.CustomResourceDefinition {
	d := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: plural + ".reelops.dev"}}
	d.Spec.Group, d.Spec.Names = "reelops.dev", apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind, ListKind: kind + "List"}
	d.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
		{Name: "v1beta1", Served: true, Storage: stored == "v1beta1"}, {Name: "v1alpha1", Served: true, Storage: stored == "v1alpha1"},
	}
	d.Status.StoredVersions = []string{"v1alpha1", "v1beta1"}
	return d
}

// installation is two kinds with three brands, with injected faults.
func installation(t *testing.T, stored string, faults interceptor.Funcs) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(v1beta1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme), authorizationv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	brands, accounts := definition("brands", "Brand", stored), definition("accounts", "Account", stored)
	b := fake.NewClientBuilder().WithScheme(scheme).WithObjects(brands, accounts).WithStatusSubresource(brands)
	for i := range 3 {
		b.WithObjects(&v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: fmt.Sprintf("brand-%d", i)}})
	}
	if faults.Create == nil {
		faults.Create = func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
			o.(*authorizationv1.SelfSubjectAccessReview).Status.Allowed = true
			return nil
		}
	}
	return b.WithInterceptorFuncs(faults).Build()
}

func storedVersions(t *testing.T, c client.Client, name string) []string {
	t.Helper()
	d := &apiextensionsv1.CustomResourceDefinition{}
	if err := c.Get(t.Context(), client.ObjectKey{Name: name + ".reelops.dev"}, d); err != nil {
		t.Fatal(err)
	}
	return d.Status.StoredVersions
}

func run(t *testing.T, c client.Client) ([]migrate.Kind, error) {
	t.Helper()
	return (&migrate.Migration{Client: c, Progress: func(migrate.Kind) {}}).Run(t.Context())
}

// TestRun_KeepsTheVersionsOfAKindWithFailures: one rejected object keeps its kind readable in the earlier version, and no other kind.
func TestRun_KeepsTheVersionsOfAKindWithFailures(t *testing.T) {
	fail := true
	c := installation(t, "v1beta1", interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if fail && o.GetName() == "brand-1" {
				return errors.New("rejected by a policy")
			}
			return c.Patch(ctx, o, p, opts...)
		},
	})
	kinds, err := run(t, c)
	if err == nil || !strings.Contains(err.Error(), "migrating brands: 1 objects were not written") || len(kinds) != 2 {
		t.Fatalf("got %v, %+v", err, kinds)
	}
	brands := kinds[1]
	if brands.Complete || brands.Objects != 2 || brands.Failed != 1 || !slices.Equal(brands.Reasons, []string{"acme/brand-1: rejected by a policy"}) {
		t.Errorf("got %+v", brands)
	}
	if got := storedVersions(t, c, "brands"); len(got) != 2 {
		t.Errorf("got stored versions of brands %v", got)
	}
	if got := storedVersions(t, c, "accounts"); !slices.Equal(got, []string{"v1beta1"}) {
		t.Errorf("got stored versions of accounts %v", got)
	}
	fail = false
	if _, err := run(t, c); err != nil {
		t.Fatal(err)
	}
	if got := storedVersions(t, c, "brands"); !slices.Equal(got, []string{"v1beta1"}) {
		t.Errorf("got stored versions of brands after a second run %v", got)
	}
}

// TestRun_StopsWithoutRights checks that the error names every missing permission, and nothing is written.
func TestRun_StopsWithoutRights(t *testing.T) {
	c := installation(t, "v1beta1", interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
			r := o.(*authorizationv1.SelfSubjectAccessReview)
			r.Status.Allowed = r.Spec.ResourceAttributes.Verb == "list"
			return nil
		},
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			t.Error("an object was written")
			return nil
		},
	})
	_, err := run(t, c)
	if err == nil || !strings.Contains(err.Error(), "[patch *.reelops.dev update customresourcedefinitions/status.apiextensions.k8s.io]") {
		t.Error(err)
	}
}

// TestRun_StopsBeforeTheKindsAreUpgraded: rewriting in v1alpha1 would change nothing.
func TestRun_StopsBeforeTheKindsAreUpgraded(t *testing.T) {
	if _, err := run(t, installation(t, "v1alpha1", interceptor.Funcs{})); err == nil || !strings.Contains(err.Error(), "stored in v1alpha1, not in v1beta1") {
		t.Error(err)
	}
}

// TestRun_KeepsTheVersionsWhenTheDefinitionChanged: another program may have changed the stored version meanwhile.
func TestRun_KeepsTheVersionsWhenTheDefinitionChanged(t *testing.T) {
	changed := false
	c := installation(t, "v1beta1", interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if !changed {
				changed = true
				d := &apiextensionsv1.CustomResourceDefinition{}
				if err := c.Get(ctx, client.ObjectKey{Name: "brands.reelops.dev"}, d); err != nil {
					return err
				}
				d.Labels = map[string]string{"changed": "true"}
				if err := c.Update(ctx, d); err != nil {
					return err
				}
			}
			return c.Patch(ctx, o, p, opts...)
		},
	})
	if _, err := run(t, c); err == nil || !strings.Contains(err.Error(), "was changed during the migration: run it again") {
		t.Error(err)
	}
	if got := storedVersions(t, c, "brands"); len(got) != 2 {
		t.Errorf("got stored versions %v", got)
	}
}

// TestRun_ContinuesWhenAListExpires: the continue token of a long list expires with its snapshot.
func TestRun_ContinuesWhenAListExpires(t *testing.T) {
	lists := 0
	c := installation(t, "v1beta1", interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			var o client.ListOptions
			o.ApplyOptions(opts)
			page, ok := l.(*metav1.PartialObjectMetadataList)
			if !ok || page.Kind != "BrandList" {
				return c.List(ctx, l, opts...)
			}
			switch lists++; lists {
			case 1:
				page.Items, page.Continue = nil, "first"
				return nil
			case 2:
				err := apierrors.NewResourceExpired("the snapshot is gone")
				err.ErrStatus.Continue = "second"
				return err
			}
			if o.Continue != "second" {
				t.Errorf("list %d continues with %q", lists, o.Continue)
			}
			err := c.List(ctx, l, opts...)
			page.Continue = ""
			return err
		},
	})
	kinds, err := run(t, c)
	if err != nil || kinds[1].Objects != 3 || !kinds[1].Complete {
		t.Errorf("got %v, %+v", err, kinds)
	}
}

// TestRun_EndsWithItsContext leaves the rest to a later run.
func TestRun_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := installation(t, "v1beta1", interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			cancel()
			return ctx.Err()
		},
	})
	if _, err := (&migrate.Migration{Client: c, Progress: func(migrate.Kind) {}}).Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if got := storedVersions(t, c, "brands"); len(got) != 2 {
		t.Errorf("got stored versions %v", got)
	}
}

// manifest returns a slideshow as in Git, with a title unless it is empty.
func manifest(title string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1beta1.GroupVersion.String(), "kind": v1beta1.KindSlideshow,
		"metadata": map[string]any{"namespace": "default", "name": "launch"},
		"spec":     map[string]any{"brandRef": map[string]any{"name": "acme"}, "context": "A launch."},
	}}
	if title != "" {
		_ = unstructured.SetNestedField(o.Object, title, "spec", "title")
	}
	return o
}

// TestRun_RenamesFieldManagers: an apply from Git then conflicts with the front end under its present name, and no field
// keeps a second owner.
func TestRun_RenamesFieldManagers(t *testing.T) {
	scheme := testkit.Scheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(testkit.Start(t).Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(title string, o ...client.ApplyOption) error {
		return c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(manifest(title)), append(o, client.FieldOwner("git"))...)
	}
	live := func() *v1beta1.Slideshow {
		t.Helper()
		s := &v1beta1.Slideshow{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "launch"}, s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	edit := func(owner, title string) {
		t.Helper()
		s := live()
		before := s.DeepCopy()
		s.Spec.Title = &title
		if err := c.Patch(t.Context(), s, client.MergeFrom(before), client.FieldOwner(owner)); err != nil {
			t.Fatal(err)
		}
	}
	if err := apply("From Git"); err != nil {
		t.Fatal(err)
	}
	edit("apiserver", "By an older release")
	if _, err := run(t, c); err != nil {
		t.Fatal(err)
	}
	version := live().ResourceVersion
	for _, e := range live().ManagedFields {
		if e.Manager == "apiserver" || e.Manager == "manager" {
			t.Errorf("an entry of %s is left", e.Manager)
		}
	}
	if _, err := run(t, c); err != nil || live().ResourceVersion != version {
		t.Errorf("a second migration writes the object: %v", err)
	}

	if err := apply("From Git"); !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "reelops-frontend"`) {
		t.Errorf("the conflict of an apply does not name the front end: %v", err)
	}
	edit(fieldowner.Frontend, "By this release")
	if err := apply("From Git", client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	if err := apply(""); err != nil {
		t.Fatal(err)
	}
	if title := live().Spec.Title; title != nil {
		t.Errorf("the title was removed in Git, and is still %q", *title)
	}
}

// TestRun_RenamesNoFieldManagersOfAChangedObject: entries of managedFields that were listed earlier would undo the
// change of the owners.
func TestRun_RenamesNoFieldManagersOfAChangedObject(t *testing.T) {
	changed := false
	c := installation(t, "v1beta1", interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if b := (&v1beta1.Brand{}); !changed && o.GetName() == "brand-1" {
				changed = true
				if err := errors.Join(c.Get(ctx, client.ObjectKeyFromObject(o), b), c.Update(ctx, b)); err != nil {
					return err
				}
			}
			return c.Patch(ctx, o, p, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, l client.ObjectList, opts ...client.ListOption) error {
			if err := c.List(ctx, l, opts...); err != nil {
				return err
			}
			if page, ok := l.(*metav1.PartialObjectMetadataList); ok {
				for i := range page.Items {
					page.Items[i].ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "manager", Operation: metav1.ManagedFieldsOperationUpdate}}
				}
			}
			return nil
		},
	})
	kinds, err := run(t, c)
	if err == nil || kinds[1].Objects != 2 || kinds[1].Failed != 1 || !strings.Contains(kinds[1].Reasons[0], "acme/brand-1: ") {
		t.Errorf("got %v, %+v", err, kinds)
	}
}
