// SPDX-License-Identifier: Apache-2.0

package post

import (
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
)

// localState is the in-process state of a post between passes. All of it may be lost: the status holds everything that
// must persist.
type localState struct {
	uid types.UID
	// content is the digest of the published content. A preparation of other content is discarded.
	content string
	// filesAt is when every file that the post publishes was last found in the store.
	filesAt time.Time
	// outcome is the outcome of an attempt that is not written yet.
	outcome *outcome
	// unsent lists the start times of attempts that this process may have recorded and certainly did not send. The numbers
	// of attempts do not identify them: another process may have recorded, and be sending, an attempt of the same number.
	unsent []metav1.MicroTime
	// note is the last result of Prepare, known reports whether note is set. ready reports whether only the publishing
	// call is left, expires is when the platform discards the preparation.
	note    []byte
	known   bool
	ready   bool
	expires time.Time
	// unrecorded reports whether a preparation began that no write has recorded yet.
	unrecorded bool
	// since is when this process first reconciled the post.
	since time.Time
	// prepareAfter is when Prepare is called next; failures counts its failures before the post's time.
	prepareAfter time.Time
	failures     int
	// renewed reports whether the token was renewed since an attempt was refused because of it.
	renewed bool
	// pollAfter is when to poll next; polls counts polls in a row, the last of which was at polledAt.
	pollAfter, polledAt time.Time
	polls               int
	// unresolvedSince is the start of the attempt that this process saw open. graceTimer fires unresolvedGracePeriod
	// after this process first saw it; until then the attempt is treated as possibly sent. A timer is used because
	// clocks are set, and those of two processes differ.
	unresolvedSince metav1.MicroTime
	graceTimer      clock.Timer
	// graceEndsAt is when graceTimer fires, by the clock at the timer's start.
	graceEndsAt time.Time
	// video is the verified video; nil before the verification, or without a digest to compare.
	video *blob.Verified
	// photos are the rendered and stored images of a photo set.
	photos []publish.Media
	// cover is the image that becomes the cover of a video, rendered and stored.
	cover *publish.Media
	// commented is the outcome of a comment that is not recorded yet. commentUnsent lists the start times of comments that
	// this process may have recorded and certainly did not send.
	commented     *commentOutcome
	commentUnsent []metav1.MicroTime
	// commentAfter is when the comment is sent or looked up next; commentPolls counts look-ups, the last of which was at
	// commentPolledAt.
	commentAfter, commentPolledAt time.Time
	commentPolls                  int
	// batchMissingSince is when the post was first seen without a batch.
	batchMissingSince time.Time
}

// startGraceTimer starts the grace timer of the unresolved attempt, or comment, that began at the given time. It does
// nothing if that timer runs already.
func (local *localState) startGraceTimer(c clock.Clock, began metav1.MicroTime, grace time.Duration) {
	if local.unresolvedSince.Time.Equal(began.Time) && !local.graceEndsAt.IsZero() {
		return
	}
	local.unresolvedSince, local.graceTimer, local.graceEndsAt = began, c.NewTimer(grace), c.Now().Add(grace)
}

// graceTimerFired reports whether the grace timer has fired or none runs: an attempt that the platform does not show
// was then not sent.
func (local *localState) graceTimerFired() bool {
	if local.graceTimer != nil {
		select {
		case <-local.graceTimer.C():
			local.graceTimer = nil
		default:
			return false
		}
	}
	return true
}

// localStates holds the state of each post that has not ended. One worker at a time reconciles a post, so a localState
// needs no lock.
type localStates struct {
	mu     sync.Mutex
	states map[client.ObjectKey]*localState
}

func newLocalStates() *localStates { return &localStates{states: map[client.ObjectKey]*localState{}} }

// of returns the state of a post whose content has the given digest. A post that was created again under the same name
// gets a new state.
func (l *localStates) of(key client.ObjectKey, uid types.UID, content string) *localState {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.states[key]
	if n == nil || n.uid != uid {
		n = &localState{uid: uid, content: content}
		l.states[key] = n
	}
	if n.content != content {
		n.content, n.filesAt = content, time.Time{}
		n.note, n.known, n.ready, n.expires, n.unrecorded = nil, false, false, time.Time{}, false
		n.prepareAfter, n.failures = time.Time{}, 0
		n.video, n.photos, n.cover = nil, nil, nil
	}
	return n
}

func (l *localStates) forget(key client.ObjectKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.states, key)
}
