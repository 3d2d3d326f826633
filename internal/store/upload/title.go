// SPDX-License-Identifier: Apache-2.0

package upload

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
)

// Untitled is the title of a file whose name says nothing.
const Untitled = "Untitled"

// Title makes a title of a file's name: without folders, ending and what cannot be seen, and no longer than a title may be.
// A name is never refused for how it looks, and never used as a path.
func Title(filename string) string {
	name := strings.Map(func(r rune) rune {
		if r == utf8.RuneError || hidden(r) {
			return -1
		}
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, filename)
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.Join(strings.Fields(name), " ")
	if title := strings.TrimSpace(strings.TrimSuffix(name, path.Ext(name))); strings.Trim(title, ". ") != "" {
		name = title
	}
	if r := []rune(name); len(r) > catalog.MaxTitleCharacters {
		name = strings.TrimSpace(string(r[:catalog.MaxTitleCharacters]))
	}
	if strings.Trim(name, ". ") == "" {
		return Untitled
	}
	return name
}

// hidden says that a character shows nothing, or changes how others are shown. White space shows, and what joins the
// letters of some scripts and the parts of emoji belongs to them.
func hidden(r rune) bool {
	const joiner, nonJoiner = '\u200d', '\u200c'
	if unicode.IsSpace(r) || r == joiner || r == nonJoiner {
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs)
}
