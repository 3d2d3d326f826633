// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"context"
	"errors"
	"io"
	"net/url"
	"time"

	"github.com/reelops/reelops/internal/process/fetch"
)

const (
	// MaxBytes is the maximum size of a feed.
	MaxBytes = 8 << 20
	// MaxItems is how many items of a feed are returned, the first in the order of the feed.
	MaxItems = 500
	// Timeout limits one read.
	Timeout = 30 * time.Second
)

// State makes the next read of a feed conditional. The zero value reads unconditionally.
type State = fetch.Validators

// Item is one entry of a feed. All texts are plain text in one line, valid UTF-8.
type Item struct {
	// ID is the guid of the item, else its link, else a hash of its texts. It is unique in the feed and at most 200
	// bytes: a longer one is replaced by its hash.
	ID string
	// Title is at most 300 characters. It may be empty if Summary is not.
	Title string
	// Summary is at most 2,000 characters, or empty.
	Summary string
	// Link is an http or https URL, or empty.
	Link string
	// Published is the publication date, else the update date, in UTC; zero if the feed has neither. It may be in the
	// future.
	Published time.Time
	// ImageURL is an http or https URL, or empty. It was not fetched: fetch it only with package fetch.
	ImageURL string
}

// Feed is the result of a read.
type Feed struct {
	// NotModified reports that the feed did not change since the given state. The other fields except State are empty.
	NotModified bool
	// Title of the feed, plain text.
	Title string
	// Items in the order of the feed, without duplicate IDs, at most MaxItems.
	Items []Item
	// Omitted is how many items were dropped: duplicates, items without title and summary, items after MaxItems.
	Omitted int
	// State for the next read.
	State State
}

// Reader reads feeds. It is safe for concurrent use.
type Reader struct{ client *fetch.Client }

// NewReader returns a reader that fetches with a client.
func NewReader(client *fetch.Client) *Reader { return &Reader{client: client} }

// Read fetches and parses a feed. state is the State of the last successful read of the same automation, or zero. The
// error is an *Error, or context.Canceled.
func (r *Reader) Read(ctx context.Context, address string, state State) (Feed, error) {
	within, stop := context.WithTimeout(ctx, Timeout)
	defer stop()
	d, err := r.client.GetIfModified(within, address, MaxBytes, state)
	var data []byte
	if err == nil && d.Body != nil {
		data, err = io.ReadAll(d.Body)
		_ = d.Body.Close()
	}
	switch {
	case errors.Is(err, context.Canceled):
		return Feed{}, context.Canceled
	case err != nil:
		return Feed{}, unfetched(err)
	case d.Body == nil:
		return Feed{NotModified: true, State: d.Validators}, nil
	}
	from, err := url.Parse(d.Validators.URL)
	if err != nil { // fetch fetched it
		return Feed{}, unfetched(fetch.ErrForbidden)
	}
	f, err := parse(data, d.ContentType, from)
	if err != nil {
		return Feed{}, err
	}
	f.State = d.Validators
	return f, nil
}
