// SPDX-License-Identifier: Apache-2.0

package blobkey_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/reelops/reelops/internal/store/blobkey"
)

func TestPermit(t *testing.T) {
	for key, why := range map[string]string{
		"imports/acme/sunset.jpg":            "",
		"imports/acme/summer/sunset.jpg":     "",
		"imports/shared/logo.png":            "",
		"uploads/acme/17":                    "",
		"imports/acme/50% off.jpg":           "",
		"imports/acme/été, 夏 – vacances.jpg": "",
		"imports/acme/..hidden.jpg":          "",
		"imports/acme/a..b":                  "",

		"":                                          "path is empty",
		"sunset.jpg":                                "begin with",
		"imports":                                   "begin with",
		"imports/acme":                              "begin with",
		"imports/acme/":                             "path is empty",
		"imports/other/sunset.jpg":                  "begin with",
		"imports/acme2/sunset.jpg":                  "begin with",
		"imports/ACME/sunset.jpg":                   "begin with",
		"uploads/other/17":                          "begin with",
		"uploads/shared/17":                         "begin with",
		"media/acme/uid/file.jpg":                   "begin with",
		"shorts/other/uid/slide-1.png":              "begin with",
		"/imports/acme/sunset.jpg":                  "path is empty",
		"imports//acme/sunset.jpg":                  "path is empty",
		"imports/acme//sunset.jpg":                  "path is empty",
		"imports/acme/ /sunset.jpg":                 "path is empty",
		"imports/acme/../other/sunset.jpg":          ". or ..",
		"imports/acme/../../media/other/1":          ". or ..",
		"imports/acme/./sunset.jpg":                 ". or ..",
		"imports/acme/..":                           ". or ..",
		"imports/acme/.. /other":                    ". or ..",
		"imports/../imports/acme/x":                 ". or ..",
		"../imports/acme/x":                         ". or ..",
		"imports/acme/%2e%2e/other/x":               "percent-encoded",
		"imports/acme/%2E%2E%2Fother":               "percent-encoded",
		"imports/acme/%252e%252e/other":             "percent-encoded",
		"imports/acme/..%2fother":                   "percent-encoded",
		"imports%2Facme/x":                          "percent-encoded",
		`imports/acme/..\x`:                         "backslash",
		`imports\acme\x`:                            "backslash",
		"imports/acme/．．/other":                     ". or ..", // full-width dots
		"imports/acme/‥/other":                      ". or ..", // two dot leader
		"imports/acme/x／other":                      "read as a slash",
		"imports/acme/℀x":                           "read as a slash", // a/c in one character
		"imports/acme/a\x00.jpg":                    "U+0000",
		"imports/acme/a\n.jpg":                      "U+000A",
		"imports/acme/a\u202egpj.exe":               "U+202E",
		"imports/acme/a\u200b.jpg":                  "U+200B",
		"imports/acme/a\u00a0.jpg":                  "U+00A0",
		"imports/acme/\xff\xfe":                     "UTF-8",
		"imports/acme/" + strings.Repeat("a", 1024): "longer",
	} {
		err := blobkey.Permit("acme", key)
		switch {
		case why == "" && err != nil:
			t.Errorf("%q: got %v", key, err)
		case why != "" && (!errors.Is(err, blobkey.ErrForbidden) || !strings.Contains(err.Error(), why)):
			t.Errorf("%q: got %v, want an error with %q", key, err, why)
		}
	}
	for _, namespace := range []string{"", ".", "..", "acme/..", "acme/sub"} {
		if err := blobkey.Permit(namespace, "imports/"+namespace+"/x"); !errors.Is(err, blobkey.ErrForbidden) {
			t.Errorf("namespace %q: got %v", namespace, err)
		}
	}
}

// FuzzPermit searches for a permitted key outside of the permitted prefixes.
func FuzzPermit(f *testing.F) {
	for _, key := range []string{"imports/acme/x", "uploads/acme/../x", "imports/shared/．．/x", "imports/acme/%2e%2e/x"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if blobkey.Permit("acme", key) != nil {
			return
		}
		parts := strings.Split(key, "/")
		if len(parts) < 3 || strings.Join(parts[:2], "/") == "imports/other" {
			t.Fatalf("%q is permitted", key)
		}
		for _, p := range parts {
			if p == "" || p == "." || p == ".." || strings.ContainsFunc(p, unicode.IsControl) {
				t.Fatalf("%q is permitted", key)
			}
		}
	})
}
