// SPDX-License-Identifier: Apache-2.0

package tiktok

import "net/http"

// of returns the publication that a call names. It writes the error if there is one.
func (p *Platform) of(w http.ResponseWriter, r *request) *publication {
	var in struct {
		ID string `json:"publish_id"`
	}
	if !r.read(w, &in) {
		return nil
	}
	p.mu.Lock()
	b, forget := p.byID[in.ID], p.limits.Forget
	p.mu.Unlock()
	switch {
	case b == nil || (forget > 0 && p.core.Now().Sub(b.openedAt) >= forget):
		refuse(w, http.StatusBadRequest, "invalid_publish_id", "The publish_id does not exist.")
		return nil
	case b.account != r.account.Name:
		refuse(w, http.StatusBadRequest, "token_not_authorized_for_specified_publish_id", "The token is not authorized for the publish_id.")
		return nil
	}
	return b
}

// statusFetch returns the status of a publish ID.
func (p *Platform) statusFetch(w http.ResponseWriter, r *request) {
	b := p.of(w, r)
	if b == nil {
		return
	}
	p.mu.Lock()
	status, ids := b.state(p.core.Now())
	data := map[string]any{"status": status}
	if b.pulled {
		data["downloaded_bytes"] = b.uploaded
	} else {
		data["uploaded_bytes"] = b.uploaded
	}
	if status == failed {
		data["fail_reason"] = b.fail
	}
	if len(ids) > 0 {
		data["publicaly_available_post_id"] = ids //nolint:misspell // TikTok spells it so
	}
	p.mu.Unlock()
	ok(w, data)
}

// cancel cancels a publication that is being fetched.
func (p *Platform) cancel(w http.ResponseWriter, r *request) {
	b := p.of(w, r)
	if b == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if status, _ := b.state(p.core.Now()); status != processingDownload || b.fail != "" {
		refuse(w, http.StatusBadRequest, "publish_not_cancellable", "The publish can no longer be cancelled.")
		return
	}
	b.fail = "publish_cancelled"
	ids := append([]string{b.id}, b.posts...)
	for _, id := range ids {
		if err := p.core.Remove(name, id); err != nil {
			refuse(w, http.StatusInternalServerError, "internal_error", "Please try again later.")
			return
		}
	}
	ok(w, struct{}{})
}
