// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// allowance is the call budget of the installation's app on a platform, across all accounts.
type allowance struct {
	// perSecond is the refill rate of the token bucket in calls, burst its size.
	perSecond, burst float64
}

// DefaultYouTubeUnits is the number of YouTube quota units that refreshes spend a day.
const DefaultYouTubeUnits = 8000

// allowances returns the budgets of the platforms. TikTok allows an app 600 calls a minute. Instagram and LinkedIn
// limit each account, which the refresh interval already bounds; their budgets only smooth bursts. YouTube counts daily
// units, one for each call.
func allowances(youtubeUnits int) map[v1beta1.Platform]allowance {
	day := float64(youtubeUnits)
	return map[v1beta1.Platform]allowance{
		catalog.TikTok:    {perSecond: 5, burst: 60},
		catalog.Instagram: {perSecond: 5, burst: 60},
		catalog.LinkedIn:  {perSecond: 2, burst: 30},
		catalog.YouTube:   {perSecond: day / (24 * 60 * 60), burst: day / 10},
	}
}

const (
	// maxConcurrent bounds the concurrent refreshes of a platform, so that one that hangs does not block the others.
	maxConcurrent = 3
	// initialCalls is the assumed number of calls of a refresh before the first was measured.
	initialCalls = 4
	// reservedShare is the share of the burst that is reserved for requested refreshes.
	reservedShare = 0.2
)

// budget limits the calls to platforms by a token bucket for each. It is safe for concurrent use.
type budget struct {
	mu    sync.Mutex
	apps  map[v1beta1.Platform]*app
	rules map[v1beta1.Platform]allowance
}

type app struct {
	allowance
	// tokens may be negative: the cost of a refresh is known when it ends.
	tokens float64
	at     time.Time
	// average is the moving average of the calls of a refresh.
	average float64
	// running maps accounts with a refresh in progress to the tokens taken for it. places maps waiting accounts to
	// their start times; tail is the start time of the next account that has to wait.
	running map[types.UID]float64
	places  map[types.UID]time.Time
	tail    time.Time
	// until is when the platform's rate limit resets.
	until time.Time
}

func newBudget(rules map[v1beta1.Platform]allowance) *budget {
	return &budget{apps: map[v1beta1.Platform]*app{}, rules: rules}
}

func (b *budget) of(p v1beta1.Platform, now time.Time) *app {
	a := b.apps[p]
	if a == nil {
		rule, ok := b.rules[p]
		if !ok {
			rule = allowance{perSecond: 1, burst: 20}
		}
		a = &app{
			allowance: rule, tokens: rule.burst, at: now, average: initialCalls,
			running: map[types.UID]float64{}, places: map[types.UID]time.Time{},
		}
		b.apps[p] = a
	}
	if d := now.Sub(a.at); d > 0 {
		a.tokens = min(a.tokens+d.Seconds()*a.perSecond, a.burst)
	}
	a.at = now
	return a
}

// acquire admits a refresh of an account, or returns the wait. Each admitted refresh ends with release. Requested
// refreshes are urgent: they do not queue behind scheduled ones.
func (b *budget) acquire(p v1beta1.Platform, uid types.UID, now time.Time, urgent bool) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.of(p, now)
	if wait := a.until.Sub(now); wait > 0 && wait <= longestWait {
		return wait, false
	}
	place, waits := a.places[uid]
	if d := place.Sub(now); waits && !urgent && d > 0 && d <= longestWait {
		return d, false
	}
	need := 0.0
	if !urgent {
		need = reservedShare * a.burst
	}
	if a.tokens > need && len(a.running) < maxConcurrent {
		delete(a.places, uid)
		a.running[uid] = a.average
		a.tokens -= a.average
		return 0, true
	}
	lack := seconds(max((need-a.tokens)/a.perSecond, 0.5))
	switch {
	case urgent:
		return lack, false
	case waits: // it is first, but others used more calls than expected: it stays first
		a.places[uid] = now.Add(lack)
		return lack, false
	}
	if ahead := a.tail.Sub(now); ahead < lack || ahead > longestWait { // the latter after the clock was set back
		a.tail = now.Add(lack)
	}
	a.places[uid] = a.tail
	a.tail = a.tail.Add(seconds(max(a.average/a.perSecond, 0.5)))
	return a.places[uid].Sub(now), false
}

// release ends a refresh that acquire admitted, with the number of its calls.
func (b *budget) release(p v1beta1.Platform, uid types.UID, now time.Time, calls int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.of(p, now)
	taken, ok := a.running[uid]
	if !ok {
		return
	}
	delete(a.running, uid)
	a.tokens = min(a.tokens+taken-float64(calls), a.burst)
	if calls > 0 {
		a.average = 0.8*a.average + 0.2*float64(calls)
	}
}

// block rejects refreshes of a platform until a time.
func (b *budget) block(p v1beta1.Platform, now, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a := b.of(p, now); until.After(a.until) {
		a.until = until
	}
}

// forget removes a deleted account from the queue.
func (b *budget) forget(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.apps {
		delete(a.places, uid)
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
