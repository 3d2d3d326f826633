// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/reelops/reelops/internal/account/consolelink"
	"github.com/reelops/reelops/internal/e2e/atrest"
)

const (
	chromium = "chromium-headless-shell"
	// pageTimeout bounds the time of one page, and of each other command to the browser.
	pageTimeout = 2 * time.Minute
	width       = 1400
	height      = 900
)

// browser is Chromium with one window.
type browser struct {
	ctx  context.Context
	stop func()
	url  string
}

func startBrowser(ctx context.Context) (*browser, error) {
	allocator, stop := chromedp.NewExecAllocator(context.WithoutCancel(ctx),
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.Headless,
		chromedp.NoDefaultBrowserCheck, chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-renderer-backgrounding", true), chromedp.Flag("password-store", "basic"))
	tab, cancel := chromedp.NewContext(allocator)
	b := &browser{ctx: tab, stop: func() {
		// The program is a script that starts the browser: killing the script would leave the browser.
		timed, done := context.WithTimeout(tab, pageTimeout)
		defer done()
		_ = chromedp.Cancel(timed)
		cancel()
		stop()
	}}
	_, err := chromedp.Call(tab, emulation.SetDeviceMetricsOverride,
		emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
	if err != nil {
		b.stop()
		return nil, fmt.Errorf("starting %s: %w", chromium, err)
	}
	return b, nil
}

func (b *browser) close() { b.stop() }

// open opens an address from an empty page.
func (b *browser) open(url string) error {
	for _, at := range []string{"about:blank", url} {
		ctx, cancel := context.WithTimeout(b.ctx, pageTimeout)
		out, err := chromedp.Call(ctx, page.Navigate, page.NavigateParams{URL: at})
		cancel()
		if err != nil {
			return err
		}
		if out.ErrorText != "" {
			return fmt.Errorf("opening %s: %s", at, out.ErrorText)
		}
	}
	return nil
}

// run returns the value of an expression in the page. It waits for a promise.
func run[T any](b *browser, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, pageTimeout)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// signIn signs the administrator in, and returns the id of the brand of the stack.
func (b *browser) signIn(s *atrest.Stack) (brand int64, err error) {
	b.url = s.URL
	me := &authenticationv1.SelfSubjectReview{}
	if err := s.Client.Create(b.ctx, me); err != nil {
		return 0, err
	}
	link, token := consolelink.New(atrest.Account, me.Status.UserInfo, time.Now())
	if err := s.Client.Create(b.ctx, link); err != nil {
		return 0, err
	}
	if err := b.open(consolelink.URL(s.URL, token)); err != nil {
		return 0, err
	}
	// The page of the link replaces itself by the console, which ends expressions that run in it.
	for deadline := time.Now().Add(pageTimeout); ; {
		ready, err := run[bool](b, `location.pathname === '/console' && document.querySelector('main h1') !== null`)
		if ready {
			break
		}
		if time.Now().After(deadline) {
			return 0, fmt.Errorf("signing in: the console is not shown: %w", err)
		}
		<-time.After(100 * time.Millisecond)
	}
	brands, err := run[[]struct {
		ID   int64
		Name string
	}](b, `fetch('/console/api/v1/brands').then((r) => r.json()).then((d) => d.data)`)
	if err != nil {
		return 0, err
	}
	for _, one := range brands {
		if one.Name == atrest.Account {
			return one.ID, nil
		}
	}
	return 0, fmt.Errorf("the console has no brand %s, only %v", atrest.Account, brands)
}

// choose makes the console show a brand from the next page on.
func (b *browser) choose(brand int64) error {
	_, err := run[bool](b, fmt.Sprintf(`localStorage.setItem('reelops.brand.%s', '%d'); true`, atrest.Account, brand))
	return err
}

// quote returns a value as JavaScript.
func quote(v any) string {
	doc, err := json.Marshal(v)
	if err != nil {
		panic(err) // values of this program are valid
	}
	return string(doc)
}
