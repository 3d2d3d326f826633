// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/publish"
)

// call classifies a call by its possible side effects if it fails.
type call int

const (
	// reading changes nothing.
	reading call = iota
	// creating creates a container, which is invisible.
	creating
	// publishing may have published.
	publishing
	// exchanging consumes a code; renewing renews a token.
	exchanging
	renewing
)

// refusal is an error response of Instagram, without its message: messages may repeat addresses and captions.
type refusal struct {
	code, subcode int
	status        int
	trace         string
}

func (r *refusal) Error() string {
	s := fmt.Sprintf("Instagram answered %d with code %d/%d", r.status, r.code, r.subcode)
	if r.trace != "" {
		s += " (trace " + r.trace + ")"
	}
	return s
}

// about returns the refusal within an error; nil if there is none.
func about(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return nil
}

// remakes reports whether a container that failed with the error may succeed when it is created again.
func remakes(err error) bool {
	r := about(err)
	if r == nil {
		return false
	}
	m, ok := lookUp(r.code, r.subcode)
	return ok && m.remake
}

// gone reports whether Instagram does not show an object. The object may still have existed before.
func gone(err error) bool {
	r := about(err)
	return r != nil && (unseen(err) || r.code == 24 || r.subcode == 2207020)
}

// unseen reports whether Instagram does not show the object that the call names.
func unseen(err error) bool {
	r := about(err)
	return r != nil && r.code == 100 && r.subcode == 33
}

// ofAccount returns the error of a call that names the account itself. An account that Instagram does not show to the
// app has to be connected again.
func ofAccount(err error) error {
	var e *publish.Error
	if !unseen(err) || !errors.As(err, &e) || e.Kind != publish.Rejected {
		return err
	}
	out := *e
	out.Kind, out.Safe = publish.Auth, "Instagram no longer shows this account to the app: reconnect the account."
	return &out
}

type envelope struct {
	Error *struct {
		Message   string `json:"message"`
		Type      string `json:"type"`
		Code      int    `json:"code"`
		Subcode   int    `json:"error_subcode"`
		Transient bool   `json:"is_transient"`
		Trace     string `json:"fbtrace_id"`
	} `json:"error"`
	// The code exchange has its own error format.
	ErrorType    string `json:"error_type"`
	ErrorCode    int    `json:"code"`
	ErrorMessage string `json:"error_message"`
}

// classify returns the error of a response; nil for a success.
func classify(a *publish.Answer, what call, now time.Time) *publish.Error {
	var env envelope
	_ = json.Unmarshal(a.Body, &env) // an unreadable body carries no information
	ok := a.Status >= 200 && a.Status < 300
	switch {
	case env.Error != nil:
		e := judge(env, a, what, now)
		return e
	case env.ErrorType != "":
		return exchangeRefused(env, a)
	case ok:
		return nil
	}
	return silent(a, what, now)
}

// judge classifies an error object. Its type is OAuthException for nearly every error, so only code and subcode count.
func judge(env envelope, a *publish.Answer, what call, now time.Time) *publish.Error {
	x := env.Error
	r := &refusal{code: x.Code, subcode: x.Subcode, status: a.Status, trace: x.Trace}
	e := &publish.Error{Code: strconv.Itoa(x.Code), Err: r}
	if x.Subcode != 0 {
		e.Code += "/" + strconv.Itoa(x.Subcode)
	}
	m, known := lookUp(x.Code, x.Subcode)
	switch {
	case x.Code == 10 && notEnoughViewers(x.Message):
		m = meaning{kind: publish.Transient, safe: "Instagram has no metrics for this post yet."}
	case x.Code == 10 && strings.Contains(x.Message, "not an Instagram Business"):
		m = meaning{kind: publish.Scope, safe: "Switch to a professional account in the Instagram app, then reconnect."}
	case known:
	case x.Transient || a.Status >= http.StatusInternalServerError:
		m = meaning{kind: publish.Transient, safe: "Instagram had an internal error.", doubt: true}
	default:
		m = meaning{kind: publish.Rejected, safe: "Instagram rejected it for an unknown reason."}
	}
	e.Kind, e.Safe, e.CatalogCode, e.Revoked, e.AppWide, e.RetryAfter = m.kind, m.safe, string(m.catalog), m.revoked, m.appWide, m.wait
	if e.Kind == publish.RateLimited {
		if wait := regain(a, now); wait > 0 {
			e.RetryAfter = wait
		}
		e.AppWide = e.AppWide || m.throttle && appExhausted(a.Header)
	}
	switch {
	case what == publishing && (m.doubt || a.Status >= http.StatusInternalServerError):
		e.Kind, e.Safe, e.RetryAfter = publish.Ambiguous, "Instagram did not report whether it published the post.", 0
	case what == publishing && m.remake:
		// The container failed, so it was not published.
		e.Kind = publish.Expired
	case what == renewing && (e.Kind == publish.Unauthorized || e.Kind == publish.Auth):
		e.Kind = publish.Auth
	}
	return e
}

// silent classifies a failure without an error object: a proxy responded, or Instagram had an outage.
func silent(a *publish.Answer, what call, now time.Time) *publish.Error {
	r := &refusal{status: a.Status}
	e := &publish.Error{Code: strconv.Itoa(a.Status), Err: r, Kind: publish.Transient, Safe: "Instagram could not be reached as expected."}
	switch {
	case a.Status == http.StatusTooManyRequests:
		e.Kind, e.Safe, e.RetryAfter = publish.RateLimited, "Instagram accepts no more calls at the moment.", regain(a, now)
		e.AppWide = appExhausted(a.Header)
	case what == publishing:
		e.Kind, e.Safe = publish.Ambiguous, "Instagram did not report whether it published the post."
	case a.Status == http.StatusUnauthorized && what == renewing:
		// Without an error object from Instagram, a 401 does not end a permission permanently.
	case a.Status == http.StatusUnauthorized:
		e.Kind, e.Safe = publish.Unauthorized, "Instagram did not accept the permission."
	case a.Status == http.StatusServiceUnavailable:
		e.RetryAfter = a.RetryAfter(now)
	}
	return e
}

// unanswered classifies a call without a complete response.
func unanswered(err error, what call) error {
	e := &publish.Error{Kind: publish.Transient, Safe: "Instagram did not respond.", Err: err}
	var unsent *publish.Unsent
	switch {
	case errors.As(err, &unsent):
		e.Safe = "Instagram could not be reached."
	case what == publishing:
		e.Kind, e.Safe = publish.Ambiguous, "The response of Instagram to publishing was lost."
	case what == exchanging:
		e.Safe = "The response of Instagram was lost, and an approval can be used only once: approve again."
	}
	return e
}

// unreadable returns the error of a success whose body cannot be parsed.
func unreadable(err error, what call) error {
	e := &publish.Error{Kind: publish.Transient, Safe: "The response of Instagram could not be read.", Err: err}
	if what == publishing {
		e.Kind = publish.Ambiguous
	}
	return e
}

func misconfigured(err error) error {
	return &publish.Error{Kind: publish.Misconfigured, Safe: "The address of Instagram's API cannot be used.", Err: err}
}

func rejected(safe string) *publish.Error {
	return &publish.Error{Kind: publish.Rejected, Safe: safe}
}

func ambiguous(safe string) *publish.Error {
	return &publish.Error{Kind: publish.Ambiguous, Safe: safe}
}

func expired(safe string) *publish.Error {
	return &publish.Error{Kind: publish.Expired, Safe: safe}
}
