// SPDX-License-Identifier: Apache-2.0

package video

import (
	"errors"
	"fmt"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
)

// unaffordable returns the decision that ends the work because the plan is used up; nil for other errors.
func unaffordable(err error) *decision {
	var e *quota.ExhaustedError
	if !errors.As(err, &e) {
		return nil
	}
	q := e.State
	return fail(v1beta1.ReasonQuotaExceeded, catalog.QuotaExceeded, false,
		fmt.Sprintf("The plan's %d slideshows and videos of this period are used up", q.Limit),
		map[string]string{
			"limit": fmt.Sprint(q.Limit), "used": fmt.Sprint(q.Used), "resets_at": q.PeriodEnd.Format(time.RFC3339),
		})
}

// refundable reports whether the work on the video failed through no fault of its user and is still charged.
func refundable(v *v1beta1.Video) bool {
	w := v.Status.Work
	return w != nil && w.State == v1beta1.WorkFailed && w.Error != nil && w.Error.Retryable && ledger.IsCommitted(v)
}
