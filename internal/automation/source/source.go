// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"fmt"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/feed"
	"github.com/reelops/reelops/internal/automation/items"
)

// FeedReader reads feeds. *feed.Reader implements it.
type FeedReader interface {
	Read(ctx context.Context, url string, state feed.State) (feed.Feed, error)
}

// Chooser chooses items. It is safe for concurrent use.
type Chooser struct {
	// Client reads shorts and posts.
	Client client.Reader
	Feeds  FeedReader
	Clock  clock.PassiveClock

	cache cache
}

// Used is what runs of an automation have taken from its source.
type Used struct {
	// Cursor is the number of prompts that were taken.
	Cursor int64
	// Items that were taken.
	Items []v1beta1.UsedItem
}

// Choice is the next item of a source.
type Choice struct {
	// Item is nil if the source has none.
	Item *v1beta1.AutomationItem
	// Text is the text by which similar items are recognized; empty unless a feed is deduplicated by text.
	Text string
	// Why is a sentence without a full stop that explains why there is no item.
	Why string
}

// Next returns the next item for a slot. A feed that cannot be read returns an
// *UnreadableError, or ErrBusy if other feeds are being read.
func (c *Chooser) Next(ctx context.Context, a *v1beta1.Automation, used Used, slot time.Time) (Choice, error) {
	s := &a.Spec.Source
	switch {
	case s.Prompts != nil:
		return nextPrompt(a, used), nil
	case s.Feed != nil:
		return c.nextOfFeed(ctx, a, used)
	case s.Queue != nil:
		next, why, err := c.queue(ctx, a, used)
		if err != nil || len(next) == 0 {
			return Choice{Why: why}, err
		}
		return Choice{Item: &next[0]}, nil
	default:
		return c.nextEvergreen(ctx, a, used, slot)
	}
}

// Preview returns the next n items of an automation that are known before its runs start. why is a sentence without a
// full stop with the reason why there are fewer.
func (c *Chooser) Preview(
	ctx context.Context, a *v1beta1.Automation, n int,
) (next []v1beta1.AutomationItem, why string, err error) {
	used := Used{Cursor: a.Status.Cursor, Items: a.Status.UsedItems}
	switch s := &a.Spec.Source; {
	case s.Prompts != nil && items.Order(s.Prompts.Order) == items.Shuffled && a.UID == "":
		return nil, "The order of shuffled prompts is known once the automation exists", nil
	case s.Prompts != nil:
		for range n {
			choice := nextPrompt(a, used)
			if choice.Item == nil {
				return next, "The prompts do not repeat, and no more are left", nil
			}
			next = append(next, *choice.Item)
			used.Cursor++
		}
		return next, "", nil
	case s.Queue != nil:
		if next, why, err = c.queue(ctx, a, used); err == nil && 0 < len(next) && len(next) < n {
			why = "No more shorts are in the queue"
		}
		return next[:min(n, len(next))], why, err
	case s.Feed != nil:
		return nil, "The item of a feed is chosen when a run starts", nil
	default:
		return nil, "The short that is published again is chosen when a run starts", nil
	}
}

// Exhausted reports whether every prompt was taken and the list does not repeat.
func Exhausted(a *v1beta1.Automation) bool {
	return a.Spec.Source.Prompts != nil && nextPrompt(a, Used{Cursor: a.Status.Cursor}).Item == nil
}

func nextPrompt(a *v1beta1.Automation, used Used) Choice {
	p := a.Spec.Source.Prompts
	i, ok := items.NextPrompt(len(p.Items), used.Cursor, items.Order(p.Order), items.OnExhausted(p.OnExhausted),
		string(v1beta1.Origin(a)))
	if !ok {
		return Choice{Why: "Every prompt was used, and spec.source.prompts.onExhausted is Stop"}
	}
	return Choice{Item: &v1beta1.AutomationItem{ID: strconv.Itoa(i + 1), Title: p.Items[i].Text}}
}

func (c *Chooser) nextOfFeed(ctx context.Context, a *v1beta1.Automation, used Used) (Choice, error) {
	f := a.Spec.Source.Feed
	filter, err := items.CompileFilter(f.Include, f.Exclude)
	if err != nil {
		return Choice{}, err
	}
	all, err := c.read(ctx, a.Namespace, f.URL)
	if err != nil {
		return Choice{}, err
	}
	rule := items.Rule{
		Filter: filter, By: items.By(a.Spec.Deduplication.By),
		Window: time.Duration(a.Spec.Deduplication.WindowDays) * 24 * time.Hour,
	}
	if f.MaxAgeHours != nil {
		rule.MaxAge = time.Duration(*f.MaxAgeHours) * time.Hour
	}
	var taken []items.Used
	for i := range used.Items {
		u := &used.Items[i]
		taken = append(taken, items.Used{ID: u.ID, Text: u.Text, At: u.At.Time})
	}
	choice := rule.NextOfFeed(all, taken, c.Clock.Now())
	if choice.Item == nil {
		return Choice{Why: fmt.Sprintf("The feed has no new item: of %d items, %d were used, %d are filtered out, "+
			"%d are too old, %d have no date, %d are dated more than a day ahead",
			len(all), choice.Duplicate, choice.Filtered, choice.TooOld, choice.Undated, choice.NotYet)}, nil
	}
	i := choice.Item
	item := &v1beta1.AutomationItem{ID: i.ID, Title: i.Title, Summary: i.Summary, Link: i.Link}
	if !i.Published.IsZero() {
		at := metav1.NewTime(i.Published)
		item.Published = &at
	}
	out := Choice{Item: item}
	if rule.By == items.ByText {
		out.Text = items.TextOf(*i)
	}
	return out, nil
}
