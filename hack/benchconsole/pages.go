// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"time"
)

// opened holds the times of a page since the start of its navigation, in milliseconds.
type opened struct {
	// Shown is when the content was complete.
	Shown float64
	// Interactive is the end of the last task of more than 50 ms that no such task followed for half a second; at least
	// Shown.
	Interactive float64
	// Frame is the longest frame while the page was scrolled to its end; 0 if it was not scrolled.
	Frame float64
	// Entries is the number of entries that the page shows.
	Entries int
}

// measureOpened waits until ready, an expression, is true and nothing is loading.
const measureOpened = `new Promise((done) => {
	let last = 0;
	new PerformanceObserver((list) => {
		for (const task of list.getEntries()) last = Math.max(last, task.startTime + task.duration);
	}).observe({type: 'longtask', buffered: true});
	let shown = 0;
	const look = () => {
		const now = performance.now();
		const ready = (%s) && !document.querySelector('[aria-busy=true], [aria-label^=Loading]');
		if (ready && !shown) shown = now;
		if (!ready) shown = 0;
		if (shown && now - Math.max(shown, last) > 500) {
			done({shown, interactive: Math.max(shown, last), entries: %s});
		} else {
			requestAnimationFrame(look);
		}
	};
	look();
})`

// measureScroll scrolls to the end of the page, and returns the longest frame in milliseconds.
const measureScroll = `new Promise((done) => {
	const root = document.scrollingElement;
	let at = 0, before = 0, longest = 0;
	const step = (now) => {
		if (before) longest = Math.max(longest, now - before);
		before = now;
		at += 80;
		scrollTo(0, at);
		if (at < root.scrollHeight - innerHeight && at < 100000) requestAnimationFrame(step);
		else done(longest);
	};
	requestAnimationFrame(step);
})`

// alternate opens a page of the full and of the empty brand in turn. The first round is a warm-up.
func (p *plan) alternate(
	b *browser, name, path string, full, empty int64, ready, entries [2]string, scroll bool,
) (out [2][]opened, err error) {
	for round := range p.rounds + 1 {
		for i, brand := range []int64{full, empty} {
			if err := b.open(b.url + "/console/link"); err != nil { // a page of the origin, for its storage
				return out, err
			}
			if err := b.choose(brand); err != nil {
				return out, err
			}
			if err := b.open(b.url + path); err != nil {
				return out, err
			}
			one, err := run[opened](b, fmt.Sprintf(measureOpened, ready[i], entries[i]))
			if err != nil {
				return out, fmt.Errorf("%s: %w", name, err)
			}
			if scroll && i == 0 {
				if one.Frame, err = run[float64](b, measureScroll); err != nil {
					return out, fmt.Errorf("scrolling the %s: %w", name, err)
				}
			}
			if round > 0 {
				out[i] = append(out[i], one)
			}
		}
	}
	return out, nil
}

// median returns the median of a value, as milliseconds.
func median(all []opened, of func(opened) float64) float64 {
	values := make([]float64, len(all))
	for i, one := range all {
		values[i] = of(one)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func shownAt(o opened) float64 { return o.Shown }

func interactiveAt(o opened) float64 { return o.Interactive }

// goalCalendar is the largest acceptable ratio of a full month to an empty one.
const goalCalendar = 2.0

func (p *plan) calendar(b *browser, full, empty int64) error {
	logf("opening the calendar %d times", 2*(p.rounds+1))
	const grid = `document.querySelector('[role=grid] [data-day]')`
	const count = `[...document.querySelectorAll('[data-day]')].reduce((n, cell) =>
		n + Number(/(\d[\d,]*) posts?/.exec(cell.textContent)?.[1].replace(',', '') ?? 0), 0)`
	both, err := p.alternate(b, "calendar", "/console/calendar?view=month&day="+time.Now().UTC().Format(time.DateOnly),
		full, empty, [2]string{grid + " && " + count + " > 0", grid}, [2]string{count, count}, false)
	if err != nil {
		return err
	}
	header("calendar, month", fmt.Sprintf("%d posts", p.posts), "no posts")
	row("all posts are shown", both, shownAt)
	ratio := row("interactive", both, interactiveAt)
	shown := both[0][0].Entries
	fmt.Printf("%d of %d posts are in the days shown; interactive: %.2f times the empty month   goal <= %g: %s\n",
		shown, p.posts, ratio, goalCalendar, met(ratio <= goalCalendar))
	return nil
}

// goalFrame is the longest acceptable frame while scrolling, in milliseconds.
const goalFrame = 50

func (p *plan) library(b *browser, full, empty int64) error {
	logf("opening the library %d times", 2*(p.rounds+1))
	const count = `document.querySelectorAll('[aria-label=Shorts] li').length`
	both, err := p.alternate(b, "library", "/console", full, empty,
		[2]string{count + " > 0", `document.querySelector('main')?.innerText.includes('Create the first short')`},
		[2]string{count, count}, true)
	if err != nil {
		return err
	}
	header("library", fmt.Sprintf("%d shorts", p.shorts), "no shorts")
	row("first grid", both, shownAt)
	row("interactive", both, interactiveAt)
	longest := 0.0
	for _, one := range both[0] {
		longest = max(longest, one.Frame)
	}
	usual := median(both[0], func(o opened) float64 { return o.Frame })
	fmt.Printf("%d shorts on the page; longest frame while scrolling: median %.0f ms, worst of %d rounds %.0f ms"+
		"   goal <= %d ms: %s\n", both[0][0].Entries, usual, p.rounds, longest, goalFrame, met(longest <= goalFrame))
	return nil
}

func header(name, full, empty string) {
	fmt.Printf("\n%-34s %14s %14s %8s\n", name, full, empty, "ratio")
}

// row prints the medians of a value of the full and the empty page, and returns their ratio.
func row(name string, both [2][]opened, of func(opened) float64) (ratio float64) {
	full, empty := median(both[0], of), median(both[1], of)
	ratio = full / empty
	fmt.Printf("%-34s %11.0f ms %11.0f ms %8.2f\n", name, full, empty, ratio)
	return ratio
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "missed"
}
