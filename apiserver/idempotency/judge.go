// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"strings"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
)

// verdict is the meaning of a record for a request.
type verdict string

const (
	// free: the key is unused, or its record has expired.
	free verdict = "free"
	// answered: this request has a stored response.
	answered verdict = "answered"
	// running: this request is being processed, and its holder may be alive.
	running verdict = "running"
	// left: this request was begun. Its holder has ended, or aborted with an unknown outcome.
	left verdict = "left"
	// other: a different request was answered under the key.
	other verdict = "other"
	// otherRunning: a different request is being processed under the key, or was so recently that a call of its holder
	// may still arrive.
	otherRunning verdict = "other running"
	// otherLeft: a different request was begun under the key long ago, and not answered.
	otherLeft verdict = "other left"
)

// judge returns the verdict on a record as the cluster has it, or nil for none. The verdict depends on the request's
// scope hash and fingerprint, the time and this store's holder name.
func (s *Store) judge(rec *v1beta1.IdempotencyRecord, hash, fingerprint string, now time.Time) verdict {
	switch {
	case rec == nil || !rec.DeletionTimestamp.IsZero() || !now.Before(rec.Spec.ExpiresAt.Time):
		return free
	case rec.Spec.ScopeHash != hash: // two scopes whose hashes share a prefix: the name is taken
		return other
	}
	same, age := rec.Spec.Fingerprint == fingerprint, now.Sub(rec.Spec.HeldSince.Time)
	switch {
	case rec.Answered() && same:
		return answered
	case rec.Answered():
		return other
	case same && (s.holderEnded(rec.Spec.Holder) || age >= s.TakeOverAfter):
		return left
	case same:
		return running
	case age >= s.ForgetAfter:
		return otherLeft
	}
	return otherRunning
}

// holderEnded reports whether a holder no longer processes its request. This holds for an earlier process of this
// replica. It also holds for this process: it tracks its running requests in process, and only others reach judge.
func (s *Store) holderEnded(holder string) bool { return replicaOf(holder) == replicaOf(s.holder) }

// replicaOf returns the holder's replica name, without the process's random suffix.
func replicaOf(holder string) string { return holder[:max(0, strings.LastIndexByte(holder, '/'))] }
