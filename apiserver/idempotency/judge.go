// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"strings"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
)

// verdict is what a record means for a request.
type verdict string

const (
	// free: nobody has the key, or did and its time is over.
	free verdict = "free"
	// answered: this very request was answered.
	answered verdict = "answered"
	// running: this very request is worked on by somebody who may be alive.
	running verdict = "running"
	// left: this very request was begun by somebody who is gone, or gave up without knowing what became of it.
	left verdict = "left"
	// other: another request was answered under the key.
	other verdict = "other"
	// otherRunning: another request is worked on under the key, or was so lately that a call of its holder may still arrive.
	otherRunning verdict = "other running"
	// otherLeft: another request was begun under the key, and long ago.
	otherLeft verdict = "other left"
)

// judge is a pure function of the record as the cluster has it, nil for none, and of who asks when for what.
func (s *Store) judge(rec *v1beta1.IdempotencyRecord, hash, fingerprint string, now time.Time) verdict {
	switch {
	case rec == nil || !rec.DeletionTimestamp.IsZero() || !now.Before(rec.Spec.ExpiresAt.Time):
		return free
	case rec.Spec.ScopeHash != hash: // two scopes whose hashes begin alike: the name is taken
		return other
	}
	same, age := rec.Spec.Fingerprint == fingerprint, now.Sub(rec.Spec.HeldSince.Time)
	switch {
	case rec.Answered() && same:
		return answered
	case rec.Answered():
		return other
	case same && (s.gone(rec.Spec.Holder) || age >= s.TakeOverAfter):
		return left
	case same:
		return running
	case age >= s.ForgetAfter:
		return otherLeft
	}
	return otherRunning
}

// gone says whether a holder works on nothing: it is this very process, which keeps what it works on in memory and asks
// here only for what is not there, or an earlier process of this replica.
func (s *Store) gone(holder string) bool { return replicaOf(holder) == replicaOf(s.holder) }

// replicaOf cuts the number of the process off.
func replicaOf(holder string) string { return holder[:max(0, strings.LastIndexByte(holder, '/'))] }
