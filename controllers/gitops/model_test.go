// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"fmt"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// verdict is the expected state of an object at rest.
type verdict string

const (
	good    verdict = "good"    // the object matches its spec
	planned verdict = "planned" // posts wait for their time, and nothing is missing
	waiting verdict = "waiting" // something is missing; the object becomes ready when it exists again
	asked   verdict = "asked"   // the object is suspended, or waits for an approval, as requested
	failed  verdict = "failed"  // a user must change something
)

// platformNames are the platforms that histories publish to, with one account on each.
var platformNames = []string{catalog.TikTok, catalog.Instagram}

// world is the input of the model: the repository and the connected accounts.
type world struct {
	// brand is in the repository; approval means that its posts need an approval.
	brand, approval bool
	// asset is in the repository, assetFile in the blob store.
	asset, assetFile bool
	shows            map[string]show
	batches          map[string]batch
	// connected are the platforms on which the brand has an account.
	connected map[string]bool
}

// show is a Slideshow of the repository.
type show struct {
	edit int
	// draft is suspended. asset names the MediaAsset, track a missing MusicTrack, badStyle a missing design style.
	draft, asset, track, badStyle bool
	// outcome of the newest work on this manifest, as observed; empty if there is none.
	outcome v1beta1.WorkState
}

// batch is a PostBatch of the repository.
type batch struct {
	show string
	due  time.Time
	// platforms that it posts to. byPlatform names them in spec.platforms, else their accounts are named in spec.accounts.
	platforms  []string
	byPlatform bool
	suspend    bool
	approved   bool
	// pinned keeps the revision that the posts were created with; otherwise they follow the short.
	pinned bool
}

// String describes a batch for the journal of a history.
func (b batch) String() string {
	named := "accounts"
	if b.byPlatform {
		named = "platforms"
	}
	return fmt.Sprintf("of %s at %s by %s on %v, suspend %t, approved %t, pinned %t", b.show, b.due.UTC().Format(captionTime), named, b.platforms, b.suspend,
		b.approved, b.pinned)
}

// film returns the verdict for a Slideshow and its video.
func (w *world) film(s show) verdict {
	switch {
	case s.draft:
		return asked
	case !w.brand, s.asset && !(w.asset && w.assetFile):
		return s.ended()
	case s.badStyle: // without slides, the track is not read
		return failed
	case s.track:
		return waiting
	}
	return good
}

// ended returns the verdict for a Slideshow that lacks its brand or its asset: it waits, unless its work ended before
// the removal.
func (s show) ended() verdict {
	switch {
	case s.outcome == v1beta1.WorkSucceeded && !s.track:
		return good
	case s.outcome == v1beta1.WorkFailed && s.badStyle:
		return failed
	}
	return waiting
}

// missing names a missing dependency of a batch on a platform; empty if there is none.
func (w *world) missing(b batch, platform string) string {
	if !w.brand {
		return "the brand"
	}
	s, ok := w.shows[b.show]
	if !ok {
		return "the short"
	}
	if w.film(s) != good {
		return "the video of the short"
	}
	if !w.connected[platform] {
		return "an account on " + platform
	}
	return ""
}

// follows reports whether an open post of a batch has the newest revision of its short, once nothing changes any
// more. Content that a user approved, or has to approve, does not change.
func (w *world) follows(b batch, platform string) bool {
	return !b.pinned && !b.approved && !w.approval && w.missing(b, platform) == ""
}

// line is the observed state of one post of a batch.
type line struct {
	// made means that the Post exists, held that it is suspended, media that its content is in the blob store.
	made, held, media bool
	// ended means that the post is final, or that the target has failed without one.
	ended bool
	// succeeded means that the batch reports the target as published, and the Post is gone: it belonged to an earlier
	// batch of the name.
	succeeded bool
	// published counts the post in the ledger of the platform.
	published int
	// shows is the content of the post; zero if there is no post, or its video is unknown.
	shows videoSource
}

// lineVerdict returns the verdict for an existing post. pending means that it is not known yet: the post is being
// sent.
func (w *world) lineVerdict(b batch, platform string, l line, now time.Time) (v verdict, pending bool) {
	switch {
	case l.published > 0:
		return good, !l.ended
	case l.ended:
		return failed, false
	case l.held && w.brand && !b.suspend && !w.approval, !l.held && b.suspend:
		return "", true // it is about to be released or suspended
	case l.held:
		return asked, false
	case !now.Before(b.due):
		return "", true
	case !l.media || !w.connected[platform]:
		return waiting, false
	}
	return planned, false
}

// unmadeVerdict returns the verdict for a target without a post.
func (w *world) unmadeVerdict(b batch, platform string, l line, created, now time.Time) (v verdict, pending bool) {
	overdue := !now.Before(b.due)
	switch {
	case l.succeeded:
		return good, false
	case created.Sub(b.due) > catalog.MadeLate:
		return failed, false
	case overdue && (w.brand || l.ended):
		return failed, false // with the existing targets
	case !w.brand:
		return waiting, false // also after its time
	case w.missing(b, platform) != "":
		return waiting, false
	}
	return "", true
}

// batchVerdict returns the verdict for a batch, from its lines in the order of its platforms. why explains a pending
// one.
func (w *world) batchVerdict(b batch, lines []line, created, now time.Time) (v verdict, why string) {
	seen := map[verdict]bool{}
	for i, l := range lines {
		v, pending := w.unmadeVerdict(b, b.platforms[i], l, created, now)
		if l.made {
			v, pending = w.lineVerdict(b, b.platforms[i], l, now)
		}
		switch {
		case pending && l.made:
			return "", "a post is being sent on " + b.platforms[i]
		case pending:
			return "", "everything is there, and no post is made on " + b.platforms[i]
		case !w.brand && v != good && v != failed:
			v = waiting // the posts are sent anyway, and the requirement of the brand is not read
		}
		seen[v] = true
	}
	for _, v := range []verdict{failed, asked, waiting, planned, good} {
		if seen[v] {
			return v, ""
		}
	}
	return "", "the batch has no lines"
}
