// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"embed"
	"html/template"
	"net/http"
	"slices"
)

//go:embed *.html
var texts embed.FS

var pages = template.Must(template.New("").Funcs(helpers).ParseFS(texts, "*.html"))

// shown is the number of posts per account on the page, newest first. GET /ledger returns all of them.
const shown = 12

// column is an account with its newest posts.
type column struct {
	Account
	Landings []card
	More     int
}

// card is a post. Plays is set for the newest post of an account.
type card struct {
	Landing
	Plays bool
}

// row is a platform.
type row struct {
	Platform string
	Columns  []column
	Count    int
}

// page shows every account and its posts, newest first.
func (s *Sandbox) page(w http.ResponseWriter, _ *http.Request) {
	var rows []row
	total := 0
	for _, p := range s.mounted() {
		r := s.row(p)
		total += r.Count
		rows = append(rows, r)
	}
	s.mu.Lock()
	calls := s.sequence
	s.mu.Unlock()
	s.render(w, http.StatusOK, "page.html", map[string]any{
		"Title": "Reelops sandbox", "Rows": rows, "Total": total, "Calls": calls, "Faults": s.Faults(),
	})
}

// row returns a platform with its named accounts, and with the extra accounts that have posts.
func (s *Sandbox) row(platform string) row {
	landed := s.Landed(platform)
	slices.SortStableFunc(landed, func(a, b Landing) int { return a.At.Compare(b.At) })
	by := map[string][]card{}
	for _, l := range slices.Backward(landed) {
		by[l.Account] = append(by[l.Account], card{Landing: l, Plays: len(by[l.Account]) == 0})
	}
	r := row{Platform: platform, Count: len(landed)}
	for i, a := range s.Accounts(platform) {
		cards := by[a.Name]
		if i >= len(people) && len(cards) == 0 {
			continue
		}
		few := cards[:min(len(cards), shown)]
		r.Columns = append(r.Columns, column{Account: a, Landings: few, More: len(cards) - len(few)})
	}
	return r
}

// postPage writes the public page of a post.
func (s *Sandbox) postPage(w http.ResponseWriter, l *Landing) {
	a, _ := s.AccountByName(l.Platform, l.Account)
	s.render(w, http.StatusOK, "post.html", map[string]any{"Title": a.Display + " on " + nice(l.Platform), "Post": card{Landing: *l, Plays: true}, "Account": a, "Numbers": l.Numbers(s.Now())})
}
