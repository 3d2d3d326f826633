// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/reelops/reelops/internal/content/textgen/offline"
	"github.com/reelops/reelops/internal/film/speech/voices"
)

// languageNames are the names of languages that CLDR does not name.
var languageNames = map[string]string{
	"art-x-pyash": "Pyash", "hyw": "Western Armenian", "nci": "Classical Nahuatl", "qdb": "Lang Belta", "qya": "Quenya", "sjn": "Sindarin",
}

// speech adds the voices, and the languages that can be written offline or spoken.
func (c *Capabilities) speech(known voices.Set) {
	c.Voices = []SpeakingVoice{}
	for _, v := range known.All() {
		c.Voices = append(c.Voices, SpeakingVoice{Name: v.Name, Languages: list(v.Languages), Gender: nonEmpty(v.Gender), Source: v.Source})
	}
	written := offline.Languages()
	tags := slices.Concat(written, known.Languages())
	slices.Sort(tags)
	names := display.English.Languages()
	for _, tag := range slices.Compact(tags) {
		name := names.Name(language.Make(tag))
		if own := languageNames[tag]; own != "" {
			name = own
		}
		c.Languages = append(c.Languages, Language{Tag: tag, Name: name, OfflineText: slices.Contains(written, tag), Speech: known.Speaks(tag)})
	}
}
