// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

const name = "youtube"

// Platform is the simulated YouTube.
type Platform struct {
	sandbox.Mailbox
	core   *sandbox.Sandbox
	tokens *sandbox.Tokens
	mux    *http.ServeMux

	mu       sync.Mutex
	rules    Rules
	spent    spent
	sessions map[string]*session
	videos   map[string]*video
	// order lists the videos, oldest first; of lists them by account. planned are the videos with a scheduled
	// publication.
	order   []*video
	of      map[string][]*video
	planned []*video
	// locking are the videos that will be locked as private.
	locking []*video
	// people caches the accounts of callers.
	people map[string]sandbox.Account
	// requested holds the options of authorization requests by code, given accounts that consented before, refreshers
	// the valid refresh tokens of an account, oldest first, and dropped the tokens beyond the limit.
	requested  map[string]codeRequest
	given      map[string]bool
	refreshers map[string][]string
	dropped    map[string]bool
}

var (
	_ sandbox.Platform = (*Platform)(nil)
	_ sandbox.Failing  = (*Platform)(nil)
	_ sandbox.Follower = (*Platform)(nil)
)

// New creates the platform with generous rules. It loads the videos of an earlier run; unfinished uploads are lost.
func New(core *sandbox.Sandbox) *Platform {
	p := &Platform{
		core: core, mux: http.NewServeMux(), rules: Generous(),
		requested: map[string]codeRequest{}, given: map[string]bool{}, refreshers: map[string][]string{}, dropped: map[string]bool{},
		people: map[string]sandbox.Account{},
	}
	p.tokens = core.Tokens(name, tokenRules(p.rules))
	p.Reset()
	for _, l := range core.Landed(name) {
		p.remember(l)
	}
	p.routes()
	return p
}

// Handler serves YouTube's own paths.
func (p *Platform) Handler() http.Handler { return p.mux }

// Reset deletes videos, uploads and quota usage.
func (p *Platform) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.News()
	p.sessions, p.videos, p.spent = map[string]*session{}, map[string]*video{}, spent{}
	p.order, p.of, p.planned, p.locking = nil, map[string][]*video{}, nil, nil
}

// add adds a video. The caller holds the lock.
func (p *Platform) add(v *video) {
	p.videos[v.id] = v
	p.order = append(p.order, v)
	p.of[v.account.Name] = append(p.of[v.account.Name], v)
	p.plan(v)
}

// plan registers a video with a scheduled publication. The caller holds the lock.
func (p *Platform) plan(v *video) {
	if !v.publishAt.IsZero() {
		p.planned = append(p.planned, v)
	}
}

// person returns an account by its name. Lookups are cached, because there may be thousands of accounts.
func (p *Platform) person(who string) (sandbox.Account, bool) {
	p.mu.Lock()
	a, ok := p.people[who]
	p.mu.Unlock()
	if ok {
		return a, true
	}
	if a, ok = p.core.AccountByName(name, who); ok {
		p.mu.Lock()
		p.people[who] = a
		p.mu.Unlock()
	}
	return a, ok
}

func (p *Platform) routes() {
	call := func(operation string, h http.HandlerFunc) http.HandlerFunc {
		return p.core.Call(name, operation, p.tokens.Who, h)
	}
	for _, path := range []string{"/o/oauth2/v2/auth", "/o/oauth2/auth"} {
		p.mux.HandleFunc("GET "+path, p.authorize)
	}
	p.mux.HandleFunc("POST /token", call("oauth.token", p.token))
	p.mux.HandleFunc("POST /revoke", call("oauth.revoke", p.revoke))

	insert, bytes := call("videos.insert", p.api(uploads, 1, uploading, p.insert)), call("videos.upload", p.receive)
	for _, path := range []string{"/upload/youtube/v3/videos", "/resumable/upload/youtube/v3/videos"} {
		p.mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Has("upload_id") {
				bytes(w, r)
				return
			}
			insert(w, r)
		})
		p.mux.HandleFunc("PUT "+path, bytes)
	}
	p.mux.HandleFunc("POST /upload/youtube/v3/thumbnails/set", call("thumbnails.set", p.api(units, 50, uploading, p.thumbnail)))
	p.mux.HandleFunc("GET /youtube/v3/videos", call("videos.list", p.api(units, 1, reading, p.list)))
	p.mux.HandleFunc("PUT /youtube/v3/videos", call("videos.update", p.api(units, 50, managing, p.update)))
	p.mux.HandleFunc("DELETE /youtube/v3/videos", call("videos.delete", p.api(units, 50, managing, p.remove)))
	p.mux.HandleFunc("GET /youtube/v3/videos:batchGetStats", call("videos.batchGetStats", p.api(batchStats, 1, reading, p.stats)))
	p.mux.HandleFunc("GET /youtube/v3/channels", call("channels.list", p.api(units, 1, reading, p.channels)))
	p.mux.HandleFunc("GET /youtube/v3/playlistItems", call("playlistItems.list", p.api(units, 1, reading, p.playlist)))
	p.mux.HandleFunc("POST /youtube/v3/commentThreads", call("commentThreads.insert", p.api(units, 50, commenting, p.comment)))
	p.mux.HandleFunc("GET /youtube/v3/commentThreads", call("commentThreads.list", p.api(units, 1, commenting, p.commentsOf)))
	p.mux.HandleFunc("GET /watch", p.watch)
	p.mux.HandleFunc("GET /v2/reports", call("reports.query", p.api(reportsCalls, 1, reporting, p.reports)))
}

// Scopes by the operations that they allow.
const scopes = "https://www.googleapis.com/auth/"

var (
	managing  = []string{scopes + "youtube", scopes + "youtube.force-ssl", scopes + "youtubepartner"}
	uploading = append([]string{scopes + "youtube.upload"}, managing...)
	reading   = append([]string{scopes + "youtube.readonly"}, managing...)
	// reporting excludes some of the managing scopes, because reports are a separate API.
	reporting = []string{scopes + "yt-analytics.readonly", scopes + "youtube.readonly", scopes + "youtube"}
	// commenting is the scope that comments require.
	commenting = []string{scopes + "youtube.force-ssl"}
	// everyone lists all scopes that an app may request: those of YouTube, and those that identify a user.
	everyone = slices.Concat(reporting, reading, uploading, []string{
		scopes + "yt-analytics-monetary.readonly", scopes + "youtubepartner", scopes + "userinfo.email",
		scopes + "userinfo.profile", "openid", "email", "profile",
	})
)

// request is an authenticated request.
type request struct {
	*http.Request
	account sandbox.Account
}

// api wraps a handler with the checks of the token, the scopes and the app's quota. It applies due scheduled changes
// first, so that requests see them.
func (p *Platform) api(kind allowance, cost int, allowed []string, h func(http.ResponseWriter, request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a, e := p.admit(r, allowed)
		if e == nil {
			p.mu.Lock()
			p.turn()
			if !p.use(kind, cost) {
				e = exhausted(kind)
			}
			p.mu.Unlock()
		}
		if e != nil {
			e.write(w)
			return
		}
		h(w, request{Request: r, account: a})
	}
}

// admit returns the account of a request whose token has at least one of the allowed scopes.
func (p *Platform) admit(r *http.Request, allowed []string) (sandbox.Account, *problem) {
	k, err := p.tokens.Bearer(r)
	switch {
	case errors.Is(err, sandbox.ErrNoToken):
		return sandbox.Account{}, reason(http.StatusUnauthorized, "required", "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.")
	case err != nil:
		return sandbox.Account{}, reason(http.StatusUnauthorized, "authError", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.")
	case !slices.ContainsFunc(allowed, k.Allows):
		return sandbox.Account{}, reason(http.StatusForbidden, "insufficientPermissions", "Request had insufficient authentication scopes.")
	}
	a, ok := p.person(k.Grant.Account)
	if !ok {
		return a, reason(http.StatusUnauthorized, "authError", "Request had invalid authentication credentials.")
	}
	return a, nil
}

// turn publishes the videos whose scheduled time has come, locks those that are due, and applies queued events. The
// caller holds the lock.
func (p *Platform) turn() {
	p.catchUp()
	now := p.core.Now()
	p.planned = slices.DeleteFunc(p.planned, func(v *video) bool {
		if p.videos[v.id] == v && !v.publishAt.IsZero() && !now.Before(v.publishAt) {
			at := v.publishAt
			v.publishAt = time.Time{}
			_ = p.setPrivacy(v, sandbox.Public, at) // the error affects only the journal for a later run
		}
		return v.publishAt.IsZero()
	})
	p.locking = slices.DeleteFunc(p.locking, func(v *video) bool {
		if p.videos[v.id] == v && !now.Before(v.locksAt) {
			v.locked = true
			_ = p.setPrivacy(v, sandbox.Private, v.locksAt) // as above
		}
		return v.locked || p.videos[v.id] != v
	})
}

// Video is an existing video, for tests.
type Video struct {
	ID, Account                  string
	Title, Description, Category string
	Tags                         []string
	// Privacy is public, unlisted or private.
	Privacy          string
	Bytes            int64
	SHA256, FileName string
	UploadedAt       time.Time
	// NotifiedAt is when the subscribers of Account were notified; zero if they were not.
	NotifiedAt         time.Time
	ForKids            bool
	License, Synthetic string
	// Thumbnail is the SHA-256 of the custom thumbnail; empty if there is none.
	Thumbnail string
	// Comments are the texts of top-level comments, oldest first.
	Comments []string
}

// Videos returns all existing videos, oldest first, including private ones.
func (p *Platform) Videos() []Video {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn()
	out := make([]Video, 0, len(p.order))
	for _, v := range p.order {
		sum, size := "", int64(0)
		if v.file != nil {
			sum, _ = v.file.SHA256()
			size = v.file.Size()
		}
		out = append(out, Video{
			ID: v.id, Account: v.account.Name, Title: v.snippet.Title, Description: v.snippet.Description, Category: v.snippet.CategoryID, Tags: v.snippet.Tags,
			Privacy: v.privacy, Bytes: size, SHA256: sum, FileName: v.fileName, UploadedAt: v.uploaded, NotifiedAt: v.notifiedAt,
			Thumbnail: v.picture.sum, Comments: v.texts(),
			ForKids: v.status.MadeForKids != nil && *v.status.MadeForKids, License: cmp.Or(v.status.License, "youtube"),
			Synthetic: string(v.status.Synthetic),
		})
	}
	return out
}

// Sessions returns the number of unfinished uploads.
func (p *Platform) Sessions() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, s := range p.sessions {
		if s.video == nil {
			n++
		}
	}
	return n
}

// EndSessions deletes all upload sessions, finished or not. Their URLs respond with 404.
func (p *Platform) EndSessions() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions = map[string]*session{}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v)
}
