// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"net/http"
	"slices"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// update replaces the named parts. Fields missing in a part are cleared.
func (p *Platform) update(w http.ResponseWriter, r request) {
	parts, e := partsOf(r, videoParts...)
	var doc []byte
	if e == nil {
		doc, e = document(r.Body)
	}
	var said *resource
	if e == nil {
		said, e = read(doc, parts)
	}
	if e != nil {
		e.write(w)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.videos[said.ID]
	if v == nil {
		reason(http.StatusNotFound, "videoNotFound", "The video that you are trying to update cannot be found.").write(w)
		return
	}
	if v.account.Name != r.account.Name {
		reason(http.StatusForbidden, "forbidden", "The request is not properly authorized to update the video.").write(w)
		return
	}
	if e := p.change(v, said, parts); e != nil {
		e.write(w)
		return
	}
	writeJSON(w, http.StatusOK, p.show(v, parts, true))
}

// change replaces the named parts by those in r. It changes nothing when a part is invalid. The caller holds the
// lock.
func (p *Platform) change(v *video, r *resource, parts []string) *problem {
	if slices.Contains(parts, "snippet") {
		if r.Snippet == nil {
			r.Snippet = &snippet{}
		}
		if e := checkSnippet(r.Snippet); e != nil {
			return e
		}
		if r.Snippet.CategoryID == "" {
			return invalid("invalidCategoryId", "The <code>snippet.categoryId</code> property specifies an invalid category ID.")
		}
	}
	if slices.Contains(parts, "status") {
		if r.Status == nil {
			r.Status = &status{}
		}
		at, e := checkStatus(r.Status, !v.published.IsZero())
		if e != nil {
			return e
		}
		v.status, v.publishAt = *r.Status, at
		p.plan(v)
		if err := p.setPrivacy(v, or(r.Status.Privacy, sandbox.Public), p.core.Now()); err != nil {
			return broken
		}
	}
	if slices.Contains(parts, "snippet") {
		v.snippet = *r.Snippet
		if err := p.land(v, v.stamp()); err != nil {
			return broken
		}
	}
	p.turn()
	return nil
}

// stamp returns when the video became public, or when it was uploaded if it is not public.
func (v *video) stamp() time.Time {
	if v.privacy == sandbox.Public {
		return v.published
	}
	return v.uploaded
}

// remove deletes a video.
func (p *Platform) remove(w http.ResponseWriter, r request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.videos[r.URL.Query().Get("id")]
	switch {
	case v == nil:
		reason(http.StatusNotFound, "videoNotFound", "The video that you are trying to delete cannot be found.").write(w)
	case v.account.Name != r.account.Name:
		reason(http.StatusForbidden, "forbidden", "The video that you are trying to delete cannot be deleted.").write(w)
	default:
		p.forget(v)
		w.WriteHeader(http.StatusNoContent)
	}
}

// forget deletes a video, from the sandbox too. The caller holds the lock.
func (p *Platform) forget(v *video) {
	p.drop(v)
	_ = p.core.Remove(name, v.id) // if the journal entry fails, the post reappears only after a restart
}

// drop removes a video from the platform's indexes. The caller holds the lock.
func (p *Platform) drop(v *video) {
	delete(p.videos, v.id)
	is := func(o *video) bool { return o == v }
	p.order = slices.DeleteFunc(p.order, is)
	p.of[v.account.Name] = slices.DeleteFunc(p.of[v.account.Name], is)
}

// Delete deletes a video as its owner would in YouTube Studio.
func (p *Platform) Delete(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.videos[id]
	if v != nil {
		p.forget(v)
	}
	return v != nil
}

// Edit changes a video as its owner would in YouTube Studio.
func (p *Platform) Edit(id string, forKids bool, license string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.videos[id]
	if v != nil {
		v.status.MadeForKids, v.status.License = &forKids, license
	}
	return v != nil
}
