// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"bytes"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the expected items of the corpus")

func base(t testing.TB) *url.URL {
	t.Helper()
	u, err := url.Parse("https://feeds.example/dir/feed.xml")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// dump returns a feed as text.
func dump(f *Feed) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "feed: %s\nomitted: %d\n", f.Title, f.Omitted)
	for _, i := range f.Items {
		published := ""
		if !i.Published.IsZero() {
			published = i.Published.Format(time.RFC3339)
		}
		fmt.Fprintf(&out, "\nid: %s\ntitle: %s\nsummary: %s\nlink: %s\npublished: %s\nimage: %s\n",
			i.ID, i.Title, i.Summary, i.Link, published, i.ImageURL)
	}
	return out.Bytes()
}

// TestParse_Corpus compares every version of a feed in testdata with its expected items.
func TestParse_Corpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*ml")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, "testdata/json-1.1.json")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parse(data, "", base(t))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got, golden := dump(&f), strings.TrimSuffix(file, filepath.Ext(file))+".txt"
		if *update {
			if err := os.WriteFile(golden, got, 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		}
	}
	if len(files) < 9 {
		t.Errorf("only %d files", len(files))
	}
}
