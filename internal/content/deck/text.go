// SPDX-License-Identifier: Apache-2.0

package deck

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// ShortfallMessage returns a sentence, without a full stop, about how many slides were filled from the context, and the
// remedy. It returns an empty string for a text without a shortfall.
func ShortfallMessage(t *v1beta1.Text) string {
	if t == nil || t.Shortfall == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d slides are from the context and the profile: no text model is configured to write the rest; configure one, or provide a longer context",
		t.Shortfall.FromText, t.Shortfall.Wanted)
}

// AwaitsModel returns the condition of a short that waits for a text model to become ready, or nil if the short does
// not wait.
func AwaitsModel(all []metav1.Condition) *metav1.Condition {
	c := meta.FindStatusCondition(all, string(v1beta1.ConditionWritten))
	if c == nil || c.Status == metav1.ConditionTrue || c.Reason != string(v1beta1.ReasonTextModelNotReady) {
		return nil
	}
	return c
}
