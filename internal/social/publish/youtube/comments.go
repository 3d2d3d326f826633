// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// maxComment is the longest comment that YouTube accepts, in characters.
	maxComment = 10_000
	// commentPage is the most that a page of comments holds; commentPages bounds a search.
	commentPage, commentPages = 100, 5
)

// thread is a top-level comment.
type thread struct {
	ID      string `json:"id"`
	Snippet struct {
		TopLevelComment struct {
			ID      string `json:"id"`
			Snippet struct {
				AuthorChannelID struct {
					Value string `json:"value"`
				} `json:"authorChannelId"`
				TextOriginal string `json:"textOriginal"`
			} `json:"snippet"`
		} `json:"topLevelComment"`
	} `json:"snippet"`
}

// LackingForComments lists the scope that comments need if it was not granted.
func (*Platform) LackingForComments(granted []string) []string {
	if slices.Contains(granted, scopeComments) {
		return nil
	}
	return []string{scopeComments}
}

// Comment writes a top-level comment of the channel under a video.
func (p *Platform) Comment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	text = strings.TrimSpace(plain(text))
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return "", &publish.Error{Kind: publish.Rejected, Code: "commentTextRequired", Safe: "The comment has no text."}
	case n > maxComment:
		return "", &publish.Error{
			Kind: publish.Rejected, Code: "commentTextTooLong",
			Safe: fmt.Sprintf("The comment has %d characters; YouTube accepts %d.", n, maxComment),
		}
	}
	body, err := json.Marshal(map[string]any{"snippet": map[string]any{
		"videoId": postID, "topLevelComment": map[string]any{"snippet": map[string]string{"textOriginal": text}},
	}})
	if err != nil {
		return "", err
	}
	req, err := request(ctx, a, http.MethodPost, p.c.APIURL+"/youtube/v3/commentThreads?part=snippet", body)
	if err != nil {
		return "", err
	}
	ans, err := publish.Do(p.c.HTTP, req)
	if err != nil {
		return "", unheard(publishing(unreachable(err), 0))
	}
	if ans.Status != http.StatusOK {
		return "", unheard(publishing(refused(ans, p.c.Clock.Now()), ans.Status))
	}
	var t thread
	if err := json.Unmarshal(ans.Body, &t); err != nil || t.ID == "" {
		return "", unheard(publishing(unreadable(err), ans.Status))
	}
	return t.ID, nil
}

// unheard sets the user message of an ambiguous comment error.
func unheard(e *publish.Error) *publish.Error {
	if e.Kind == publish.Ambiguous {
		e.Safe = "YouTube received the comment and did not report whether it was published."
	}
	return e
}

// FindComment looks for the comment among those under the video, newest first.
func (p *Platform) FindComment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	text = strings.TrimSpace(plain(text))
	q := url.Values{"part": {"snippet"}, "videoId": {postID}, "order": {"time"}, "textFormat": {"plainText"}, "maxResults": {strconv.Itoa(commentPage)}}
	for range commentPages {
		var list struct {
			Items         *[]thread `json:"items"`
			NextPageToken string    `json:"nextPageToken"`
		}
		if err := p.get(ctx, a, "/youtube/v3/commentThreads", q, &list); err != nil {
			return "", err
		}
		if list.Items == nil {
			return "", unreadable(errors.New("a list of comments without items"))
		}
		for _, t := range *list.Items {
			c := t.Snippet.TopLevelComment.Snippet
			if c.AuthorChannelID.Value == a.ID && c.TextOriginal == text {
				return t.ID, nil
			}
		}
		if list.NextPageToken == "" {
			return "", publish.ErrNotFound
		}
		q.Set("pageToken", list.NextPageToken)
	}
	return "", publish.ErrCannotTell // there are more comments than are read
}
