// SPDX-License-Identifier: Apache-2.0

package accountanalytics

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func uid(i int) types.UID { return types.UID(fmt.Sprintf("%08x-0000", i*2654435761)) }

// acquireForThousand acquires for a thousand accounts of a platform at once. Each retries after the wait that acquire
// returned. It counts the calls by minute. A refresh takes two seconds and the given number of calls.
func acquireForThousand(b *budget, p v1beta1.Platform, calls int) (byMinute []int, takes int, last time.Duration) {
	type coming struct {
		who  int
		at   time.Time
		done bool
	}
	events := make([]coming, 1000)
	for i := range events {
		events[i] = coming{i, noon, false}
	}
	for len(events) > 0 {
		first := 0
		for i := range events {
			if events[i].at.Before(events[first].at) {
				first = i
			}
		}
		e := events[first]
		events = slices.Delete(events, first, first+1)
		if e.done {
			b.release(p, uid(e.who), e.at, calls)
			continue
		}
		takes++
		wait, ok := b.acquire(p, uid(e.who), e.at, false)
		if !ok {
			events = append(events, coming{e.who, e.at.Add(wait), false})
			continue
		}
		events = append(events, coming{e.who, e.at.Add(2 * time.Second), true})
		last = e.at.Sub(noon)
		for minute := int(last / time.Minute); len(byMinute) <= minute; {
			byMinute = append(byMinute, 0)
		}
		byMinute[int(last/time.Minute)] += calls
	}
	return byMinute, takes, last
}

func TestBudget_ThousandAccountsAtOnce(t *testing.T) {
	byMinute, takes, last := acquireForThousand(newBudget(allowances(DefaultYouTubeUnits)), "tiktok", 3)
	for i, n := range byMinute {
		if n > 5*60+60 {
			t.Errorf("got %d calls in minute %d", n, i)
		}
	}
	if last > 20*time.Minute || takes > 5000 {
		t.Errorf("the last refresh started after %s with %d acquires", last, takes)
	}
}

func TestBudget_SpreadsTheDailyUnits(t *testing.T) {
	b := newBudget(allowances(2400)) // 100 per hour
	byMinute, takes, last := acquireForThousand(b, "youtube", 3)
	all := 0
	for i, n := range byMinute {
		all += n
		if hours := float64(i+1) / 60; float64(all) > 100*hours+240+3*maxConcurrent {
			t.Fatalf("got %d units after %.1f hours", all, hours)
		}
	}
	if all != 3000 || last > 42*time.Hour || takes > 5000 {
		t.Errorf("got %d units after %s with %d acquires", all, last, takes)
	}
	now := noon.Add(last)
	if _, ok := b.acquire("youtube", "asked for", now.Add(10*time.Second), true); !ok {
		t.Error("a requested refresh gets no unit of the reserve")
	}
}

func TestBudget(t *testing.T) {
	b := newBudget(allowances(DefaultYouTubeUnits))
	for i := range maxConcurrent {
		if _, ok := b.acquire("tiktok", uid(i), noon, true); !ok {
			t.Fatal(i)
		}
	}
	if wait, ok := b.acquire("tiktok", "late", noon, true); ok || wait <= 0 || wait > 2*time.Second {
		t.Errorf("a platform with %d refreshes in flight gets another, or the wait is wrong: %s", maxConcurrent, wait)
	}
	if _, ok := b.acquire("instagram", "late", noon, true); !ok {
		t.Error("another platform is blocked")
	}
	b.release("tiktok", uid(0), noon, 3)
	b.release("tiktok", uid(0), noon, 3)
	if _, ok := b.acquire("tiktok", "late", noon, true); !ok {
		t.Error("a released slot is not available")
	}

	b.block("tiktok", noon, noon.Add(time.Hour))
	if wait, ok := b.acquire("tiktok", "other", noon.Add(time.Minute), true); ok || wait != 59*time.Minute {
		t.Errorf("got a wait of %s while blocked, want 59m", wait)
	}
	if wait, ok := b.acquire("tiktok", "other", noon.Add(-100*24*time.Hour), true); !ok && wait > longestWait {
		t.Errorf("after the clock was set back the wait is %s", wait)
	}
}
