// SPDX-License-Identifier: Apache-2.0

package recreate_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/recreate"
	"github.com/reelops/reelops/internal/testkit"
)

const (
	oldUID = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
	newUID = "6fa459ea-ee8a-4ca4-894e-db77e160355e"
)

var (
	noon   = metav1.NewTime(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	source = recreate.Source{Annotation: v1beta1.AnnotationRecalled, ID: "7"}
)

// stored is a slideshow as the archive stores it.
func stored() *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{
		"spec":   map[string]any{"brandRef": map[string]any{"name": "acme"}, "context": "c"},
		"status": map[string]any{"observedGeneration": int64(3)},
	}}
	u.SetGroupVersionKind(v1beta1.GroupVersion.WithKind("Slideshow"))
	u.SetNamespace("tenant")
	u.SetName("show")
	u.SetUID(oldUID)
	u.SetGeneration(3)
	u.SetResourceVersion("12")
	u.SetCreationTimestamp(noon)
	return u
}

func prepare(t *testing.T, u *unstructured.Unstructured) recreate.Copy {
	t.Helper()
	out, ok := source.Prepare(u, nil)
	if !ok {
		t.Fatal("the copy has no owner")
	}
	return out
}

func TestPrepare(t *testing.T) {
	u := stored()
	u.SetFinalizers([]string{"reelops.dev/files"})
	u.SetLabels(map[string]string{v1beta1.LabelID: "7", v1beta1.LabelArchived: "7"})
	u.SetOwnerReferences([]metav1.OwnerReference{{Name: "gone", UID: "gone"}, {Name: "was", UID: "was"}})
	got, ok := source.Prepare(u, map[types.UID]types.UID{"was": "is"})
	if !ok {
		t.Fatal("an owner exists")
	}
	if got.UID != oldUID {
		t.Errorf("got the uid %s", got.UID)
	}
	if d := cmp.Diff(map[string]any{
		"apiVersion": "reelops.dev/v1beta1", "kind": "Slideshow", "spec": u.Object["spec"],
		"metadata": map[string]any{
			"namespace": "tenant", "name": "show", "finalizers": []any{"reelops.dev/files"},
			"labels":      map[string]any{v1beta1.LabelID: "7", v1beta1.LabelRestoring: "true"},
			"annotations": map[string]any{v1beta1.AnnotationRecalled: "7 " + oldUID + " 2026-11-22T12:00:00Z"},
			"ownerReferences": []any{map[string]any{
				"apiVersion": "", "kind": "", "name": "was", "uid": "is",
			}},
		},
	}, got.Object.Object); d != "" {
		t.Error(d)
	}
	if _, ok := source.Prepare(u, nil); ok {
		t.Error("the cluster would delete an object without an owner")
	}
}

func TestPrepare_KeepsTheFirstOrigin(t *testing.T) {
	u := stored()
	u.SetUID(newUID)
	v1beta1.SetOrigin(u, oldUID, metav1.NewTime(noon.Add(-time.Hour)))
	mark, ok := recreate.MarkOf(prepare(t, u).Object, v1beta1.AnnotationRecalled)
	want := recreate.Mark{Source: "7", UID: oldUID, Created: metav1.NewTime(noon.Add(-time.Hour))}
	if !ok || mark != want {
		t.Errorf("got %s, want %s", mark, want)
	}
}

func TestPrepare_RenumbersGenerations(t *testing.T) {
	u := stored()
	u.Object["status"] = map[string]any{
		"observedGeneration": int64(3), "workedOn": int64(2), "revision": int64(3),
		"conditions": []any{map[string]any{"type": "Ready", "observedGeneration": int64(3)}},
	}
	if d := cmp.Diff(map[string]any{
		"observedGeneration": int64(1), "workedOn": int64(0), "revision": int64(3),
		"conditions": []any{map[string]any{"type": "Ready", "observedGeneration": int64(1)}},
	}, prepare(t, u).Status); d != "" {
		t.Error(d)
	}
}

func TestMarkOf(t *testing.T) {
	for name, c := range map[string]struct {
		value string
		ok    bool
	}{
		"a mark":         {"7 " + oldUID + " 2026-11-22T12:00:00Z", true},
		"none":           {"", false},
		"too short":      {"7 " + oldUID, false},
		"without a time": {"7 " + oldUID + " noon", false},
	} {
		u := stored()
		u.SetAnnotations(map[string]string{"a": c.value})
		if m, ok := recreate.MarkOf(u, "a"); ok != c.ok || ok && m.String() != c.value {
			t.Errorf("%s: got %v, %q", name, ok, m)
		}
	}
}

// newClient returns a client of an empty cluster that gives objects a uid. fail, if set, decides before each write of a
// status whether it fails.
func newClient(fail func() error) client.Client {
	return fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithStatusSubresource(&v1beta1.Slideshow{}).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				o.SetUID(newUID)
				return c.Create(ctx, o, opts...)
			},
			SubResourcePatch: func(
				ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch,
				opts ...client.SubResourcePatchOption,
			) error {
				if fail != nil {
					if err := fail(); err != nil {
						return err
					}
				}
				return c.SubResource(sub).Patch(ctx, o, p, opts...)
			},
		}).Build()
}

func read(t *testing.T, c client.Client) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(v1beta1.GroupVersion.WithKind("Slideshow"))
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "tenant", Name: "show"}, u); err != nil {
		t.Fatal(err)
	}
	return u
}

// observed returns the observedGeneration in the status: 0 without a status, 1 with the one of stored.
func observed(u *unstructured.Unstructured) int64 {
	out, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	return out
}

// TestCreate_CompletesAfterAFault repeats the creation after the write of the status failed.
func TestCreate_CompletesAfterAFault(t *testing.T) {
	fault := testkit.ErrFault
	c := newClient(func() error { return fault })
	what := prepare(t, stored())
	if _, err := recreate.Create(t.Context(), c, what); !errors.Is(err, testkit.ErrFault) {
		t.Fatalf("the write of the status failed: got %v", err)
	}
	if got := observed(read(t, c)); got != 0 {
		t.Fatalf("observed generation %d although the write failed", got)
	}
	fault = nil
	got, err := recreate.Create(t.Context(), c, what)
	if err != nil {
		t.Fatal(err)
	}
	if got.GetUID() != newUID || observed(read(t, c)) != 1 {
		t.Errorf("got the uid %s, the observed generation %d", got.GetUID(), observed(read(t, c)))
	}
}

func TestCreate_TakenName(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*unstructured.Unstructured)
		same   bool
	}{
		"a new object":   {func(u *unstructured.Unstructured) { u.SetUID(newUID) }, false},
		"the original":   {func(*unstructured.Unstructured) {}, true},
		"a deleted one":  {deleted, false},
		"from elsewhere": {func(u *unstructured.Unstructured) { u.SetUID(newUID); v1beta1.SetOrigin(u, oldUID, noon) }, true},
		"of a backup": {func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{"reelops.dev/restore": "b " + oldUID + " 2026-11-22T12:00:00Z"})
			u.SetUID(newUID)
		}, false},
	} {
		u := stored()
		c.change(u)
		cluster := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(u).Build()
		_, err := recreate.Create(t.Context(), cluster, prepare(t, stored()))
		var taken *recreate.TakenError
		if !errors.As(err, &taken) || taken.Same != c.same || taken.Existing.GetUID() != u.GetUID() {
			t.Errorf("%s: got %v, %+v", name, err, taken)
		}
	}
}

func deleted(u *unstructured.Unstructured) {
	u.SetFinalizers([]string{"reelops.dev/files"})
	u.SetDeletionTimestamp(&noon)
}

func TestRelease(t *testing.T) {
	c := newClient(nil)
	what := prepare(t, stored())
	u, err := recreate.Create(t.Context(), c, what)
	if err != nil {
		t.Fatal(err)
	}
	if err := recreate.Release(t.Context(), c, u.DeepCopy(), "another"); err == nil {
		t.Error("an object without the mark was released")
	}
	stale := u.DeepCopy()
	for _, u := range []*unstructured.Unstructured{u, stale, u} {
		if err := recreate.Release(t.Context(), c, u, v1beta1.AnnotationRecalled); err != nil {
			t.Fatal(err)
		}
		got := read(t, c)
		if !v1beta1.Whole().Matches(labels.Set(got.GetLabels())) || v1beta1.Origin(got) != oldUID ||
			v1beta1.CreatedAt(got) != noon {
			t.Errorf("got %v, %v", got.GetLabels(), got.GetAnnotations())
		}
		if _, ok := recreate.MarkOf(got, v1beta1.AnnotationRecalled); ok {
			t.Error("the mark remains")
		}
	}
	if got := read(t, c); got.GetResourceVersion() != stale.GetResourceVersion() {
		t.Error("a released object was written again")
	}
	if err := c.Delete(t.Context(), read(t, c)); err != nil {
		t.Fatal(err)
	}
	again := what.Object.DeepCopy()
	if err := recreate.Release(t.Context(), c, again, v1beta1.AnnotationRecalled); !apierrors.IsNotFound(err) {
		t.Errorf("a deleted object: got %v", err)
	}
}
