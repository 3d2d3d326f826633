// SPDX-License-Identifier: Apache-2.0

package source_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/automation/feed"
	"github.com/reelops/reelops/internal/automation/source"
)

// reader is a server of feeds.
type reader struct {
	read  func(url string) (feed.Feed, error)
	count int
}

func (r *reader) Read(_ context.Context, url string, _ feed.State) (feed.Feed, error) {
	r.count++
	return r.read(url)
}

func automation(namespace, url string) *v1beta1.Automation {
	return &v1beta1.Automation{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace},
		Spec:       v1beta1.AutomationSpec{Source: v1beta1.AutomationSource{Feed: &v1beta1.FeedSource{URL: url}}},
	}
}

func newChooser(read func(url string) (feed.Feed, error)) (*source.Chooser, *reader, *clocktesting.FakeClock) {
	clock := clocktesting.NewFakeClock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	r := &reader{read: read}
	return &source.Chooser{Feeds: r, Clock: clock}, r, clock
}

func TestFeed_DelaysReadsAfterFailures(t *testing.T) {
	for _, c := range []struct {
		kind feed.Kind
		want []time.Duration
	}{
		{feed.TooSlow, []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 15 * time.Minute}},
		{feed.NotFound, []time.Duration{15 * time.Minute, 15 * time.Minute}},
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			err := error(&feed.Error{Kind: c.kind})
			chooser, r, clock := newChooser(func(string) (feed.Feed, error) { return feed.Feed{}, err })
			next := func() *source.UnreadableError {
				_, err := chooser.Next(t.Context(), automation("a", "https://example.com"), source.Used{}, clock.Now())
				unreadable, _ := errors.AsType[*source.UnreadableError](err)
				return unreadable
			}
			for i, delay := range c.want {
				e := next()
				if e == nil || e.Err.Kind != c.kind || !e.Again.Equal(clock.Now().Add(delay)) || r.count != i+1 {
					t.Fatalf("read %d: got %+v after %d reads, want a delay of %s", i+1, e, r.count, delay)
				}
				clock.Step(delay - time.Second)
				if again := next(); again != e || r.count != i+1 {
					t.Errorf("read %d: the feed is read before the delay", i+1)
				}
				clock.Step(time.Second)
			}
			reads := r.count
			next()
			clock.Step(-24 * time.Hour)
			if next(); r.count != reads+2 {
				t.Error("a clock that is set back delays the next read by more than the longest delay")
			}
			clock.Step(time.Hour)
			err = nil
			if e := next(); e != nil {
				t.Errorf("got %v from a feed that can be read again", e)
			}
			clock.Step(time.Minute)
			err = &feed.Error{Kind: c.kind}
			if e := next(); e == nil || !e.Again.Equal(clock.Now().Add(c.want[0])) {
				t.Errorf("got %+v, want the first delay after a success", e)
			}
		})
	}
}

func TestFeed_SlowServersLeaveSlotsToOtherAccounts(t *testing.T) {
	release, entered := make(chan struct{}), make(chan struct{})
	chooser, _, clock := newChooser(nil)
	chooser.Feeds = blocking{entered, release}
	read := func(namespace, url string) error {
		_, err := chooser.Next(context.Background(), automation(namespace, url), source.Used{}, clock.Now())
		return err
	}
	done := make(chan error)
	begin := func(namespace string, n int) {
		go func() { done <- read(namespace, fmt.Sprintf("https://example.com/%s/%d", namespace, n)) }()
		<-entered
	}
	begin("a", 1)
	begin("a", 2)
	if err := read("a", "https://example.com/a/3"); !errors.Is(err, source.ErrBusy) {
		t.Errorf("a third read of one account: got %v", err)
	}
	begin("b", 1)
	begin("c", 1)
	if err := read("d", "https://example.com/d"); !errors.Is(err, source.ErrBusy) {
		t.Errorf("a fifth read: got %v", err)
	}
	close(release)
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	go func() { <-entered }()
	if err := read("a", "https://example.com/a/3"); err != nil {
		t.Errorf("a read after the others: got %v", err)
	}
}

// blocking is a server that answers after release is closed.
type blocking struct{ entered, release chan struct{} }

func (b blocking) Read(context.Context, string, feed.State) (feed.Feed, error) {
	b.entered <- struct{}{}
	<-b.release
	return feed.Feed{}, nil
}

func TestFeed_KeepsTheTextOnlyForDeduplicationByText(t *testing.T) {
	chooser, _, clock := newChooser(func(string) (feed.Feed, error) {
		return feed.Feed{Items: []feed.Item{{ID: "a", Title: "Tea", Summary: "About tea"}}}, nil
	})
	a := automation("a", "https://example.com")
	for by, want := range map[string]string{"": "", "Item": "", "Text": "Tea\nAbout tea"} {
		a.Spec.Deduplication.By = by
		if got, err := chooser.Next(t.Context(), a, source.Used{}, clock.Now()); err != nil || got.Text != want {
			t.Errorf("by %q: got the text %q, %v, want %q", by, got.Text, err, want)
		}
	}
}

func TestFeed_SaysThatItemsAreDatedAhead(t *testing.T) {
	chooser, _, clock := newChooser(nil)
	chooser.Feeds.(*reader).read = func(string) (feed.Feed, error) {
		return feed.Feed{Items: []feed.Item{{ID: "a", Title: "Tea", Published: clock.Now().Add(48 * time.Hour)}}}, nil
	}
	got, err := chooser.Next(t.Context(), automation("a", "https://example.com"), source.Used{}, clock.Now())
	if err != nil || got.Item != nil || !strings.Contains(got.Why, "of 1 items") ||
		!strings.Contains(got.Why, "1 are dated more than a day ahead") {
		t.Errorf("got %+v, %v", got, err)
	}
}
