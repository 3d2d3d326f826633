// SPDX-License-Identifier: Apache-2.0

package fieldowner_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/fieldowner"
	"github.com/reelops/reelops/internal/testkit"
)

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

func TestMigration(t *testing.T) {
	cluster := testkit.Start(t)
	c := cluster.Client
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
	if err := (&fieldowner.Migration{Cluster: c}).Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	version := live().ResourceVersion
	for _, e := range live().ManagedFields {
		if e.Manager == "apiserver" || e.Manager == "manager" {
			t.Errorf("an entry of %s is left", e.Manager)
		}
	}
	if err := (&fieldowner.Migration{Cluster: c}).Start(t.Context()); err != nil || live().ResourceVersion != version {
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
