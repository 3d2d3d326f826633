// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// maxPhotoBytes is the size of the largest photo that TikTok accepts.
const maxPhotoBytes = 20_000_000

var photoTypes = []string{"image/jpeg", "image/webp"}

func acceptablePhotos(photos []publish.Media, rule catalog.PlatformRule) error {
	if len(photos) == 0 || len(photos) > rule.MaxPhotos {
		return refuse("", fmt.Sprintf("The photo set has %d images; TikTok accepts 1 to %d.", len(photos), rule.MaxPhotos))
	}
	for i := range photos {
		if !slices.Contains(photoTypes, photos[i].ContentType) {
			return refuse("", "TikTok accepts JPEG and WebP images.")
		}
		if photos[i].Bytes > maxPhotoBytes {
			return refuse("", "TikTok accepts images of up to 20 MB.")
		}
	}
	return nil
}

// preparePhotos reads what the account may post. A draft needs no preparation.
func (p *Platform) preparePhotos(ctx context.Context, a publish.Account, d publish.Draft, n *note) (publish.Step, error) {
	if n == nil {
		n = &note{Kind: d.Kind, Mode: d.Mode, Settings: fingerprint(d)}
		if d.Mode == catalog.PostDirect {
			c, level, err := p.allowed(ctx, a, d)
			if err != nil {
				return publish.Step{}, err
			}
			n.Privacy, n.Username, n.NoComments = level, c.Username, c.CommentDisabled || !ptr.Deref(settings(d).AllowComment, true)
		}
	}
	return publish.Step{Note: n.bytes(), Ready: true}, nil
}

// commitPhotos sends TikTok the addresses of the photos. TikTok then fetches and publishes them.
func (p *Platform) commitPhotos(ctx context.Context, a publish.Account, d publish.Draft, n *note) (*publish.Receipt, error) {
	body := photoInit{
		MediaType: "PHOTO", PostMode: "MEDIA_UPLOAD",
		PostInfo:   photoInfo{Title: d.Title, Description: d.Caption},
		SourceInfo: photoSource{Source: "PULL_FROM_URL"},
	}
	if d.Mode == catalog.PostDirect {
		discloses := commercial(d)
		body.PostMode, body.AIGenerated = "DIRECT_POST", ptr.Deref(settings(d).AIGenerated, false)
		body.PostInfo.PrivacyLevel, body.PostInfo.DisableComment, body.PostInfo.AutoAddMusic = n.Privacy, &n.NoComments, &d.AutoAddMusic
		body.PostInfo.BrandContent, body.PostInfo.BrandOrganic = &discloses.BrandedContent, &discloses.YourBrand
	}
	if d.Cover != nil {
		body.SourceInfo.Cover = ptr.Deref(d.Cover.Photo, 0)
	}
	for i := range d.Photos {
		address, err := d.Photos[i].URL(ctx)
		if err != nil {
			return nil, unreadable(err)
		}
		body.SourceInfo.Images = append(body.SourceInfo.Images, address)
	}
	now := p.clock.Now()
	var got initAnswer
	err := p.send(ctx, call{method: http.MethodPost, path: "/v2/post/publish/content/init/", token: a.AccessToken, body: body, publishes: true}, &got)
	if e := (*publish.Error)(nil); errors.As(err, &e) && e.Code == "privacy_level_option_mismatch" {
		// The account changed its audiences after the preparation.
		e.Kind = publish.Expired
	}
	if err != nil {
		return nil, err
	}
	if got.PublishID == "" {
		return nil, inconclusive(true, errors.New("no publish id"))
	}
	h := n.handle(now)
	h.PublishID = got.PublishID
	return &publish.Receipt{Handle: h.String()}, nil
}

const (
	// listedText is how much of a text the list of posts shows, in characters.
	listedText = 150
	// skew is by how much TikTok's clock may be behind.
	skew = time.Minute
	// pageSize is the maximum number of posts on a page of the list; maxPages limits a search.
	pageSize, maxPages = 20, 5
)

// findPhotos searches the account's public posts since the attempt for the photo set. A set that is not listed may
// still be fetched, be in moderation, or not be public. A missing match therefore does not prove that TikTok refused
// the set.
func (p *Platform) findPhotos(ctx context.Context, a publish.Account, d publish.Draft, n *note, at time.Time) (*publish.Receipt, error) {
	if d.Mode != catalog.PostDirect || n.Privacy != publicToEveryone || !slices.Contains(a.Scopes, scopeVideos) || (d.Title == "" && d.Caption == "") {
		return nil, publish.ErrCannotTell
	}
	since := at.Add(-skew).Unix()
	var ids []string
	for page, cursor := 0, int64(0); page < maxPages; page++ {
		var got videosAnswer
		err := p.send(ctx, call{
			method: http.MethodPost, path: "/v2/video/list/", fields: "id,create_time,title,video_description",
			token: a.AccessToken, body: videoList{MaxCount: pageSize, Cursor: cursor},
		}, &got)
		if err != nil {
			return nil, err
		}
		older := false
		for _, v := range got.Videos {
			older = older || v.CreateTime < since
			if v.CreateTime >= since && listedAs(v.Title, v.Description, d) {
				ids = append(ids, v.ID)
			}
		}
		if older || !got.HasMore || got.Cursor == cursor {
			break
		}
		cursor = got.Cursor
	}
	if len(ids) != 1 {
		return nil, publish.ErrCannotTell // no match, or several that cannot be distinguished
	}
	h := n.handle(at)
	h.PostID = ids[0]
	v, err := p.lookByPost(ctx, a, d, h)
	if errors.Is(err, publish.ErrNotFound) {
		return nil, publish.ErrCannotTell // the list shows it, so TikTok accepted the set
	}
	if err != nil {
		return nil, err
	}
	return &publish.Receipt{Handle: h.String(), View: v, Guess: true}, nil
}

// listedAs reports whether the list would show the draft with this title and description. It compares the caption, or
// the title if the draft has no caption.
func listedAs(title, description string, d publish.Draft) bool {
	if d.Caption != "" {
		return description == listedPart(d.Caption)
	}
	return title == listedPart(d.Title) || description == listedPart(d.Title)
}

func listedPart(text string) string {
	r := []rune(text)
	return string(r[:min(len(r), listedText)])
}
