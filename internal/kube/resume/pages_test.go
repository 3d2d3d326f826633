// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"net/http"
	"testing"
)

// TestLists starts programs that store the objects, that store nothing, and whose kinds do not include them. The first
// two list all objects in one response, the last one in pages. All lists are of the newest version, and no watch has
// initial events.
func TestLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.create("a", "b")
	for name, tc := range map[string]struct {
		change func(*Config)
		limit  string
	}{
		"stored":       {func(*Config) {}, ""},
		"not stored":   {func(c *Config) { c.Folder = "" }, ""},
		"another kind": {func(c *Config) { c.Kinds = nil }, "500"},
	} {
		var limits []string
		var streams int
		p := w.start(func(c *Config, a *asked) {
			tc.change(c)
			a.answer = func(r *http.Request) *http.Response {
				q := r.URL.Query()
				if q.Get("watch") == "" && q.Get("resourceVersion") == "" {
					limits = append(limits, q.Get("limit"))
				}
				if q.Get("sendInitialEvents") == "true" {
					streams++
				}
				return nil
			}
		})
		p.knows()
		if len(limits) != 1 || limits[0] != tc.limit || streams != 0 {
			t.Errorf("%s: got lists with the limits %q and %d watches with initial events", name, limits, streams)
		}
		p.end()
		<-p.ended
	}
}
