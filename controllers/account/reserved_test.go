// SPDX-License-Identifier: Apache-2.0

package account

import (
	"context"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blobkey"
	"github.com/reelops/reelops/internal/testkit"
)

// unexpected fails the test if a namespace is bound.
type unexpected struct{ t *testing.T }

func (u unexpected) Bind(_ context.Context, namespace string) error {
	u.t.Errorf("unexpected binding of the namespace %s", namespace)
	return nil
}

// TestAccountOfTheSharedImportsIsRefused covers an Account that is older than the policy, and the policy.
func TestAccountOfTheSharedImportsIsRefused(t *testing.T) {
	d := newFixture(t, blobkey.Shared)
	d.r.Tenancy = unexpected{t}
	if _, err := d.r.Reconcile(t.Context(), d.account()); err != nil {
		t.Fatal(err)
	}
	ready := meta.FindStatusCondition(d.account().Status.Conditions, string(v1beta1.ConditionReady))
	if ready == nil || ready.Status != "False" || ready.Reason != string(v1beta1.ReasonNamespaceReserved) {
		t.Errorf("got conditions %+v", ready)
	}
	if err := cluster.Client.Delete(t.Context(), d.account()); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Apply(t.Context(), "policy/accounts.yaml"); err != nil {
		t.Fatal(err)
	}
	// The cluster enforces a policy a moment after it was created.
	if err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		return apierrors.IsForbidden(cluster.Client.Create(ctx, testkit.Account(blobkey.Shared), client.DryRunAll)), nil
	}); err != nil {
		t.Error("the policy accepts the Account:", err)
	}
	if err := cluster.Client.Create(t.Context(), testkit.Namespace("shared-by-two")); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Client.Create(t.Context(), testkit.Account("shared-by-two"), client.DryRunAll); err != nil {
		t.Errorf("creating an Account with another name: %v", err)
	}
}
