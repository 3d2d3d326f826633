// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/catalog"
)

// cluster is a fake that responds to reads of a key as configured.
type cluster struct {
	client.Reader
	get func(ctx context.Context, o *v1beta1.APIKey) error
}

func (c cluster) Get(ctx context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	return c.get(ctx, o.(*v1beta1.APIKey))
}

func TestCurrent(t *testing.T) {
	keys := schema.GroupResource{Resource: "apikeys"}
	hangs := func(ctx context.Context, _ *v1beta1.APIKey) error { <-ctx.Done(); return ctx.Err() }
	for _, c := range []struct {
		why     string
		get     func(context.Context, *v1beta1.APIKey) error
		changes bool
		revoked bool // as the cluster reports it
		code    catalog.Code
		fails   bool
	}{
		{"a read uses the key in the cluster", func(_ context.Context, o *v1beta1.APIKey) error { o.Spec.Revoked = true; return nil }, false, true, "", false},
		{"so does a write", func(_ context.Context, o *v1beta1.APIKey) error { o.Spec.Revoked = true; return nil }, true, true, "", false},
		{"a deleted key is rejected", func(context.Context, *v1beta1.APIKey) error { return apierrors.NewNotFound(keys, "k") }, false, false, catalog.InvalidToken, true},
		{"reads continue while the cluster is unavailable", func(context.Context, *v1beta1.APIKey) error { return apierrors.NewServiceUnavailable("away") }, false, false, "", false},
		{"writes do not", func(context.Context, *v1beta1.APIKey) error { return apierrors.NewServiceUnavailable("away") }, true, false, "", true},
		{"reads wait only for a moment", hangs, false, false, "", false},
		{"a denied read does not fall back to the cache", func(context.Context, *v1beta1.APIKey) error {
			return apierrors.NewForbidden(keys, "k", errors.New("no"))
		}, false, false, "", true},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &Authenticator{Reader: &read.Reader{Live: cluster{get: c.get}}}
				key, remembered, err := a.current(t.Context(), &v1beta1.APIKey{}, c.changes)
				var p *problem.Problem
				switch {
				case (err != nil) != c.fails:
					t.Fatalf("got error %v", err)
				case errors.As(err, &p) != (c.code != "") || p != nil && p.Code != c.code:
					t.Fatalf("got %v, want %s", err, c.code)
				case err == nil && key.Spec.Revoked != c.revoked:
					t.Fatalf("%+v", key.Spec)
				case remembered != (err == nil && !c.revoked): // only the cluster can report that the key is revoked
					t.Fatalf("got cached result %v", remembered)
				}
				time.Sleep(keyReadTime) // in the bubble's time: a hanging read ends by then
			})
		})
	}
}
