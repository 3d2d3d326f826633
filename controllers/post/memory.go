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

// memo is what a process remembers of a post between passes. All of it can be lost: what must not be is in the status.
type memo struct {
	uid types.UID
	// content is the digest of what the post publishes: what was prepared of other content is of no use.
	content string
	// filesAt is when every file that the post publishes was last found in the store.
	filesAt time.Time
	// outcome of an attempt that could not be written yet.
	outcome *outcome
	// unsent are the beginnings of attempts that this process may have written and certainly did not send. Their numbers would not do:
	// another process may have written, and be sending, an attempt of the same number.
	unsent []metav1.MicroTime
	// note is what Prepare gave last, ready whether only the last call is left, expires when the platform forgets it.
	note    []byte
	known   bool
	ready   bool
	expires time.Time
	// unrecorded reports whether a preparation began that no write recorded yet.
	unrecorded bool
	// since is when this process first came to the post.
	since time.Time
	// prepareAfter is when Prepare goes on; failures counts those of it before the post's time.
	prepareAfter time.Time
	failures     int
	// renewed says that the token was renewed since an attempt was refused for it.
	renewed bool
	// lookAfter is when to look again; looks counts looks in a row, the last of which was at lookedAt.
	lookAfter, lookedAt time.Time
	looks               int
	// doubted is the beginning of the attempt that this process saw open, and belief ends when it has done so for the grace time: until then it
	// does not believe that the attempt was not taken. It is a timer because clocks are set, and those of two processes may differ.
	doubted metav1.MicroTime
	belief  clock.Timer
	// believeAt is when that is, as the clock stood.
	believeAt time.Time
	// video is the verified video; nil before it was verified, or without a digest to compare.
	video *blob.Verified
	// photos of a photo set, made and stored.
	photos []publish.Media
	// cover is the image that becomes the cover of a video, rendered and stored.
	cover *publish.Media
	// commented is the outcome of a comment that could not be recorded yet. commentUnsent lists the beginnings of comments that this
	// process may have recorded and certainly did not send.
	commented     *commentOutcome
	commentUnsent []metav1.MicroTime
	// commentAfter is when the comment is sent or looked for next; commentLooks counts looks, the last of which was at commentLookedAt.
	commentAfter, commentLookedAt time.Time
	commentLooks                  int
	// begun is when the post was first without a batch.
	begun time.Time
}

// doubt starts the grace timer of the attempt, or the comment, that began at a time and is open.
func (m *memo) doubt(c clock.Clock, began metav1.MicroTime, grace time.Duration) {
	if m.doubted.Time.Equal(began.Time) && !m.believeAt.IsZero() {
		return
	}
	m.doubted, m.belief, m.believeAt = began, c.NewTimer(grace), c.Now().Add(grace)
}

// believes says that an attempt which is not to be seen was not taken.
func (m *memo) believes() bool {
	if m.belief != nil {
		select {
		case <-m.belief.C():
			m.belief = nil
		default:
			return false
		}
	}
	return true
}

// memory holds a memo for each post that is not at its end. One post is worked on by one worker at a time, so a memo needs
// no lock of its own.
type memory struct {
	mu    sync.Mutex
	memos map[client.ObjectKey]*memo
}

func newMemory() *memory { return &memory{memos: map[client.ObjectKey]*memo{}} }

// of returns the memo of a post with content of a digest. A post that was created again under the name has a new one.
func (m *memory) of(key client.ObjectKey, uid types.UID, content string) *memo {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.memos[key]
	if n == nil || n.uid != uid {
		n = &memo{uid: uid, content: content}
		m.memos[key] = n
	}
	if n.content != content {
		n.content, n.filesAt = content, time.Time{}
		n.note, n.known, n.ready, n.expires, n.unrecorded = nil, false, false, time.Time{}, false
		n.prepareAfter, n.failures = time.Time{}, 0
		n.video, n.photos, n.cover = nil, nil, nil
	}
	return n
}

func (m *memory) forget(key client.ObjectKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.memos, key)
}
