// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

const (
	// commentPage is how many comments one call lists, commentPages how many lists are read.
	commentPage  = 100
	commentPages = 5
)

// commented is a comment in LinkedIn's format.
type commented struct {
	ID      string `json:"id"`
	URN     string `json:"commentUrn"`
	Actor   string `json:"actor"`
	Message struct {
		Text string `json:"text"`
	} `json:"message"`
}

// LackingForComments returns the scope that a member's comments need if it was not granted. Consent is for all
// requested scopes or none, so it also covers pages if the app requests them.
func (p *Platform) LackingForComments(granted []string) []string {
	if slices.Contains(granted, scopeMember) || slices.Contains(granted, scopeMember+"_feed") {
		return nil
	}
	return []string{scopeMember}
}

func commentsOf(postID string) string { return "/rest/socialActions/" + key(postID) + "/comments" }

// Comment writes a comment of the account under a post. Its text is plain: nothing is escaped.
func (p *Platform) Comment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	text = strings.TrimSpace(text)
	rule, _ := catalog.RuleOf(catalog.LinkedIn)
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return "", rejected("", "The comment has no text.")
	case n > rule.CommentMax:
		return "", rejected("", fmt.Sprintf("The comment has %d characters; LinkedIn accepts %d.", n, rule.CommentMax))
	}
	body := map[string]any{"actor": a.ID, "object": postID, "message": map[string]string{"text": text}}
	var c commented
	answer, err := p.request(ctx, call{method: http.MethodPost, path: commentsOf(postID), token: a.AccessToken, body: body, publishes: true}, &c)
	if err != nil {
		return "", commentError(err)
	}
	if id := cmp.Or(c.URN, c.ID, answer.Header.Get("X-Restli-Id")); id != "" {
		return id, nil
	}
	return "", commentError(inconclusive(true))
}

// commentError returns the error of a comment, with a message for comments. If LinkedIn does not find an activity, the
// activity is that of the new post, and no comment was written.
func commentError(err error) error {
	e := asError(err)
	switch {
	case e == nil:
	case e.Code == noActivity:
		e.Kind, e.RetryAfter, e.Safe = publish.Transient, shortRetry, "LinkedIn does not show the post everywhere yet."
	case e.Kind == publish.Ambiguous:
		e.Safe = "LinkedIn received the comment and did not report whether it was published."
	}
	return err
}

// FindComment returns the id of a page's comment under its post, which the page may read. A member's comments cannot be
// read.
func (p *Platform) FindComment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	if !readable(a) {
		return "", publish.ErrCannotTell
	}
	text = strings.TrimSpace(text)
	for start := 0; start < commentPage*commentPages; start += commentPage {
		var l struct {
			Elements *[]commented `json:"elements"`
		}
		path := commentsOf(postID) + "?start=" + strconv.Itoa(start) + "&count=" + strconv.Itoa(commentPage)
		if err := p.get(ctx, a.AccessToken, path, &l); err != nil {
			return "", err
		}
		if l.Elements == nil {
			return "", inconclusive(false)
		}
		for _, c := range *l.Elements {
			if id := cmp.Or(c.URN, c.ID); c.Actor == a.ID && c.Message.Text == text && id != "" {
				return id, nil
			}
		}
		if len(*l.Elements) < commentPage {
			return "", publish.ErrNotFound
		}
	}
	return "", publish.ErrCannotTell // there are more comments than are read
}
