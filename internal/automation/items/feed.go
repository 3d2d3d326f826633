// SPDX-License-Identifier: Apache-2.0

package items

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/automation/feed"
)

const (
	// DefaultWindow is how long a used item is not used again.
	DefaultWindow = 90 * 24 * time.Hour
	// maxAhead is how far in the future the date of an item may be: servers mix up time zones. An item with a later date
	// is not yet due.
	maxAhead = 24 * time.Hour
	// maxText is the maximum length of a stored text in characters.
	maxText = 500
)

// By is how a used item is recognized.
type By string

// How a used item is recognized.
const (
	// ByItem compares IDs.
	ByItem By = "Item"
	// ByText compares IDs, and the words of title and summary.
	ByText By = "Text"
)

// Used is an item that a run used.
type Used struct {
	// ID of the item.
	ID string
	// Text of the item, as TextOf returns it; needed for ByText only.
	Text string
	// At is when it was used.
	At time.Time
}

// TextOf returns the text of an item to store in Used: the title, a line feed, and the summary, at most 500 characters.
func TextOf(i feed.Item) string {
	text := i.Title + "\n" + i.Summary
	if r := []rune(text); len(r) > maxText {
		text = string(r[:maxText])
	}
	return strings.TrimRight(text, " \n")
}

// Rule selects the next item of a feed.
type Rule struct {
	// Filter selects by words.
	Filter Filter
	// MaxAge is the maximum age of an item; 0 means any. With a limit, an item without a date is not used.
	MaxAge time.Duration
	// By is how a used item is recognized; empty means ByItem.
	By By
	// Window is how long a used item is not used again; 0 means DefaultWindow.
	Window time.Duration
}

// Choice is the result of choosing.
type Choice struct {
	// Item to use; nil if there is none.
	Item *feed.Item
	// Filtered, TooOld, Undated, NotYet and Duplicate count the considered items that were not used because of the
	// filter, the maximum age, a missing date, a date in the future, and an earlier use. Without an Item, all items were
	// considered.
	Filtered, TooOld, Undated, NotYet, Duplicate int
}

// NextOfFeed returns the newest item that the rule allows and that was not used within the window. Items without a date
// follow those with one, in the order of the feed.
func (r Rule) NextOfFeed(all []feed.Item, used []Used, now time.Time) Choice {
	order := make([]*feed.Item, len(all))
	for i := range all {
		order[i] = &all[i]
	}
	slices.SortStableFunc(order, func(a, b *feed.Item) int { return b.Published.Compare(a.Published) })
	known := r.known(used, now)
	var c Choice
	for _, i := range order {
		switch {
		case i.Published.After(now.Add(maxAhead)):
			c.NotYet++
		case r.MaxAge > 0 && i.Published.IsZero():
			c.Undated++
		case r.MaxAge > 0 && now.Sub(i.Published) > r.MaxAge:
			c.TooOld++
		case !r.Filter.passes(i):
			c.Filtered++
		case known.has(i):
			c.Duplicate++
		default:
			c.Item = i
			return c
		}
	}
	return c
}

// known are the items that were used within a window.
type known struct {
	ids   map[string]bool
	texts []words
}

func (r Rule) known(used []Used, now time.Time) known {
	k := known{ids: map[string]bool{}}
	since := now.Add(-cmp.Or(r.Window, DefaultWindow))
	for _, u := range used {
		if u.At.Before(since) {
			continue
		}
		k.ids[u.ID] = true
		if r.By == ByText && u.Text != "" {
			k.texts = append(k.texts, wordsOf(u.Text))
		}
	}
	return k
}

func (k *known) has(i *feed.Item) bool {
	if k.ids[i.ID] {
		return true
	}
	if len(k.texts) == 0 {
		return false
	}
	own := wordsOf(TextOf(*i))
	return slices.ContainsFunc(k.texts, own.like)
}
