// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Rules are what can be set.
type Rules struct {
	// Allowances of the app for a day, which begins at midnight in California: calls that begin uploads, calls for statistics of
	// many videos, and units of everything else.
	Uploads, BatchStats, Units int
	// ChannelUploads is how many videos a channel may upload in 24 hours.
	ChannelUploads int
	// Session is how long an upload may take.
	Session time.Duration
	// Keeps is how many bytes are kept of a piece that is not the last: all when 0. Uploaders have to go on from what was kept.
	Keeps int64
	// UploadsLag is after what time a video appears in the channel's list of uploads.
	UploadsLag time.Duration
	// ReportsLag is how far reports are behind.
	ReportsLag time.Duration
	// Completed is the status of the answer to the last byte: 201 as documented, 200 as seen.
	Completed int
	// ForgetNames makes files lose the names that uploaders gave them.
	ForgetNames bool
	// Testing makes permissions end after seven days, as those of apps that are being tried out.
	Testing bool
	// Unverified keeps what the app uploads private, as YouTube does with apps that it has not audited. LocksAfter is how long after a
	// video became visible it is locked; 0 refuses every other visibility at once.
	Unverified bool
	LocksAfter time.Duration
	// NoReports refuses reports, as where the interface is not switched on for the app.
	NoReports bool
	// NoThumbnails are accounts, by name, that may not set custom thumbnails: their phone numbers are not verified.
	NoThumbnails map[string]bool
	// NoComments turns comments off for all videos.
	NoComments bool
	// NoChannel are accounts, by name, that have no channel; Verified those that may upload long films; HideSubscribers those that tell
	// nobody how many subscribers they have.
	NoChannel, Verified, HideSubscribers map[string]bool
}

// Generous rules stand in nobody's way.
func Generous() Rules {
	return Rules{
		Uploads: 1_000_000, BatchStats: 1_000_000, Units: 100_000_000, ChannelUploads: 1_000_000,
		Session: 7 * 24 * time.Hour, ReportsLag: 48 * time.Hour, Completed: 201,
	}
}

// Documented rules are those of a new app. YouTube does not publish the cap of a channel.
func Documented() Rules {
	r := Generous()
	r.Uploads, r.BatchStats, r.Units, r.ChannelUploads = 100, 10_000, 10_000, 100
	return r
}

// SetRules changes the rules from now on.
func (p *Platform) SetRules(r Rules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
	p.core.Tokens(name, tokenRules(r))
}

// Rules that hold.
func (p *Platform) Rules() Rules {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rules
}

func tokenRules(r Rules) sandbox.TokenRules {
	t := sandbox.TokenRules{Code: 10 * time.Minute, Access: accessLife, CodePrefix: "4/0A", AccessPrefix: "ya29.", RefreshPrefix: "1//0"}
	if r.Testing {
		t.Refresh = testingLife
	}
	return t
}

const (
	accessLife  = time.Hour
	testingLife = 7 * 24 * time.Hour
)

var california = func() *time.Location {
	if l, err := time.LoadLocation("America/Los_Angeles"); err == nil {
		return l
	}
	return time.FixedZone("PST", -8*60*60)
}()

// spent counts what the app has used of a day.
type spent struct {
	day                        string
	uploads, batchStats, units int
}

// use takes from an allowance, and says whether there was enough. The lock is held.
func (p *Platform) use(kind allowance, cost int) bool {
	if today := p.core.Now().In(california).Format(time.DateOnly); p.spent.day != today {
		p.spent = spent{day: today}
	}
	counter, limit := &p.spent.units, p.rules.Units
	switch kind {
	case uploads:
		counter, limit = &p.spent.uploads, p.rules.Uploads
	case batchStats:
		counter, limit = &p.spent.batchStats, p.rules.BatchStats
	case reportsCalls:
		return true // reports have an allowance of their own, which is not published
	case units:
	}
	if *counter+cost > limit {
		return false
	}
	*counter += cost
	return true
}

type allowance int

const (
	units allowance = iota
	uploads
	batchStats
	reportsCalls
)
