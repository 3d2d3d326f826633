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

// UnsplashURL is the address of the Unsplash API.
const UnsplashURL = "https://api.unsplash.com"

type unsplash struct{ ask *apiClient }

// NewUnsplash returns the Unsplash provider for photos.
//
// It follows the Unsplash API rules: photos are shown from Unsplash's own URLs, links to authors carry referral
// parameters, and the use of a photo is reported.
func NewUnsplash(e Endpoint) (Provider, error) {
	a, err := newAPIClient(ProviderUnsplash, UnsplashURL, e)
	if err != nil {
		return nil, err
	}
	a.header = func(h http.Header) {
		h.Set("Authorization", "Client-ID "+a.key)
		h.Set("Accept-Version", "v1")
	}
	// The limit is per hour. Exceeding it returns 403, as does a key without permission.
	a.busy = func(status int, h http.Header) bool {
		return status == http.StatusTooManyRequests || status == http.StatusForbidden && h.Get("X-Ratelimit-Remaining") == "0"
	}
	return &unsplash{a}, nil
}

func (u *unsplash) Name() string        { return ProviderUnsplash }
func (u *unsplash) Kinds() []string     { return []string{KindImage} }
func (u *unsplash) PageSize() int       { return 30 }
func (u *unsplash) Keep() time.Duration { return time.Hour }

type unsplashPhoto struct {
	ID          string `json:"id"`
	Width       int    `json:"width"`
	Height      int    `json:"height"`
	Description string `json:"description"`
	Alt         string `json:"alt_description"`
	URLs        struct {
		Raw   string `json:"raw"`
		Small string `json:"small"`
	} `json:"urls"`
	Links struct {
		Download string `json:"download_location"`
	} `json:"links"`
	User struct {
		Name  string `json:"name"`
		Links struct {
			HTML string `json:"html"`
		} `json:"links"`
	} `json:"user"`
	Tags []struct {
		Title string `json:"title"`
	} `json:"tags"`
}

func (u *unsplash) Search(ctx context.Context, _, text string, page int) (Found, error) {
	q := url.Values{"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(u.PageSize())}}
	if text == "" {
		// The response has no total, and one page is enough for an empty query.
		if page > 1 {
			return Found{}, nil
		}
		var photos []unsplashPhoto
		if err := u.ask.get(ctx, "/photos", q, &photos); err != nil {
			return Found{}, err
		}
		return found(len(photos), unsplashItems(photos)), nil
	}
	q.Set("query", text)
	q.Set("content_filter", "high")
	var answer struct {
		Total   int             `json:"total"`
		Results []unsplashPhoto `json:"results"`
	}
	if err := u.ask.get(ctx, "/search/photos", q, &answer); err != nil {
		return Found{}, err
	}
	return found(answer.Total, unsplashItems(answer.Results)), nil
}

func (u *unsplash) Look(ctx context.Context, externalID string) (Item, error) {
	var f unsplashPhoto
	if err := u.ask.get(ctx, "/photos/"+url.PathEscape(externalID), nil, &f); err != nil {
		return Item{}, err
	}
	i := f.item()
	if i.ExternalID != externalID || !clean(&i) {
		return Item{}, fmt.Errorf("%s: %w", ProviderUnsplash, ErrGone)
	}
	return i, nil
}

// Used calls the download address of the photo. Addresses outside the API are rejected, so that the key is sent nowhere
// else.
func (u *unsplash) Used(ctx context.Context, i Item) error {
	if !strings.HasPrefix(i.Report, u.ask.base+"/") {
		return errors.New("unsplash: the picture has no address at which its use is told")
	}
	return u.ask.open(ctx, i.Report, nil)
}

func unsplashItems(photos []unsplashPhoto) []Item {
	out := make([]Item, len(photos))
	for i, f := range photos {
		out[i] = f.item()
	}
	return out
}

func (f unsplashPhoto) item() Item {
	title, description := f.Description, f.Alt
	if title == "" {
		title, description = f.Alt, ""
	}
	var tags []string
	for _, t := range f.Tags {
		tags = append(tags, t.Title)
	}
	by := &v1beta1.Attribution{Provider: "Unsplash", Author: f.User.Name, License: "Unsplash License"}
	if f.User.Links.HTML != "" {
		by.AuthorURL = withQuery(f.User.Links.HTML, "utm_source", "reelops", "utm_medium", "referral")
	}
	return Item{
		Provider: ProviderUnsplash, ExternalID: f.ID, Kind: KindImage, MediaType: TypeImage,
		Title: title, Description: description, Tags: tagList(strings.Join(tags, ",")),
		Width: f.Width, Height: f.Height, ContentType: "image/jpeg",
		URL:          withQuery(f.URLs.Raw, "fm", "jpg", "q", "85", "fit", "max", "w", "2160", "h", "2400"),
		ThumbnailURL: f.URLs.Small, Attribution: by, Report: f.Links.Download,
	}
}
