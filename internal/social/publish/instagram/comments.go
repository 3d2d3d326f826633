// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// commentPages is the maximum number of comment pages to read.
const commentPages = 5

// LackingForComments returns the scope that comments need if it was not granted.
func (*Platform) LackingForComments(granted []string) []string {
	if slices.Contains(granted, ScopeComments) {
		return nil
	}
	return []string{ScopeComments}
}

// Comment writes a comment of the account under its post.
func (p *Platform) Comment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	text = strings.TrimSpace(text)
	rule, _ := catalog.RuleOf(catalog.Instagram)
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return "", rejected("The comment has no text.")
	case n > rule.CommentMax:
		return "", rejected(fmt.Sprintf("The comment has %d characters; Instagram accepts %d.", n, rule.CommentMax))
	}
	var ans idAnswer
	err := p.post(ctx, a.AccessToken, p.versioned(postID, "comments"), publishing, map[string]string{"message": text}, &ans)
	if err == nil && ans.ID == "" {
		err = unreadable(errors.New("there is no comment in it"), publishing)
	}
	if err != nil {
		return "", ofComment(err)
	}
	return string(ans.ID), nil
}

// ofComment returns the error of a comment, with a message for comments.
func ofComment(err error) error {
	var e *publish.Error
	if !errors.As(err, &e) {
		return err
	}
	out := *e
	switch {
	case out.Kind == publish.Ambiguous:
		out.Safe = "Instagram received the comment and did not report whether it was published."
	case unseen(err): // new posts are not visible everywhere at once
		out.Kind, out.Safe = publish.Transient, "Instagram does not show the post everywhere yet."
	}
	return &out
}

// FindComment returns the id of a comment of the account with the text under its post.
func (p *Platform) FindComment(ctx context.Context, a publish.Account, postID, text string) (string, error) {
	text = plain(text)
	q := url.Values{"fields": {"id,text,username"}, "limit": {strconv.Itoa(pageSize)}}
	for range commentPages {
		var page struct {
			Data *[]struct {
				ID       id     `json:"id"`
				Text     string `json:"text"`
				Username string `json:"username"`
			} `json:"data"`
			Paging struct {
				Cursors struct {
					After string `json:"after"`
				} `json:"cursors"`
				Next string `json:"next"`
			} `json:"paging"`
		}
		err := p.get(ctx, a.AccessToken, p.versioned(postID, "comments"), q, func(b []byte) error { return json.Unmarshal(b, &page) })
		if err != nil {
			return "", err
		}
		if page.Data == nil {
			return "", unreadable(errors.New("a list of comments without data"), reading)
		}
		for _, c := range *page.Data {
			if c.ID != "" && plain(c.Text) == text && strings.EqualFold(c.Username, a.Username) {
				return string(c.ID), nil
			}
		}
		after := page.Paging.Cursors.After
		if page.Paging.Next == "" || after == "" {
			return "", publish.ErrNotFound
		}
		q.Set("after", after)
	}
	return "", publish.ErrCannotTell // there are more comments than are read
}
