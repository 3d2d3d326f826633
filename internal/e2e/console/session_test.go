// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// linkWorksOnce opens a link twice, in two browsers.
func (c *consoleTest) linkWorksOnce(t *testing.T) {
	link := c.newLink(t)
	first := c.open(t)
	first.visit(link)
	first.sees("heading", "Library")
	if at := run[string](first, "location.href"); at != c.url+"/console" {
		t.Errorf("after sign-in the address is %s, want %s without the token", at, c.url+"/console")
	}

	second := c.open(t)
	second.expects("401 POST /console/session/link")
	second.visit(link)
	second.sees("heading", "The link does not work")
	second.expects("401 GET /console/session")
	second.visit("/console")
	second.sees("heading", "Sign in")
}

// sessionEnds signs out everywhere in one browser while a text is entered in another.
func (c *consoleTest) sessionEnds(t *testing.T) {
	const text = "A text that nobody wants to enter twice."
	w := c.signedIn(t)
	w.visit("/console/create")
	w.enter("What is it about?", text)

	other := c.signedIn(t)
	other.click("button", "appearance and sign-out")
	other.click("button", "Sign out everywhere")
	other.sees("dialog", "Sign out everywhere")
	other.expects("401 GET /console/session")
	other.click("button", "Sign out everywhere")
	other.sees("heading", "Sign in")

	w.expects("401 POST /console/api/v1/slideshows")
	w.expects("401 GET /console/session")
	w.click("button", "Create video")
	w.sees("dialog", "Your session ended")
	c.picture(w, "session-ended")

	// The link opens in another tab of the same browser.
	tab := c.attach(t, w.ctx, func(*chromedp.Context) {})
	tab.visit(c.newLink(t))
	tab.sees("heading", "")
	w.click("button", "Continue")
	w.eventually(waitTimeout, func() error {
		_, err := w.find("dialog", "")
		if err == nil {
			return fmt.Errorf("the dialog is still open")
		}
		return nil
	})
	if kept := run[string](w, "document.querySelector('textarea').value"); kept != text {
		t.Errorf("the page kept the text %q, want %q", kept, text)
	}
	w.click("button", "Create video")
	w.sees("list", "")
	w.sees("heading", "Caption")
}

// otherShort is a short in the account and brand %[1]s.
const otherShort = `apiVersion: reelops.dev/v1beta1
kind: Slideshow
metadata: {name: secret, namespace: %[1]s}
spec:
  brandRef: {name: %[1]s}
  slides: [{heading: Secret}]
`

// otherAccount signs in a user with rights in one account only.
func (c *consoleTest) otherAccount(t *testing.T) {
	const user, other = "anna@example.com", "other"
	c.program(t, "reelops", "account", "create", other, "--email", "other@example.com")
	c.program(t, "reelops", "brand", "create", other, "--account", other, "--display-name", "Other")
	c.program(t, "kubectl", "create", "rolebinding", "anna", "--clusterrole", "reelops-publisher", "--user", user,
		"-n", account)
	manifest := filepath.Join(t.TempDir(), "short.yaml")
	if err := os.WriteFile(manifest, fmt.Appendf(nil, otherShort, other), 0o600); err != nil {
		t.Fatal(err)
	}
	c.program(t, "kubectl", "apply", "-f", manifest)
	var short int64
	waitFor(t, func() bool {
		out := c.program(t, "kubectl", "get", "slideshows.reelops.dev", "secret", "-n", other,
			"-o", "jsonpath={.metadata.labels.reelops\\.dev/id}")
		_, err := fmt.Sscan(out, &short)
		return err == nil
	}, "the short of the other account has an id")

	w := c.open(t)
	w.visit(c.newLink(t, "--as", user))
	w.sees("heading", "Library")
	w.expects(fmt.Sprintf("404 GET /console/api/v1/shorts/%d", short))
	w.expects("404 GET /console/events")
	w.visit(fmt.Sprintf("/console/shorts/%d", short))
	w.sees("alert", "")
	w.reads("not_found")
	c.picture(w, "other-account")
	w.check("the page of another account")

	w.expects("403 POST /console/session/account")
	status := run[int](w, `fetch('/console/session/account', {method: 'POST',
		headers: {'Content-Type': 'application/json'}, body: JSON.stringify({account: `+quote(other)+`})})
		.then((r) => r.status)`)
	if status != http.StatusForbidden {
		t.Errorf("the user switched to another account: status %d, want 403", status)
	}
	w.click("button", "switch brand or account")
	w.sees("button", account)
	if _, err := w.find("button", other); err == nil {
		t.Errorf("the menu offers the account %s", other)
	}
}
