// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Limits are what is enforced. A number of 0 is no limit.
type Limits struct {
	// Calls a minute for one access token: of all three kinds of beginning together, of creator_info, of status, and of everything
	// that reads the account and its videos.
	Inits, CreatorInfos, Statuses, Displays int
	// Posts and Drafts of an account, and Creators that post, within 24 hours.
	Posts, Drafts, Creators int
	// Unaudited lets the app post to private accounts alone, for nobody but themselves.
	Unaudited bool
	// MinDuration and MaxDuration of a film.
	MinDuration, MaxDuration time.Duration
	// Moderation is how long after its processing a public post gets its id.
	Moderation time.Duration
	// Repeats takes a part again that was taken already, and answers as if it were new.
	Repeats bool
	// Forget is how long after its beginning a publish id is known; 0 is for ever.
	Forget time.Duration
	// Page is how many posts a page of a list holds at most, whatever was asked for: TikTok's may hold fewer and not be the last.
	Page int
	// Prefixes of addresses that media may be fetched from, besides this machine.
	Prefixes []string
}

// Default limits what media are and how many drafts wait in an inbox, and not how often anything else is done.
func Default() Limits {
	return Limits{Drafts: maxPending, MinDuration: time.Second, MaxDuration: 10 * time.Minute}
}

// maxPending is how many unfinished drafts of an account TikTok takes within 24 hours.
const maxPending = 5

// Documented are TikTok's own numbers for an app that was audited.
func Documented() Limits {
	return Limits{
		Inits: 6, CreatorInfos: 20, Statuses: 30, Displays: 600, Posts: 15, Drafts: maxPending,
		MinDuration: 3 * time.Second, MaxDuration: 10 * time.Minute, Moderation: 30 * time.Second,
	}
}

// Buckets of calls.
const (
	initCalls    = "init"
	creatorCalls = "creator_info"
	statusCalls  = "status"
	displayCalls = "display"
)

const (
	minute = time.Minute
	day    = 24 * time.Hour
)

func (l Limits) of(bucket string) int {
	switch bucket {
	case initCalls:
		return l.Inits
	case creatorCalls:
		return l.CreatorInfos
	case statusCalls:
		return l.Statuses
	}
	return l.Displays
}

// mayCall counts a call in its sliding minute.
func (p *Platform) mayCall(bucket string, k sandbox.Token) bool {
	now := p.core.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := p.limits.of(bucket)
	if limit == 0 {
		return true
	}
	key := bucket + " " + k.Access
	kept := p.buckets[key][:0]
	for _, t := range p.buckets[key] {
		if now.Sub(t) < minute {
			kept = append(kept, t)
		}
	}
	if len(kept) >= limit {
		p.buckets[key] = kept
		return false
	}
	p.buckets[key] = append(kept, now)
	return true
}

// capped says which cap an account has reached; empty for none. The lock is held.
func (p *Platform) capped(account string) (code, message string) {
	now := p.core.Now()
	if p.limits.Posts > 0 && within(p.posted[account], now) >= p.limits.Posts {
		return "spam_risk_too_many_posts", "The daily post cap from the API is reached for the current user."
	}
	if p.limits.Creators > 0 && within(p.posted[account], now) == 0 {
		active := 0
		for other := range p.posted {
			if within(p.posted[other], now) > 0 {
				active++
			}
		}
		if active >= p.limits.Creators {
			return "reached_active_user_cap", "The daily quota for active publishing users from your client is reached."
		}
	}
	return "", ""
}

// pending counts the drafts of the last day that nobody finished. The lock is held.
func (p *Platform) pending(account string) int { return within(p.drafts[account], p.core.Now()) }

func within(of []*publication, now time.Time) int {
	n := 0
	for _, b := range of {
		if now.Sub(b.doneAt) < day {
			n++
		}
	}
	return n
}
