// SPDX-License-Identifier: Apache-2.0

package webhookendpoint

import (
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// delays are the times from one attempt to the next. The first attempt starts at once. After the last one, an event is
// given up. A replay can send it again.
var delays = []time.Duration{
	0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
	14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// outageTime is how long all attempts fail before the first success brings the other pending events forward. A receiver
// that fails now and then does not use up the attempts of its events this way.
const outageTime = 5 * time.Minute

// failingTime is how long all attempts fail before an endpoint is disabled.
const failingTime = 5 * 24 * time.Hour

// nextDelay returns the time to the next attempt after a number of failed ones, with up to 10 percent added, which
// depends on the event. It returns false after the last attempt.
func nextDelay(id string, failed int32) (time.Duration, bool) {
	if int(failed) >= len(delays) {
		return 0, false
	}
	d := delays[failed]
	h := fnv.New32a()
	_, _ = h.Write([]byte(id + strconv.Itoa(int(failed))))
	return d + d/1000*time.Duration(h.Sum32()%100), true
}

// attempt is an event that is sent, and its result.
type attempt struct {
	id       string
	event    v1beta1.WebhookEvent
	body     []byte
	position *v1beta1.WebhookCursor // nil for a test
	number   int32
	// skipped means that no request was sent, because other requests use the slots of the host.
	skipped bool
	began   time.Time
	took    time.Duration
	code    int
	failure string
}

func (a *attempt) ok() bool { return a.failure == "" }

// settle records the results of a batch in the status. It returns whether the endpoint was disabled now.
func settle(w *v1beta1.WebhookEndpoint, batch []*attempt, now time.Time) (disabled bool) {
	st := &w.Status
	pending, since := slices.Clone(st.Pending), st.FailingSince
	gone, succeeded := false, false
	for _, a := range batch {
		if a.position != nil {
			pending = without(pending, *a.position)
		}
		if a.skipped {
			if a.position != nil {
				pending = append(pending, v1beta1.WebhookPending{
					WebhookCursor: *a.position, Attempts: a.number - 1, NextAt: metav1.NewMicroTime(now.Add(slotWait)),
				})
			}
			continue
		}
		st.Deliveries = append([]v1beta1.WebhookDelivery{{
			EventID: a.id, Event: a.event, Position: a.position, Attempt: a.number, At: metav1.NewMicroTime(a.began),
			Milliseconds: int32(min(a.took.Milliseconds(), 1<<30)), Code: int32(a.code), Error: a.failure,
		}}, st.Deliveries...)
		gone = gone || a.code == codeGone
		if a.position == nil {
			continue // a test changes nothing else
		}
		if a.ok() {
			succeeded = true
			continue
		}
		if wait, again := nextDelay(a.id, a.number); again {
			pending = append(pending, v1beta1.WebhookPending{
				WebhookCursor: *a.position, Attempts: a.number, NextAt: metav1.NewMicroTime(now.Add(wait)),
			})
		}
		if st.FailingSince == nil {
			at := metav1.NewTime(now)
			st.FailingSince = &at
		}
	}
	if succeeded {
		st.FailingSince = nil
		for i := range pending { // nothing waits for hours after an outage
			if since != nil && now.Sub(since.Time) >= outageTime {
				pending[i].NextAt = metav1.NewMicroTime(now)
			}
		}
	}
	st.Pending = pending
	st.Deliveries = st.Deliveries[:min(len(st.Deliveries), v1beta1.MaxWebhookDeliveries)]
	var reason v1beta1.Reason
	switch {
	case gone:
		reason = v1beta1.ReasonGone
	case st.FailingSince != nil && !now.Before(st.FailingSince.Add(failingTime)):
		reason = v1beta1.ReasonFailing
	default:
		return false
	}
	st.Disabled = &v1beta1.WebhookDisabled{Reason: reason, At: metav1.NewTime(now), Generation: w.Generation}
	st.FailingSince = nil // counts again once the endpoint is enabled
	return true
}

// without returns the pending events except the one at a position.
func without(pending []v1beta1.WebhookPending, at v1beta1.WebhookCursor) []v1beta1.WebhookPending {
	return slices.DeleteFunc(pending, func(p v1beta1.WebhookPending) bool { return p.WebhookCursor == at })
}
