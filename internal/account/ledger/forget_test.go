// SPDX-License-Identifier: Apache-2.0

package ledger_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/testkit"
)

func TestForget_SlideshowsAndVideos(t *testing.T) {
	named := func(name, uid string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "tenant", Name: name, UID: types.UID("uid-" + uid)}
	}
	show := &v1beta1.Slideshow{ObjectMeta: named("tea", "s"), Status: v1beta1.SlideshowStatus{Charge: &v1beta1.Charge{Charges: 1}}}
	video := &v1beta1.Video{ObjectMeta: named("tea", "v"), Status: v1beta1.VideoStatus{Charge: &v1beta1.Charge{Charges: 1}}}
	entries := []string{
		"tea/uid-s/charge-1/2026-11", "tea/uid-s/refund-1/2026-11", "tea/uid-v/charge-1/2026-11", "tea/uid-v/refund-1/2026-11",
		"tea/uid-old/charge-1/2026-11", "gone/uid-g/charge-1/2026-11",
	}
	broken := errors.New("the cluster is away")
	for why, c := range map[string]struct {
		err  error
		want []string
	}{
		"recorded and deleted shorts are forgotten": {nil, []string{entries[1], entries[3]}},
		"unreadable shorts are kept":                {broken, entries},
	} {
		cl := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(show.DeepCopy(), video.DeepCopy()).WithInterceptorFuncs(interceptor.Funcs{
			Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if c.err != nil {
					return c.err
				}
				return w.Get(ctx, key, o, opts...)
			},
		}).Build()
		a := testkit.Account("tenant")
		a.Status.Usage = &v1beta1.Usage{Unsettled: slices.Clone(entries)}
		ledger.Forget(t.Context(), cl, a)
		if !slices.Equal(a.Status.Usage.Unsettled, c.want) {
			t.Errorf("%s: got %v", why, a.Status.Usage.Unsettled)
		}
	}
}
