// SPDX-License-Identifier: Apache-2.0

package video

import (
	"errors"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
)

// unaffordable returns the step that ends the work because the plan is used up; nil for other errors.
func unaffordable(err error) *step {
	var e *quota.ExhaustedError
	if !errors.As(err, &e) {
		return nil
	}
	st := exhausted(e.State)
	return &st
}

// refundable reports whether the work on the video failed through no fault of its user and is still charged.
func refundable(v *v1beta1.Video) bool {
	w := v.Status.Work
	return w != nil && w.State == v1beta1.WorkFailed && w.Error != nil && w.Error.Retryable && ledger.IsCommitted(v)
}
