// SPDX-License-Identifier: Apache-2.0

package stock

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Text from providers is shown to users and written to resources, so it is limited to the bounds of both.
const (
	maxTitle, maxDescription, maxAuthor = 200, 1000, 200
	maxTags, maxTag                     = 30, 50
	maxAddress                          = 2000
)

// text returns a string as one line of at most most characters.
func text(s string, most int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:most-1])) + "…"
}

// address returns a URL if a browser may open it, or an empty string.
func address(s string) string {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || len(s) > maxAddress {
		return ""
	}
	return s
}

// withQuery returns a URL with query parameters added.
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

// tagList returns the tags of a comma-separated list.
func tagList(s string) []string {
	out := []string{}
	for t := range strings.SplitSeq(s, ",") {
		if t = text(strings.ToLower(t), maxTag); t != "" && len(out) < maxTags {
			out = append(out, t)
		}
	}
	return out
}

// clean limits the fields of an item to their bounds. It returns false if the address or the size is not usable.
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

// found returns the usable items as a page of results.
func found(total int, items []Item) Found {
	out := Found{Total: max(0, total), Items: make([]Item, 0, len(items))}
	for i := range items {
		if clean(&items[i]) {
			out.Items = append(out.Items, items[i])
		}
	}
	return out
}
