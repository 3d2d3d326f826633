// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/conformance"
)

// TestPrint prints the drafts of the corpus for review: PRINT=all or PRINT=name,name (COUNT=n for a number of
// slides).
func TestPrint(t *testing.T) {
	want := os.Getenv("PRINT")
	if want == "" {
		t.Skip("set PRINT to print the drafts")
	}
	count := number(os.Getenv("COUNT"))
	corpus := conformance.Corpus()
	var names []string
	for n := range corpus {
		if want == "all" || strings.Contains(","+want+",", ","+n+",") {
			names = append(names, n)
		}
	}
	sort.Strings(names)
	for _, n := range names {
		d, err := New().Write(context.Background(), textgen.Request{Context: corpus[n], SlideCount: count})
		fmt.Printf("\n=== %s [%s] %v\nT: %s\n", n, d.Language, err, d.Title)
		for i, s := range d.Slides {
			fmt.Printf("%2d %-5.5s %s\n", i+1, s.Role, s.Heading)
			if s.Body != "" {
				fmt.Printf("         | %s\n", s.Body)
			}
			fmt.Printf("         k %s\n", strings.Join(s.Keywords, ", "))
		}
		fmt.Printf("C: %s\n#: %s\n", d.Caption, strings.Join(d.Tags, " "))
	}
}
