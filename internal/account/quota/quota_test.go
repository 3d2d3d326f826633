// SPDX-License-Identifier: Apache-2.0

package quota_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/quota"
)

func TestOf(t *testing.T) {
	november := time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC)
	start, end := quota.Month(november)
	if start.Format(time.DateOnly) != "2026-11-01" || end.Format(time.DateOnly) != "2026-12-01" {
		t.Fatalf("got month %s to %s", start, end)
	}
	usage := func(period time.Time, used int32) *v1beta1.Usage {
		return &v1beta1.Usage{PeriodStart: metav1.NewTime(period), SlideshowsUsed: used}
	}
	for _, c := range []struct {
		why       string
		limit     *int32
		usage     *v1beta1.Usage
		used      int32
		exhausted bool
	}{
		{"unused", ptr.To[int32](3), nil, 0, false},
		{"one left", ptr.To[int32](3), usage(start, 2), 2, false},
		{"all used", ptr.To[int32](3), usage(start, 3), 3, true},
		{"limit below the use", ptr.To[int32](1), usage(start, 3), 3, true},
		{"the use of the last month does not count", ptr.To[int32](3), usage(start.AddDate(0, -1, 0), 3), 0, false},
		{"no limit", nil, usage(start, 3000), 3000, false},
		{"a limit of zero", ptr.To[int32](0), nil, 0, true},
	} {
		a := &v1beta1.Account{}
		a.Spec.Plan.SlideshowLimit, a.Status.Usage = c.limit, c.usage
		s := quota.Of(a, november)
		if s.Used != c.used || s.Exhausted() != c.exhausted {
			t.Errorf("%s: got %+v", c.why, s)
		}
	}
}
