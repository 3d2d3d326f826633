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

// Platform is the stand-in.
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
	// order of the videos, oldest first, and of those of an account; planned are those that become public at a time.
	order   []*video
	of      map[string][]*video
	planned []*video
	// locking are those that are locked private at a time.
	locking []*video
	// people are the accounts that made calls.
	people map[string]sandbox.Account
	// asked is how codes were asked for, given the accounts that consented before, refreshers the live refresh tokens of an
	// account, oldest first, dropped those that were too many.
	asked      map[string]asking
	given      map[string]bool
	refreshers map[string][]string
	dropped    map[string]bool
}

var (
	_ sandbox.Platform = (*Platform)(nil)
	_ sandbox.Failing  = (*Platform)(nil)
	_ sandbox.Follower = (*Platform)(nil)
)

// New makes the stand-in, with generous rules. It has the videos that the sandbox kept from an earlier run; unfinished uploads are
// forgotten.
func New(core *sandbox.Sandbox) *Platform {
	p := &Platform{
		core: core, mux: http.NewServeMux(), rules: Generous(),
		asked: map[string]asking{}, given: map[string]bool{}, refreshers: map[string][]string{}, dropped: map[string]bool{},
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

// Handler answers under YouTube's own paths.
func (p *Platform) Handler() http.Handler { return p.mux }

// Reset forgets videos, uploads and what was used of allowances.
func (p *Platform) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.News()
	p.sessions, p.videos, p.spent = map[string]*session{}, map[string]*video{}, spent{}
	p.order, p.of, p.planned, p.locking = nil, map[string][]*video{}, nil, nil
}

// add takes up a video. The lock is held.
func (p *Platform) add(v *video) {
	p.videos[v.id] = v
	p.order = append(p.order, v)
	p.of[v.account.Name] = append(p.of[v.account.Name], v)
	p.plan(v)
}

// plan remembers a video that becomes public at a time. The lock is held.
func (p *Platform) plan(v *video) {
	if !v.publishAt.IsZero() {
		p.planned = append(p.planned, v)
	}
}

// person is an account by its name: looked up once, there may be thousands.
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

// Scopes by what they allow.
const scopes = "https://www.googleapis.com/auth/"

var (
	managing  = []string{scopes + "youtube", scopes + "youtube.force-ssl", scopes + "youtubepartner"}
	uploading = append([]string{scopes + "youtube.upload"}, managing...)
	reading   = append([]string{scopes + "youtube.readonly"}, managing...)
	// reporting does not come with all that manages: reports are another interface.
	reporting = []string{scopes + "yt-analytics.readonly", scopes + "youtube.readonly", scopes + "youtube"}
	// commenting is the one that comments need.
	commenting = []string{scopes + "youtube.force-ssl"}
	// everyone are all that an app may request: those of YouTube, and those that identify a person.
	everyone = slices.Concat(reporting, reading, uploading, []string{
		scopes + "yt-analytics-monetary.readonly", scopes + "youtubepartner", scopes + "userinfo.email",
		scopes + "userinfo.profile", "openid", "email", "profile",
	})
)

// request is a call that was let in.
type request struct {
	*http.Request
	account sandbox.Account
}

// api lets a call in: the token, what it allows, the app's allowance. Times are turned first, so that what was planned for a time
// has happened when it is asked about.
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

// admit finds the account of a request that may do one of the things.
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

// turn makes public what was planned for a time that has come, and takes up what came by other ways. The lock is held.
func (p *Platform) turn() {
	p.catchUp()
	now := p.core.Now()
	p.planned = slices.DeleteFunc(p.planned, func(v *video) bool {
		if p.videos[v.id] == v && !v.publishAt.IsZero() && !now.Before(v.publishAt) {
			at := v.publishAt
			v.publishAt = time.Time{}
			_ = p.setPrivacy(v, sandbox.Public, at) // seen as public in any case; the journal is for a later run
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

// Video is one that exists, for tests.
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
	// Thumbnail is the SHA-256 of the custom one; empty without.
	Thumbnail string
	// Comments are the texts of top-level comments, oldest first.
	Comments []string
}

// Videos lists all that exist, oldest first: those that nobody sees among them.
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

// Sessions is how many uploads were begun and not finished.
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

// EndSessions makes YouTube forget all uploads, finished or not: their addresses answer 404.
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
