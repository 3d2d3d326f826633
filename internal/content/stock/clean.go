// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// What providers say is shown to users and written to resources, so it is brought into the bounds of both.
const (
	maxTitle, maxDescription, maxAuthor = 200, 1000, 200
	maxTags, maxTag                     = 30, 50
	maxAddress                          = 2000
)

// text is one line of at most so many characters.
func text(s string, most int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}

// address is a URL that a browser may open, or "".
func address(s string) string {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || len(s) > maxAddress {
		return ""
	}
	return s
}

// withQuery adds parameters to an address.
func withQuery(s string, parameters ...string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	q := u.Query()
	for i := 0; i+1 < len(parameters); i += 2 {
		q.Set(parameters[i], parameters[i+1])
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// tagList reads tags from a list with commas.
func tagList(s string) []string {
	out := []string{}
	for t := range strings.SplitSeq(s, ",") {
		if t = text(strings.ToLower(t), maxTag); t != "" && len(out) < maxTags {
			out = append(out, t)
		}
	}
	return out
}

// clean brings an item into bounds; false when it has no address or size that can be used.
func clean(i *Item) bool {
	i.Title, i.Description = text(i.Title, maxTitle), text(i.Description, maxDescription)
	i.URL, i.ThumbnailURL = address(i.URL), address(i.ThumbnailURL)
	if i.Tags == nil {
		i.Tags = []string{}
	}
	if a := i.Attribution; a != nil {
		*a = v1beta1.Attribution{
			Provider: a.Provider, Author: text(a.Author, maxAuthor), AuthorURL: address(a.AuthorURL), License: a.License,
		}
	}
	const maxSide, maxDuration = 100_000, 24 * 3600.0
	i.ID, i.Status = IDOf(i.Provider, i.ExternalID), StatusReady
	return i.URL != "" && i.Width > 0 && i.Height > 0 && i.Width < maxSide && i.Height < maxSide &&
		i.Duration >= 0 && i.Duration < maxDuration && i.Bytes >= 0
}

// found gathers the items that can be used.
func found(total int, items []Item) Found {
	out := Found{Total: max(0, total), Items: make([]Item, 0, len(items))}
	for i := range items {
		if clean(&items[i]) {
			out.Items = append(out.Items, items[i])
		}
	}
	return out
}
