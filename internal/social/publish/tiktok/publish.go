// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf16"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// Prepare checks the draft against TikTok's rules and against what the account may post. For a video, Prepare opens the
// upload and sends all parts but the last. For a photo set, Prepare sends nothing.
func (p *Platform) Prepare(ctx context.Context, a publish.Account, d publish.Draft, before []byte, save func([]byte) error) (publish.Step, error) {
	if err := acceptable(d); err != nil {
		return publish.Step{}, err
	}
	n, err := readNote(before, d)
	if err != nil {
		return publish.Step{}, err
	}
	if n != nil && n.Settings != fingerprint(d) {
		return publish.Step{}, expired(errors.New("the settings of the post were changed"))
	}
	if d.Kind == catalog.MediaPhotoSet {
		return p.preparePhotos(ctx, a, d, n)
	}
	return p.prepareFilm(ctx, a, d, n, save)
}

// Commit sends the last part of a video, or requests that TikTok fetch a photo set.
func (p *Platform) Commit(ctx context.Context, a publish.Account, d publish.Draft, prepared []byte) (*publish.Receipt, error) {
	if err := acceptable(d); err != nil {
		return nil, err
	}
	n, err := readNote(prepared, d)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, expired(nil)
	}
	if d.Kind == catalog.MediaPhotoSet {
		return p.commitPhotos(ctx, a, d, n)
	}
	return p.commitFilm(ctx, a, d, n)
}

// Find looks a video up by its publish id, and searches the account's public posts for a photo set.
func (p *Platform) Find(ctx context.Context, a publish.Account, d publish.Draft, prepared []byte, at time.Time) (*publish.Receipt, error) {
	n, err := readNote(prepared, d)
	if err != nil || n == nil {
		return nil, publish.ErrCannotTell
	}
	if d.Kind == catalog.MediaPhotoSet {
		return p.findPhotos(ctx, a, d, n, at)
	}
	return p.findFilm(ctx, a, d, n, at)
}

// Look returns the state of an accepted post. TikTok discards publish ids after an unknown time, which does not mean
// that the post was deleted: the error is then publish.ErrCannotTell.
func (p *Platform) Look(ctx context.Context, a publish.Account, d publish.Draft, of string) (*publish.View, error) {
	h, err := readHandle(of)
	if err != nil {
		return nil, err
	}
	if h.PublishID == "" {
		return p.lookByPost(ctx, a, d, h)
	}
	s, err := p.status(ctx, a, h.PublishID)
	if err != nil {
		return nil, cannotTellIfUnknown(err)
	}
	return p.view(ctx, a, d, h, s)
}

// acceptable checks a draft against TikTok's published rules.
func acceptable(d publish.Draft) error {
	rule := catalog.PlatformRules[slices.IndexFunc(catalog.PlatformRules, func(r catalog.PlatformRule) bool { return r.Platform == catalog.TikTok })]
	captionMax := rule.CaptionMax
	switch {
	case !slices.Contains(rule.PostingModes, d.Mode):
		return refuse("", "TikTok has no posting mode of that name.")
	case d.Kind == catalog.MediaVideo:
		if err := acceptableFilm(d.Video, rule); err != nil {
			return err
		}
		if d.Mode == catalog.PostDraft {
			return nil // the text is written in the app
		}
		if d.Cover != nil && d.Cover.Offset != nil && (*d.Cover.Offset < 0 || d.Video.Duration > 0 && *d.Cover.Offset > d.Video.Duration) {
			return refuse("", "The cover is a frame beyond the end of the video.")
		}
	case d.Kind == catalog.MediaPhotoSet:
		captionMax = rule.PhotoCaptionMax
		if err := acceptablePhotos(d.Photos, rule); err != nil {
			return err
		}
		if d.Cover != nil && d.Cover.Photo != nil && (*d.Cover.Photo < 0 || *d.Cover.Photo >= len(d.Photos)) {
			return refuse("", "The cover is a photo that the photo set does not have.")
		}
		if n := units(d.Title); n > rule.TitleMax {
			return refuse("title_too_long", fmt.Sprintf("The title has %d UTF-16 units; TikTok accepts %d.", n, rule.TitleMax))
		}
	default:
		return refuse("", "TikTok accepts videos and photo sets.")
	}
	if d.Mode == catalog.PostDirect && commercial(d).BrandedContent && settings(d).PrivacyLevel == selfOnly {
		return brandedInPrivate()
	}
	if n := units(d.Caption); n > captionMax {
		return refuse("caption_too_long", fmt.Sprintf("The caption has %d UTF-16 units; TikTok accepts %d.", n, captionMax))
	}
	return nil
}

func refuse(catalogCode, safe string) *publish.Error {
	return &publish.Error{Kind: publish.Rejected, Safe: safe, CatalogCode: catalogCode}
}

// units returns the length of a text as TikTok counts it, in UTF-16 code units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r) // an invalid rune decodes to U+FFFD, which has length 1
	}
	return n
}
