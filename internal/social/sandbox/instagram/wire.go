// SPDX-License-Identifier: Apache-2.0

package instagram

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/reelops/reelops/internal/social/sandbox"
)

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
}

// graphError is an error in the format of the API.
type graphError struct {
	status, code, subcode int
	message               string
}

func (g *graphError) Error() string { return g.message }

func refuse(code, subcode int, message string) *graphError {
	return &graphError{status: http.StatusBadRequest, code: code, subcode: subcode, message: message}
}

func (g *graphError) write(w http.ResponseWriter) {
	body := map[string]any{
		"message": g.message, "type": "OAuthException", "code": g.code, "is_transient": g.code == 1 || g.code == 2,
		"fbtrace_id": "A" + sandbox.Letters(22),
	}
	if g.subcode != 0 {
		body["error_subcode"] = g.subcode
	}
	reply(w, g.status, map[string]any{"error": body})
}

// Fail writes a scripted error. f.Code is Instagram's code, with or without a subcode: "9" or "190/460". Without a
// code, the status determines it.
func (p *Platform) Fail(w http.ResponseWriter, call string, f sandbox.Fault) {
	code, subcode, _ := strings.Cut(f.Code, "/")
	g := &graphError{status: f.Status, message: "This was asked for by a script."}
	g.code, _ = strconv.Atoi(code)
	g.subcode, _ = strconv.Atoi(subcode)
	if g.code == 0 {
		g.code, g.subcode = usualCode(f.Status)
	}
	if call == CallRedeem {
		reply(w, f.Status, map[string]any{"error_type": "OAuthException", "code": f.Status, "error_message": g.message})
		return
	}
	if g.code == 80002 && f.RetryAfter == 0 {
		w.Header().Set("X-Business-Use-Case-Usage", `{"17841400000000000":[{"type":"instagram","call_count":101,"total_cputime":25,`+
			`"total_time":25,"estimated_time_to_regain_access":7}]}`)
	}
	g.write(w)
}

// usualCode returns the code that Instagram usually sends with a status.
func usualCode(status int) (code, subcode int) {
	switch {
	case status == http.StatusUnauthorized:
		return 190, 463
	case status == http.StatusForbidden:
		return 10, 0
	case status == http.StatusNotFound:
		return 100, 33
	case status == http.StatusTooManyRequests:
		return 4, 0
	case status >= http.StatusInternalServerError:
		return 2, 0
	}
	return 100, 0
}

// params returns the parameters of a call, from its query, form or JSON body. Lists are joined with commas.
func params(r *http.Request) (map[string]string, *graphError) {
	out := map[string]string{}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		var doc map[string]any
		d := json.NewDecoder(io.LimitReader(r.Body, 1<<20))
		d.UseNumber()
		if err := d.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
			return nil, refuse(100, 0, "The body is not JSON.")
		}
		for k, v := range doc {
			out[k] = textOf(v)
		}
	} else if err := r.ParseMultipartForm(1 << 20); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, refuse(100, 0, "The body cannot be read.")
	}
	for k, v := range r.URL.Query() {
		out[k] = v[0]
	}
	for k, v := range r.PostForm {
		out[k] = v[0]
	}
	return out, nil
}

// publishRequest authenticates a publishing call and returns the account and the parameters. It writes the error if there is
// one.
func (p *Platform) publishRequest(w http.ResponseWriter, r *http.Request) (a sandbox.Account, in map[string]string, ok bool) {
	a, g := p.owner(r, scopePublish)
	if g == nil {
		in, g = params(r)
	}
	if g != nil {
		g.write(w)
		return a, nil, false
	}
	return a, in, true
}

// found authenticates a call and returns the post named in the path. It writes the error if there is one.
func (p *Platform) found(w http.ResponseWriter, r *http.Request, scope string) (a sandbox.Account, o *post, ok bool) {
	a, g := p.caller(r, scope)
	if g == nil {
		if o = p.visible(a, r.PathValue("id")); o == nil {
			g = missing(r.PathValue("id"))
		}
	}
	if g != nil {
		g.write(w)
		return a, nil, false
	}
	return a, o, true
}

func textOf(v any) string {
	list, ok := v.([]any)
	if !ok {
		if v == nil {
			return ""
		}
		return fmt.Sprint(v)
	}
	parts := make([]string, len(list))
	for i, e := range list {
		parts[i] = fmt.Sprint(e)
	}
	return strings.Join(parts, ",")
}

// stamp formats a time as the API does.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05-0700") }

// bearer returns the token of a call, short-lived or long-lived, from the header or the access_token parameter.
func (p *Platform) bearer(r *http.Request) (sandbox.Token, error) {
	access, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		access = r.FormValue("access_token")
	}
	k, err := p.tokens.Lookup(access)
	if errors.Is(err, sandbox.ErrUnknownToken) {
		return p.short.Lookup(access)
	}
	return k, err
}

// caller returns the account of a call whose token is valid and has the scope.
func (p *Platform) caller(r *http.Request, scope string) (sandbox.Account, *graphError) {
	if !versions.MatchString(r.PathValue("version")) {
		return sandbox.Account{}, refuse(2500, 0, "Unknown path components: /"+r.PathValue("version"))
	}
	k, err := p.bearer(r)
	if g := tokenError(err); g != nil {
		return sandbox.Account{}, g
	}
	if !k.Allows(scope) {
		return sandbox.Account{}, &graphError{http.StatusForbidden, 10, 0, "(#10) Application does not have permission for this action"}
	}
	a, ok := p.core.AccountByName(Name, k.Grant.Account)
	if !ok {
		return sandbox.Account{}, refuse(190, 467, "Error validating access token: the account is gone.")
	}
	return a, nil
}

// owner returns the caller, if the path names the caller's account or "me".
func (p *Platform) owner(r *http.Request, scope string) (sandbox.Account, *graphError) {
	a, g := p.caller(r, scope)
	if id := r.PathValue("id"); g == nil && id != a.ID && id != "me" {
		return a, missing(id)
	}
	return a, g
}

func missing(id string) *graphError {
	return refuse(100, 33, "Unsupported request. Object with ID '"+id+"' does not exist, cannot be loaded due to missing permissions, or does not support this operation.")
}

// tokenError returns the API error for a token lookup error.
func tokenError(err error) *graphError {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sandbox.ErrExpiredToken):
		return refuse(190, 463, "Error validating access token: Session has expired.")
	case errors.Is(err, sandbox.ErrRevokedToken):
		return refuse(190, 458, "Error validating access token: The user has not authorized application.")
	case errors.Is(err, sandbox.ErrNoToken):
		return refuse(190, 0, "An access token is required to request this resource.")
	}
	return refuse(190, 0, "Invalid OAuth access token - Cannot parse access token")
}
