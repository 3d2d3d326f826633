// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
)

// Consent describes a platform's consent page.
type Consent struct {
	Platform string
	// Accounts to choose from: all accounts of the platform except pages when nil.
	Accounts []Account
	// Scopes that the app requests. The user may withhold some of them.
	Scopes []string
	// Approve and Deny return the URL to which the browser is redirected.
	Approve func(a Account, scopes []string) string
	Deny    func() string
}

// Consent writes the consent page, or the redirect when the query holds the user's choice: approve=NAME or deny=1, and
// withhold=SCOPE for every scope that the user does not grant. The platform validates the request before it calls
// Consent.
func (s *Sandbox) Consent(w http.ResponseWriter, r *http.Request, c Consent) {
	q := r.URL.Query()
	if c.Accounts == nil {
		for _, a := range s.Accounts(c.Platform) {
			if a.Owner == "" {
				c.Accounts = append(c.Accounts, a)
			}
		}
	}
	if q.Get("deny") != "" {
		http.Redirect(w, r, c.Deny(), http.StatusFound)
		return
	}
	if name := q.Get("approve"); name != "" {
		i := slices.IndexFunc(c.Accounts, func(a Account) bool { return a.Name == name })
		if i < 0 {
			s.message(w, http.StatusBadRequest, "There is no account "+name, "Accounts of "+c.Platform+" are maya, studio and acme; a page is chosen by its administrator.")
			return
		}
		granted := slices.DeleteFunc(slices.Clone(c.Scopes), func(x string) bool { return slices.Contains(q["withhold"], x) })
		http.Redirect(w, r, c.Approve(c.Accounts[i], granted), http.StatusFound)
		return
	}
	s.render(w, http.StatusOK, "consent.html", struct {
		Consent
		Title, Host string
		Query       url.Values
	}{c, "Connect " + nice(c.Platform), "", q})
}

// message writes a page with one message.
func (s *Sandbox) message(w http.ResponseWriter, status int, title, text string) {
	s.render(w, status, "message.html", struct{ Title, Text string }{title, text})
}

// Refuse writes the error page of a platform that cannot redirect the browser, because the app or the redirect URI is
// unknown.
func (s *Sandbox) Refuse(w http.ResponseWriter, platform, text string) {
	s.message(w, http.StatusBadRequest, nice(platform)+" cannot continue", text)
}

func nice(platform string) string {
	switch platform {
	case "tiktok":
		return "TikTok"
	case "youtube":
		return "YouTube"
	case "instagram":
		return "Instagram"
	case "linkedin":
		return "LinkedIn"
	}
	return platform
}

//go:embed style.css
var style string

func (s *Sandbox) render(w http.ResponseWriter, status int, name string, data any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, name, data)
}

var helpers = template.FuncMap{"nice": nice, "size": size, "style": func() template.CSS { return template.CSS(style) }} //nolint:gosec // our own file

// size formats a number of bytes with its unit.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
