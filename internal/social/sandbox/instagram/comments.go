// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// maxComment is the maximum length of a comment in characters.
const maxComment = 2200

// comment adds a comment of the account to its own post: POST /{media}/comments.
func (p *Platform) comment(w http.ResponseWriter, r *http.Request) {
	_, o, ok := p.found(w, r, scopeComments)
	if !ok {
		return
	}
	in, g := params(r)
	text := strings.TrimSpace(in["message"])
	switch {
	case g != nil:
	case text == "":
		g = refuse(100, 0, "The parameter message is required.")
	case utf8.RuneCountInString(text) > maxComment:
		g = refuse(100, 0, "The comment is too long.")
	}
	if g != nil {
		g.write(w)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l, _ := p.core.LandedByID(Name, o.ID)
	c := sandbox.Comment{ID: "1" + sandbox.Digits(16), Text: text, At: p.core.Now()}
	l.Comments = append(slices.Clone(l.Comments), c)
	if err := p.core.Land(l); err != nil {
		(&graphError{http.StatusInternalServerError, -1, 2207001, "An Instagram server error occurred."}).write(w)
		return
	}
	reply(w, http.StatusOK, map[string]any{"id": c.ID})
}

// comments lists the comments of a post, newest first: GET /{media}/comments.
func (p *Platform) comments(w http.ResponseWriter, r *http.Request) {
	a, o, ok := p.found(w, r, scopeComments)
	if !ok {
		return
	}
	data := []any{}
	for _, c := range slices.Backward(o.Comments) {
		all := map[string]any{
			"id": c.ID, "text": c.Text, "timestamp": stamp(c.At), "username": a.Username, "like_count": 0, "hidden": false,
			"from": map[string]any{"id": a.ID, "username": a.Username},
		}
		out, g := chosen(r, all, "id", "text", "timestamp")
		if g != nil {
			g.write(w)
			return
		}
		data = append(data, out)
	}
	reply(w, http.StatusOK, map[string]any{"data": data})
}
