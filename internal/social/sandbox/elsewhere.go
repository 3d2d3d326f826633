// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Limits of one PostElsewhere call.
const (
	maxElsewhere = 100_000
	maxText      = 10_000 // maximum length of a title or caption in bytes
)

// ErrNoPost means that a platform has no such post.
var ErrNoPost = errors.New("the platform has no such post")

// Elsewhere describes posts that a user creates in the platform's own app. They have no upload, are public at once, and
// no API call is recorded for them.
type Elsewhere struct {
	Platform string `json:"platform"`
	// Account is a name, ID or username.
	Account string `json:"account"`
	// Title and Caption of each post. With a Count above 1, the number of the post is appended. At least one of them is
	// required.
	Title   string `json:"title,omitempty"`
	Caption string `json:"caption,omitempty"`
	// At is the creation time of the newest post; the current time when zero. It must not be in the future.
	At time.Time `json:"at,omitzero"`
	// Count is the number of posts: 1 when 0. Consecutive posts are Minutes apart: 60 when 0.
	Count   int `json:"count,omitempty"`
	Minutes int `json:"minutes,omitempty"`
}

// PostElsewhere creates the posts and returns them, oldest first.
func (s *Sandbox) PostElsewhere(e Elsewhere) ([]Landing, error) {
	a, err := s.check(&e)
	if err != nil {
		return nil, err
	}
	created := make([]*Landing, 0, e.Count)
	var lines bytes.Buffer
	out := json.NewEncoder(&lines)
	for i := range e.Count {
		l := &Landing{
			Platform: e.Platform, Account: a.Name, AccountID: a.ID, Username: a.Username, Kind: "video", Mode: "direct", Visibility: Public,
			Title: numbered(e.Title, i, e.Count), Caption: numbered(e.Caption, i, e.Count), Elsewhere: true,
			At: e.At.Add(-time.Duration(e.Count-1-i) * time.Duration(e.Minutes) * time.Minute).UTC(),
		}
		id, path := address(e.Platform, a)
		l.ID, l.URL = id, s.URL(e.Platform, path)
		if err := out.Encode(entry{Landing: l}); err != nil {
			return nil, err
		}
		created = append(created, l)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.journal.Write(lines.Bytes()); err != nil {
		return nil, err
	}
	follower, _ := s.platforms[e.Platform].(Follower)
	list := make([]Landing, 0, len(created))
	for _, l := range created {
		s.put(l)
		if follower != nil {
			follower.Landed(*l)
		}
		list = append(list, *l)
	}
	return list, nil
}

// check validates the request, fills in the defaults and returns the account.
func (s *Sandbox) check(e *Elsewhere) (Account, error) {
	now := s.Now()
	if e.At.IsZero() {
		e.At = now
	}
	if e.Count == 0 {
		e.Count = 1
	}
	if e.Minutes == 0 {
		e.Minutes = 60
	}
	switch {
	case !slices.Contains(s.mounted(), e.Platform):
		return Account{}, fmt.Errorf("platform %q is none of %s", e.Platform, strings.Join(s.mounted(), ", "))
	case e.Count < 1 || e.Count > maxElsewhere:
		return Account{}, fmt.Errorf("count must be from 1 to %d", maxElsewhere)
	case e.Minutes < 1 || e.Minutes > 7*24*60:
		return Account{}, errors.New("minutes must be from 1 to 10080")
	case e.Title == "" && e.Caption == "":
		return Account{}, errors.New("a post needs a title or a caption")
	case len(e.Title) > maxText || len(e.Caption) > maxText:
		return Account{}, fmt.Errorf("title and caption are %d bytes at most", maxText)
	case e.At.After(now):
		return Account{}, errors.New("at is in the future")
	}
	a, ok := s.AccountByName(e.Platform, e.Account)
	if !ok {
		return Account{}, fmt.Errorf("%s has no account %q", e.Platform, e.Account)
	}
	return a, nil
}

// numbered appends the post's number to the text when there are several posts.
func numbered(text string, i, of int) string {
	if of == 1 || text == "" {
		return text
	}
	return fmt.Sprintf("%s %d", text, i+1)
}

// address returns the ID and the page path of a new post in the platform's format.
func address(platform string, a Account) (id, path string) {
	switch platform {
	case "tiktok":
		id = Digits(19)
		return id, "/@" + a.Username + "/video/" + id
	case "youtube":
		id = Letters(11)
		return id, "/shorts/" + id
	case "instagram":
		return "1" + Digits(16), "/reel/" + Letters(11) + "/"
	case "linkedin":
		id = "urn:li:ugcPost:" + Digits(19)
		return id, "/feed/update/" + id + "/"
	}
	id = Digits(19)
	return id, "/posts/" + id
}

// TakeDown deletes a post as its owner does in the platform's own app. It returns ErrNoPost when the post does not
// exist.
func (s *Sandbox) TakeDown(platform, id string) error {
	if _, there := s.LandedByID(platform, id); !there {
		return ErrNoPost
	}
	return s.Remove(platform, id)
}

// LandedOn returns the posts of an account, given by its name, newest first. Private posts are included.
func (s *Sandbox) LandedOn(platform, account string) []Landing {
	out := slices.DeleteFunc(s.Landed(platform), func(l Landing) bool { return l.Account != account })
	slices.SortStableFunc(out, func(a, b Landing) int { return b.At.Compare(a.At) })
	return out
}

// createdPost is one created post in the response of POST /elsewhere.
type createdPost struct {
	ID  string    `json:"platform_id"`
	URL string    `json:"url"`
	At  time.Time `json:"time"`
}

func (s *Sandbox) postElsewhere(w http.ResponseWriter, r *http.Request) {
	var e Elsewhere
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	d.DisallowUnknownFields()
	err := d.Decode(&e)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("one JSON object is expected")
		}
	}
	var list []Landing
	if err == nil {
		list, err = s.PostElsewhere(e)
	}
	if err != nil {
		writeJSON(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	out := make([]createdPost, 0, len(list))
	for _, l := range list {
		out = append(out, createdPost{l.ID, l.URL, l.At})
	}
	writeJSON(w, http.StatusOK, out)
}

func (s *Sandbox) takeDown(w http.ResponseWriter, r *http.Request) {
	switch err := s.TakeDown(r.PathValue("platform"), r.PathValue("id")); {
	case errors.Is(err, ErrNoPost):
		writeJSON(w, http.StatusNotFound, map[string]string{"error": err.Error()})
	case err != nil:
		writeJSON(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}
