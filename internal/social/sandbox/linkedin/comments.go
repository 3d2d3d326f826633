// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// maxComment is the maximum length of a comment in characters.
const maxComment = 1250

// comment adds a comment of an author to one of its own posts.
func (p *Platform) comment(w http.ResponseWriter, r *request) {
	var in struct {
		Actor   string `json:"actor"`
		Message struct {
			Text string `json:"text"`
		} `json:"message"`
	}
	if !r.decode(w, &in) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.find(r.PathValue("urn"))
	text := strings.TrimSpace(in.Message.Text)
	switch {
	case !p.mayWrite(r, in.Actor):
		denied(w, "socialActions/comments.CREATE.NO_VERSION")
		return
	case x == nil || x.author != in.Actor:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
		return
	case text == "":
		invalid(w, http.StatusBadRequest, "message/text", "MISSING_FIELD", "message is required")
		return
	case utf8.RuneCountInString(text) > maxComment:
		invalid(w, http.StatusBadRequest, "message/text", "FIELD_LENGTH_TOO_LONG", "message is too long")
		return
	}
	c := sandbox.Comment{ID: "urn:li:comment:(" + x.urn + "," + sandbox.Digits(19) + ")", Text: text, At: p.core.Now()}
	l, _ := p.core.LandedByID(name, x.urn)
	l.Comments = append(slices.Clone(l.Comments), c)
	if err := p.core.Land(l); err != nil {
		refuse(w, http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "Internal Server Error")
		return
	}
	w.Header().Set("X-Restli-Id", c.ID)
	write(w, http.StatusCreated, commentDoc(x, c))
}

// comments lists the comments of a post, for callers who may read the posts of its author.
func (p *Platform) comments(w http.ResponseWriter, r *request) {
	p.mu.Lock()
	x := p.find(r.PathValue("urn"))
	p.mu.Unlock()
	switch {
	case x == nil:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
		return
	case !p.mayRead(r, x.author):
		denied(w, "socialActions/comments.GET_ALL.NO_VERSION")
		return
	}
	l, _ := p.core.LandedByID(name, x.urn)
	all := []any{}
	for _, c := range l.Comments {
		all = append(all, commentDoc(x, c))
	}
	r.page(w, all, 100)
}

func commentDoc(x *post, c sandbox.Comment) map[string]any {
	_, id, _ := strings.Cut(strings.TrimSuffix(c.ID, ")"), ",")
	return map[string]any{
		"id": id, "commentUrn": c.ID, "actor": x.author, "object": x.urn, "message": map[string]any{"attributes": []any{}, "text": c.Text},
		"created": map[string]any{"actor": x.author, "time": c.At.UnixMilli()},
	}
}
