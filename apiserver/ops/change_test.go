// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/testkit"
)

// TestChanged_ConflictingWrites lets some writes conflict. Each attempt starts from the object as it is then.
func TestChanged_ConflictingWrites(t *testing.T) {
	for conflicts, want := range map[int]int{0: 0, writeTries - 1: 0, writeTries: http.StatusServiceUnavailable} {
		left, fetched := conflicts, 0
		s := &Service{Client: interceptor.NewClient(fake.NewClientBuilder().WithScheme(testkit.Scheme()).Build(), interceptor.Funcs{
			Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
				if left--; left >= 0 {
					return apierrors.NewConflict(schema.GroupResource{Resource: "brands"}, "acme", errors.New("changed"))
				}
				return nil
			},
		})}
		b, err := changed(t.Context(), s, "brand", nil, func() (*v1beta1.Brand, error) {
			fetched++
			return &v1beta1.Brand{}, nil
		}, func(b *v1beta1.Brand) error {
			b.Spec.DisplayName = "Acme"
			return nil
		})
		status := 0
		var p *problem.Problem
		if errors.As(err, &p) {
			status = p.Status
		}
		if status != want || want == 0 && (err != nil || b.Spec.DisplayName != "Acme") || fetched != min(conflicts+1, writeTries) {
			t.Errorf("%d conflicts: got %v, %v after %d attempts", conflicts, b, err, fetched)
		}
	}
}
