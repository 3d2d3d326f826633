// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Provider is a service that has pictures or clips.
type Provider interface {
	// Name is one of the Provider constants.
	Name() string
	// Kinds it has: KindImage, KindVideo or both.
	Kinds() []string
	// PageSize is how many results it is asked for at a time.
	PageSize() int
	// Keep says how long an answer may, or has to, be kept.
	Keep() time.Duration
	// Search gives a page, counted from 1, of what fits the text; of what it shows by itself when the text is empty.
	Search(ctx context.Context, kind, text string, page int) (Found, error)
	// Look gives one item as it is now. ErrGone when it has none of that id.
	Look(ctx context.Context, externalID string) (Item, error)
	// Used tells the provider that an item is being used, where it wants to know.
	Used(ctx context.Context, item Item) error
}

// Found is a page of a provider's results.
type Found struct {
	Items []Item
	Total int // over all pages that can be asked for
}

// ErrGone says that a provider has no such item.
var ErrGone = errors.New("the provider has no such item")

// BusyError says that a provider wants to be left alone.
type BusyError struct {
	Provider string
	For      time.Duration // 0 when it did not say how long
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s has answered enough for now, for %s", e.Provider, e.For)
}

// AnswerError is an answer that is no result. It carries nothing of what was asked: the address may hold the key.
type AnswerError struct {
	Provider string
	Status   int
}

func (e *AnswerError) Error() string { return fmt.Sprintf("%s answered %d", e.Provider, e.Status) }

// videoPrefix stands before the id of a clip where a provider numbers its clips and pictures apart.
const videoPrefix = "video-"
