// SPDX-License-Identifier: Apache-2.0

package console

import "testing"

// maxClicks is the number of clicks from the printed link to the published video, with the one that opens the link.
const maxClicks = 12

// newcomer goes from the printed link to a published video.
func (c *consoleTest) newcomer(t *testing.T) {
	w := c.open(t)
	w.visit(c.link)
	w.clicks++
	w.click("link", "Create a short")
	// The field has the focus.
	w.write("What is it about?", "How to sleep better, for parents with little time. Go to bed at the same time every "+
		"day. Keep the bedroom at 18 °C. No screens in the last hour.")
	w.click("button", "Create video")
	w.sees("list", "")
	w.sees("progressbar", "") // the server sends the progress
	c.picture(w, "newcomer-progress")
	w.seesWithin(workTimeout, "Video", "Video: ")
	w.click("link", "Publish")
	w.click("button", "Connect TikTok")
	w.click("link", "Open TikTok")
	consent := c.newTab(w, c.sandbox)
	c.picture(consent, "newcomer-consent")
	consent.click("button", "maya")
	consent.reads("is connected")
	w.click("button", "Done")
	w.choose("Who can view this post", "Only you")
	w.click("button", "Publish now")
	w.seesWithin(workTimeout, "heading", "Published")
	c.picture(w, "newcomer-published")
	if clicks := w.clicks + consent.clicks; clicks > maxClicks {
		t.Errorf("the first published video takes %d clicks, want at most %d", clicks, maxClicks)
	}
	if w.texts != 1 {
		t.Errorf("the first published video takes %d texts, want 1", w.texts)
	}
}
