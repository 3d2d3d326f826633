// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// apps registers endpoints that only the sandbox has: actions of users in the app and of developers in their portal.
func (p *Platform) apps() {
	p.mux.HandleFunc("POST /app/inbox/{publish_id}/finish", p.finish)
	p.mux.HandleFunc("POST /app/accounts/{account}/private", p.hide)
	p.mux.HandleFunc("POST /app/accounts/{account}/disable", p.disable)
	p.mux.HandleFunc("POST /app/limits/{which}", p.limit)
	p.mux.HandleFunc("POST /app/webhook", p.webhook)
}

// finish is the user's action on a draft in the app: it posts the draft ?posts= times (default 1; 0 discards the
// draft).
func (p *Platform) finish(w http.ResponseWriter, r *http.Request) {
	times := 1
	if s := r.URL.Query().Get("posts"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > 10 {
			http.Error(w, "posts has to be 0 to 10", http.StatusBadRequest)
			return
		}
		times = n
	}
	switch err := p.Finish(r.PathValue("publish_id"), times); {
	case errors.Is(err, errNoDraft):
		http.Error(w, err.Error(), http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// hide makes an account private. With ?off=1 it makes the account public again.
func (p *Platform) hide(w http.ResponseWriter, r *http.Request) {
	a, there := p.core.AccountByName(name, r.PathValue("account"))
	if !there {
		http.NotFound(w, r)
		return
	}
	p.SetPrivate(a.Name, r.URL.Query().Get("off") == "")
	w.WriteHeader(http.StatusNoContent)
}

// disable disables the ?interactions= of an account, separated by commas: comment, duet, stitch. Without it, the account
// permits all.
func (p *Platform) disable(w http.ResponseWriter, r *http.Request) {
	a, there := p.core.AccountByName(name, r.PathValue("account"))
	if !there {
		http.NotFound(w, r)
		return
	}
	var off Interactions
	which := map[string]*bool{"comment": &off.Comment, "duet": &off.Duet, "stitch": &off.Stitch}
	for one := range strings.SplitSeq(r.URL.Query().Get("interactions"), ",") {
		switch is := which[one]; {
		case is != nil:
			*is = true
		case one != "":
			http.Error(w, "interactions are comment, duet and stitch", http.StatusBadRequest)
			return
		}
	}
	p.SetDisabled(a.Name, off)
	w.WriteHeader(http.StatusNoContent)
}

// limit switches between TikTok's documented limits and the sandbox's defaults.
func (p *Platform) limit(w http.ResponseWriter, r *http.Request) {
	l, there := map[string]Limits{"documented": Documented(), "default": Default()}[r.PathValue("which")]
	if !there {
		http.Error(w, "limits are documented or default", http.StatusNotFound)
		return
	}
	p.SetLimits(l)
	w.WriteHeader(http.StatusNoContent)
}

// webhook sets the event URL to ?url=. Without it, no events are sent.
func (p *Platform) webhook(w http.ResponseWriter, r *http.Request) {
	p.SetWebhook(r.URL.Query().Get("url"))
	w.WriteHeader(http.StatusNoContent)
}
