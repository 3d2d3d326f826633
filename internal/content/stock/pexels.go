// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// PexelsURL is the address of the Pexels API.
const PexelsURL = "https://api.pexels.com"

// pexelsReach is the maximum number of results of a search that Pexels returns.
const pexelsReach = 8000

type pexels struct{ ask *apiClient }

// NewPexels returns the Pexels provider for photos and clips.
func NewPexels(e Endpoint) (Provider, error) {
	a, err := newAPIClient(ProviderPexels, PexelsURL, e)
	if err != nil {
		return nil, err
	}
	a.header = func(h http.Header) { h.Set("Authorization", a.key) }
	a.reset = resetAt("X-Ratelimit-Reset")
	return &pexels{a}, nil
}

func (p *pexels) Name() string                     { return ProviderPexels }
func (p *pexels) Kinds() []string                  { return []string{KindImage, KindVideo} }
func (p *pexels) PageSize() int                    { return 80 }
func (p *pexels) Keep() time.Duration              { return time.Hour }
func (p *pexels) Used(context.Context, Item) error { return nil }

type pexelsPhoto struct {
	ID              int64  `json:"id"`
	Width           int    `json:"width"`
	Height          int    `json:"height"`
	Photographer    string `json:"photographer"`
	PhotographerURL string `json:"photographer_url"`
	Alt             string `json:"alt"`
	Src             struct {
		Original string `json:"original"`
		Medium   string `json:"medium"`
	} `json:"src"`
}

type pexelsVideo struct {
	ID       int64   `json:"id"`
	Width    int     `json:"width"`
	Height   int     `json:"height"`
	Duration float64 `json:"duration"`
	Image    string  `json:"image"`
	URL      string  `json:"url"`
	User     struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"user"`
	Files []struct {
		Type   string `json:"file_type"`
		Width  int    `json:"width"`
		Height int    `json:"height"`
		Link   string `json:"link"`
		Size   int64  `json:"size"`
	} `json:"video_files"`
}

func (p *pexels) Search(ctx context.Context, kind, text string, page int) (Found, error) {
	q := url.Values{"page": {strconv.Itoa(page)}, "per_page": {strconv.Itoa(p.PageSize())}}
	path := map[string]string{KindImage: "/v1/curated", KindVideo: "/videos/popular"}[kind]
	if text != "" {
		q.Set("query", text)
		path = map[string]string{KindImage: "/v1/search", KindVideo: "/videos/search"}[kind]
	}
	var answer struct {
		Total  int           `json:"total_results"`
		Photos []pexelsPhoto `json:"photos"`
		Videos []pexelsVideo `json:"videos"`
	}
	if err := p.ask.get(ctx, path, q, &answer); err != nil {
		return Found{}, err
	}
	var items []Item
	for _, f := range answer.Photos {
		items = append(items, f.item())
	}
	for _, v := range answer.Videos {
		items = append(items, v.item())
	}
	return found(min(answer.Total, pexelsReach), items), nil
}

func (p *pexels) Look(ctx context.Context, externalID string) (Item, error) {
	var i Item
	if id, ok := strings.CutPrefix(externalID, videoPrefix); ok {
		var v pexelsVideo
		if err := p.ask.get(ctx, "/videos/videos/"+url.PathEscape(id), nil, &v); err != nil {
			return Item{}, err
		}
		i = v.item()
	} else {
		var f pexelsPhoto
		if err := p.ask.get(ctx, "/v1/photos/"+url.PathEscape(externalID), nil, &f); err != nil {
			return Item{}, err
		}
		i = f.item()
	}
	if i.ExternalID != externalID || !clean(&i) {
		return Item{}, fmt.Errorf("%s: %w", ProviderPexels, ErrGone)
	}
	return i, nil
}

func (f pexelsPhoto) item() Item {
	return Item{
		Provider: ProviderPexels, ExternalID: strconv.FormatInt(f.ID, 10), Kind: KindImage, MediaType: TypeImage,
		Title: f.Alt, Width: f.Width, Height: f.Height, ContentType: "image/jpeg",
		// The original may have any size. With the parameters of the listed sizes, it fits into 2160 x 2400 pixels.
		URL:          withQuery(f.Src.Original, "auto", "compress", "cs", "tinysrgb", "dpr", "2", "w", "1080", "h", "1200"),
		ThumbnailURL: f.Src.Medium,
		Attribution:  pexelsBy(f.Photographer, f.PhotographerURL),
	}
}

func (v pexelsVideo) item() Item {
	i := Item{
		Provider: ProviderPexels, ExternalID: videoPrefix + strconv.FormatInt(v.ID, 10), Kind: KindVideo, MediaType: TypeVideo,
		Title: titleOfPath(v.URL), Width: v.Width, Height: v.Height, Duration: v.Duration, ContentType: "video/mp4",
		ThumbnailURL: v.Image, Attribution: pexelsBy(v.User.Name, v.User.URL),
	}
	best := 0
	for _, f := range v.Files {
		// Use the largest file that is not larger than the canvas.
		if side := max(f.Width, f.Height); f.Type == "video/mp4" && side <= 1920 && side > best {
			best = side
			i.URL, i.Width, i.Height, i.Bytes = f.Link, f.Width, f.Height, f.Size
		}
	}
	return i
}

func pexelsBy(name, link string) *v1beta1.Attribution {
	return &v1beta1.Attribution{Provider: "Pexels", Author: name, AuthorURL: link, License: "Pexels License"}
}

// titleOfPath returns a title from the end of a URL, because clips have no other: .../video/waves-on-a-beach-857251/.
func titleOfPath(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	words := strings.Split(parts[len(parts)-1], "-")
	if n := len(words); n > 1 {
		if _, err := strconv.ParseInt(words[n-1], 10, 64); err == nil {
			words = words[:n-1]
		}
	}
	title := strings.Join(words, " ")
	if _, err := strconv.ParseInt(title, 10, 64); err == nil || title == "" {
		return ""
	}
	return strings.ToUpper(title[:1]) + title[1:]
}
