// SPDX-License-Identifier: Apache-2.0

package console

import (
	"fmt"
	"testing"
)

// twelvePosts makes the page receive twelve posts for each account: eight at 06:30 UTC with 100 views each, three at
// 16:30 UTC with 900 views each, and one at 20:30 UTC with 5,000 views.
const twelvePosts = `(() => {
	const original = window.fetch;
	window.fetch = async (request, options) => {
		const response = await original(request, options);
		if (!/analytics\/accounts\/\d+\?/.test(request.url ?? request)) return response;
		const body = await response.json();
		const post = (hour, day, views) => ({
			platform_post_id: hour + '-' + day, post_id: null, short_id: null, published_by_service: false,
			title: 'Post of day ' + day, caption: null, post_url: null, thumbnail_url: null,
			posted_at: new Date(Date.UTC(2026, 10, day, hour, 30)).toISOString(), view_count: views, like_count: null,
			comment_count: null, share_count: null, favorite_count: null, engagement_rate: null, duration_seconds: null,
			metrics_updated_at: null,
		});
		const days = (n) => Array.from({length: n}, (_, i) => i + 1);
		body.data.posts = [...days(8).map((d) => post(6, d, 100)), ...days(3).map((d) => post(16, d, 900)),
			post(20, 1, 5000)];
		body.data.summary.post_count = 12;
		return new Response(JSON.stringify(body), {status: 200, headers: {'Content-Type': 'application/json'}});
	};
})()`

// bestHours shows the hours of publication with the most views, if there are enough posts.
func (c *consoleTest) bestHours(t *testing.T) {
	id := api{c: c}.connected(t, "tiktok", "maya")
	w := c.signedIn(t)
	path := fmt.Sprintf("/console/analytics?account=%d", id)
	w.visit(path)
	w.sees("heading", "Posts")
	w.gone("heading", "Best hours")
	w.onLoad(twelvePosts)
	w.visit(path)
	w.sees("heading", "Best hours")
	w.reads("from 12 posts of the period")
	const rows = `[...document.querySelectorAll('table')].find((t) => t.innerText.includes('Views per post'))
		.querySelector('tbody').innerText`
	w.reads("Times are in UTC")
	if got := run[string](w, rows); got != "16:00 to 16:59\t3\t900\n06:00 to 06:59\t8\t100" {
		t.Errorf("the best hours are %q", got)
	}
	c.inspect(t, w, screen{"best-hours", path, func(w *window) { w.sees("heading", "Best hours") }})
}
