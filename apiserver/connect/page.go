// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strings"
)

// Sentences shared by several pages.
const (
	fresh   = "Request a new link to try again."
	waiting = "The account is being connected. This page updates automatically."
)

// page is the content of one HTML page.
type page struct {
	Title string
	// Bad marks a failure, Busy work in progress.
	Bad, Busy bool
	Lines     []string
	Accounts  []shown
	// Next is the address that the page opens by itself after a second. Again is the number of seconds after which the
	// page reloads.
	Next  string
	Again int
	// Link is an address to follow, LinkText its text.
	Link, LinkText string
}

type shown struct{ Name, Username string }

//go:embed page.css
var style string

//go:embed page.html
var source string

var pages = template.Must(template.New("page").Parse(source))

// policy is a Content-Security-Policy that allows the page's own style and nothing else.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}()

func (h *Handler) show(w http.ResponseWriter, status int, p page) {
	var doc bytes.Buffer
	if err := pages.Execute(&doc, struct {
		page
		Style template.CSS
	}{p, template.CSS(style)}); err != nil { //nolint:gosec // our own file
		h.Log.Error("rendering page failed", "error", err.Error())
		http.Error(w, p.Title, status)
		return
	}
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Security-Policy", policy)
	head.Set("Cache-Control", "no-store")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Robots-Tag", "noindex")
	head.Set("Content-Length", fmt.Sprint(doc.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(doc.Bytes())
}

// word returns a platform's code for a refusal in readable form. It returns a fixed text if the value does not look
// like a code or is longer than 64 bytes.
func word(s string) string {
	const most = 64
	if len(s) > most || strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "" {
		return "no reason was given"
	}
	return strings.ReplaceAll(s, "_", " ")
}
