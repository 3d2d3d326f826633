// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"net/http"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// post is a published post, regardless of its author.
type post struct {
	*sandbox.Landing
	// kind of the container that created the post, or would have created it.
	kind string
}

func postOf(l *sandbox.Landing) *post { return &post{l, kindOf(l)} }

func kindOf(l *sandbox.Landing) string {
	switch {
	case l.Kind == "video":
		return kindReel
	case len(l.Photos) > 1:
		return kindCarousel
	}
	return kindImage
}

// limit returns the publishing quota: GET /{ig}/content_publishing_limit.
func (p *Platform) limit(w http.ResponseWriter, r *http.Request) {
	a, g := p.owner(r, scopeBasic)
	if g != nil {
		g.write(w)
		return
	}
	p.mu.Lock()
	used, total := p.used(a.Name), p.behaviour.QuotaTotal
	p.mu.Unlock()
	all := map[string]any{"quota_usage": used, "config": map[string]any{"quota_total": total, "quota_duration": int(window / time.Second)}}
	out, g := chosen(r, all, "quota_usage")
	if g != nil {
		g.write(w)
		return
	}
	reply(w, http.StatusOK, map[string]any{"data": []any{out}})
}

// used counts the posts that an account published through the API in the last 24 hours.
func (p *Platform) used(account string) int {
	n, begin := 0, p.core.Now().Add(-window)
	list := p.released[account]
	for i := len(list) - 1; i >= 0 && list[i].After(begin); i-- {
		n++
	}
	return n
}

// publish publishes a container: POST /{ig}/media_publish.
func (p *Platform) publish(w http.ResponseWriter, r *http.Request) {
	a, in, ok := p.publishRequest(w, r)
	if !ok {
		return
	}
	id, g := p.release(a, in["creation_id"])
	if g != nil {
		g.write(w)
		return
	}
	reply(w, http.StatusOK, map[string]any{"id": id})
}

// release publishes a container and returns the ID of the post, or an error.
func (p *Platform) release(a sandbox.Account, id string) (string, *graphError) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.containers[id]
	switch {
	case id == "":
		return "", refuse(100, 0, "The parameter creation_id is required.")
	case c == nil || c.account != a.Name:
		return "", refuse(24, 2207006, "The requested resource does not exist.")
	case c.child:
		return "", refuse(100, 0, "An item of a carousel cannot be published.")
	case c.published && p.behaviour.SecondPublish == SecondSame:
		return c.post, nil
	case c.published && p.behaviour.SecondPublish != SecondDuplicate:
		return "", refuse(24, 2207008, "The media builder does not exist or has expired.")
	}
	if !c.published {
		if g := publishable(c.state(p.core.Now(), 0)); g != nil {
			return "", g
		}
	}
	if p.used(a.Name) >= p.behaviour.QuotaTotal {
		return "", refuse(9, 2207042, "You reached maximum number of posts that is allowed to be published by Content Publishing API.")
	}
	return p.bringOut(a, c)
}

// publishable returns the error for a container in a state that cannot be published, or nil.
func publishable(state string) *graphError {
	switch state {
	case "FINISHED":
		return nil
	case "IN_PROGRESS":
		return refuse(9007, 2207027, "The media is not ready for publishing, please wait for a moment.")
	case "EXPIRED":
		return refuse(-2, 2207020, "The media you are trying to access has expired.")
	}
	return refuse(24, 2207008, "The media builder does not exist or has expired.")
}

// bringOut creates the post. The caller holds the lock.
func (p *Platform) bringOut(a sandbox.Account, c *container) (string, *graphError) {
	short := sandbox.Letters(11)
	l := sandbox.Landing{
		Platform: Name, Account: a.Name, Kind: "photo_set", Visibility: sandbox.Public, Caption: c.caption, At: p.core.Now(), ID: "1" + sandbox.Digits(16),
	}
	path := "/p/" + short + "/"
	switch c.kind {
	case kindReel:
		l.Kind, l.File, path = "video", c.file, "/reel/"+short+"/"
		l.Cover, l.OffFeed = c.cover, c.offFeed
	case kindCarousel:
		for _, k := range c.children {
			l.Photos = append(l.Photos, k.file)
		}
	default:
		l.Photos = []*sandbox.File{c.file}
	}
	l.URL = p.core.URL(Name, path)
	if err := p.core.Land(l); err != nil {
		return "", &graphError{http.StatusInternalServerError, -1, 2207001, "An Instagram server error occurred."}
	}
	for _, k := range c.children {
		k.published, k.publishedAt = true, l.At
	}
	c.published, c.publishedAt, c.post = true, l.At, l.ID
	p.released[a.Name] = append(p.released[a.Name], l.At)
	return l.ID, nil
}
