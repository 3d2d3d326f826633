// SPDX-License-Identifier: Apache-2.0

package connectionrequest

import (
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
)

// report sets the status and conditions. A request in processing without accounts is still in progress.
func report(q *v1beta1.ConnectionRequest, failure *v1beta1.WorkError, now time.Time) {
	st := &q.Status
	c := status.Conditions{List: &st.Conditions, Generation: q.Generation}
	switch {
	case failure != nil:
		st.State, st.Error, st.Accounts = v1beta1.WorkFailed, failure, nil
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, failure.Message)
		c.Set(v1beta1.ConditionStalled, true, v1beta1.ReasonFailed, failure.Message)
	case len(st.Accounts) > 0:
		st.State = v1beta1.WorkSucceeded
		c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonConnected, fmt.Sprintf("Connected: %s", strings.Join(st.Accounts, ", ")))
	default:
		c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonProgressing, "Exchanging the code for tokens")
		return
	}
	st.FinishedAt = &metav1.Time{Time: now.Truncate(time.Second)}
}
