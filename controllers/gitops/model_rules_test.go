// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"testing"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// TestModel_EndedSlideshowStaysWithoutItsAsset removes a MediaAsset from the repository before and after the slides
// are rendered.
func TestModel_EndedSlideshowStaysWithoutItsAsset(t *testing.T) {
	w := world{brand: true}
	for name, c := range map[string]struct {
		show show
		want verdict
	}{
		"never rendered":      {show{asset: true}, waiting},
		"drawn":               {show{asset: true, outcome: v1beta1.WorkSucceeded}, good},
		"rendered, no track":  {show{asset: true, track: true, outcome: v1beta1.WorkSucceeded}, waiting},
		"failed by its style": {show{asset: true, badStyle: true, outcome: v1beta1.WorkFailed}, failed},
		"failed by the asset": {show{asset: true, outcome: v1beta1.WorkFailed}, waiting},
		"without an asset":    {show{outcome: v1beta1.WorkSucceeded}, good},
	} {
		t.Run(name, func(t *testing.T) {
			if got := w.film(c.show); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestModel_BatchVerdict checks the model with cases that were decided by hand.
func TestModel_BatchVerdict(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	soon, past := now.Add(time.Minute), now.Add(-time.Minute)
	both := map[string]bool{catalog.TikTok: true, catalog.Instagram: true}
	whole := world{brand: true, shows: map[string]show{"a": {}}, connected: both}
	sent := line{made: true, media: true, ended: true, published: 1}
	open := line{made: true, media: true}
	for name, c := range map[string]struct {
		world   world
		batch   batch
		lines   []line
		created time.Time
		want    verdict
	}{
		"no short":                 {world{brand: true, connected: both}, batch{show: "a", due: soon}, []line{{}, {}}, now, waiting},
		"short waits":              {world{brand: true, connected: both, shows: map[string]show{"a": {track: true}}}, batch{show: "a", due: soon}, []line{{}, {}}, now, waiting},
		"no account":               {world{brand: true, shows: map[string]show{"a": {}}}, batch{show: "a", due: soon}, []line{{}, {}}, now, waiting},
		"everything exists":        {whole, batch{show: "a", due: soon}, []line{{}, {}}, now, ""},
		"scheduled":                {whole, batch{show: "a", due: soon}, []line{open, open}, now, planned},
		"one post missing":         {whole, batch{show: "a", due: soon}, []line{open, {}}, now, ""},
		"one account missing":      {world{brand: true, shows: whole.shows, connected: map[string]bool{catalog.TikTok: true}}, batch{show: "a", due: soon}, []line{open, {}}, now, waiting},
		"brand removed":            {world{shows: whole.shows, connected: both}, batch{show: "a", due: soon}, []line{open, open}, now, waiting},
		"brand removed, late":      {world{shows: whole.shows, connected: both}, batch{show: "a", due: past}, []line{{}, {}}, past, waiting},
		"file lost":                {whole, batch{show: "a", due: soon}, []line{open, {made: true}}, now, waiting},
		"account lost":             {world{brand: true, shows: whole.shows, connected: map[string]bool{catalog.TikTok: true}}, batch{show: "a", due: soon}, []line{open, open}, now, waiting},
		"held":                     {whole, batch{show: "a", due: soon, suspend: true}, []line{{made: true, media: true, held: true}, {made: true, media: true, held: true}}, now, asked},
		"about to be suspended":    {whole, batch{show: "a", due: soon, suspend: true}, []line{open, open}, now, ""},
		"to be released":           {whole, batch{show: "a", due: soon}, []line{{made: true, media: true, held: true}, open}, now, ""},
		"suspended after its time": {whole, batch{show: "a", due: past, suspend: true}, []line{{made: true, media: true, held: true}, sent}, past, asked},
		"being sent":               {whole, batch{show: "a", due: past}, []line{open, sent}, past, ""},
		"published":                {whole, batch{show: "a", due: past}, []line{sent, sent}, past, good},
		"partly failed":            {whole, batch{show: "a", due: past}, []line{{made: true, ended: true}, sent}, past, failed},
		"never created":            {world{brand: true, connected: both}, batch{show: "a", due: past}, []line{{}, {}}, past, failed},
		"failed, then no brand":    {world{connected: both}, batch{show: "a", due: past}, []line{{ended: true}, {ended: true}}, past, failed},
		"sent by an earlier batch": {whole, batch{show: "a", due: now.Add(-time.Hour)}, []line{{succeeded: true, published: 1}, {succeeded: true, published: 1}}, now, good},
		"created too late":         {whole, batch{show: "a", due: now.Add(-time.Hour)}, []line{{}, {}}, now, failed},
	} {
		t.Run(name, func(t *testing.T) {
			c.batch.platforms = platformNames
			if got, why := c.world.batchVerdict(c.batch, c.lines, c.created, now); got != c.want || (got == "") != (why != "") {
				t.Errorf("%q (%s), want %q", got, why, c.want)
			}
		})
	}
}
