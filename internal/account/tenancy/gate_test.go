// SPDX-License-Identifier: Apache-2.0

package tenancy_test

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/testkit"
)

// binder returns an error and records the namespaces of its calls.
type binder struct {
	err   error
	bound []string
}

func (b *binder) Bind(_ context.Context, namespace string) error {
	b.bound = append(b.bound, namespace)
	return b.err
}

func TestGate(t *testing.T) {
	refused := apierrors.NewForbidden(schema.GroupResource{Resource: "rolebindings"}, "x", errors.New("the namespace is not an account's"))
	away := errors.New("the connection is closed")
	for name, c := range map[string]struct {
		namespace string
		err       error
		want      v1beta1.Reason // of Closed; empty for an open gate
		binds     bool
	}{
		"an account":                        {"acme", nil, "", true},
		"an account, not labelled":          {"acme", refused, v1beta1.ReasonNamespaceNotLabelled, true},
		"an account, permissions pending":   {"acme", away, "", true},
		"no account":                        {"nobodys", nil, v1beta1.ReasonAccountNotFound, false},
		"the name of the shared imports":    {"shared", nil, v1beta1.ReasonNamespaceReserved, false},
		"the library":                       {"library", nil, "", true},
		"the library, not labelled":         {"library", refused, v1beta1.ReasonNamespaceNotLabelled, true},
		"the namespace of the installation": {"system", nil, v1beta1.ReasonAccountNotFound, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := &binder{err: c.err}
			accounts := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(testkit.Account("acme"), testkit.Account("shared")).Build()
			g := &tenancy.Gate{Accounts: accounts, Binder: b, System: "system", Library: "library"}
			closed, err := g.Check(t.Context(), c.namespace)
			var got v1beta1.Reason
			if closed != nil {
				got = closed.Reason
			}
			if got != c.want || (closed != nil && closed.Message == "") || errors.Is(err, away) != errors.Is(c.err, away) {
				t.Errorf("got %+v, %v", closed, err)
			}
			if binds := len(b.bound) > 0; binds != c.binds {
				t.Errorf("got bindings in %v", b.bound)
			}
		})
	}
	same := &binder{}
	g := &tenancy.Gate{Accounts: fake.NewClientBuilder().WithScheme(testkit.Scheme()).Build(), Binder: same, System: "system", Library: "system"}
	if closed, err := g.Check(t.Context(), "system"); closed != nil || err != nil || len(same.bound) > 0 {
		t.Errorf("the library in the namespace of the installation: got %+v, %v, bindings %v", closed, err, same.bound)
	}
	var none *tenancy.Gate
	if closed, err := none.Check(t.Context(), "any"); closed != nil || err != nil {
		t.Errorf("no gate: got %+v, %v", closed, err)
	}
}

func TestGate_RoomFollowsThePlan(t *testing.T) {
	a := testkit.Account("acme")
	a.Spec.Plan.MaxBytes = ptr.To[int64](100)
	full := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "a"}, Status: v1beta1.MediaAssetStatus{Probe: &v1beta1.MediaProbe{Bytes: 100}}}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(a, full).Build()
	g := &tenancy.Gate{Accounts: c, Meter: quota.NewMeter(c, clock.RealClock{}), Library: "library"}
	room := func(namespace string, want v1beta1.Reason) {
		t.Helper()
		closed, err := g.Room(t.Context(), namespace)
		var got v1beta1.Reason
		if closed != nil {
			got = closed.Reason
		}
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", namespace, closed, err)
		}
	}
	room("acme", v1beta1.ReasonQuotaExceeded)
	room("library", "")
	room("nobodys", "") // Check reports the missing object
	a.Spec.Plan.MaxBytes = nil
	if err := c.Update(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	room("acme", "")
}
