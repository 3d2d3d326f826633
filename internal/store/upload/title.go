// SPDX-License-Identifier: Apache-2.0

package upload

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reelops/reelops/internal/catalog"
)

// Untitled is the title for a file name without usable characters: nothing but dots and spaces remain of it.
const Untitled = "Untitled"

// Title returns a title for a file name: without folders, extension and invisible characters, and at most
// catalog.MaxTitleCharacters long. A name that is only an extension, such as ".jpg", is kept. Every name is accepted,
// and none is used as a path.
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

// hidden reports whether a character is invisible, or changes how others are displayed. White space is not
// hidden. Nor are joiners: they connect the letters of some scripts and the parts of emoji.
func hidden(r rune) bool {
	const joiner, nonJoiner = '\u200d', '\u200c'
	if unicode.IsSpace(r) || r == joiner || r == nonJoiner {
		return false
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs)
}
