// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Provider is a service that has images or clips.
type Provider interface {
	// Name returns one of the Provider constants.
	Name() string
	// Kinds returns the kinds of items: KindImage, KindVideo or both.
	Kinds() []string
	// PageSize returns the number of results per request.
	PageSize() int
	// Keep returns how long a response may, or must, be cached.
	Keep() time.Duration
	// Search returns a page, counted from 1, of the results for the text. For an empty text it returns the provider's
	// own selection.
	Search(ctx context.Context, kind, text string, page int) (Found, error)
	// Look returns the current state of one item, or ErrGone if there is no item with that ID.
	Look(ctx context.Context, externalID string) (Item, error)
	// Used reports to the provider that an item is being used, if the provider requires that.
	Used(ctx context.Context, item Item) error
}

// Found is a page of a provider's results.
type Found struct {
	Items []Item
	Total int // across all pages that can be requested
}

// ErrGone means that a provider has no such item.
var ErrGone = errors.New("the provider has no such item")

// BusyError means that a provider's rate limit is exceeded.
type BusyError struct {
	Provider string
	For      time.Duration // 0 if not reported
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s has answered enough for now, for %s", e.Provider, e.For)
}

// AnswerError is an unexpected HTTP status. It contains nothing of the request, because the address may hold the key.
type AnswerError struct {
	Provider string
	Status   int
}

func (e *AnswerError) Error() string { return fmt.Sprintf("%s answered %d", e.Provider, e.Status) }

// videoPrefix precedes the ID of a clip of providers that number clips and images separately.
const videoPrefix = "video-"
