// SPDX-License-Identifier: Apache-2.0

package linkedin

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

// name of the platform in the sandbox.
const name = "linkedin"

const (
	personURN       = "urn:li:person:"
	organizationURN = "urn:li:organization:"
	shareURN        = "urn:li:share:"
	ugcPostURN      = "urn:li:ugcPost:"
)

// Scopes.
const (
	scopeMember   = "w_member_social"
	scopePage     = "w_organization_social"
	scopeReadPage = "r_organization_social"
	scopeAdmin    = "rw_organization_admin"
	scopeProfile  = "r_basicprofile"
	scopeMine     = "r_member_postAnalytics"
	scopeFollow   = "r_member_profileAnalytics"
)

// Rules are what differs between apps and times; the zero is what a well-equipped app meets.
type Rules struct {
	// NoRefresh gives no refresh tokens, as most apps get none.
	NoRefresh bool
	// Duplicates is for how long a post is refused that says what a living one of the same author says; 0 for never.
	Duplicates time.Duration
	// NoID leaves the id out of the answer to a new post.
	NoID bool
	// UploadLife is how long addresses of an upload are good for; 0 means a day.
	UploadLife time.Duration
	// Newest version of the API, year and month; those of a year before it are on as well. 202609 when empty.
	Newest string
	// Undeveloped offers no statistics of members, as to apps in development.
	Undeveloped bool
	// Role is what maya is on the page acme; ADMINISTRATOR when empty.
	Role string
	// Lag is how long a new post is missing from the list of its page.
	Lag time.Duration
}

// Platform is the stand-in.
type Platform struct {
	sandbox.Mailbox
	core   *sandbox.Sandbox
	tokens *sandbox.Tokens
	mux    *http.ServeMux

	mu     sync.Mutex
	rules  Rules
	assets map[string]*asset // by URN
	parts  map[string]*part  // by the last element of the upload's path
	posts  []*post           // as they came
	byURN  map[string]*post
	scopes map[string]string // what a member consented to last, by account

	onPage atomic.Value // Rules.Role, for those who hold the lock
}

var (
	_ sandbox.Platform = (*Platform)(nil)
	_ sandbox.Failing  = (*Platform)(nil)
	_ sandbox.Follower = (*Platform)(nil)
)

// New stands on the core; it is mounted as "linkedin".
func New(core *sandbox.Sandbox) *Platform {
	p := &Platform{core: core, mux: http.NewServeMux(), scopes: map[string]string{}}
	p.tokens = core.Tokens(name, sandbox.TokenRules{Code: 30 * time.Minute, Access: 60 * 24 * time.Hour, Refresh: 365 * 24 * time.Hour, AccessPrefix: "AQV", RefreshPrefix: "AQX"})
	p.Reset()
	p.restore()
	call := func(pattern, operation string, h http.HandlerFunc) {
		p.mux.Handle(pattern, core.Call(name, operation, p.tokens.Who, h))
	}
	p.mux.HandleFunc("GET /oauth/v2/authorization", p.authorize)
	call("POST /oauth/v2/accessToken", "oauth.accessToken", p.accessToken)
	call("POST /oauth/v2/introspectToken", "oauth.introspectToken", p.introspect)
	call("POST /oauth/v2/revoke", "oauth.revoke", p.revoke)
	call("GET /v2/userinfo", "userinfo", p.userinfo)
	call("GET /rest/me", "me", p.as(p.me))
	call("GET /v2/me", "v2.me", p.unversioned(p.me))
	call("GET /rest/organizationAcls", "organizationAcls", p.as(func(w http.ResponseWriter, r *request) { p.acls(w, r, "organization") }))
	call("GET /v2/organizationalEntityAcls", "v2.organizationalEntityAcls", p.unversioned(func(w http.ResponseWriter, r *request) {
		p.acls(w, r, "organizationalTarget")
	}))
	call("GET /rest/organizations/{id}", "organizations", p.as(p.organization))
	for _, kind := range []string{"videos", "images"} {
		p.mux.HandleFunc("POST /rest/"+kind, func(w http.ResponseWriter, r *http.Request) {
			switch action := r.URL.Query().Get("action"); {
			case action == "initializeUpload":
				core.Call(name, kind+".initializeUpload", p.tokens.Who, p.as(func(w http.ResponseWriter, r *request) { p.initialize(w, r, kind) }))(w, r)
			case action == "finalizeUpload" && kind == "videos":
				core.Call(name, "videos.finalizeUpload", p.tokens.Who, p.as(p.finalize))(w, r)
			default:
				refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "The action is not known.")
			}
		})
		call("GET /rest/"+kind+"/{urn}", kind+".get", p.as(func(w http.ResponseWriter, r *request) { p.look(w, r, kind) }))
	}
	// Actions are known before they are first called, so that faults can be set for them.
	for _, operation := range []string{"videos.initializeUpload", "videos.finalizeUpload", "images.initializeUpload"} {
		core.Call(name, operation, nil, nil)
	}
	call("PUT /dms-uploads/{part}", "upload.part", p.put)
	call("POST /rest/posts", "posts.create", p.as(p.create))
	call("GET /rest/posts", "posts.find", p.as(p.byAuthor))
	call("GET /rest/posts/{urn}", "posts.get", p.as(p.read))
	call("POST /rest/posts/{urn}", "posts.update", p.as(p.update))
	call("DELETE /rest/posts/{urn}", "posts.delete", p.as(p.remove))
	call("POST /rest/socialActions/{urn}/comments", "comments.create", p.as(p.comment))
	call("GET /rest/socialActions/{urn}/comments", "comments.list", p.as(p.comments))
	p.statistics(call)
	return p
}

// Handler answers without /linkedin in the path.
func (p *Platform) Handler() http.Handler { return p.mux }

// Reset forgets uploads and posts. Tokens and rules stay.
func (p *Platform) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.News()
	p.assets, p.parts, p.posts, p.byURN = map[string]*asset{}, map[string]*part{}, nil, map[string]*post{}
}

// restore knows what landed in an earlier run. Uploads that were not used are forgotten.
func (p *Platform) restore() {
	for _, l := range p.core.Landed(name) {
		p.adopt(l)
	}
}

// SetRules changes what is enforced from now on.
func (p *Platform) SetRules(r Rules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
	p.onPage.Store(r.Role)
}

// Posts counts what an author has, by URN.
func (p *Platform) Posts(author string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.catchUp()
	for _, x := range p.posts {
		if x.author == author && !x.gone {
			n++
		}
	}
	return n
}

// request is a call of somebody who may make it.
type request struct {
	*http.Request
	token  sandbox.Token
	member sandbox.Account
}

var versionShape = regexp.MustCompile(`^20[0-9]{2}(0[1-9]|1[0-2])$`)

// as lets those through whose headers and token are good.
func (p *Platform) as(h func(http.ResponseWriter, *request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		k, a, ok := p.who(w, r)
		if !ok {
			return
		}
		switch v := r.Header.Get("LinkedIn-Version"); {
		case v == "":
			refuse(w, http.StatusBadRequest, "VERSION_MISSING", "A version must be present. Please specify a version by adding the LinkedIn-Version header.")
			return
		case !versionShape.MatchString(v) || !p.lives(v):
			refuse(w, http.StatusUpgradeRequired, "NONEXISTENT_VERSION", "Requested version "+v+" is not active")
			return
		case r.Header.Get("X-Restli-Protocol-Version") != "2.0.0":
			refuse(w, http.StatusBadRequest, "ILLEGAL_ARGUMENT", "Syntax exception in path variables")
			return
		}
		h(w, &request{r, k, a})
	}
}

// unversioned lets those through whose token is good: the calls below /v2 have no version.
func (p *Platform) unversioned(h func(http.ResponseWriter, *request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if k, a, ok := p.who(w, r); ok {
			h(w, &request{r, k, a})
		}
	}
}

// finds reports whether a request is for the finder. Its method may be written in any case, and left out below /v2.
func (r *request) finds(finder string) bool {
	method := r.Header.Get("X-RestLi-Method")
	return r.URL.Query().Get("q") == finder && (strings.EqualFold(method, "FINDER") || method == "" && strings.HasPrefix(r.URL.Path, "/v2/"))
}

// lives says whether a version is switched on: for a year after it came.
func (p *Platform) lives(v string) bool {
	p.mu.Lock()
	last := p.rules.Newest
	p.mu.Unlock()
	newest, err := time.Parse("200601", cmp.Or(last, "202609"))
	t, bad := time.Parse("200601", v)
	return err == nil && bad == nil && !t.After(newest) && t.After(newest.AddDate(-1, 0, 0))
}

func (p *Platform) who(w http.ResponseWriter, r *http.Request) (sandbox.Token, sandbox.Account, bool) {
	k, err := p.tokens.Bearer(r)
	if err != nil {
		said := badTokens[sandbox.ErrUnknownToken]
		for what, s := range badTokens {
			if errors.Is(err, what) {
				said = s
			}
		}
		w.Header().Set("X-Li-Uuid", sandbox.Letters(24))
		write(w, http.StatusUnauthorized, said)
		return k, sandbox.Account{}, false
	}
	a, ok := p.core.AccountByName(name, k.Grant.Account)
	return k, a, ok
}

// mayWrite says whether the caller may post as the author.
func (p *Platform) mayWrite(r *request, author string) bool {
	if author == r.member.ID {
		return r.token.Allows(scopeMember)
	}
	return r.token.Allows(scopePage) && p.administers(r, author)
}

// mayRead says whether the caller may read the author's posts: nobody may read a member's.
func (p *Platform) mayRead(r *request, author string) bool {
	return r.token.Allows(scopeReadPage) && p.administers(r, author)
}

func (p *Platform) administers(r *request, author string) bool {
	a, ok := p.core.AccountByName(name, author)
	return ok && a.ID == author && a.Owner == r.member.Name && p.role() != roleAnalyst
}

// Roles that a member has on a page.
const (
	roleAdmin   = "ADMINISTRATOR"
	roleAnalyst = "ANALYST"
)

// role is what the member is on the page.
func (p *Platform) role() string {
	said, _ := p.onPage.Load().(string)
	return cmp.Or(said, roleAdmin)
}

// account is the one of an author.
func (p *Platform) account(author string) sandbox.Account {
	a, _ := p.core.AccountByName(name, author)
	return a
}

type badToken struct {
	Status  int    `json:"status"`
	Service int    `json:"serviceErrorCode"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

var badTokens = map[error]badToken{
	sandbox.ErrUnknownToken: {http.StatusUnauthorized, 65600, "INVALID_ACCESS_TOKEN", "Invalid access token"},
	sandbox.ErrRevokedToken: {http.StatusUnauthorized, 65601, "REVOKED_ACCESS_TOKEN", "The token used in the request has been revoked by the user"},
	sandbox.ErrExpiredToken: {http.StatusUnauthorized, 65602, "EXPIRED_ACCESS_TOKEN", "The token used in the request has expired"},
	sandbox.ErrNoToken:      {http.StatusUnauthorized, 65604, "EMPTY_ACCESS_TOKEN", "Empty oauth2 access token"},
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("X-Li-Uuid", sandbox.Letters(24))
	write(w, status, map[string]any{"status": status, "code": code, "message": message})
}

// invalid refuses an input as LinkedIn does: the cause is in inputErrors, with no code at the top level.
func invalid(w http.ResponseWriter, status int, field, code, message string) {
	w.Header().Set("X-Li-Uuid", sandbox.Letters(24))
	write(w, status, map[string]any{
		"errorDetailType": "com.linkedin.common.error.BadRequest", "message": message, "status": status,
		"errorDetails": map[string]any{"inputErrors": []any{map[string]any{
			"description": message, "code": code, "input": map[string]any{"inputPath": map[string]string{"fieldPath": field}},
		}}},
	})
}

// ofInputs are the codes that LinkedIn writes into inputErrors.
var ofInputs = map[string]bool{
	"MISSING_FIELD": true, "INVALID_VALUE_FOR_FIELD": true, "FIELD_LENGTH_TOO_LONG": true, "FIELD_ARRAY_SIZE_TOO_HIGH": true,
	"INVALID_URN_ID": true, "INVALID_VIDEO_ID": true, "INVALID_IMAGE_ID": true, "DUPLICATE_POST": true, "EXPIRED_UPLOAD_URL": true,
	"UPDATING_ASSET_FAILED": true, "MEDIA_ASSET_WAITING_UPLOAD": true, "MEDIA_ASSET_PROCESSING_FAILED": true,
}

func denied(w http.ResponseWriter, what string) {
	refuse(w, http.StatusForbidden, "ACCESS_DENIED", "Not enough permissions to access: "+what)
}

// forbidden is how the calls of videos refuse a member whose role on the page does not cover them.
func forbidden(w http.ResponseWriter) {
	write(w, http.StatusForbidden, map[string]any{
		"status": http.StatusForbidden, "message": "Accessing this video resource is forbidden. Please check your permissions for this resource",
	})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

// read decodes a body; bad ones are answered.
func (r *request) decode(w http.ResponseWriter, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "BAD_REQUEST", "The body is not valid JSON of the documented shape.")
		return false
	}
	return true
}

// Fail words a scripted error as LinkedIn does.
func (p *Platform) Fail(w http.ResponseWriter, call string, f sandbox.Fault) {
	code := f.Code
	if strings.HasPrefix(call, "oauth.") {
		if code == "" {
			code = "invalid_request"
		}
		write(w, f.Status, map[string]string{"error": code, "error_description": "Scripted."})
		return
	}
	if code == "" {
		code = usual[f.Status]
	}
	message := "Scripted."
	if f.Status == http.StatusTooManyRequests {
		// The code then says which counter: APPLICATION DAY, MEMBER DAY; without DAY it is LinkedIn's protection of itself.
		counter := "MEMBER"
		if f.Code != "" {
			counter = f.Code
		}
		code, message = usual[f.Status], "Resource level throttle "+counter+" limit for calls to this resource is reached."
	}
	if code == "RESOURCE_NOT_FOUND" {
		message = "No virtual resource found"
	}
	if code == "ACTIVITY_UNAVAILABLE" { // a name of the sandbox, too
		write(w, f.Status, map[string]any{"status": f.Status, "message": "Unable to obtain activity for urn:li:share:0"})
		return
	}
	if code == "RESOURCE_FORBIDDEN" { // a name of the sandbox: LinkedIn gives this refusal without a code
		forbidden(w)
		return
	}
	if ofInputs[code] {
		invalid(w, f.Status, "", code, message)
		return
	}
	refuse(w, f.Status, code, message)
}

// usual are the codes that a status mostly comes with.
var usual = map[int]string{
	http.StatusBadRequest:          "BAD_REQUEST",
	http.StatusUnauthorized:        "INVALID_ACCESS_TOKEN",
	http.StatusForbidden:           "ACCESS_DENIED",
	http.StatusNotFound:            "NOT_FOUND",
	http.StatusConflict:            "CONFLICT",
	http.StatusUnprocessableEntity: "UNPROCESSABLE_ENTITY",
	http.StatusTooManyRequests:     "TOO_MANY_REQUESTS",
	http.StatusInternalServerError: "INTERNAL_SERVER_ERROR",
	http.StatusServiceUnavailable:  "SERVICE_UNAVAILABLE",
}

func atoi(s string, otherwise int) int {
	if n, err := strconv.Atoi(s); err == nil && n >= 0 {
		return n
	}
	return otherwise
}
