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

// Rules are the differences between apps and API versions. The zero value is an app with full access.
type Rules struct {
	// NoRefresh issues no refresh tokens, as for most apps.
	NoRefresh bool
	// Duplicates is how long a post with the same text as an existing post of the same author is rejected; 0 disables
	// the check.
	Duplicates time.Duration
	// NoID omits the ID from the response to a new post.
	NoID bool
	// UploadLife is the lifetime of upload URLs; 0 means one day.
	UploadLife time.Duration
	// Newest API version, as year and month; 202609 when empty. The versions of the preceding year are active too.
	Newest string
	// Undeveloped disables the statistics of members, as for apps in development.
	Undeveloped bool
	// Role of maya on the page acme; ADMINISTRATOR when empty.
	Role string
	// Lag is how long a new post is missing from the list of its page.
	Lag time.Duration
}

// Platform is the simulated LinkedIn.
type Platform struct {
	sandbox.Mailbox
	core   *sandbox.Sandbox
	tokens *sandbox.Tokens
	mux    *http.ServeMux

	mu     sync.Mutex
	rules  Rules
	assets map[string]*asset // by URN
	parts  map[string]*part  // by the last element of the upload's path
	posts  []*post           // in order of creation
	byURN  map[string]*post
	scopes map[string]string // account -> the scopes that the member granted last

	onPage atomic.Value // Rules.Role, readable without the lock
}

var (
	_ sandbox.Platform = (*Platform)(nil)
	_ sandbox.Failing  = (*Platform)(nil)
	_ sandbox.Follower = (*Platform)(nil)
)

// New creates the platform. Mount it as "linkedin".
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
	// Register actions before their first call, so that faults can be set for them.
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

// Handler serves the requests; paths have no /linkedin prefix.
func (p *Platform) Handler() http.Handler { return p.mux }

// Reset deletes uploads and posts. Tokens and rules stay.
func (p *Platform) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.News()
	p.assets, p.parts, p.posts, p.byURN = map[string]*asset{}, map[string]*part{}, nil, map[string]*post{}
}

// restore loads the posts of an earlier run. Unused uploads are not restored.
func (p *Platform) restore() {
	for _, l := range p.core.Landed(name) {
		p.adopt(l)
	}
}

// SetRules changes the rules for all later requests.
func (p *Platform) SetRules(r Rules) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rules = r
	p.onPage.Store(r.Role)
}

// Posts returns the number of existing posts of an author, given by URN.
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

// request is an authenticated request.
type request struct {
	*http.Request
	token  sandbox.Token
	member sandbox.Account
}

var versionShape = regexp.MustCompile(`^20[0-9]{2}(0[1-9]|1[0-2])$`)

// as wraps a handler with the checks of token and versioning headers.
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

// unversioned wraps a handler with the check of the token. Calls below /v2 have no version.
func (p *Platform) unversioned(h func(http.ResponseWriter, *request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if k, a, ok := p.who(w, r); ok {
			h(w, &request{r, k, a})
		}
	}
}

// finds reports whether a request is for the finder. The method header is case-insensitive, and optional below /v2.
func (r *request) finds(finder string) bool {
	method := r.Header.Get("X-RestLi-Method")
	return r.URL.Query().Get("q") == finder && (strings.EqualFold(method, "FINDER") || method == "" && strings.HasPrefix(r.URL.Path, "/v2/"))
}

// lives reports whether an API version is active: versions are active for one year.
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

// mayWrite reports whether the caller may post as the author.
func (p *Platform) mayWrite(r *request, author string) bool {
	if author == r.member.ID {
		return r.token.Allows(scopeMember)
	}
	return r.token.Allows(scopePage) && p.administers(r, author)
}

// mayRead reports whether the caller may read the author's posts. Members' posts cannot be read.
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

// role returns the member's role on the page.
func (p *Platform) role() string {
	said, _ := p.onPage.Load().(string)
	return cmp.Or(said, roleAdmin)
}

// account returns the account of an author.
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

// invalid writes an input error in LinkedIn's format: the cause is in inputErrors, with no code at the top level.
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

// forbidden writes the error of the video calls for a member whose role on the page is not sufficient.
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

// decode decodes the body as JSON. It writes an error if the body is invalid.
func (r *request) decode(w http.ResponseWriter, into any) bool {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(into); err != nil {
		refuse(w, http.StatusBadRequest, "BAD_REQUEST", "The body is not valid JSON of the documented shape.")
		return false
	}
	return true
}

// Fail writes a scripted error in LinkedIn's format.
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
		// f.Code names the exhausted counter: APPLICATION DAY or MEMBER DAY. Without DAY, the error is LinkedIn's
		// overload protection.
		counter := "MEMBER"
		if f.Code != "" {
			counter = f.Code
		}
		code, message = usual[f.Status], "Resource level throttle "+counter+" limit for calls to this resource is reached."
	}
	if code == "RESOURCE_NOT_FOUND" {
		message = "No virtual resource found"
	}
	if code == "ACTIVITY_UNAVAILABLE" { // not a LinkedIn code: only the sandbox uses the name
		write(w, f.Status, map[string]any{"status": f.Status, "message": "Unable to obtain activity for urn:li:share:0"})
		return
	}
	if code == "RESOURCE_FORBIDDEN" { // not a LinkedIn code: LinkedIn sends this error without a code
		forbidden(w)
		return
	}
	if ofInputs[code] {
		invalid(w, f.Status, "", code, message)
		return
	}
	refuse(w, f.Status, code, message)
}

// usual are the usual codes by status.
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
