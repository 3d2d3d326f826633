// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/social/sandbox"
)

const (
	maxText   = 3000
	maxTitle  = 400
	maxAlt    = 4086
	fewImages = 2
	maxImages = 20
)

type medium struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"`
	Alt   string `json:"altText,omitempty"`
}

type album struct {
	Images []medium `json:"images"`
}

type content struct {
	Media      *medium `json:"media,omitempty"`
	MultiImage *album  `json:"multiImage,omitempty"`
}

// post is a published post.
type post struct {
	urn, author, commentary string
	content                 content
	files                   []*sandbox.File
	visibility              string
	at                      time.Time
	gone                    bool
}

// create publishes a post.
func (p *Platform) create(w http.ResponseWriter, r *request) {
	var in struct {
		Author       string         `json:"author"`
		Commentary   *string        `json:"commentary"`
		Visibility   string         `json:"visibility"`
		Distribution map[string]any `json:"distribution"`
		Content      content        `json:"content"`
		Lifecycle    string         `json:"lifecycleState"`
	}
	if !r.decode(w, &in) {
		return
	}
	person := strings.HasPrefix(in.Author, personURN)
	switch {
	case !p.mayWrite(r, in.Author):
		denied(w, "posts.CREATE.NO_VERSION")
		return
	case in.Commentary == nil || in.Distribution == nil || in.Lifecycle == "":
		invalid(w, http.StatusUnprocessableEntity, "", "MISSING_FIELD", "commentary, distribution and lifecycleState are required")
		return
	case in.Lifecycle != "PUBLISHED", in.Visibility != "PUBLIC" && in.Visibility != "LOGGED_IN" && (in.Visibility != "CONNECTIONS" || !person):
		invalid(w, http.StatusUnprocessableEntity, "visibility", "INVALID_VALUE_FOR_FIELD", "lifecycleState or visibility is not supported")
		return
	}
	if n := utf8.RuneCountInString(*in.Commentary); n > maxText { // escapes count
		invalid(w, http.StatusBadRequest, "commentary", "FIELD_ARRAY_SIZE_TOO_HIGH",
			fmt.Sprintf("com.linkedin.content.common.exception.BadRequestResponseException: "+
				"ShareCommentary text length (%d characters) exceeded the maximum allowed (%d characters)", n, maxText))
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catchUp()
	x := &post{author: in.Author, commentary: *in.Commentary, content: in.Content, visibility: in.Visibility, at: p.core.Now()}
	if !p.attach(w, x) {
		return
	}
	if i := slices.IndexFunc(p.posts, func(o *post) bool {
		return !o.gone && o.author == x.author && o.commentary == x.commentary && x.at.Sub(o.at) < p.rules.Duplicates
	}); i >= 0 {
		invalid(w, http.StatusUnprocessableEntity, "", "DUPLICATE_POST", "Content is a duplicate of "+p.posts[i].urn)
		return
	}
	l := sandbox.Landing{Platform: name, Account: p.account(x.author).Name, Visibility: sandbox.Public, Caption: visible(*in.Commentary), At: x.at}
	if strings.HasPrefix(assetsOf(x.content)[0], "urn:li:video:") {
		x.urn = ugcPostURN + sandbox.Digits(19)
		l.Kind, l.File, l.Title = "video", x.files[0], x.content.Media.Title
		if cover := p.assets[x.content.Media.ID].cover; cover != nil {
			l.Cover, _ = cover.SHA256()
		}
	} else {
		x.urn = shareURN + sandbox.Digits(19)
		l.Kind, l.Photos = "photo_set", x.files
	}
	if in.Visibility != "PUBLIC" {
		l.Audience = in.Visibility
	}
	l.ID, l.URL = x.urn, p.core.URL(name, "/feed/update/"+x.urn+"/")
	if err := p.core.Land(l); err != nil {
		refuse(w, http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "Internal Server Error")
		return
	}
	p.add(x)
	if !p.rules.NoID {
		w.Header().Set("X-Restli-Id", x.urn)
	}
	w.WriteHeader(http.StatusCreated)
}

func assetsOf(c content) (out []string) {
	if c.Media != nil {
		out = append(out, c.Media.ID)
	}
	if c.MultiImage != nil {
		for _, i := range c.MultiImage.Images {
			out = append(out, i.ID)
		}
	}
	return out
}

// attach resolves the files of a post. It writes an error if a file cannot be used. The caller holds the lock.
func (p *Platform) attach(w http.ResponseWriter, x *post) bool {
	c := x.content
	urns := assetsOf(c)
	switch {
	case (c.Media == nil) == (c.MultiImage == nil):
		refuse(w, http.StatusUnprocessableEntity, "UNPROCESSABLE_ENTITY", "content has to be either media or multiImage")
		return false
	case c.MultiImage != nil && (len(urns) < fewImages || len(urns) > maxImages):
		invalid(w, http.StatusBadRequest, "content/multiImage", "INVALID_VALUE_FOR_FIELD", "multiImage takes 2 to 20 images")
		return false
	case c.MultiImage != nil && slices.ContainsFunc(c.MultiImage.Images, func(i medium) bool { return utf8.RuneCountInString(i.Alt) > maxAlt }):
		invalid(w, http.StatusBadRequest, "content/multiImage", "FIELD_LENGTH_TOO_LONG", "altText is too long")
		return false
	case c.Media != nil && (utf8.RuneCountInString(c.Media.Title) > maxTitle || utf8.RuneCountInString(c.Media.Alt) > maxAlt):
		invalid(w, http.StatusBadRequest, "content/media", "FIELD_LENGTH_TOO_LONG", "title or altText is too long")
		return false
	}
	for _, urn := range urns {
		a := p.assets[urn]
		switch {
		case a == nil && strings.HasPrefix(urn, "urn:li:video:"):
			invalid(w, http.StatusBadRequest, "content", "INVALID_VIDEO_ID", "The video does not exist")
			return false
		case a == nil, c.MultiImage != nil && a.kind != "images":
			invalid(w, http.StatusBadRequest, "content", "INVALID_IMAGE_ID", "The image does not exist")
			return false
		case a.owner != x.author:
			invalid(w, http.StatusBadRequest, "content", "INVALID_URN_ID", "The owner of the media is not the author of the post")
			return false
		}
		switch p.state(a) {
		case "AVAILABLE":
		case "PROCESSING_FAILED":
			invalid(w, http.StatusBadRequest, "content", "MEDIA_ASSET_PROCESSING_FAILED", "Media asset processing has failed")
			return false
		default:
			invalid(w, http.StatusBadRequest, "content", "MEDIA_ASSET_WAITING_UPLOAD", "Media asset is not ready")
			return false
		}
		x.files = append(x.files, a.file)
	}
	return true
}

// find returns an existing post, or nil. The caller holds the lock.
func (p *Platform) find(urn string) *post {
	p.catchUp()
	if x := p.byURN[urn]; x != nil && !x.gone {
		return x
	}
	return nil
}

func (x *post) doc() map[string]any {
	return map[string]any{
		"id": x.urn, "author": x.author, "commentary": x.commentary, "content": x.content,
		"lifecycleState": "PUBLISHED", "visibility": cmp.Or(x.visibility, "PUBLIC"),
		"publishedAt": x.at.UnixMilli(), "createdAt": x.at.UnixMilli(), "lastModifiedAt": x.at.UnixMilli(),
	}
}

// byAuthor lists a page's posts, newest first.
func (p *Platform) byAuthor(w http.ResponseWriter, r *request) {
	author := r.URL.Query().Get("author")
	switch {
	case !r.finds("author"):
		refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "The finder is not known.")
		return
	case strings.HasPrefix(author, personURN):
		refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "Member permissions must be used when using member as author")
		return
	case !p.mayRead(r, author):
		denied(w, "posts.FINDER-author.NO_VERSION")
		return
	}
	p.mu.Lock()
	p.catchUp()
	var posts []*post
	for _, x := range slices.Backward(p.posts) {
		if x.author == author && !x.gone && !p.core.Now().Before(x.at.Add(p.rules.Lag)) {
			posts = append(posts, x)
		}
	}
	slices.SortStableFunc(posts, func(a, b *post) int { return b.at.Compare(a.at) })
	all := make([]any, len(posts))
	for i, x := range posts {
		all[i] = x.doc()
	}
	p.mu.Unlock()
	r.page(w, all, 100)
}

func (p *Platform) read(w http.ResponseWriter, r *request) {
	p.mu.Lock()
	x := p.find(r.PathValue("urn"))
	p.mu.Unlock()
	switch {
	case x != nil && !p.mayRead(r, x.author), x == nil && !r.token.Allows(scopeReadPage):
		denied(w, "posts.GET.NO_VERSION")
	case x == nil:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
	default:
		write(w, http.StatusOK, x.doc())
	}
}

func (p *Platform) update(w http.ResponseWriter, r *request) {
	var in struct {
		Patch struct {
			Set struct {
				Commentary *string `json:"commentary"`
			} `json:"$set"`
		} `json:"patch"`
	}
	if !strings.EqualFold(r.Header.Get("X-RestLi-Method"), "PARTIAL_UPDATE") {
		refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "The method is not known.")
		return
	}
	if !r.decode(w, &in) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	x := p.find(r.PathValue("urn"))
	switch {
	case x == nil:
		refuse(w, http.StatusNotFound, "NOT_FOUND", "Could not find entity")
		return
	case !p.mayWrite(r, x.author):
		denied(w, "posts.PARTIAL_UPDATE.NO_VERSION")
		return
	}
	if in.Patch.Set.Commentary != nil {
		x.commentary = *in.Patch.Set.Commentary
		if l, ok := p.core.LandedByID(name, x.urn); ok {
			l.Caption = visible(x.commentary)
			_ = p.core.Land(l)
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// remove deletes a post. Deleting a post that does not exist is no error.
func (p *Platform) remove(w http.ResponseWriter, r *request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.find(r.PathValue("urn")); x != nil {
		if !p.mayWrite(r, x.author) {
			denied(w, "posts.DELETE.NO_VERSION")
			return
		}
		p.take(x)
	}
	w.WriteHeader(http.StatusNoContent)
}

// Delete deletes a post, as its author can on the website.
func (p *Platform) Delete(urn string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.find(urn); x != nil {
		p.take(x)
	}
}

// take deletes a post. The caller holds the lock.
func (p *Platform) take(x *post) {
	x.gone = true
	_ = p.core.Remove(name, x.urn)
}
