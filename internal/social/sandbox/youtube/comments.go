// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// maxComment is the maximum length of a comment in characters.
const maxComment = 10_000

// comment is a top-level comment.
type comment struct {
	id, text string
	author   sandbox.Account
	at       time.Time
}

// texts returns the texts of the video's comments, oldest first. The caller holds the lock.
func (v *video) texts() []string {
	var out []string
	for _, c := range v.comments {
		out = append(out, c.text)
	}
	return out
}

// comment adds a top-level comment to a video.
func (p *Platform) comment(w http.ResponseWriter, r request) {
	_, e := partsOf(r, "id", "snippet", "replies")
	var doc []byte
	if e == nil {
		doc, e = document(r.Body)
	}
	var in struct {
		Snippet struct {
			VideoID  string `json:"videoId"`
			TopLevel struct {
				Snippet struct {
					Text string `json:"textOriginal"`
				} `json:"snippet"`
			} `json:"topLevelComment"`
		} `json:"snippet"`
	}
	if e == nil && json.Unmarshal(doc, &in) != nil {
		e = invalid("parseError", "Parse Error")
	}
	text := strings.TrimSpace(in.Snippet.TopLevel.Snippet.Text)
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.videos[in.Snippet.VideoID]
	switch {
	case e != nil:
	case text == "":
		e = invalid("commentTextRequired", "The text of the comment is required.")
	case utf8.RuneCountInString(text) > maxComment:
		e = invalid("commentTextTooLong", "The comment text is too long.")
	default:
		e = p.discussed(v, r.account)
	}
	if e != nil {
		e.write(w)
		return
	}
	c := &comment{id: "Ug" + sandbox.Letters(24), text: text, author: r.account, at: p.core.Now()}
	v.comments = append(v.comments, c)
	writeJSON(w, http.StatusOK, v.thread(c, r.account))
}

// discussed returns the error when comments of a video cannot be read or written, or nil. The caller holds the lock.
func (p *Platform) discussed(v *video, caller sandbox.Account) *problem {
	switch {
	case v == nil || v.privacy == sandbox.Private && v.account.Name != caller.Name:
		return reason(http.StatusNotFound, "videoNotFound", "The video identified by the <code>videoId</code> parameter could not be found.")
	case p.rules.NoComments, v.privacy == sandbox.Private, v.status.MadeForKids != nil && *v.status.MadeForKids:
		return reason(http.StatusForbidden, "commentsDisabled", "The video identified by the <code>videoId</code> parameter has disabled comments.")
	}
	return nil
}

// commentsOf lists the comments of a video, newest first.
func (p *Platform) commentsOf(w http.ResponseWriter, r request) {
	q := r.URL.Query()
	_, e := partsOf(r, "id", "snippet", "replies")
	size, from := 20, 0
	var err error
	if v := q.Get("maxResults"); v != "" && e == nil {
		if size, err = strconv.Atoi(v); err != nil || size < 1 || size > 100 {
			e = invalid("invalidFilters", "Invalid value for maxResults.")
		}
	}
	if v := q.Get("pageToken"); v != "" && e == nil {
		if from, err = strconv.Atoi(strings.TrimPrefix(v, "CT")); err != nil || from < 0 {
			e = invalid("invalidPageToken", "The request specifies an invalid page token.")
		}
	}
	if e == nil && q.Get("videoId") == "" {
		e = invalid("missingRequiredParameter", "No filter selected. Expected one of: id, videoId, allThreadsRelatedToChannelId.")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.videos[q.Get("videoId")]
	if e == nil {
		e = p.discussed(v, r.account)
	}
	if e != nil {
		e.write(w)
		return
	}
	newest := slices.Clone(v.comments)
	slices.Reverse(newest)
	items := []map[string]any{}
	for _, c := range newest[min(from, len(newest)):min(from+size, len(newest))] {
		items = append(items, v.thread(c, r.account))
	}
	doc := map[string]any{
		"kind": "youtube#commentThreadListResponse", "etag": sandbox.Letters(27), "items": items,
		"pageInfo": map[string]int{"totalResults": len(items), "resultsPerPage": size},
	}
	if from+size < len(newest) {
		doc["nextPageToken"] = fmt.Sprintf("CT%d", from+size)
	}
	writeJSON(w, http.StatusOK, doc)
}

// thread returns a comment in the format of the API. Only its author sees the original text.
func (v *video) thread(c *comment, caller sandbox.Account) map[string]any {
	s := map[string]any{
		"videoId": v.id, "channelId": v.account.ID, "textDisplay": c.text, "authorDisplayName": "@" + c.author.Username,
		"authorChannelId": map[string]string{"value": c.author.ID}, "publishedAt": c.at.Format(time.RFC3339), "likeCount": 0,
	}
	if caller.ID == c.author.ID {
		s["textOriginal"] = c.text
	}
	return map[string]any{
		"kind": "youtube#commentThread", "etag": sandbox.Letters(27), "id": c.id,
		"snippet": map[string]any{
			"channelId": v.account.ID, "videoId": v.id, "canReply": true, "isPublic": true, "totalReplyCount": 0,
			"topLevelComment": map[string]any{"kind": "youtube#comment", "etag": sandbox.Letters(27), "id": c.id, "snippet": s},
		},
	}
}
