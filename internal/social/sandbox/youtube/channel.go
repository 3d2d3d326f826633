// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// began is the creation time of every channel.
var began = time.Date(2021, 3, 4, 12, 0, 0, 0, time.UTC)

// uploadsOf returns the ID of a channel's uploads playlist: the channel's ID with UU in place of UC.
func uploadsOf(a sandbox.Account) string { return "UU" + strings.TrimPrefix(a.ID, "UC") }

// channels returns the caller's channel.
func (p *Platform) channels(w http.ResponseWriter, r request) {
	parts, e := partsOf(r, "id", "snippet", "statistics", "contentDetails", "status", "brandingSettings", "localizations", "topicDetails", "auditDetails")
	if e == nil && r.URL.Query().Get("mine") != "true" {
		e = invalid("missingRequiredParameter", "No filter selected. Expected one of: id, mine, forHandle, managedByMe.")
	}
	if e != nil {
		e.write(w)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	doc := map[string]any{"kind": "youtube#channelListResponse", "etag": sandbox.Letters(27), "pageInfo": map[string]int{"totalResults": 0, "resultsPerPage": 5}}
	if !p.rules.NoChannel[r.account.Name] { // without a channel the response has no items field
		doc["items"] = []map[string]any{p.showChannel(r.account, parts)}
		doc["pageInfo"] = map[string]int{"totalResults": 1, "resultsPerPage": 5}
	}
	writeJSON(w, http.StatusOK, doc)
}

func (p *Platform) showChannel(a sandbox.Account, parts []string) map[string]any {
	c := map[string]any{"kind": "youtube#channel", "etag": sandbox.Letters(27), "id": a.ID}
	for _, part := range parts {
		switch part {
		case "snippet":
			c[part] = map[string]any{
				"title": a.Display, "description": "A channel of the sandbox.", "customUrl": "@" + a.Username, "publishedAt": began.Format(time.RFC3339),
				"thumbnails": map[string]any{"default": map[string]any{"url": a.Avatar, "width": 88, "height": 88}},
			}
		case "contentDetails":
			c[part] = map[string]any{"relatedPlaylists": map[string]string{"likes": "", "uploads": uploadsOf(a)}}
		case "statistics":
			c[part] = p.audience(a)
		case "status":
			long := "eligible"
			if p.rules.Verified[a.Name] {
				long = "allowed"
			}
			c[part] = map[string]any{"privacyStatus": "public", "isLinked": true, "longUploadsStatus": long}
		}
	}
	return c
}

// audience returns the statistics of a channel. Counts are strings, as in the API. The caller holds the lock.
func (p *Platform) audience(a sandbox.Account) map[string]any {
	var views, likes int64
	n := 0
	now := p.core.Now()
	hidden := p.rules.HideSubscribers[a.Name]
	for _, v := range p.of[a.Name] {
		if v.privacy != sandbox.Public {
			continue
		}
		n++
		x := p.numbers(v, now)
		views, likes = views+x.Views, likes+x.Likes
	}
	out := map[string]any{"viewCount": strconv.FormatInt(views, 10), "videoCount": strconv.Itoa(n), "hiddenSubscriberCount": hidden}
	if !hidden {
		out["subscriberCount"] = strconv.FormatInt(rounded(1200+gained(likes)-lost(likes)), 10)
	}
	return out
}

// rounded keeps three significant digits, as YouTube's public subscriber counts do.
func rounded(n int64) int64 {
	unit := int64(1)
	for n/unit >= 1000 {
		unit *= 10
	}
	return n / unit * unit
}

// playlist lists the uploads of a channel, newest first.
func (p *Platform) playlist(w http.ResponseWriter, r request) {
	q := r.URL.Query()
	parts, e := partsOf(r, "id", "snippet", "contentDetails", "status")
	size := 5
	if v := q.Get("maxResults"); v != "" && e == nil {
		var err error
		if size, err = strconv.Atoi(v); err != nil || size < 0 || size > 50 {
			e = invalid("invalidFilters", "Invalid value for maxResults.")
		}
	}
	from := 0
	if v := q.Get("pageToken"); v != "" && e == nil {
		n, err := strconv.Atoi(strings.TrimPrefix(v, "PT"))
		if err != nil || n < 0 {
			e = invalid("invalidPageToken", "The request specifies an invalid page token.")
		}
		from = n
	}
	list := q.Get("playlistId")
	if e == nil && list == "" {
		e = invalid("missingRequiredParameter", "No filter selected. Expected one of: id, playlistId.")
	}
	owner, known := p.core.AccountByName(name, "UC"+strings.TrimPrefix(list, "UU"))
	if e == nil && (!known || uploadsOf(owner) != list) {
		e = reason(http.StatusNotFound, "playlistNotFound", "The playlist identified with the request's <code>playlistId</code> parameter cannot be found.")
	}
	if e != nil {
		e.write(w)
		return
	}
	p.mu.Lock()
	all := p.listed(owner, r.account)
	items := []map[string]any{}
	for i, v := range all[min(from, len(all)):min(from+size, len(all))] {
		items = append(items, showItem(v, parts, list, from+i))
	}
	p.mu.Unlock()
	doc := map[string]any{
		"kind": "youtube#playlistItemListResponse", "etag": sandbox.Letters(27), "items": items,
		"pageInfo": map[string]int{"totalResults": len(all), "resultsPerPage": size},
	}
	if from+size < len(all) && size > 0 {
		doc["nextPageToken"] = fmt.Sprintf("PT%d", from+size)
	}
	if from > 0 {
		doc["prevPageToken"] = fmt.Sprintf("PT%d", max(0, from-size))
	}
	writeJSON(w, http.StatusOK, doc)
}

// listed returns the uploads of a channel that the caller may see, newest first. They are sorted by the time of
// publication, or of the upload if a video was never public. The caller holds the lock.
func (p *Platform) listed(owner, caller sandbox.Account) []*video {
	var out []*video
	now := p.core.Now()
	for _, v := range slices.Backward(p.of[owner.Name]) {
		if (v.privacy == sandbox.Public || v.account.Name == caller.Name) && !now.Before(v.uploaded.Add(p.rules.UploadsLag)) {
			out = append(out, v)
		}
	}
	newest := func(a, b *video) int { return b.since().Compare(a.since()) }
	if !slices.IsSortedFunc(out, newest) {
		slices.SortStableFunc(out, newest)
	}
	return out
}

func showItem(v *video, parts []string, list string, position int) map[string]any {
	out := map[string]any{"kind": "youtube#playlistItem", "etag": sandbox.Letters(27), "id": list + "." + v.id}
	for _, part := range parts {
		switch part {
		case "snippet":
			out[part] = map[string]any{
				"publishedAt": v.uploaded.Format(time.RFC3339), "channelId": v.account.ID, "title": v.snippet.Title, "description": v.snippet.Description,
				"channelTitle": v.account.Display, "playlistId": list, "position": position, "thumbnails": v.thumbnails(), "resourceId": map[string]string{"kind": "youtube#video", "videoId": v.id},
			}
		case "contentDetails":
			d := map[string]any{"videoId": v.id}
			if !v.published.IsZero() {
				d["videoPublishedAt"] = v.published.Format(time.RFC3339)
			}
			out[part] = d
		case "status":
			out[part] = map[string]any{"privacyStatus": v.privacy}
		}
	}
	return out
}
