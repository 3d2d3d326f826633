// SPDX-License-Identifier: Apache-2.0

package view

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
)

func TestAnAccount(t *testing.T) {
	start := metav1.NewTime(time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC))
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	period := map[string]any{
		"metered": "slideshows", "automation_limit": 4.0, "automations_used": 0.0,
		"period_start": "2026-11-01T00:00:00Z", "period_end": "2026-12-01T00:00:00Z",
	}
	with := func(more map[string]any) map[string]any {
		for k, v := range period {
			more[k] = v
		}
		return more
	}
	for name, c := range map[string]struct {
		plan v1beta1.Plan
		want map[string]any
	}{
		"without a limit, clients can still compute with the numbers": {
			v1beta1.Plan{Name: "self-hosted", AutomationLimit: ptr.To[int32](4)}, with(map[string]any{
				"plan_name": "self-hosted", "slideshow_limit": 2147483647.0, "slideshows_used": 3.0, "slideshows_remaining": 2147483644.0, "unlimited": true,
			}),
		},
		"with a limit and credits": {
			v1beta1.Plan{Name: "starter", AutomationLimit: ptr.To[int32](4), SlideshowLimit: ptr.To[int32](5), Credits: ptr.To[int32](20)}, with(map[string]any{
				"plan_name": "starter", "slideshow_limit": 5.0, "slideshows_used": 3.0, "slideshows_remaining": 2.0, "unlimited": false,
				"current_credits": 14.0, "credits_reset_at": "2026-12-01T00:00:00Z",
			}),
		},
	} {
		a := &v1beta1.Account{
			Spec:   v1beta1.AccountSpec{Email: "anna@example.com", Plan: c.plan},
			Status: v1beta1.AccountStatus{Usage: &v1beta1.Usage{PeriodStart: start, SlideshowsUsed: 3, CreditsUsed: 6}},
		}
		got := written(t, AccountOf(1, a, []BrandRef{{ID: 7, Name: "Acme"}}, 0, Key{ID: 3, Name: "k", Scopes: []v1beta1.Scope{"brand:read"}, BrandID: 7, RequestCount: 1}, now))
		want := map[string]any{
			"user":   map[string]any{"id": 1.0, "email": "a***@example.com"},
			"plan":   map[string]any{"name": c.plan.Name, "capabilities": c.want},
			"brands": []any{map[string]any{"id": 7.0, "name": "Acme"}},
			"api_key": map[string]any{
				"id": 3.0, "name": "k", "scopes": []any{"brand:read"}, "brand_id": 7.0, "expires_at": nil, "last_used_at": nil, "request_count": 1.0,
			},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestMask(t *testing.T) {
	for in, want := range map[string]string{"anna@example.com": "a***@example.com", "émile@x.fr": "é***@x.fr", "@x": "***", "nobody": "***", "a@b": "a***@b"} {
		if got := mask(in); got != want {
			t.Errorf("%s is masked as %s, want %s", in, got, want)
		}
	}
}
