// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/envelope"
)

// accountHeader is the header with the account that the page shows. Tabs share the session, so another tab may have
// selected another account meanwhile. Event streams have accountQuery instead: browsers send no own headers for them.
const (
	accountHeader = "X-Reelops-Account"
	accountQuery  = "account"
)

// automaticHeader is the header, with the value true, of requests that the page sends without the user, such as polls.
const automaticHeader = "X-Reelops-Automatic"

// automatic reports whether a request does not count as use of the session. A browser reopens event streams by itself.
func automatic(r *http.Request) bool {
	return r.Header.Get(automaticHeader) == "true" || r.URL.Path == Path+"/events"
}

const (
	// idleTime is how long a session lasts after its last use, and longestTime how long it lasts at most.
	idleTime    = 12 * time.Hour
	longestTime = 7 * 24 * time.Hour
	// renewEvery is the age of a cookie from which a request renews it.
	renewEvery = time.Hour
)

// session is a signed-in user. The cookie holds it, sealed.
type session struct {
	// ID is random. A new sign-in has a new ID.
	ID     string   `json:"i"`
	User   string   `json:"u"`
	Groups []string `json:"g,omitempty"`
	// Account is the namespace that the session acts in; empty for a user without any.
	Account string `json:"a,omitempty"`
	// SignedIn is the time of the sign-in and Renewed that of the cookie, in Unix milliseconds.
	SignedIn int64 `json:"s"`
	Renewed  int64 `json:"r"`
}

func newSession(user string, groups []string, account string, now time.Time) *session {
	id := make([]byte, 16)
	_, _ = rand.Read(id) // never fails
	return &session{
		ID: hex.EncodeToString(id), User: user, Groups: groups, Account: account,
		SignedIn: now.UnixMilli(), Renewed: now.UnixMilli(),
	}
}

// ends returns the time at which the session ends unless it is renewed before.
func (s *session) ends() time.Time {
	idle := time.UnixMilli(s.Renewed).Add(idleTime)
	if longest := s.endsAtLatest(); longest.Before(idle) {
		return longest
	}
	return idle
}

// endsAtLatest returns the time after which the session cannot be renewed.
func (s *session) endsAtLatest() time.Time { return time.UnixMilli(s.SignedIn).Add(longestTime) }

// subject returns the user as the cluster authorizes it.
func (s *session) subject() subject { return subject{user: s.User, groups: s.Groups} }

// subject is a user with its groups.
type subject struct {
	user   string
	groups []string
}

// key returns a short text that identifies the user and its groups.
func (s subject) key() string {
	groups := slices.Clone(s.groups)
	slices.Sort(groups)
	doc, _ := json.Marshal([]any{s.user, groups}) // strings can always be encoded
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:16])
}

// errSignedOut returns the problem of a request without a valid session.
func errSignedOut() *problem.Problem {
	return problem.New(catalog.InvalidToken, nil).
		Saying("You are not signed in, or your session has ended. Sign in again.")
}

// session returns the session of a request. Its error is errSignedOut, or that of a read.
func (h *Handler) session(r *http.Request) (*session, error) {
	c, err := r.Cookie(h.cookies.session)
	if err != nil {
		return nil, errSignedOut()
	}
	s := &session{}
	if h.sessions.Open(c.Value, s) != nil || s.ID == "" || s.User == "" {
		return nil, errSignedOut()
	}
	if err := h.check(r.Context(), s); err != nil {
		return nil, err
	}
	return s, nil
}

// check returns errSignedOut if the session has ended.
func (h *Handler) check(ctx context.Context, s *session) error {
	if !h.Clock.Now().Before(s.ends()) {
		return errSignedOut()
	}
	ended, err := h.endings.include(ctx, s)
	if err != nil {
		return err
	}
	if ended {
		return errSignedOut()
	}
	return nil
}

// setSession writes the cookie of a session. The error is a problem if the user has too many groups for a cookie.
func (h *Handler) setSession(w http.ResponseWriter, s *session) error {
	value, err := h.sessions.Seal(s)
	if errors.Is(err, envelope.ErrTokenTooLong) {
		return problem.New(catalog.ValidationFailed, problem.Details{"field": "groups"}).Saying(
			"You are in too many groups for a session. Ask the operator to let the identity provider send fewer groups.")
	}
	if err != nil {
		return err
	}
	h.setCookie(w, h.cookies.session, value, s.ends().Sub(h.Clock.Now()))
	return nil
}

// renew renews the cookie of a session that is in use.
func (h *Handler) renew(w http.ResponseWriter, r *http.Request, s *session) error {
	if automatic(r) { // else a tab that is left open would keep the session alive
		return nil
	}
	now := h.Clock.Now()
	if now.Sub(time.UnixMilli(s.Renewed)) < renewEvery {
		return nil
	}
	s.Renewed = now.UnixMilli()
	return h.setSession(w, s)
}

// setCookie writes a cookie. An age of 0 deletes it.
func (h *Handler) setCookie(w http.ResponseWriter, name, value string, age time.Duration) {
	seconds := int((age + time.Second - 1) / time.Second)
	if seconds <= 0 {
		seconds = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: h.cookies.secure,
		SameSite: http.SameSiteLaxMode,
	})
}

// shownUser is a user in a response.
type shownUser struct {
	Name   string   `json:"name"`
	Groups []string `json:"groups"`
}

// shownSession is the response of GET /console/session.
type shownSession struct {
	User     shownUser       `json:"user"`
	Account  string          `json:"account"`
	Accounts []string        `json:"accounts"`
	Scopes   []string        `json:"scopes"`
	Can      map[string]bool `json:"can"`
	// ExpiresAt is when the session ends without further use.
	ExpiresAt time.Time `json:"expires_at"`
}

// getSession describes the session, or how to sign in.
func (h *Handler) getSession(w http.ResponseWriter, r *http.Request) error {
	s, err := h.session(r)
	if p := (*problem.Problem)(nil); errors.As(err, &p) && p.Status == http.StatusUnauthorized {
		return writeJSON(w, http.StatusUnauthorized, map[string]any{"sign_in": map[string]bool{"oidc": h.oidc != nil}})
	}
	if err != nil {
		return err
	}
	accounts, err := h.accounts(r.Context(), s.subject())
	if err != nil {
		return err
	}
	// The list is limited, so the account of the session may be missing although the user may read it.
	listed := slices.Contains(accounts, s.Account)
	if !listed {
		if listed, err = h.mayRead(r.Context(), s.subject(), s.Account); err != nil {
			return err
		}
		if listed {
			accounts = append(accounts, s.Account)
			slices.Sort(accounts)
		}
	}
	// The account of the session may be deleted, and a user without any may have got one.
	if !listed && len(accounts) > 0 {
		s.Account = accounts[0]
		if !automatic(r) {
			s.Renewed = h.Clock.Now().UnixMilli()
		}
		err = h.setSession(w, s)
	} else {
		err = h.renew(w, r, s)
	}
	if err != nil {
		return err
	}
	scopes, err := h.reviews.scopes(r.Context(), s.subject(), s.Account)
	if err != nil {
		return err
	}
	can, err := h.reviews.actions(r.Context(), s.subject(), s.Account)
	if err != nil {
		return err
	}
	out := shownSession{
		User: shownUser{s.User, nonNil(s.Groups)}, Account: s.Account, Accounts: nonNil(accounts), Scopes: []string{},
		Can: can, ExpiresAt: s.ends().UTC().Truncate(time.Second),
	}
	for _, scope := range scopes {
		out.Scopes = append(out.Scopes, string(scope))
	}
	return writeJSON(w, http.StatusOK, out)
}

// actsIn returns a conflict if the request is for another account than that of the session. An empty account is that of
// the session.
func (s *session) actsIn(account string) error {
	if account == "" || account == s.Account {
		return nil
	}
	return problem.New(catalog.Conflict, problem.Details{"reason": "account_changed"}).Saying(
		"The session acts in another account than this page, so nothing was changed. Select the account again, or reload.")
}

// inAccount returns a route that refuses requests for another account than that of the session.
func inAccount(
	f func(http.ResponseWriter, *http.Request, *session) error,
) func(http.ResponseWriter, *http.Request, *session) error {
	return func(w http.ResponseWriter, r *http.Request, s *session) error {
		if err := s.actsIn(r.Header.Get(accountHeader)); err != nil {
			return err
		}
		return f(w, r, s)
	}
}

// setAccount makes the session act in another account.
func (h *Handler) setAccount(w http.ResponseWriter, r *http.Request, s *session) error {
	var in struct {
		Account string `json:"account"`
	}
	if err := readJSON(w, r, &in); err != nil {
		return err
	}
	ok, err := h.mayRead(r.Context(), s.subject(), in.Account)
	if err != nil {
		return err
	}
	if !ok {
		return problem.New(catalog.MissingScope, problem.Details{"required_scope": "brand:read"}).
			Saying("There is no such account, or you may not read its brands.")
	}
	s.Account, s.Renewed = in.Account, h.Clock.Now().UnixMilli()
	if err := h.setSession(w, s); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// signOut ends the session, or all sessions of the user. A request without a session succeeds as well.
func (h *Handler) signOut(w http.ResponseWriter, r *http.Request) error {
	s, err := h.session(r)
	if p := (*problem.Problem)(nil); err != nil && (!errors.As(err, &p) || p.Status != http.StatusUnauthorized) {
		return err
	}
	if s != nil {
		everywhere := r.URL.Query().Get("everywhere") == "true"
		if err := h.endings.end(r.Context(), s, everywhere); err != nil {
			return err
		}
		h.Log.Info("signed out of the console",
			"user", s.User, "everywhere", everywhere, "request_id", operation.RequestID(r))
	}
	h.setCookie(w, h.cookies.session, "", 0)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// signIn begins a session. account is where it begins; empty for the first account that the user may read.
func (h *Handler) signIn(w http.ResponseWriter, r *http.Request, who subject, account, by string) error {
	if account == "" {
		accounts, err := h.accounts(r.Context(), who)
		if err != nil {
			return err
		}
		if len(accounts) > 0 {
			account = accounts[0]
		}
	}
	if err := h.setSession(w, newSession(who.user, who.groups, account, h.Clock.Now())); err != nil {
		return err
	}
	h.Log.Info("signed in to the console", "user", who.user, "by", by, "account", account,
		"address", limit.ClientAddress(r, h.TrustedProxies), "request_id", operation.RequestID(r))
	return nil
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
