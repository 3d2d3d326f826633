// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/testkit/need"
)

const (
	// waitTimeout bounds every wait for the page, and workTimeout one for a video. They are long for busy machines.
	waitTimeout, workTimeout = time.Minute, 6 * time.Minute
	// callTimeout bounds each command to the browser.
	callTimeout = 30 * time.Second
	poll        = 100 * time.Millisecond
	// quietPolls is the number of successive polls without a request after which a page is settled.
	quietPolls = 3
	chromium   = "chromium-headless-shell"
)

// violations reports violations of the content security policy as console errors.
const violations = `document.addEventListener('securitypolicyviolation', (e) =>
	console.error('CSP: ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample));`

// startBrowser starts a browser, and stops it with the test.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	need.Program(t, chromium)
	// The context of the test ends before its cleanups run.
	allocator, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.Headless,
		chromedp.NoDefaultBrowserCheck, chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-renderer-backgrounding", true), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("lang", "en-GB"), chromedp.Flag("password-store", "basic"))
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		// The program is a script that starts the browser: killing the script would leave the browser.
		timed, done := context.WithTimeout(ctx, callTimeout)
		defer done()
		if err := chromedp.Cancel(timed); err != nil {
			t.Errorf("closing %s: %v", chromium, err)
		}
		cancel()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("starting %s: %v", chromium, err)
	}
	return ctx
}

// window is a tab of the browser with the problems of its pages.
type window struct {
	t    *testing.T
	ctx  context.Context
	base string // URL of the stack

	// clicks counts the clicks of a user, and texts the texts.
	clicks, texts int

	mu       sync.Mutex
	requests map[network.RequestID]string // all requests, by method and path
	inFlight map[network.RequestID]bool
	problems []string
	expected []string
	// tolerates reports whether a problem may occur that the test does not expect.
	tolerates func(problem string) bool
}

// open opens a window. It checks the problems of its pages when the test ends.
func (c *consoleTest) open(t *testing.T) *window {
	t.Helper()
	return c.attach(t, c.browser, chromedp.WithNewBrowserContext())
}

func (c *consoleTest) attach(t *testing.T, parent context.Context, option chromedp.ContextOption) *window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, option)
	w := &window{
		t: t, ctx: ctx, base: c.url, requests: map[network.RequestID]string{},
		inFlight: map[network.RequestID]bool{},
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.picture(w, "failed-"+strings.ReplaceAll(t.Name(), "/", "-"))
		}
		cancel()
		w.check("at the end")
	})
	if err := chromedp.Listen(ctx, w.observe); err != nil {
		t.Fatal(err)
	}
	call(w, page.AddScriptToEvaluateOnNewDocument,
		page.AddScriptToEvaluateOnNewDocumentParams{Source: violations, RunImmediately: new(true)})
	w.size(1400)
	return w
}

// call sends a command to the browser, which must succeed.
func call[P, R any](w *window, command cdp.Command[P, R], params P) R {
	w.t.Helper()
	out, err := try(w, command, params)
	if err != nil {
		w.t.Fatalf("%s: %v", command.Method, err)
	}
	return out
}

func try[P, R any](w *window, command cdp.Command[P, R], params P) (R, error) {
	ctx, cancel := context.WithTimeout(w.ctx, callTimeout)
	defer cancel()
	return chromedp.Call(ctx, command, params)
}

// run returns the value of an expression in the page. It waits for a promise.
func run[T any](w *window, expression string) T {
	w.t.Helper()
	out, err := tryRun[T](w, expression)
	if err != nil {
		w.t.Fatalf("%s: %v", expression[:min(len(expression), 200)], err)
	}
	return out
}

func tryRun[T any](w *window, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(w.ctx, callTimeout)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// observe records requests and problems. The browser connection calls it for each event.
func (w *window) observe(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.requests[e.RequestID] = e.Request.Method + " " + w.path(e.Request.URL)
		if e.Type != network.ResourceTypeEventSource {
			w.inFlight[e.RequestID] = true
		}
	case *network.EventResponseReceived:
		if e.Response.Status >= 400 {
			w.problems = append(w.problems, fmt.Sprintf("%d %s", e.Response.Status, w.requests[e.RequestID]))
		}
	case *network.EventLoadingFinished:
		delete(w.inFlight, e.RequestID)
	case *network.EventLoadingFailed:
		// A page that is left cancels its requests, and a video player does when it has enough.
		if !e.Canceled && e.ErrorText != "net::ERR_ABORTED" {
			w.problems = append(w.problems,
				fmt.Sprintf("%s %s %s", e.ErrorText, e.BlockedReason, w.requests[e.RequestID]))
		}
		delete(w.inFlight, e.RequestID)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			var words []string
			for _, arg := range e.Args {
				words = append(words, string(arg.Value)+arg.Description)
			}
			w.problems = append(w.problems, "console error: "+strings.Join(words, " "))
		}
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		w.problems = append(w.problems, "page error: "+text)
	case *log.EventEntryAdded:
		// Failed requests have their own events.
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork {
			w.problems = append(w.problems, fmt.Sprintf("browser error: %s: %s", e.Entry.Source, e.Entry.Text))
		}
	case *page.EventJavascriptDialogOpening:
		if e.Type == page.DialogTypeBeforeunload { // a visit leaves unsaved input
			go func() {
				_, _ = try(w, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
			}()
			return
		}
		w.problems = append(w.problems, "a script opened a dialog: "+e.Message)
	}
}

func (w *window) path(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return strings.TrimPrefix(url, w.base)
}

// expects names a problem that the test causes. It may occur any number of times, but must occur.
func (w *window) expects(problem string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.expected = append(w.expected, problem)
}

// sent returns how many requests were sent, by method and path.
func (w *window) sent(request string) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.requests {
		if one == request {
			n++
		}
	}
	return n
}

// check fails the test for problems that it does not expect, and for those that it expects and that did not occur.
func (w *window) check(where string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, problem := range w.problems {
		if !slices.Contains(w.expected, problem) && (w.tolerates == nil || !w.tolerates(problem)) {
			w.t.Errorf("%s: %s", where, problem)
		}
	}
	for _, problem := range w.expected {
		if !slices.Contains(w.problems, problem) {
			w.t.Errorf("%s: %q did not occur", where, problem)
		}
	}
	w.problems, w.expected = nil, nil
}

// eventually repeats attempt until it returns no error.
func (w *window) eventually(timeout time.Duration, attempt func() error) {
	w.t.Helper()
	last := errors.New("no attempt ended")
	NewWithT(w.t).Eventually(func() error {
		last = attempt()
		return last
	}).WithTimeout(timeout).WithPolling(poll).Should(Succeed(), func() string { return w.describe() })
}

// describe returns what the page shows.
func (w *window) describe() string {
	text, err := tryRun[string](w, "location.pathname + '\\n' + document.body.innerText")
	if err != nil {
		return err.Error()
	}
	return text[:min(len(text), 3000)]
}

// visit opens an address of the console, and waits until the page is settled.
func (w *window) visit(path string) {
	w.t.Helper()
	url := path
	if strings.HasPrefix(path, "/") {
		url = w.base + path
	}
	// An address that differs only in the fragment would not load the page.
	call(w, page.Navigate, page.NavigateParams{URL: "about:blank"})
	// A page with unsaved input is left after its dialog is confirmed. The browser does not respond to a second request
	// to leave it.
	w.eventually(waitTimeout, func() error {
		at, err := tryRun[string](w, "location.href")
		if err == nil && at != "about:blank" {
			err = fmt.Errorf("the window still shows %s", at)
		}
		return err
	})
	w.mu.Lock()
	clear(w.inFlight) // the browser does not report the end of all requests of a page that is left
	w.mu.Unlock()
	if problem := call(w, page.Navigate, page.NavigateParams{URL: url}).ErrorText; problem != "" {
		w.t.Fatalf("opening %s: %s", path, problem)
	}
	w.settle()
}

// settle waits until the page shows nothing that is loading, and no request is in flight.
func (w *window) settle() {
	w.t.Helper()
	quiet := 0
	w.eventually(waitTimeout, func() error {
		quiet++
		w.mu.Lock()
		waiting := len(w.inFlight)
		var names []string
		for id := range w.inFlight {
			names = append(names, w.requests[id])
		}
		w.mu.Unlock()
		loading, err := tryRun[int](w, `document.readyState === 'complete' && document.getElementById('root') ?
			document.querySelectorAll('[aria-busy=true], [aria-label^=Loading]').length : 1`)
		if err != nil || loading > 0 || waiting > 0 {
			quiet = 0
			return errors.Join(err, fmt.Errorf("%d parts are loading, requests in flight: %v", loading, names))
		}
		if quiet < quietPolls {
			return errors.New("the page became quiet just now")
		}
		return nil
	})
}

// size sets the width of the window.
func (w *window) size(width int64) {
	w.t.Helper()
	call(w, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height(width), DeviceScaleFactor: 1})
}

func height(width int64) int64 {
	if width < 600 {
		return 844
	}
	return 900
}

// scheme sets the colour scheme of the system. Transitions are off.
func (w *window) scheme(name string) {
	w.t.Helper()
	call(w, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// newTab returns the tab that the page opened at an address with a prefix.
func (c *consoleTest) newTab(w *window, prefix string) *window {
	w.t.Helper()
	var id target.ID
	w.eventually(waitTimeout, func() error {
		tabs, err := chromedp.Targets(w.ctx)
		for _, tab := range tabs {
			if tab.Type == "page" && !tab.Attached && strings.HasPrefix(tab.URL, prefix) {
				id = tab.TargetID
				return nil
			}
		}
		return errors.Join(err, fmt.Errorf("no tab at %s", prefix))
	})
	return c.attach(w.t, w.ctx, chromedp.WithTargetID(id))
}

// quote returns a text as a JavaScript literal.
func quote(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string is valid JSON
	}
	return string(out)
}
