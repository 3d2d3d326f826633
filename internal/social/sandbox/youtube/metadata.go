// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
)

// resource is the video resource that callers send.
type resource struct {
	ID      string   `json:"id"`
	Snippet *snippet `json:"snippet"`
	Status  *status  `json:"status"`
}

// snippet and status hold the fields that callers may set. YouTube rejects unknown fields.
type snippet struct {
	Title           string   `json:"title"`
	Description     string   `json:"description"`
	Tags            []string `json:"tags"`
	CategoryID      string   `json:"categoryId"`
	DefaultLanguage string   `json:"defaultLanguage"`
}

type status struct {
	Privacy     string          `json:"privacyStatus"`
	PublishAt   string          `json:"publishAt"`
	License     string          `json:"license"`
	Embeddable  *bool           `json:"embeddable"`
	PublicStats *bool           `json:"publicStatsViewable"`
	MadeForKids *bool           `json:"selfDeclaredMadeForKids"`
	Synthetic   json.RawMessage `json:"containsSyntheticMedia"`
}

var categories = []string{"1", "2", "10", "15", "17", "19", "20", "22", "23", "24", "25", "26", "27", "28", "29"}

// read decodes a video resource and drops the parts that are not named.
func read(doc []byte, parts []string) (*resource, *problem) {
	var r resource
	if err := json.Unmarshal(doc, &r); err != nil {
		return nil, invalid("parseError", "Parse Error")
	}
	if !slices.Contains(parts, "snippet") {
		r.Snippet = nil
	}
	if !slices.Contains(parts, "status") {
		r.Status = nil
	}
	return &r, nil
}

// checkSnippet validates title, description, tags and category.
func checkSnippet(s *snippet) *problem {
	units := len(utf16.Encode([]rune(s.Title)))
	switch {
	case strings.TrimSpace(s.Title) == "" || units > 100 || strings.ContainsAny(s.Title, "<>"):
		return invalid("invalidTitle", "The request metadata specifies an invalid or empty video title.")
	case len(s.Description) > 5000 || strings.ContainsAny(s.Description, "<>"):
		return invalid("invalidDescription", "The request metadata specifies an invalid video description.")
	case tagLength(s.Tags) > 500 || slices.ContainsFunc(s.Tags, func(t string) bool { return strings.ContainsAny(t, "<>") }):
		return invalid("invalidTags", "The request metadata specifies invalid video keywords.")
	case s.CategoryID != "" && !slices.Contains(categories, s.CategoryID):
		return invalid("invalidCategoryId", "The <code>snippet.categoryId</code> property specifies an invalid category ID.")
	}
	return nil
}

// tagLength counts commas between tags, and quotation marks around tags with a space.
func tagLength(tags []string) int {
	n := max(0, len(tags)-1)
	for _, t := range tags {
		n += len(utf16.Encode([]rune(t)))
		if strings.Contains(t, " ") {
			n += 2
		}
	}
	return n
}

// checkStatus validates the visibility and returns the scheduled time. published reports whether the video was public
// before.
func checkStatus(s *status, published bool) (publishAt time.Time, e *problem) {
	switch {
	case !slices.Contains([]string{"", "public", "private", "unlisted"}, s.Privacy):
		return publishAt, invalid("invalidVideoMetadata", "The request metadata is invalid.")
	case !slices.Contains([]string{"", "youtube", "creativeCommon"}, s.License):
		return publishAt, reason(http.StatusForbidden, "forbiddenLicenseSetting", "The request attempts to set an invalid license for the video.")
	case s.PublishAt == "":
		return publishAt, nil
	}
	publishAt, err := time.Parse(time.RFC3339, s.PublishAt)
	if err != nil || s.Privacy != "private" || published {
		return time.Time{}, invalid("invalidPublishAt", "The request metadata specifies an invalid scheduled publishing time.")
	}
	return publishAt, nil
}

// partsOf returns the parts that a request names, as a comma-separated list or as repeated parameters.
func partsOf(r request, known ...string) ([]string, *problem) {
	var out []string
	for _, v := range r.URL.Query()["part"] {
		for one := range strings.SplitSeq(v, ",") {
			if one = strings.TrimSpace(one); one == "" {
				continue
			}
			if !slices.Contains(known, one) {
				return nil, invalid("unexpectedParameter", "'"+one+"'")
			}
			out = append(out, one)
		}
	}
	if len(out) == 0 {
		return nil, invalid("missingRequiredParameter", "No filter selected. Required parameter: part.")
	}
	return out, nil
}

// idsOf returns the IDs that a request names, at most 50.
func idsOf(r request) ([]string, *problem) {
	var out []string
	for _, v := range r.URL.Query()["id"] {
		for one := range strings.SplitSeq(v, ",") {
			if one = strings.TrimSpace(one); one != "" && !slices.Contains(out, one) {
				out = append(out, one)
			}
		}
	}
	switch {
	case len(out) == 0:
		return nil, invalid("missingRequiredParameter", "No filter selected. Expected one of: id, chart, myRating.")
	case len(out) > 50:
		return nil, invalid("invalidFilters", "The request specifies an invalid filter parameter.")
	}
	return out, nil
}
