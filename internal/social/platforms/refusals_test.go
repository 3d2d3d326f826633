// SPDX-License-Identifier: Apache-2.0

package platforms_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
)

// refusal is a row of a table under "Common refusals": a platform's code and the message that Reelops shows for it.
var refusal = regexp.MustCompile("(?m)^\\| `[^|]+ \\| (.+) \\|$")

// Each page in docs/platforms quotes messages of an adapter. They must be in the adapter's source.
func TestDocuments_QuoteTheMessagesOfTheAdapters(t *testing.T) {
	for _, platform := range catalog.Platforms() {
		page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "platforms", platform+".md"))
		if err != nil {
			t.Fatal(err)
		}
		_, table, found := strings.Cut(string(page), "## Common refusals")
		rows := refusal.FindAllStringSubmatch(table, -1)
		if !found || len(rows) == 0 {
			t.Errorf("docs/platforms/%s.md has no table under \"Common refusals\"", platform)
		}
		source := sourceOf(t, filepath.Join("..", "publish", platform))
		for _, row := range rows {
			if !strings.Contains(source, row[1]) {
				t.Errorf("docs/platforms/%s.md quotes a message that the adapter does not have: %s", platform, row[1])
			}
		}
	}
}

// sourceOf returns the text of all Go files of a package except its tests.
func sourceOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
