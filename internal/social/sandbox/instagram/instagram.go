// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/timeline"
)

// Name of the platform.
const Name = "instagram"

// Names of the calls, for faults and the list of calls.
const (
	CallRedeem   = "code.redeem"
	CallLengthen = "token.lengthen"
	CallRefresh  = "token.refresh"
	CallMe       = "me"
	CallLimit    = "limit"
	CallCreate   = "container.create"
	CallStatus   = "container.status"
	CallUpload   = "container.upload"
	CallPublish  = "container.publish"
	CallList     = "media.list"
	CallRead     = "media.read"
	CallComment  = "comment.create"
	CallComments = "comment.list"
	CallInsights = "insights.media"
	CallAccount  = "insights.account"
)

// Durations that the documentation gives.
const (
	codeLife      = time.Hour
	shortLife     = time.Hour
	longLife      = 60 * 24 * time.Hour
	minAge        = 24 * time.Hour
	containerLife = 24 * time.Hour
	window        = 24 * time.Hour
)

// Scopes.
const (
	scopeBasic    = "instagram_business_basic"
	scopePublish  = "instagram_business_content_publish"
	scopeInsights = "instagram_business_manage_insights"
	scopeComments = "instagram_business_manage_comments"
)

// Platform is the simulated Instagram. It is safe for concurrent use.
type Platform struct {
	core   *sandbox.Sandbox
	tokens *sandbox.Tokens
	short  *sandbox.Tokens
	mux    *http.ServeMux
	// uploads serves the paths of the upload host, a separate host in production. Its paths overlap with the API's
	// patterns.
	uploads *http.ServeMux
	fetch   *http.Client
	landed  *timeline.Timeline

	mu         sync.Mutex
	behaviour  Behaviour
	containers map[string]*container
	created    map[string][]time.Time // account -> when its containers were created
	released   map[string][]time.Time // account -> when posts were published through the API, oldest first
}

var _ interface {
	sandbox.Platform
	sandbox.Failing
	sandbox.Follower
} = (*Platform)(nil)

// New creates the platform and loads the posts of earlier runs.
func New(core *sandbox.Sandbox) *Platform {
	p := &Platform{core: core, mux: http.NewServeMux(), uploads: http.NewServeMux(), fetch: fetcher(core), behaviour: Usual}
	p.tokens = core.Tokens(Name, sandbox.TokenRules{Code: codeLife, Access: longLife, CodePrefix: "AQ", AccessPrefix: "IGAA"})
	p.short = core.Tokens(Name+"-short", sandbox.TokenRules{Access: shortLife, AccessPrefix: "IGQV"})
	p.forget()
	landed := core.Landed(Name)
	p.landed = timeline.New(landed)
	for _, l := range landed {
		if !l.Elsewhere {
			p.released[l.Account] = append(p.released[l.Account], l.At)
		}
	}
	p.routes()
	return p
}

func (p *Platform) routes() {
	named := func(name string, h http.HandlerFunc) http.HandlerFunc { return p.core.Call(Name, name, p.who, h) }
	call := func(pattern, name string, h http.HandlerFunc) { p.mux.Handle(pattern, named(name, h)) }

	p.mux.HandleFunc("GET /oauth/authorize", p.authorize)
	call("POST /oauth/access_token", CallRedeem, p.redeem)
	call("GET /access_token", CallLengthen, p.lengthen)
	call("GET /refresh_access_token", CallRefresh, p.refresh)

	call("GET /{version}/me", CallMe, p.me)
	call("GET /{version}/{id}/content_publishing_limit", CallLimit, p.limit)
	call("POST /{version}/{id}/media", CallCreate, p.create)
	call("GET /{version}/{id}/media", CallList, p.list)
	call("POST /{version}/{id}/media_publish", CallPublish, p.publish)
	call("POST /{version}/{id}/comments", CallComment, p.comment)
	call("GET /{version}/{id}/comments", CallComments, p.comments)
	p.uploads.Handle("POST /ig-api-upload/{version}/{id}", named(CallUpload, p.upload))

	// Containers, posts and accounts share one path. The name of the call depends on the kind of object.
	status, read, me := named(CallStatus, p.status), named(CallRead, p.read), named(CallMe, p.me)
	p.mux.HandleFunc("GET /{version}/{id}", func(w http.ResponseWriter, r *http.Request) {
		id := r.PathValue("id")
		_, account := p.core.AccountByName(Name, id)
		switch {
		case p.isContainer(id):
			status(w, r)
		case account:
			me(w, r)
		default:
			read(w, r)
		}
	})
	insights, account := named(CallInsights, p.mediaInsights), named(CallAccount, p.accountInsights)
	p.mux.HandleFunc("GET /{version}/{id}/insights", func(w http.ResponseWriter, r *http.Request) {
		if _, ok := p.core.AccountByName(Name, r.PathValue("id")); ok || r.PathValue("id") == "me" {
			account(w, r)
			return
		}
		insights(w, r)
	})

	p.mux.HandleFunc("GET /behaviour", p.getBehaviour)
	p.mux.HandleFunc("PUT /behaviour", p.putBehaviour)
	p.mux.HandleFunc("GET /{username}/{$}", p.profile)
}

// Handler serves the requests below /instagram.
func (p *Platform) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/ig-api-upload/") {
			p.uploads.ServeHTTP(w, r)
			return
		}
		p.mux.ServeHTTP(w, r)
	})
}

// Reset deletes containers and posts, and restores the default behaviour.
func (p *Platform) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.containers {
		if !c.published && c.file != nil {
			c.file.Remove()
		}
	}
	p.behaviour = Usual
	p.landed.Clear()
	p.forget()
}

// Landed stores a post, regardless of its author.
func (p *Platform) Landed(l sandbox.Landing) { p.landed.Put(l) }

// Gone removes a deleted post.
func (p *Platform) Gone(id string) { p.landed.Take(id) }

func (p *Platform) forget() {
	p.containers, p.created = map[string]*container{}, map[string][]time.Time{}
	p.released = map[string][]time.Time{}
}

// who returns the account of a call.
func (p *Platform) who(r *http.Request) string {
	if name := p.tokens.Who(r); name != "" {
		return name
	}
	if k, err := p.bearer(r); err == nil {
		return k.Grant.Account
	}
	return ""
}

var versions = regexp.MustCompile(`^v[0-9]{1,2}\.0$`)

// profile redirects the public address of an account to the sandbox's page, to prove that the link is correct.
func (p *Platform) profile(w http.ResponseWriter, r *http.Request) {
	a, ok := p.core.AccountByName(Name, r.PathValue("username"))
	if !ok {
		http.NotFound(w, r)
		return
	}
	http.Redirect(w, r, p.core.URL("", "?account="+a.Name), http.StatusFound)
}
