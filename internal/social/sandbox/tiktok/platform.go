// SPDX-License-Identifier: Apache-2.0

package tiktok

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/timeline"
)

// name of the platform in the sandbox.
const name = "tiktok"

// Scopes.
const (
	scopeBasic   = "user.info.basic"
	scopeProfile = "user.info.profile"
	scopeStats   = "user.info.stats"
	scopeVideos  = "video.list"
	scopePublish = "video.publish"
	scopeUpload  = "video.upload"
)

// Platform is the simulated TikTok.
type Platform struct {
	core   *sandbox.Sandbox
	tokens *sandbox.Tokens
	mux    *http.ServeMux
	hooks  *hooks
	landed *timeline.Timeline

	mu       sync.Mutex
	limits   Limits
	private  map[string]bool           // private accounts, visible to followers only
	disabled map[string]Interactions   // account -> interactions that it disabled for all its posts
	byID     map[string]*publication   // by publish ID
	byUpload map[string]*publication   // by upload ID
	byPost   map[string]*publication   // by post ID
	posted   map[string][]*publication // account -> successful direct posts
	drafts   map[string][]*publication // account -> drafts in its inbox
	buckets  map[string][]time.Time    // bucket and token -> calls of the last minute
	hook     string
}

// New creates the platform. Mount it as "tiktok".
func New(core *sandbox.Sandbox) *Platform {
	p := &Platform{
		core: core, mux: http.NewServeMux(), limits: Default(), private: map[string]bool{},
		disabled: map[string]Interactions{}, hooks: newHooks(), landed: timeline.New(nil),
	}
	p.tokens = core.Tokens(name, sandbox.TokenRules{
		Code: 10 * time.Minute, Access: 24 * time.Hour, Refresh: 365 * 24 * time.Hour, Rotate: true,
		CodePrefix: "Sb*1!", AccessPrefix: "act.", RefreshPrefix: "rft.",
	})
	p.Reset()
	p.landed = timeline.New(core.Landed(name))
	call := func(pattern, operation string, h http.HandlerFunc) {
		p.mux.Handle(pattern, core.Call(name, operation, p.tokens.Who, h))
	}
	p.mux.HandleFunc("GET /v2/auth/authorize/", p.authorize)
	call("POST /v2/oauth/token/", "oauth.token", p.token)
	call("POST /v2/oauth/revoke/", "oauth.revoke", p.revoke)
	call("POST /v2/post/publish/creator_info/query/", "creator_info.query", p.as(creatorCalls, p.creatorInfo, scopePublish))
	call("POST /v2/post/publish/video/init/", "video.init", p.as(initCalls, p.videoInit, scopePublish))
	call("POST /v2/post/publish/inbox/video/init/", "inbox.video.init", p.as(initCalls, p.inboxInit, scopeUpload))
	call("POST /v2/post/publish/content/init/", "content.init", p.as(initCalls, p.contentInit, scopePublish, scopeUpload))
	call("POST /v2/post/publish/status/fetch/", "status.fetch", p.as(statusCalls, p.statusFetch, scopePublish, scopeUpload))
	call("POST /v2/post/publish/cancel/", "cancel", p.as("", p.cancel, scopePublish, scopeUpload))
	call("GET /v2/user/info/", "user.info", p.as(displayCalls, p.userInfo))
	call("POST /v2/video/list/", "video.list", p.as(displayCalls, p.videoList, scopeVideos))
	call("POST /v2/video/query/", "video.query", p.as(displayCalls, p.videoQuery, scopeVideos))
	p.mux.Handle("PUT /video/", core.Call(name, "upload.part", p.uploader, p.part))
	p.apps()
	return p
}

// Handler serves the requests; paths have no /tiktok prefix.
func (p *Platform) Handler() http.Handler { return p.mux }

var _ sandbox.Follower = (*Platform)(nil)

// Landed stores a post, regardless of its author.
func (p *Platform) Landed(l sandbox.Landing) { p.landed.Put(l) }

// Gone removes a deleted post.
func (p *Platform) Gone(id string) { p.landed.Take(id) }

// Reset deletes uploads, posts and counters. Tokens, limits and private accounts stay.
func (p *Platform) Reset() {
	p.landed.Clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.byID, p.byUpload, p.byPost = map[string]*publication{}, map[string]*publication{}, map[string]*publication{}
	p.posted, p.drafts, p.buckets = map[string][]*publication{}, map[string][]*publication{}, map[string][]time.Time{}
}

// SetLimits changes the limits for all later requests.
func (p *Platform) SetLimits(l Limits) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.limits = l
}

// SetPrivate makes an account, given by its name, private or public.
func (p *Platform) SetPrivate(account string, private bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.private[account] = private
}

// request is an authenticated request.
type request struct {
	*http.Request
	token   sandbox.Token
	account sandbox.Account
}

// as wraps a handler. It checks the token, requires at least one of the scopes, and applies the rate limit of the
// bucket.
func (p *Platform) as(bucket string, h func(http.ResponseWriter, *request), scopes ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		k, err := p.tokens.Bearer(r)
		if err != nil {
			refuse(w, http.StatusUnauthorized, "access_token_invalid", "The access token is invalid or not found in the request.")
			return
		}
		if len(scopes) > 0 && !anyOf(k, scopes) {
			refuse(w, http.StatusUnauthorized, "scope_not_authorized", "The user did not authorize the scope required for completing this request.")
			return
		}
		if bucket != "" && !p.mayCall(bucket, k) {
			refuse(w, http.StatusTooManyRequests, "rate_limit_exceeded", "The API rate limit was exceeded. Please try again later.")
			return
		}
		a, ok := p.core.AccountByName(name, k.Grant.Account)
		if !ok {
			refuse(w, http.StatusUnauthorized, "access_token_invalid", "The user does not exist any more.")
			return
		}
		h(w, &request{r, k, a})
	}
}

func anyOf(k sandbox.Token, scopes []string) bool {
	for _, s := range scopes {
		if k.Allows(s) {
			return true
		}
	}
	return false
}

// read decodes the body as JSON. It writes an error if the body is invalid.
func (r *request) read(w http.ResponseWriter, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(into); err != nil {
		invalid(w, "The request body is not valid JSON of the documented shape.")
		return false
	}
	return true
}

type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	LogID   string `json:"log_id"`
}

type answer struct {
	Data  any      `json:"data"`
	Error apiError `json:"error"`
}

func ok(w http.ResponseWriter, data any) {
	write(w, http.StatusOK, answer{data, apiError{"ok", "", logID()}})
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	write(w, status, answer{struct{}{}, apiError{code, message, logID()}})
}

func invalid(w http.ResponseWriter, message string) {
	refuse(w, http.StatusBadRequest, "invalid_params", message)
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

func logID() string { return "2026" + sandbox.Letters(28) }

// Fail writes a scripted error in TikTok's format.
func (p *Platform) Fail(w http.ResponseWriter, call string, f sandbox.Fault) {
	code := f.Code
	switch call {
	case "upload.part":
		w.WriteHeader(f.Status)
		return
	case "oauth.token", "oauth.revoke":
		switch {
		case code != "":
		case f.Status >= 500:
			code = "server_error"
		case f.Status == http.StatusTooManyRequests:
			code = "rate_limit_exceeded"
		default:
			code = "invalid_grant"
		}
		flat(w, f.Status, code, "Scripted.")
		return
	}
	if code == "" {
		code = usual[f.Status]
	}
	if code == "" && f.Status >= 500 {
		code = "internal_error"
	}
	refuse(w, f.Status, code, "Scripted.")
}

// usual are the usual codes by status.
var usual = map[int]string{
	http.StatusBadRequest:      "invalid_params",
	http.StatusUnauthorized:    "access_token_invalid",
	http.StatusForbidden:       "spam_risk_too_many_posts",
	http.StatusTooManyRequests: "rate_limit_exceeded",
}
