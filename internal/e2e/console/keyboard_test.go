// SPDX-License-Identifier: Apache-2.0

package console

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// maxTabs is the number of Tab presses after which an element counts as out of reach.
const maxTabs = 80

// focused describes the element with the focus. Shown reports whether the page shows where the focus is, on the element
// or on the label of a hidden one.
type focused struct {
	Tag, Role, Text, Href, Day string
	Shown                      bool
}

const readFocus = `(() => {
	const e = document.activeElement;
	const ring = (x) => {
		const style = x && getComputedStyle(x);
		return style && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
	};
	return {
		tag: e.tagName, role: e.getAttribute('role') ?? '', href: e.getAttribute('href') ?? '',
		text: e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent, day: e.dataset.day ?? '',
		shown: !!(ring(e) || ring(e.nextElementSibling) || ring(e.closest('label'))),
	};
})()`

// tabTo presses Tab until an element has the focus that accepts matches. Every element on the way shows the focus.
func (w *window) tabTo(name string, accepts func(focused) bool) focused {
	w.t.Helper()
	var way []string
	for range maxTabs {
		w.press(kb.Tab)
		at := run[focused](w, readFocus)
		if at.Tag != "BODY" && at.Tag != "VIDEO" && !at.Shown {
			w.t.Errorf("the focus on %+v is not visible", at)
		}
		if accepts(at) {
			return at
		}
		way = append(way, fmt.Sprintf("%s %.40q", at.Tag, at.Text))
	}
	w.t.Fatalf("Tab does not reach %s, only %s", name, strings.Join(way, ", "))
	return focused{}
}

func linkTo(text string) func(focused) bool {
	return func(f focused) bool { return f.Tag == "A" && strings.TrimSpace(f.Text) == text }
}

// keyboard uses the console without a mouse.
func (c *consoleTest) keyboard(t *testing.T) {
	api{c: c}.anyVideo(t)
	w := c.open(t)

	// The page of a used link leads to the console.
	link := c.newLink(t)
	c.open(t).visit(link)
	w.visit(link)
	w.expects("401 POST /console/session/link")
	w.sees("heading", "The link does not work")
	w.tabTo("the console", linkTo("Open the console"))
	w.expects("401 GET /console/session")
	w.press(kb.Enter)
	w.sees("heading", "Sign in")
	w.check("sign-in")

	w.visit(c.newLink(t))
	w.sees("heading", "Library")
	if first := w.tabTo("the first link", func(focused) bool { return true }); first.Text != "Skip to content" {
		t.Errorf("the first element with the focus is %+v, want the link to the content", first)
	}
	w.press(kb.Enter)
	w.eventually(waitTimeout, func() error {
		if at := run[focused](w, readFocus); at.Tag != "MAIN" {
			return fmt.Errorf("the focus is on %+v, want the content", at)
		}
		return nil
	})
	w.tabTo("a short", func(f focused) bool { return f.Tag == "A" && strings.Contains(f.Href, "/shorts/") })
	w.press(kb.Enter)
	w.sees("heading", "Caption")

	w.tabTo("the calendar", linkTo("Calendar"))
	w.press(kb.Enter)
	w.sees("heading", "Calendar")
	w.sees("grid", "Posts by day")
	today := w.tabTo("a day", func(f focused) bool { return f.Role == "gridcell" }).Day
	day, err := time.Parse(time.DateOnly, today)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		key  string
		want time.Time
	}{
		{kb.ArrowRight, day.AddDate(0, 0, 1)},
		{kb.ArrowDown, day.AddDate(0, 0, 8)},
		{kb.ArrowLeft, day.AddDate(0, 0, 7)},
		{kb.ArrowUp, day},
	} {
		w.press(step.key)
		w.onDay(step.want)
	}
	w.press(kb.PageDown)
	w.eventually(waitTimeout, func() error {
		at, err := time.Parse(time.DateOnly, run[focused](w, readFocus).Day)
		if err == nil && at.Month() != day.AddDate(0, 0, 1-day.Day()).AddDate(0, 1, 0).Month() {
			err = fmt.Errorf("the focus is on %s, want the next month", at)
		}
		return err
	})
	next := run[focused](w, readFocus).Day
	w.press(kb.Enter)
	w.sees("dialog", "")
	w.press(kb.Escape)
	w.eventually(waitTimeout, func() error {
		if _, err := w.find("dialog", ""); err == nil {
			return errors.New("Escape does not close the dialog")
		}
		return nil
	})
	at, err := time.Parse(time.DateOnly, next)
	if err != nil {
		t.Fatal(err)
	}
	w.onDay(at)
	w.press(kb.PageUp)
	w.press(kb.End)
	w.eventually(waitTimeout, func() error {
		day, err := time.Parse(time.DateOnly, run[focused](w, readFocus).Day)
		if err == nil && day.Weekday() != time.Sunday {
			err = fmt.Errorf("End moves the focus to %s, want a Sunday", day.Weekday())
		}
		return err
	})
}

// onDay waits until the day has the focus.
func (w *window) onDay(day time.Time) {
	w.t.Helper()
	w.eventually(waitTimeout, func() error {
		at := run[focused](w, readFocus)
		if want := day.Format(time.DateOnly); at.Day != want {
			return fmt.Errorf("the focus is on %+v, want %s", at, want)
		}
		return nil
	})
}
