// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// bound answers every Bind with an error.
type bound struct{ err error }

func (b bound) Bind(context.Context, string) error { return b.err }

func TestTheAccountTellsWhetherItsTokensCanBeRead(t *testing.T) {
	d := newDesk(t, "labelled")
	unlabelled := apierrors.NewForbidden(schema.GroupResource{Resource: "rolebindings"}, "x", errors.New("the namespace is not an account's"))
	for _, c := range []struct {
		err    error
		reason v1beta1.Reason
		again  bool
	}{
		{unlabelled, v1beta1.ReasonNamespaceNotLabelled, true},
		{nil, v1beta1.ReasonReady, false},
	} {
		d.r.Tenancy = bound{c.err}
		result, err := d.r.Reconcile(t.Context(), d.account())
		if err != nil {
			t.Fatal(err)
		}
		if (result.RequeueAfter > 0 && result.RequeueAfter <= refusedWait) != c.again {
			t.Errorf("%v: again in %v", c.err, result.RequeueAfter)
		}
		got := meta.FindStatusCondition(d.account().Status.Conditions, string(v1beta1.ConditionConnectable))
		if got == nil || got.Reason != string(c.reason) {
			t.Errorf("%v: %+v", c.err, got)
		}
		if ready := meta.FindStatusCondition(d.account().Status.Conditions, string(v1beta1.ConditionReady)); ready == nil || ready.Status != "True" {
			t.Errorf("%v: slideshows can be made all the same: %+v", c.err, ready)
		}
	}
	d = newDesk(t, "cut-off")
	d.r.Tenancy = bound{errors.New("the line broke")}
	if _, err := d.r.Reconcile(t.Context(), d.account()); err == nil {
		t.Error("what may pass is not tried again")
	}
	if ready := meta.FindStatusCondition(d.account().Status.Conditions, string(v1beta1.ConditionReady)); ready == nil || ready.Status != "True" {
		t.Errorf("nothing is said of slideshows, which can be made all the same: %+v", ready)
	}
}
