// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/mmcdole/gofeed"
)

const (
	maxTitle, maxSummary = 300, 2000
	maxID, maxLink       = 200, 2000
)

// errPanicked means that the parser of feeds failed in an unexpected way.
var errPanicked = errors.New("the parser failed")

// parse returns the feed in a document that was received from a URL with a media type.
func parse(data []byte, contentType string, from *url.URL) (Feed, error) {
	text := bytes.TrimSpace(decode(data, contentType, 3*MaxBytes))
	out := Feed{}
	switch {
	case len(text) == 0:
		return Feed{}, &Error{Kind: NotAFeed, message: "The server sent an empty document: check the address of the feed."}
	case text[0] == '{':
		if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) > maxElements {
			return Feed{}, broken(errTooMuch)
		}
	default:
		var err error
		if text, out.Omitted, err = clean(text); err != nil {
			return Feed{}, broken(err)
		}
	}
	parsed, err := library(text)
	if err != nil {
		return Feed{}, broken(err)
	}
	if parsed.FeedType == "json" && parsed.FeedVersion == "" && len(parsed.Items) == 0 {
		return Feed{}, broken(errRoot) // the response of another API
	}
	out.Title = plain(parsed.Title, maxTitle)
	seen := map[string]bool{}
	for _, p := range parsed.Items {
		i := item(p, from)
		if len(out.Items) >= MaxItems || seen[i.ID] || i.Title == "" && i.Summary == "" {
			out.Omitted++
			continue
		}
		seen[i.ID] = true
		out.Items = append(out.Items, i)
	}
	return out, nil
}

// library calls the parser of feeds. Its input is hostile, so that a panic must not end the process.
func library(text []byte) (f *gofeed.Feed, err error) {
	defer func() {
		if recover() != nil {
			f, err = nil, errPanicked
		}
	}()
	return gofeed.NewParser().Parse(bytes.NewReader(text))
}

// item returns an item as this package describes it.
func item(p *gofeed.Item, from *url.URL) Item {
	i := Item{
		Title:   plain(p.Title, maxTitle),
		Summary: plain(p.Description, maxSummary),
		Link:    link(p.Link, from),
	}
	if i.Summary == "" {
		i.Summary = plain(p.Content, maxSummary)
	}
	i.ImageURL = link(image(p), from)
	if at := cmp.Or(p.PublishedParsed, p.UpdatedParsed); at != nil && at.Year() >= 1970 && at.Year() <= 9999 {
		i.Published = at.UTC().Truncate(time.Second)
	}
	i.ID = line(strings.TrimSpace(p.GUID), 4*maxID)
	if i.ID == "" {
		i.ID = i.Link
	}
	if i.ID == "" {
		i.ID = i.Title + "\n" + i.Summary
	}
	if len(i.ID) > maxID || strings.Contains(i.ID, "\n") {
		sum := sha256.Sum256([]byte(i.ID))
		i.ID = "sha256:" + hex.EncodeToString(sum[:])
	}
	return i
}

// image returns the URL of an item's image, or nothing. The parser of feeds finds those of RSS and in HTML, but not
// those of Atom and of Media RSS groups.
func image(p *gofeed.Item) string {
	if p.Image != nil {
		return p.Image.URL
	}
	for _, e := range p.Enclosures {
		if strings.HasPrefix(e.Type, "image/") {
			return e.URL
		}
	}
	media := p.Extensions["media"]
	thumbnails := media["thumbnail"]
	for _, group := range media["group"] {
		thumbnails = append(thumbnails, group.Children["thumbnail"]...)
	}
	if len(thumbnails) > 0 {
		return thumbnails[0].Attrs["url"]
	}
	return ""
}

// link returns an absolute URL, or nothing if the reference is not one of the web.
func link(ref string, from *url.URL) string {
	u, err := from.Parse(strings.TrimSpace(ref))
	if ref == "" || err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return ""
	}
	if s := u.String(); len(s) <= maxLink {
		return s
	}
	return ""
}

// broken returns the error for a document that cannot be parsed.
func broken(err error) *Error {
	kind, message := Malformed, "The feed is not well-formed: ask its publisher to repair it, or use another feed."
	switch {
	case errors.Is(err, errRoot), errors.Is(err, gofeed.ErrFeedTypeNotDetected):
		kind, message = NotAFeed, "The address leads to a page that is not a feed: use the RSS or Atom address of the site."
	case errors.Is(err, errTooMuch):
		kind, message = TooLarge, "The feed has too many elements: use a feed with fewer or shorter items."
	}
	return &Error{Kind: kind, message: message}
}

// tooLarge returns the error for a feed of too many bytes.
func tooLarge() *Error {
	message := fmt.Sprintf("The feed is larger than %d MiB: use a feed with fewer or shorter items.", MaxBytes>>20)
	return &Error{Kind: TooLarge, message: message}
}
