// SPDX-License-Identifier: Apache-2.0

package tenancy_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/testkit"
)

func TestBind(t *testing.T) {
	ctx, reads, writes := t.Context(), 0, 0
	var refuse error
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			reads++
			return c.Get(ctx, key, o, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if writes++; refuse != nil {
				return refuse
			}
			return c.Create(ctx, o, opts...)
		},
	}).Build()
	now := clocktesting.NewFakePassiveClock(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	manager := types.NamespacedName{Namespace: "system", Name: "films"}
	b := tenancy.New(c, manager, now)
	check := func(why string, r, w int) {
		t.Helper()
		if reads != r || writes != w {
			t.Errorf("%s: got %d reads and %d writes, want %d and %d", why, reads, writes, r, w)
		}
	}

	refuse = apierrors.NewForbidden(schema.GroupResource{Resource: "rolebindings"}, tenancy.Role, errors.New("not an account's"))
	if err := b.Bind(ctx, "acme"); !apierrors.IsForbidden(err) {
		t.Errorf("rejected: got %v", err)
	}
	check("a rejected binding", 1, 1)
	refuse = nil
	if err := b.Bind(ctx, "acme"); err != nil {
		t.Fatal(err)
	}
	check("is retried", 2, 2)
	made := &rbacv1.RoleBinding{}
	if err := c.Get(ctx, client.ObjectKey{Namespace: "acme", Name: tenancy.Role}, made); err != nil {
		t.Fatal(err)
	}
	want := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "system", Name: "films"}}
	if d := cmp.Diff(want, made.Subjects); d != "" || made.RoleRef.Kind != "ClusterRole" || made.RoleRef.Name != tenancy.Role {
		t.Errorf("got %+v %s", made.RoleRef, d)
	}

	reads, writes = 0, 0
	now.SetTime(now.Now().Add(9 * time.Minute))
	_ = b.Bind(ctx, "acme")
	check("a known binding is not read again", 0, 0)
	now.SetTime(now.Now().Add(2 * time.Minute))
	_ = b.Bind(ctx, "acme")
	check("it is read again later", 1, 0)
	if err := c.Delete(ctx, made); err != nil {
		t.Fatal(err)
	}
	now.SetTime(now.Now().Add(11 * time.Minute))
	_ = b.Bind(ctx, "acme")
	check("a deleted binding is recreated", 2, 1)
	if err := tenancy.New(c, manager, now).Bind(ctx, "acme"); err != nil {
		t.Fatal(err)
	}
	check("another manager finds it", 3, 1)
	renamed := tenancy.New(c, types.NamespacedName{Namespace: "system", Name: "media"}, now)
	if err := renamed.Bind(ctx, "acme"); err == nil || apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("a binding of another ServiceAccount: got %v", err)
	}
}
