// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// PixabayURL is the address of the Pixabay API.
const PixabayURL = "https://pixabay.com"

// pixabayQuery is the maximum length of a query in characters.
const pixabayQuery = 100

type pixabay struct{ ask *apiClient }

// NewPixabay returns the Pixabay provider for photos and clips.
func NewPixabay(e Endpoint) (Provider, error) {
	a, err := newAPIClient(ProviderPixabay, PixabayURL, e)
	if err != nil {
		return nil, err
	}
	a.reset = resetIn("X-RateLimit-Reset")
	return &pixabay{a}, nil
}

func (p *pixabay) Name() string    { return ProviderPixabay }
func (p *pixabay) Kinds() []string { return []string{KindImage, KindVideo} }
func (p *pixabay) PageSize() int   { return 100 }

// Keep returns the cache time that Pixabay's terms require.
func (p *pixabay) Keep() time.Duration              { return 24 * time.Hour }
func (p *pixabay) Used(context.Context, Item) error { return nil }

type pixabayHit struct {
	ID        int64   `json:"id"`
	Tags      string  `json:"tags"`
	User      string  `json:"user"`
	UserID    int64   `json:"user_id"`
	Width     int     `json:"imageWidth"`
	Height    int     `json:"imageHeight"`
	Webformat string  `json:"webformatURL"`
	Large     string  `json:"largeImageURL"`
	FullHD    string  `json:"fullHDURL"`
	Duration  float64 `json:"duration"`
	Videos    map[string]struct {
		URL       string `json:"url"`
		Width     int    `json:"width"`
		Height    int    `json:"height"`
		Size      int64  `json:"size"`
		Thumbnail string `json:"thumbnail"`
	} `json:"videos"`
}

type pixabayAnswer struct {
	Total int          `json:"totalHits"`
	Hits  []pixabayHit `json:"hits"`
}

func (p *pixabay) Search(ctx context.Context, kind, text string, page int) (Found, error) {
	q := url.Values{"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(p.PageSize())}, "safesearch": {"true"}}
	if text != "" {
		q.Set("q", cut(text, pixabayQuery))
	}
	answer, err := p.call(ctx, kind, q)
	if err != nil {
		return Found{}, err
	}
	var items []Item
	for _, h := range answer.Hits {
		items = append(items, h.item())
	}
	return found(answer.Total, items), nil
}

func (p *pixabay) Look(ctx context.Context, externalID string) (Item, error) {
	kind, id := KindImage, externalID
	if number, ok := strings.CutPrefix(externalID, videoPrefix); ok {
		kind, id = KindVideo, number
	}
	gone := fmt.Errorf("%s: %w", ProviderPixabay, ErrGone)
	answer, err := p.call(ctx, kind, url.Values{"id": {id}})
	var refused *AnswerError
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusBadRequest: // the response for an unknown ID
		return Item{}, gone
	case err != nil:
		return Item{}, err
	case len(answer.Hits) != 1:
		return Item{}, gone
	}
	i := answer.Hits[0].item()
	if i.ExternalID != externalID || !clean(&i) {
		return Item{}, gone
	}
	return i, nil
}

func (p *pixabay) call(ctx context.Context, kind string, q url.Values) (pixabayAnswer, error) {
	q.Set("key", p.ask.key)
	path := "/api/"
	if kind == KindVideo {
		path = "/api/videos/"
	} else {
		q.Set("image_type", "photo")
	}
	var out pixabayAnswer
	err := p.ask.get(ctx, path, q, &out)
	return out, err
}

func (h pixabayHit) item() Item {
	tags := tagList(h.Tags)
	title := strings.Join(tags[:min(3, len(tags))], ", ")
	if title != "" {
		title = strings.ToUpper(title[:1]) + title[1:]
	}
	i := Item{
		Provider: ProviderPixabay, ExternalID: strconv.FormatInt(h.ID, 10), Kind: KindImage, MediaType: TypeImage,
		Title: title, Tags: tags, Width: h.Width, Height: h.Height, ContentType: "image/jpeg",
		URL: h.FullHD, ThumbnailURL: h.Webformat,
		Attribution: &v1beta1.Attribution{
			Provider: "Pixabay", Author: h.User, License: "Pixabay Content License",
			AuthorURL: fmt.Sprintf("https://pixabay.com/users/%s-%d/", url.PathEscape(h.User), h.UserID),
		},
	}
	if i.URL == "" {
		i.URL = h.Large
	}
	if len(h.Videos) == 0 {
		return i
	}
	i.ExternalID, i.Kind, i.MediaType = videoPrefix+i.ExternalID, KindVideo, TypeVideo
	i.Duration, i.ContentType, i.URL, i.ThumbnailURL = h.Duration, "video/mp4", "", ""
	best := 0
	for _, size := range []string{"large", "medium", "small", "tiny"} {
		v := h.Videos[size]
		if i.ThumbnailURL == "" {
			i.ThumbnailURL = v.Thumbnail
		}
		if side := max(v.Width, v.Height); v.URL != "" && side <= 1920 && side > best {
			best = side
			i.URL, i.Width, i.Height, i.Bytes = v.URL, v.Width, v.Height, v.Size
		}
	}
	return i
}

// cut shortens a query to at most most characters, if possible at a word boundary.
func cut(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	s = string(r[:most])
	if i := strings.LastIndexByte(s, ' '); i > 0 {
		s = s[:i]
	}
	return s
}
