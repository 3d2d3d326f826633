// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"net/http"
	"testing"
)

// TestListsInPages starts programs with and without a snapshot folder. Both list in pages at the newest
// version, and no watch has initial events.
func TestListsInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("a", "b")
	for name, folder := range map[string]bool{"with a folder": true, "without": false} {
		var lists, streams int
		p := w.start(func(c *Config, a *asked) {
			if !folder {
				c.Folder = ""
			}
			a.answer = func(r *http.Request) *http.Response {
				q := r.URL.Query()
				if q.Get("watch") == "" && q.Get("limit") != "" && q.Get("resourceVersion") == "" {
					lists++
				}
				if q.Get("sendInitialEvents") == "true" {
					streams++
				}
				return nil
			}
		})
		p.knows()
		if lists != 1 || streams != 0 {
			t.Errorf("%s: got %d lists in pages and %d watches with initial events", name, lists, streams)
		}
		p.end()
		<-p.ended
	}
}
