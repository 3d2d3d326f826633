// SPDX-License-Identifier: Apache-2.0

package items

import (
	"time"

	"github.com/reelops/reelops/internal/automation/feed"
)

// DefaultWindow is how long a used item is not used again.
const DefaultWindow = 90 * 24 * time.Hour

// Filter selects items by words and patterns. The zero value selects all.
type Filter struct{}

// CompileFilter returns a filter. An item passes if one of include matches its title or summary, or include is empty,
// and none of exclude matches. A term is a word or phrase, which matches whole words in any case, or an RE2 pattern
// between slashes (/pattern/), which is case-sensitive unless it begins with (?i). The error is a *TermError.
func CompileFilter(include, exclude []string) (Filter, error) { return Filter{}, nil }

// TermError is a term that cannot be used.
type TermError struct {
	// List is include or exclude, Index the position in it.
	List  string
	Index int
	// Term as given.
	Term string
	// Reason is why, as a clause without a full stop.
	Reason string
}

// Error returns a sentence without a full stop.
func (e *TermError) Error() string { return e.Reason }

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

// TextOf returns the text of an item to store in Used: title and summary, at most 500 characters.
func TextOf(i feed.Item) string { return "" }

// Rule selects the next item of a feed.
type Rule struct {
	Filter Filter
	// MaxAge is the maximum age of an item; 0 means any. With a limit, an item without a date is not used.
	MaxAge time.Duration
	// By is how a used item is recognized; empty means ByItem.
	By By
	// Window is how long a used item is not used again; 0 means DefaultWindow.
	Window time.Duration
}

// Choice is the result of choosing. The counts say why the other items were not used.
type Choice struct {
	// Item to use; nil if there is none.
	Item *feed.Item
	// Filtered, TooOld, Undated, NotYet and Duplicate count the items that were not used because of the filter, the
	// maximum age, a missing date, a date in the future, and an earlier use.
	Filtered, TooOld, Undated, NotYet, Duplicate int
}

// NextOfFeed returns the newest item that the rule allows and that was not used within the window. Items without a date
// follow those with one, in the order of the feed.
func (r Rule) NextOfFeed(all []feed.Item, used []Used, now time.Time) Choice { return Choice{} }
