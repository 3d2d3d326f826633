// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Rules are the configurable behaviour of the platform.
type Rules struct {
	// Daily quotas of the app; the day begins at midnight in California. Uploads counts new uploads, BatchStats calls
	// for the statistics of many videos, and Units everything else.
	Uploads, BatchStats, Units int
	// ChannelUploads is the maximum number of videos that a channel may upload in 24 hours.
	ChannelUploads int
	// Session is the maximum duration of an upload.
	Session time.Duration
	// Keeps is the maximum number of bytes stored of a chunk that is not the last: all when 0. Clients must resume at
	// the stored offset.
	Keeps int64
	// UploadsLag is the delay until a video appears in the channel's uploads playlist.
	UploadsLag time.Duration
	// ReportsLag is the delay of reports.
	ReportsLag time.Duration
	// Completed is the status of the response to the last byte: 201 as documented, 200 as observed.
	Completed int
	// ForgetNames drops the file names that uploaders set.
	ForgetNames bool
	// Testing makes refresh tokens expire after seven days, as for apps in testing.
	Testing bool
	// Unverified keeps the app's uploads private, as YouTube does for apps that it has not audited. LocksAfter is the
	// delay between a video becoming visible and its lock as private. With 0, every upload is private and locked at
	// once.
	Unverified bool
	LocksAfter time.Duration
	// NoReports rejects reports, as when the API is not enabled for the app.
	NoReports bool
	// NoThumbnails are accounts, by name, that may not set custom thumbnails because their phone numbers are not
	// verified.
	NoThumbnails map[string]bool
	// NoComments disables comments for all videos.
	NoComments bool
	// NoChannel are accounts, by name, that have no channel. Verified accounts may upload long videos. HideSubscribers
	// are accounts that hide their subscriber count.
	NoChannel, Verified, HideSubscribers map[string]bool
}

// Generous returns rules with limits that no test reaches.
func Generous() Rules {
	return Rules{
		Uploads: 1_000_000, BatchStats: 1_000_000, Units: 100_000_000, ChannelUploads: 1_000_000,
		Session: 7 * 24 * time.Hour, ReportsLag: 48 * time.Hour, Completed: 201,
	}
}

// Documented returns the rules of a new app. YouTube does not publish the upload limit of a channel.
func Documented() Rules {
	r := Generous()
	r.Uploads, r.BatchStats, r.Units, r.ChannelUploads = 100, 10_000, 10_000, 100
	return r
}

// SetRules changes the rules for all later requests.
func (p *Platform) SetRules(r Rules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
	p.core.Tokens(name, tokenRules(r))
}

// Rules returns the current rules.
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

// spent counts the app's quota usage of one day.
type spent struct {
	day                        string
	uploads, batchStats, units int
}

// use charges a quota and reports whether enough of it was left. The caller holds the lock.
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
		return true // reports have a separate quota, which is not published
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
