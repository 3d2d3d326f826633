// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// bound returns an error for every Bind.
type bound struct{ err error }

func (b bound) Bind(context.Context, string) error { return b.err }

// byLabel accepts a Bind if the namespace has the label, like the policies.
type byLabel struct{ client.Reader }

func (b byLabel) Bind(ctx context.Context, name string) error {
	ns := &corev1.Namespace{}
	if err := b.Get(ctx, client.ObjectKey{Name: name}, ns); err != nil {
		return err
	}
	if _, ok := ns.Labels[v1beta1.LabelAccount]; !ok {
		return apierrors.NewForbidden(schema.GroupResource{Resource: "rolebindings"}, "x", errors.New("the namespace is not an account's"))
	}
	return nil
}

func TestAccount_IsReadyOnceItsNamespaceIsLabelled(t *testing.T) {
	accounts, err := labels.NewRequirement(v1beta1.LabelAccount, selection.Exists, nil)
	if err != nil {
		t.Fatal(err)
	}
	mgr, err := ctrl.NewManager(cluster.Start(t).Config, ctrl.Options{
		Scheme: testkit.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Namespace{}: {Label: labels.NewSelector().Add(*accounts)}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	d := newFixture(t, "served")
	d.r.Client, d.r.Tenancy = mgr.GetClient(), byLabel{cluster.Client}
	if err := d.r.SetupWithManager(mgr); err != nil {
		t.Fatal(err)
	}
	go func() { _ = mgr.Start(t.Context()) }()
	becomes := func(reason v1beta1.Reason) {
		t.Helper()
		err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, refusedWait/2, true, func(context.Context) (bool, error) {
			c := meta.FindStatusCondition(d.account().Status.Conditions, string(v1beta1.ConditionReady))
			return c != nil && c.Reason == string(reason), nil
		})
		if err != nil {
			t.Fatalf("the reason of the Account is not %s: %+v", reason, d.account().Status.Conditions)
		}
	}
	becomes(v1beta1.ReasonNamespaceNotLabelled)
	ns := testkit.Namespace("served")
	if err := cluster.Client.Patch(t.Context(), ns, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"reelops.dev/account":"served"}}}`))); err != nil {
		t.Fatal(err)
	}
	becomes(v1beta1.ReasonReady)
}

func TestAccount_ReportsWhetherItsTokensAreReadable(t *testing.T) {
	d := newFixture(t, "labelled")
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
			t.Errorf("%v: requeued after %v", c.err, result.RequeueAfter)
		}
		got := meta.FindStatusCondition(d.account().Status.Conditions, string(v1beta1.ConditionConnectable))
		if got == nil || got.Reason != string(c.reason) {
			t.Errorf("%v: the condition Connectable is %+v", c.err, got)
		}
		if ready := meta.FindStatusCondition(d.account().Status.Conditions, string(v1beta1.ConditionReady)); ready == nil || ready.Reason != string(c.reason) {
			t.Errorf("%v: the condition Ready is %+v", c.err, ready)
		}
		if c.err != nil && got.Message != "An administrator has to label the namespace: run `kubectl label namespace labelled reelops.dev/account=labelled`" {
			t.Errorf("got message %q", got.Message)
		}
	}
	d = newFixture(t, "cut-off")
	d.r.Tenancy = bound{errors.New("the line broke")}
	if _, err := d.r.Reconcile(t.Context(), d.account()); err == nil {
		t.Error("a temporary error is not retried")
	}
	if ready := meta.FindStatusCondition(d.account().Status.Conditions, string(v1beta1.ConditionReady)); ready == nil || ready.Status != "True" {
		t.Errorf("the Account is not Ready, although a temporary error does not affect slideshows: %+v", ready)
	}
}
