// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// allowance is how much an installation's app asks a platform over all accounts, in calls.
type allowance struct {
	// perSecond is the rate in the long run, burst what may be asked at once after a rest.
	perSecond, burst float64
}

// DefaultYouTubeUnits is how many of the units that an app has a day on YouTube are spent on numbers.
const DefaultYouTubeUnits = 8000

// allowances of the platforms. TikTok lets an app make 600 calls a minute. Instagram and LinkedIn count by account, which is bounded
// by how often one is asked; theirs only keeps many accounts from coming at once. YouTube counts units a day: a call is one.
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
	// atOnce bounds how many accounts of one platform are read at once: a platform that hangs does not hold up the others.
	atOnce = 3
	// guess is how many calls a refresh takes before any was seen.
	guess = 4
	// kept is the share of a burst that is kept for what somebody asked for.
	kept = 0.2
)

// budget bounds how often platforms are asked. It is safe for use by many goroutines.
type budget struct {
	mu    sync.Mutex
	apps  map[v1beta1.Platform]*app
	rules map[v1beta1.Platform]allowance
}

type app struct {
	allowance
	// left may be below 0: what a refresh takes is known when it is over.
	left float64
	at   time.Time
	// usual is how many calls a refresh took lately.
	usual float64
	// going are the accounts that are read now with what was taken for them, places when the others may come, tail when the next one
	// that has to wait may.
	going  map[types.UID]float64
	places map[types.UID]time.Time
	tail   time.Time
	// until is the platform's word: no call before it.
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
			allowance: rule, left: rule.burst, at: now, usual: guess,
			going: map[types.UID]float64{}, places: map[types.UID]time.Time{},
		}
		b.apps[p] = a
	}
	if d := now.Sub(a.at); d > 0 {
		a.left = min(a.left+d.Seconds()*a.perSecond, a.burst)
	}
	a.at = now
	return a
}

// take lets an account's refresh begin, or says when to ask again. Whoever is let in gives back with settle. What somebody asked for
// is urgent: it does not wait behind what nobody did.
func (b *budget) take(p v1beta1.Platform, uid types.UID, now time.Time, urgent bool) (wait time.Duration, ok bool) {
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
		need = kept * a.burst
	}
	if a.left > need && len(a.going) < atOnce {
		delete(a.places, uid)
		a.going[uid] = a.usual
		a.left -= a.usual
		return 0, true
	}
	lack := seconds(max((need-a.left)/a.perSecond, 0.5))
	switch {
	case urgent:
		return lack, false
	case waits: // its turn has come, and others took more than was thought: it stays in front
		a.places[uid] = now.Add(lack)
		return lack, false
	}
	if ahead := a.tail.Sub(now); ahead < lack || ahead > longestWait { // the latter when the clock was set back
		a.tail = now.Add(lack)
	}
	a.places[uid] = a.tail
	a.tail = a.tail.Add(seconds(max(a.usual/a.perSecond, 0.5)))
	return a.places[uid].Sub(now), false
}

// settle ends what take let in, with the number of calls that were made.
func (b *budget) settle(p v1beta1.Platform, uid types.UID, now time.Time, calls int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.of(p, now)
	taken, ok := a.going[uid]
	if !ok {
		return
	}
	delete(a.going, uid)
	a.left = min(a.left+taken-float64(calls), a.burst)
	if calls > 0 {
		a.usual = 0.8*a.usual + 0.2*float64(calls)
	}
}

// hold keeps all accounts of a platform from asking until a time.
func (b *budget) hold(p v1beta1.Platform, now, until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if a := b.of(p, now); until.After(a.until) {
		a.until = until
	}
}

// forget drops the place of an account that is gone.
func (b *budget) forget(uid types.UID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.apps {
		delete(a.places, uid)
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
