// SPDX-License-Identifier: Apache-2.0

package mediapack_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/mediapack"
	"github.com/reelops/reelops/internal/testkit"
)

const byPack = "pack"

var born = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// asset returns a ready image of the pack, changed by change. A lower age means created later.
func asset(name string, age int, change func(*v1beta1.MediaAsset)) *v1beta1.MediaAsset {
	a := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: name, CreationTimestamp: metav1.NewTime(born.Add(-time.Duration(age) * time.Hour))},
		Spec:       v1beta1.MediaAssetSpec{PackRef: &v1beta1.LocalRef{Name: "summer"}},
		Status:     v1beta1.MediaAssetStatus{BlobKey: "media/acme/" + name, Probe: &v1beta1.MediaProbe{Kind: "image"}},
	}
	if change != nil {
		change(a)
	}
	return a
}

func TestPack_ListsItsReadyImages(t *testing.T) {
	p := &v1beta1.MediaPack{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "summer", Generation: 1, Labels: map[string]string{v1beta1.LabelID: "7"}}}
	objects := []client.Object{
		p, asset("e", 1, nil), asset("a", 2, nil), asset("d", 2, nil), asset("c", 5, nil), asset("b", 3, nil),
		asset("clip", 9, func(a *v1beta1.MediaAsset) { a.Status.Probe.Kind = "video" }),
		asset("coming", 9, func(a *v1beta1.MediaAsset) { a.Status = v1beta1.MediaAssetStatus{} }),
		asset("failed", 9, func(a *v1beta1.MediaAsset) { a.Status.Error = &v1beta1.WorkError{Code: "x", Message: "x"} }),
		asset("going", 9, func(a *v1beta1.MediaAsset) {
			a.Finalizers, a.DeletionTimestamp = []string{"x/y"}, &metav1.Time{Time: born}
		}),
		asset("elsewhere", 9, func(a *v1beta1.MediaAsset) { a.Spec.PackRef.Name = "winter" }),
		asset("other-account", 9, func(a *v1beta1.MediaAsset) { a.Namespace = "other" }),
		asset("alone", 9, func(a *v1beta1.MediaAsset) { a.Spec.PackRef = nil }),
	}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(objects...).WithStatusSubresource(p).
		WithIndex(&v1beta1.MediaAsset{}, byPack, func(o client.Object) []string {
			if ref := o.(*v1beta1.MediaAsset).Spec.PackRef; ref != nil {
				return []string{ref.Name}
			}
			return nil
		}).Build()
	r := &mediapack.Reconciler{Client: c, IndexPack: byPack, NextID: func(context.Context) (int64, error) { return 0, fmt.Errorf("the pack has an id") }}
	pass := func() {
		t.Helper()
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(p), p); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Reconcile(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(p), p); err != nil {
			t.Fatal(err)
		}
	}
	shows := func(count int32, previews ...string) {
		t.Helper()
		if p.Status.ImageCount != count {
			t.Errorf("got %d images, want %d", p.Status.ImageCount, count)
		}
		if diff := cmp.Diff(previews, p.Status.Previews); diff != "" {
			t.Errorf("previews (-want +got):\n%s", diff)
		}
	}
	pass()
	shows(5, "c", "b", "a", "d")
	if ready := p.Status.Conditions[0]; ready.Status != metav1.ConditionFalse || !strings.HasPrefix(ready.Message, `Ready images: 5. The MediaAsset "coming" is not ready: `) {
		t.Errorf("Ready is %s with an image that is not ready: %s", ready.Status, ready.Message)
	}
	at := p.ResourceVersion
	pass()
	if p.ResourceVersion != at {
		t.Error("a pass without changes wrote the status")
	}
	for _, name := range []string{"c", "b", "a", "coming", "failed"} {
		if err := c.Delete(t.Context(), asset(name, 0, nil)); err != nil {
			t.Fatal(err)
		}
	}
	pass()
	shows(2, "d", "e")
	if ready := p.Status.Conditions[0]; ready.Status != metav1.ConditionTrue {
		t.Errorf("the pack is not Ready although all its images are: %s", ready.Message)
	}
	for _, name := range []string{"d", "e"} {
		if err := c.Delete(t.Context(), asset(name, 0, nil)); err != nil {
			t.Fatal(err)
		}
	}
	pass()
	shows(0)
	if ready := p.Status.Conditions[0]; ready.Status != metav1.ConditionFalse || ready.Reason != string(v1beta1.ReasonMediaNotReady) {
		t.Errorf("Ready of an empty pack is %s, %s", ready.Status, ready.Reason)
	}
}
