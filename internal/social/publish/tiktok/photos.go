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

// maxPhotoBytes is the largest picture that TikTok takes.
const maxPhotoBytes = 20_000_000

var photoTypes = []string{"image/jpeg", "image/webp"}

func acceptablePhotos(photos []publish.Media, rule catalog.PlatformRule) error {
	if len(photos) == 0 || len(photos) > rule.MaxPhotos {
		return refuse("", fmt.Sprintf("The photo set has %d pictures; TikTok takes 1 to %d.", len(photos), rule.MaxPhotos))
	}
	for i := range photos {
		if !slices.Contains(photoTypes, photos[i].ContentType) {
			return refuse("", "TikTok takes JPEG and WebP pictures.")
		}
		if photos[i].Bytes > maxPhotoBytes {
			return refuse("", "TikTok takes pictures of up to 20 MB.")
		}
	}
	return nil
}

// preparePhotos asks what the account lets be posted; a draft needs nothing.
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

// commitPhotos tells TikTok where the pictures are. It fetches them by itself and publishes then.
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
	err := p.ask(ctx, call{method: http.MethodPost, path: "/v2/post/publish/content/init/", token: a.AccessToken, body: body, publishes: true}, &got)
	if e := (*publish.Error)(nil); errors.As(err, &e) && e.Code == "privacy_level_option_mismatch" {
		// The account changed its audiences after it was asked.
		e.Kind = publish.Expired
	}
	if err != nil {
		return nil, err
	}
	if got.PublishID == "" {
		return nil, unclear(true, errors.New("no publish id"))
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
	// pageSize is the most that a page of the list holds; maxPages bounds a search.
	pageSize, maxPages = 20, 5
)

// findPhotos looks for the set among the account's public posts since the attempt. One that is not there may still be fetched, or be in
// moderation, or not be public: that it was not taken can never be proven.
func (p *Platform) findPhotos(ctx context.Context, a publish.Account, d publish.Draft, n *note, at time.Time) (*publish.Receipt, error) {
	if d.Mode != catalog.PostDirect || n.Privacy != publicToEveryone || !slices.Contains(a.Scopes, scopeVideos) || (d.Title == "" && d.Caption == "") {
		return nil, publish.ErrCannotTell
	}
	since := at.Add(-skew).Unix()
	var ids []string
	for page, cursor := 0, int64(0); page < maxPages; page++ {
		var got videosAnswer
		err := p.ask(ctx, call{
			method: http.MethodPost, path: "/v2/video/list/", fields: "id,create_time,title,video_description",
			token: a.AccessToken, body: videoList{MaxCount: pageSize, Cursor: cursor},
		}, &got)
		if err != nil {
			return nil, err
		}
		older := false
		for _, v := range got.Videos {
			older = older || v.CreateTime < since
			if v.CreateTime >= since && shown(v.Title, v.Description, d) {
				ids = append(ids, v.ID)
			}
		}
		if older || !got.HasMore || got.Cursor == cursor {
			break
		}
		cursor = got.Cursor
	}
	if len(ids) != 1 {
		return nil, publish.ErrCannotTell // none, or several that nobody can tell apart
	}
	h := n.handle(at)
	h.PostID = ids[0]
	v, err := p.lookByPost(ctx, a, d, h)
	if err != nil {
		return nil, err
	}
	return &publish.Receipt{Handle: h.String(), View: v, Guess: true}, nil
}

// shown says whether the list would show the draft so: by its caption, or by its title when it has no caption.
func shown(title, description string, d publish.Draft) bool {
	if d.Caption != "" {
		return description == listedPart(d.Caption)
	}
	return title == listedPart(d.Title) || description == listedPart(d.Title)
}

func listedPart(text string) string {
	r := []rune(text)
	return string(r[:min(len(r), listedText)])
}
