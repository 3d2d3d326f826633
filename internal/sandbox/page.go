// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"embed"
	"html/template"
	"net/http"
)

//go:embed *.html
var texts embed.FS

var pages = template.Must(template.New("").Funcs(helpers).ParseFS(texts, "*.html"))

// page shows every account and what landed there, newest first.
func (s *Sandbox) page(w http.ResponseWriter, _ *http.Request) {
	type column struct {
		Account
		Landings []Landing
	}
	type row struct {
		Platform string
		Columns  []column
		Count    int
	}
	var rows []row
	total := 0
	for _, p := range s.mounted() {
		landed := s.Landed(p)
		out := row{Platform: p, Count: len(landed)}
		total += len(landed)
		for i, a := range s.Accounts(p) {
			c := column{Account: a}
			for k := len(landed) - 1; k >= 0; k-- {
				if landed[k].Account == a.Name {
					c.Landings = append(c.Landings, landed[k])
				}
			}
			if i < len(people) || len(c.Landings) > 0 {
				out.Columns = append(out.Columns, c)
			}
		}
		rows = append(rows, out)
	}
	calls := s.Calls()
	s.render(w, http.StatusOK, "page.html", map[string]any{
		"Title": "Reelops sandbox", "Rows": rows, "Total": total, "Calls": len(calls), "Faults": s.Faults(),
	})
}

// postPage is what people see under a post's address.
func (s *Sandbox) postPage(w http.ResponseWriter, l *Landing) {
	a, _ := s.AccountByName(l.Platform, l.Account)
	s.render(w, http.StatusOK, "post.html", map[string]any{"Title": a.Display + " on " + nice(l.Platform), "Post": *l, "Account": a, "Numbers": l.Numbers(s.Now())})
}
