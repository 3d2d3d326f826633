// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// Limits are the limits that the platform enforces. 0 means no limit.
type Limits struct {
	// Calls per minute for one access token: of the three init calls together, of creator_info, of status, and of all
	// calls that read the account and its videos.
	Inits, CreatorInfos, Statuses, Displays int
	// Posts and Drafts per account, and accounts that post (Creators), within 24 hours.
	Posts, Drafts, Creators int
	// Unaudited restricts the app to SELF_ONLY posts of private accounts.
	Unaudited bool
	// MinDuration and MaxDuration of a video.
	MinDuration, MaxDuration time.Duration
	// Moderation is the delay between the end of processing and the publication of the post's ID.
	Moderation time.Duration
	// Repeats accepts a part that was uploaded before, and responds as if it were new.
	Repeats bool
	// Forget is the lifetime of a publish ID; 0 means no expiry.
	Forget time.Duration
	// Page is the maximum number of posts on a page of a list, below the requested number. On TikTok too, a page that
	// is not the last may be shorter than requested.
	Page int
	// Prefixes of URLs from which media may be fetched, besides this machine.
	Prefixes []string
}

// Default limits the media and the number of drafts in an inbox, but no call rates.
func Default() Limits {
	return Limits{Drafts: maxPending, MinDuration: time.Second, MaxDuration: 10 * time.Minute}
}

// maxPending is the maximum number of unfinished drafts of an account within 24 hours.
const maxPending = 5

// Documented returns TikTok's documented limits for an audited app.
func Documented() Limits {
	return Limits{
		Inits: 6, CreatorInfos: 20, Statuses: 30, Displays: 600, Posts: 15, Drafts: maxPending,
		MinDuration: 3 * time.Second, MaxDuration: 10 * time.Minute, Moderation: 30 * time.Second,
	}
}

// Rate limit buckets.
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

// mayCall reports whether the rate limit admits a call, and counts it in a sliding window of one minute.
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

// capped returns the error of the posting cap that an account has reached, or empty strings. The caller holds the lock.
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

// pending counts the unfinished drafts of the last 24 hours. The caller holds the lock.
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
