// SPDX-License-Identifier: Apache-2.0

package identity_test

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/testkit"
)

func TestEnsure(t *testing.T) {
	ctx := context.Background()
	brand := &v1beta1.LocalRef{Name: "acme"}
	for _, c := range []struct {
		why    string
		labels map[string]string
		brand  *v1beta1.LocalRef
		id     int64
		asked  int
		writes bool
	}{
		{"a manifest without labels gets both", nil, brand, 5, 1, true},
		{"a shared object gets only an id", nil, nil, 5, 1, true},
		{"an object of the front end has both", map[string]string{v1beta1.LabelID: "3", v1beta1.LabelBrand: "acme"}, brand, 3, 0, false},
		{"an id stays when the brand label is wrong", map[string]string{v1beta1.LabelID: "3", v1beta1.LabelBrand: "other"}, brand, 3, 0, true},
		{"an invalid number is replaced", map[string]string{v1beta1.LabelID: "three"}, nil, 5, 1, true},
		{"ids start at one", map[string]string{v1beta1.LabelID: "0"}, nil, 5, 1, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := testkit.Slideshow("tenant", "tea", "acme", "tea")
			s.Labels = c.labels
			cl := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(s).Build()
			if err := cl.Get(ctx, client.ObjectKeyFromObject(s), s); err != nil {
				t.Fatal(err)
			}
			version, asked := s.ResourceVersion, 0
			next := func(context.Context) (int64, error) { asked++; return 5, nil }
			if err := identity.Ensure(ctx, cl, s, next, c.brand); err != nil {
				t.Fatal(err)
			}
			stored := &v1beta1.Slideshow{}
			if err := cl.Get(ctx, client.ObjectKeyFromObject(s), stored); err != nil {
				t.Fatal(err)
			}
			if id, ok := identity.Of(stored); !ok || id != c.id || asked != c.asked {
				t.Errorf("got id %d after %d calls", id, asked)
			}
			if c.brand != nil && stored.Labels[v1beta1.LabelBrand] != c.brand.Name {
				t.Errorf("got labels %v", stored.Labels)
			}
			if wrote := stored.ResourceVersion != version; wrote != c.writes {
				t.Errorf("got writes %v", wrote)
			}
			if stored.ResourceVersion != s.ResourceVersion {
				t.Error("the pass would continue with an older version than the stored one")
			}
		})
	}
}

func TestEnsure_StaleObject(t *testing.T) {
	ctx := context.Background()
	s := testkit.Slideshow("tenant", "tea", "acme", "tea")
	cl := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(s).Build()
	if err := cl.Get(ctx, client.ObjectKeyFromObject(s), s); err != nil {
		t.Fatal(err)
	}
	old := s.DeepCopy()
	id := int64(0)
	next := func(context.Context) (int64, error) { id++; return id, nil }
	if err := identity.Ensure(ctx, cl, s, next, nil); err != nil {
		t.Fatal(err)
	}
	if err := identity.Ensure(ctx, cl, old, next, nil); !apierrors.IsConflict(err) {
		t.Errorf("an object with an id gets another: %v", err)
	}
	broken := errors.New("no ids")
	fresh := testkit.Slideshow("tenant", "other", "acme", "tea")
	if err := identity.Ensure(ctx, cl, fresh, func(context.Context) (int64, error) { return 0, broken }, nil); !errors.Is(err, broken) || len(fresh.Labels) > 0 {
		t.Errorf("without an id the object is labelled: %v, %v", err, fresh.Labels)
	}
}
