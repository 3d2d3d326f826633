// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// onLoad runs a script before the scripts of each later page.
func (w *window) onLoad(script string) {
	w.t.Helper()
	call(w, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
}

// gone waits until an element with a role and name is no longer shown.
func (w *window) gone(role, name string) {
	w.t.Helper()
	w.eventually(waitTimeout, func() error {
		if _, err := w.find(role, name); err == nil {
			return fmt.Errorf("the %s %q is still shown", role, name)
		}
		return nil
	})
}

// back goes back in the history, as the button of the browser does.
func (w *window) back() {
	w.t.Helper()
	run[bool](w, "history.back(); true")
}

// leaves checks that the back button asks before it leaves a screen with input that is shown as text.
func (w *window) leaves(question, text string, shown func() string) {
	w.t.Helper()
	at := run[string](w, "location.href")
	w.back()
	w.sees("dialog", question)
	w.click("button", "Keep editing")
	w.gone("dialog", question)
	if is := run[string](w, "location.href"); is != at {
		w.t.Errorf("after Keep editing the address is %s, want %s", is, at)
	}
	if is := shown(); is != text {
		w.t.Errorf("after Keep editing the input is %q, want %q", is, text)
	}
	w.back()
	w.sees("dialog", question)
	w.click("button", "Leave")
	w.sees("heading", "Library")
	if is := run[string](w, "location.pathname"); is != "/console" {
		w.t.Errorf("after Leave the address is %s, want /console", is)
	}
}

// backAsks goes back from Create and from the composer with unsaved input.
func (c *consoleTest) backAsks(t *testing.T) {
	const text = "A text that the back button must not lose."
	a := api{c: c}
	short := a.anyVideo(t)
	a.connected(t, "tiktok", "maya")
	w := c.signedIn(t)
	// goTo opens another screen without loading the page again, so that Back does not load it again either.
	goTo := func(path string) {
		t.Helper()
		run[bool](w, "history.pushState(null, '', "+quote(path)+"); true")
		w.settle()
	}
	field := func(selector string) func() string {
		return func() string { return run[string](w, "document.querySelector("+quote(selector)+").value") }
	}
	goTo("/console/create")
	w.enter("What is it about?", text)
	w.leaves("Leave without creating the short?", text, field("textarea"))

	goTo("/console/create")
	w.choose("Length", "4 slides")
	w.leaves("Leave without creating the short?", "4", func() string {
		return run[string](w, "[...document.querySelectorAll('select')].map((s) => s.value).find((v) => v === '4') ?? ''")
	})

	goTo(fmt.Sprintf("/console/shorts/%d/publish", short))
	w.click("radio", "At a time")
	later := field("input[type=datetime-local]")
	w.leaves("Leave without publishing?", later(), later)
}

// loseAnswer lets the first request of a method and path reach the server, and drops its answer. It records the
// idempotency keys of all of them.
const loseAnswer = `(() => {
	const real = window.fetch;
	window.sentKeys = [];
	window.fetch = async (...args) => {
		const request = new Request(...args);
		const answer = await real(request.clone());
		if (request.method !== 'POST' || !request.url.endsWith(%s)) return answer;
		window.sentKeys.push(request.headers.get('Idempotency-Key'));
		if (window.sentKeys.length === 1) throw new TypeError('the answer is lost');
		return answer;
	};
})();`

// answerLost creates a short although the answer to the first request is lost.
func (c *consoleTest) answerLost(t *testing.T) {
	const path = "/api/v1/slideshows"
	a := api{c: c}
	shorts := func() (n int) {
		var all []short
		a.call(t, http.MethodGet, "/shorts?per_page=50", nil, &all)
		return len(all)
	}
	before := shorts()
	w := c.open(t)
	w.onLoad(fmt.Sprintf(loseAnswer, quote(path)))
	w.visit(c.newLink(t))
	w.sees("heading", "Library")
	w.visit("/console/create")
	w.enter("What is it about?", "One short, although the answer is lost. It is created once. It is not created twice.")
	w.click("button", "Create video")
	w.reads("The server did not answer.")
	w.click("button", "Create video")
	w.sees("heading", "Caption")
	keys := run[[]string](w, "window.sentKeys")
	if len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("the requests had the keys %q, want one key twice", keys)
	}
	if n := shorts() - before; n != 1 {
		t.Errorf("the two requests created %d shorts, want 1", n)
	}
}

// breakStream makes the first event stream fail, and counts the events of the others.
const breakStream = `(() => {
	const Real = window.EventSource;
	window.streams = [];
	window.events = 0;
	window.EventSource = class extends Real {
		constructor(url) {
			super(window.streams.length === 0 ? String(url).replace(/short_id=\d+/, 'short_id=none') : url);
			window.streams.push(this);
			this.addEventListener('short', () => { window.events++; });
		}
	};
	window.EventSource.CLOSED = Real.CLOSED;
})();`

// streamReconnects opens the event stream of a short again after a response that is no stream.
func (c *consoleTest) streamReconnects(t *testing.T) {
	a := api{c: c}
	short := a.newSlides(t)
	w := c.open(t)
	w.onLoad(breakStream)
	w.visit(c.newLink(t))
	w.expects("400 GET /console/events")
	w.visit(fmt.Sprintf("/console/shorts/%d", short))
	w.eventually(waitTimeout, func() error {
		state, err := tryRun[[]int](w, "[window.streams.length, window.streams.at(-1)?.readyState ?? 2, window.events]")
		if err == nil && (len(state) < 3 || state[0] < 2 || state[1] != 1 || state[2] == 0) {
			err = fmt.Errorf("streams, state of the last and events: %v", state)
		}
		return err
	})
}

// accountChanges changes the account in one tab while a text is entered in another.
func (c *consoleTest) accountChanges(t *testing.T) {
	const other, text = "second", "A text of the account demo."
	c.program(t, "reelops", "account", "create", other, "--email", "second@example.com")
	c.program(t, "reelops", "brand", "create", other, "--account", other, "--display-name", "Second")
	w := c.signedIn(t)
	w.visit("/console/create")
	w.enter("What is it about?", text)

	tab := c.attach(t, w.ctx, func(*chromedp.Context) {})
	tab.visit("/console")
	tab.click("button", "switch brand or account")
	tab.click("button", other)
	tab.eventually(waitTimeout, func() error {
		now, err := tryRun[string](tab, "fetch('/console/session').then((r) => r.json()).then((r) => r.account)")
		if err == nil && now != other {
			err = fmt.Errorf("the session is in the account %q", now)
		}
		return err
	})

	// The page may send one request in the other account, which the server rejects.
	w.tolerates = func(problem string) bool { return strings.HasPrefix(problem, "409 ") }
	call(w, page.BringToFront, cdp.Empty{})
	run[bool](w, "document.dispatchEvent(new Event('visibilitychange')); true")
	w.eventually(waitTimeout, func() error {
		w.click("textbox", "What is it about?")
		now, err := tryRun[string](w, "fetch('/console/session').then((r) => r.json()).then((r) => r.account)")
		if err == nil && now != account {
			err = fmt.Errorf("the session is in the account %q, want that of the page", now)
		}
		return err
	})
	if kept := run[string](w, "document.querySelector('textarea').value"); kept != text {
		t.Errorf("the page kept the text %q, want %q", kept, text)
	}
	w.click("button", "Create video")
	w.sees("heading", "Caption")
	var all []short
	api{c: c}.call(t, http.MethodGet, "/shorts?per_page=1", nil, &all)
	if got := run[string](w, "location.pathname"); len(all) != 1 || got != fmt.Sprintf("/console/shorts/%d", all[0].ID) {
		t.Errorf("the page shows %s; the newest short of the account is %+v", got, all)
	}
}

// uploadKeepsBrand changes the brand during an upload.
func (c *consoleTest) uploadKeepsBrand(t *testing.T) {
	c.program(t, "reelops", "brand", "create", "annex", "--account", account, "--display-name", "Annex")
	w := c.signedIn(t)
	w.visit("/console/media")
	slow := func(rate float64) {
		call(w, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
			MatchedNetworkConditions: []*network.Conditions{{DownloadThroughput: -1, UploadThroughput: rate}},
		})
	}
	slow(1 << 18)
	w.chooseFiles(c.image(t, "brand of the upload.png", 800))
	w.sees("progressbar", "Upload of brand of the upload.png")
	w.click("button", "switch brand or account")
	w.click("button", "Annex")
	w.sees("button", "Annex "+account+" , switch brand or account")
	if n := w.sent("POST /console/api/v1/media"); n != 0 {
		t.Fatal("the upload ended before the brand was changed: the test shows nothing")
	}
	slow(-1)
	media := func(brand int64) bool {
		var found []struct{ Title *string }
		api{c: c, brand: brand}.call(t, http.MethodGet, "/media?source=own&query=upload", nil, &found)
		return len(found) > 0
	}
	waitFor(t, func() bool { return media(0) }, "the file is in the brand in which the upload began")
	var brands []struct {
		ID   int64
		Name string
	}
	api{c: c}.call(t, http.MethodGet, "/brands", nil, &brands)
	for _, brand := range brands {
		if brand.Name == "Annex" && media(brand.ID) {
			t.Error("the file is in the brand that was chosen during the upload")
		}
	}
}

// draftsPerUser opens the editor as another user in the tab in which the first user left unsaved changes.
func (c *consoleTest) draftsPerUser(t *testing.T) {
	const user, text = "berta@example.com", "Only for the first user"
	c.program(t, "kubectl", "create", "rolebinding", "berta", "--clusterrole", "reelops-publisher", "--user", user,
		"-n", account)
	a := api{c: c}
	short := a.newSlides(t)
	heading := a.slides(t, short).Data.Slides[0].TextOverlays[0]
	edit := fmt.Sprintf("/console/shorts/%d/edit", short)
	w := c.editor(t, short)
	w.clickOn(box(heading.ID))
	w.enter("Text", text)
	w.reads("Unsaved changes")
	w.drawn()
	w.click("link", "Library")
	w.sees("dialog", "Leave the editor?")
	w.click("button", "Leave")
	w.sees("heading", "Library")

	w.visit(c.newLink(t, "--as", user))
	w.sees("heading", "")
	w.visit(edit)
	w.drawn()
	w.reads("All changes are saved")
	if run[bool](w, "document.body.innerText.includes("+quote(text)+")") {
		t.Error("the second user sees the draft of the first")
	}

	w.visit(c.newLink(t))
	w.sees("heading", "")
	w.visit(edit)
	w.drawn()
	w.reads("Unsaved changes")
	w.click("button", "Save")
	w.reads("All changes are saved")
	if got := a.slides(t, short).Data.Slides[0].TextOverlays[0].Text; got != text {
		t.Errorf("stored: %q, want the draft of the first user", got)
	}
}

// skippedHour enters a time that does not exist, because clocks are set forward.
func (c *consoleTest) skippedHour(t *testing.T) {
	a := api{c: c}
	short := a.anyVideo(t)
	a.connected(t, "tiktok", "maya")
	zone := func(name string) {
		c.program(t, "kubectl", "patch", "brands.reelops.dev", account, "-n", account, "--type=merge",
			"-p", `{"spec":{"timezone":`+name+`}}`)
	}
	before := strings.TrimSpace(c.program(t, "kubectl", "get", "brands.reelops.dev", account, "-n", account,
		"-o", "jsonpath={.spec.timezone}"))
	zone(`"Europe/Berlin"`)
	t.Cleanup(func() {
		if before == "" {
			zone("null")
		} else {
			zone(quote(before))
		}
	})
	waitFor(t, func() bool {
		var is struct{ Timezone string }
		a.call(t, http.MethodGet, "/brand", nil, &is)
		return is.Timezone == "Europe/Berlin"
	}, "the brand is in Berlin")
	w := c.signedIn(t)
	w.visit(fmt.Sprintf("/console/shorts/%d/publish", short))
	w.click("radio", "At a time")
	w.reads("Europe/Berlin")
	set := func(value string) {
		run[bool](w, `(() => {
			const field = document.querySelector('input[type=datetime-local]');
			Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, `+quote(value)+`);
			return field.dispatchEvent(new Event('input', {bubbles: true}));
		})()`)
	}
	set("2027-03-28T02:30")
	w.reads("This time does not exist on that day: the clocks are set forward.")
	if !run[bool](w, "document.querySelector('main form button[type=submit]').disabled") {
		t.Error("a post can be scheduled at a time that does not exist")
	}
	set("2027-03-28T03:30")
	w.eventually(waitTimeout, func() error {
		shown, err := tryRun[bool](w, "document.body.innerText.includes('This time does not exist')")
		if err == nil && shown {
			err = errors.New("the problem is still shown")
		}
		return err
	})
}

// dialogsAnnounce fails to copy in a dialog, and presses the button of a question twice.
func (c *consoleTest) dialogsAnnounce(t *testing.T) {
	const caption = "This post is cancelled once"
	a := api{c: c}
	at := time.Now().Add(28 * time.Hour)
	body := tiktokPost(a.anyVideo(t), a.connected(t, "tiktok", "maya"), at)
	body["caption"] = caption
	post := a.schedule(t, body)
	w := c.open(t)
	w.onLoad(`Object.defineProperty(navigator, 'clipboard', {value: {writeText: () => Promise.reject(new Error('no'))}});`)
	w.visit(c.newLink(t))
	w.visit("/console/calendar?view=month&day=" + at.UTC().Format(time.DateOnly))
	w.click("button", "Export")
	w.sees("dialog", "Export")
	w.click("button", "Copy")
	// Elements outside of a modal dialog are inert, so that a screen reader does not announce them.
	w.eventually(waitTimeout, func() error {
		said, err := tryRun[string](w, `document.querySelector('dialog[open] p[role=status]')?.textContent ?? ''`)
		if err == nil && said != "The browser did not allow the copy." {
			err = fmt.Errorf("the dialog announces %q", said)
		}
		return err
	})
	w.sees("button", "Dismiss")
	w.press("\x1b")
	w.gone("dialog", "Export")

	w.click("button", caption)
	w.click("button", "Cancel post")
	w.sees("dialog", "Cancel this post")
	w.clickTwice(`[...document.querySelectorAll('dialog')].at(-1).querySelector('footer button:last-child')`)
	w.reads("The post is cancelled")
	if n := w.sent(fmt.Sprintf("DELETE /console/api/v1/posts/%d", post)); n != 1 {
		t.Errorf("two clicks sent %d requests, want 1", n)
	}
}

// clickTwice clicks twice on the element of an expression, without a pause.
func (w *window) clickTwice(expression string) {
	w.t.Helper()
	at := run[spot](w, `(() => {
		const r = (`+expression+`).getBoundingClientRect();
		return {X: r.left + r.width / 2, Y: r.top + r.height / 2};
	})()`)
	ctx, cancel := context.WithTimeout(w.ctx, callTimeout)
	defer cancel()
	var events []chromedp.Action[chromedp.Void]
	for range 2 {
		for _, kind := range []input.DispatchMouseEventType{
			input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased,
		} {
			events = append(events, chromedp.MouseEvent(kind, at.X, at.Y,
				chromedp.ButtonType(input.MouseButtonLeft), chromedp.ClickCount(1)))
		}
	}
	if err := chromedp.Do(ctx, events...); err != nil {
		w.t.Fatal(err)
	}
}

// keyRights creates a key as a user whose role can only read.
func (c *consoleTest) keyRights(t *testing.T) {
	const user = "carla@example.com"
	c.program(t, "kubectl", "create", "rolebinding", "carla", "--clusterrole", "reelops-viewer", "--user", user,
		"-n", account)
	c.program(t, "kubectl", "create", "role", "keys", "--verb", "list,create", "--resource", "apikeys.reelops.dev",
		"-n", account)
	c.program(t, "kubectl", "create", "rolebinding", "carla-keys", "--role", "keys", "--user", user, "-n", account)
	open := func(args ...string) (w *window, enabled []string) {
		w = c.open(t)
		w.visit(c.newLink(t, args...))
		w.visit("/console/settings?tab=keys")
		w.click("button", "Create key")
		w.sees("dialog", "Create an API key")
		return w, run[[]string](w, `[...document.querySelectorAll('dialog input[type=checkbox]:enabled')]
			.map((box) => [...box.labels].map((l) => l.innerText.split('\n')[0].trim()).join(' '))`)
	}
	_, all := open()
	if got := strings.Join(all, " "); !strings.Contains(got, "brand:write") || !strings.Contains(got, "brand:read") {
		t.Errorf("an administrator may choose the scopes %q, want brand:write among them", all)
	}
	w, enabled := open("--as", user)
	for _, scope := range enabled {
		if strings.HasSuffix(scope, ":write") {
			t.Errorf("a user who can only read may choose the scope %s", scope)
		}
	}
	w.enter("Name", "Reader")
	w.click("button", "Create key")
	w.reads("Reader")
	w.gone("dialog", "Create an API key")
	// The form is not the only check.
	w.expects("403 POST /console/keys")
	status := run[int](w, `fetch('/console/keys', {method: 'POST',
		headers: {'Content-Type': 'application/json', 'X-Reelops-Account': `+quote(account)+`},
		body: JSON.stringify({display_name: 'Writer', scopes: ['brand:write']})}).then((r) => r.status)`)
	if status != http.StatusForbidden {
		t.Errorf("a user who can only read created a key that writes: status %d, want 403", status)
	}
}

// manyPosts answers requests for scheduled posts with copies of one post, one each nine minutes, as GET /posts does. It
// counts the requests.
const manyPosts = `(() => {
	const real = window.fetch;
	const step = 9 * 60_000;
	window.reads = 0;
	window.fetch = async (...args) => {
		const request = new Request(...args);
		const url = new URL(request.url);
		const query = (name) => url.searchParams.get(name);
		if (!url.pathname.endsWith('/api/v1/posts') || !query('scheduled_after')) return real(request);
		window.reads++;
		const first = Math.ceil(Date.parse(query('scheduled_after')) / step);
		const total = Math.floor(Date.parse(query('scheduled_before')) / step) - first + 1;
		const page = Number(query('page')), size = Number(query('per_page'));
		const data = [];
		for (let i = (page - 1) * size; i < Math.min(page * size, total); i++) {
			data.push({...%s, id: first + i, scheduled_at: new Date((first + i) * step).toISOString()});
		}
		const pagination = {page, per_page: size, total_count: total, total_pages: Math.ceil(total / size)};
		return Response.json({data, meta: {pagination}});
	};
})();`

// fullMonth opens a month with 160 posts on each day, which are more than the calendar reads at first.
func (c *consoleTest) fullMonth(t *testing.T) {
	a := api{c: c}
	at := time.Now().AddDate(0, 2, 0).UTC()
	body := tiktokPost(a.anyVideo(t), a.connected(t, "tiktok", "maya"), at)
	body["caption"] = "One of many"
	var post json.RawMessage
	a.call(t, http.MethodGet, fmt.Sprintf("/posts/%d", a.schedule(t, body)), nil, &post)
	w := c.open(t)
	w.onLoad(fmt.Sprintf(manyPosts, post))
	w.visit(c.newLink(t))
	day := at.Format("2006-01") + "-15"
	w.visit("/console/calendar?view=month&day=" + day)
	w.reads("157 more")
	if n := run[int](w, "window.reads"); n > 43 {
		t.Errorf("the month took %d requests, want one per day and one before", n)
	}
	w.check("the full month")
	c.picture(w, "calendar-full")
	w.accessible("the full month")
	run[bool](w, "document.querySelector('[data-day=\""+day+"\"]').focus(); true")
	w.press(kb.Enter)
	w.reads("110 posts not shown.")
	posts := func(want int, left string) {
		t.Helper()
		w.reads(left)
		w.eventually(waitTimeout, func() error {
			n, err := tryRun[int](w, "document.querySelectorAll('dialog li').length")
			if err == nil && n != want {
				err = fmt.Errorf("the dialog has %d posts, want %d", n, want)
			}
			return err
		})
	}
	before := run[int](w, "window.reads")
	w.click("button", "Load more")
	posts(100, "60 posts not shown.")
	w.click("button", "Load more")
	posts(150, "10 posts not shown.")
	w.click("button", "Load more")
	w.gone("button", "Load more")
	posts(160, "")
	if n := run[int](w, "window.reads") - before; n != 3 {
		t.Errorf("three pages took %d requests", n)
	}
	w.press(kb.Escape)
	w.visit("/console/calendar?view=week&day=" + day)
	w.click("button", "110 more")
	w.reads("110 posts not shown.")
}

// holdPosts delays the answers to reads of single posts until window.release is called.
const holdPosts = `(() => {
	const real = window.fetch;
	const released = new Promise((done) => { window.release = done; });
	window.fetch = async (...args) => {
		const request = new Request(...args);
		if (request.method === 'GET' && /\/api\/v1\/posts\/\d+$/.test(new URL(request.url).pathname)) await released;
		return real(request);
	};
})();`

// approvesWhatIsShown opens the queue of approvals while the content of the posts is not read yet.
func (c *consoleTest) approvesWhatIsShown(t *testing.T) {
	a := api{c: c}
	short, tiktok := a.anyVideo(t), a.connected(t, "tiktok", "maya")
	a.hold(t, account, true)
	t.Cleanup(func() { a.hold(t, account, false) })
	a.schedule(t, tiktokPost(short, tiktok, time.Now().Add(96*time.Hour)))
	w := c.open(t)
	w.onLoad(holdPosts)
	w.visit(c.newLink(t))
	call(w, page.Navigate, page.NavigateParams{URL: c.url + "/console/approvals"}) // the page does not settle
	w.click("button", "Select all")
	enabled := func(want bool) {
		t.Helper()
		w.eventually(waitTimeout, func() error {
			states, err := tryRun[[]bool](w, `[...document.querySelectorAll('main button')]
				.filter((b) => b.innerText.startsWith('Approve')).map((b) => !b.disabled)`)
			if err == nil && (len(states) < 2 || slices.Contains(states, !want)) {
				err = fmt.Errorf("the buttons Approve are enabled: %v, want %v", states, want)
			}
			return err
		})
	}
	w.sees("button", "Return")
	enabled(false)
	run[bool](w, "window.release(); true")
	enabled(true)
}
