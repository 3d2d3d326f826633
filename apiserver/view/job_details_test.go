// SPDX-License-Identifier: Apache-2.0

package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reelops/reelops/api/v1beta1"
)

func TestJobErrorDetails(t *testing.T) {
	got := jobError(&v1beta1.WorkError{Code: "insufficient_credits", Message: "No", Details: map[string]string{
		"credits_required": "24", "current_credits": "20", "slide_id": "3", "field": "12", "limit": "many",
	}}).Details
	want := map[string]any{"credits_required": int64(24), "current_credits": int64(20), "slide_id": int64(3), "field": "12", "limit": "many"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts are numbers, as in other responses (-want +got):\n%s", diff)
	}
}
