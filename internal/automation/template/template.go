// SPDX-License-Identifier: Apache-2.0

package template

import "time"

// Values of one run. An unset value is the empty text.
type Values struct {
	// ItemTitle is {{item.title}}: the title of a feed item, or the text of a prompt.
	ItemTitle string
	// ItemSummary is {{item.summary}}.
	ItemSummary string
	// ItemLink is {{item.link}}.
	ItemLink string
	// ItemPublished is {{item.published}}: the date in the time's zone, as 2006-01-02; empty if zero.
	ItemPublished time.Time
	// Slot is {{slot.date}} (2006-01-02) and {{slot.time}} (15:04), in the time's zone.
	Slot time.Time
	// BrandName is {{brand.name}}.
	BrandName string
	// RunNumber is {{run.number}}, from 1.
	RunNumber int64
}

// Placeholders returns the valid placeholders without braces, sorted.
func Placeholders() []string { return nil }

// Check returns an error if a text contains an unknown or unclosed placeholder. The error is a sentence that names the
// placeholder and the valid ones.
func Check(text string) error { return nil }

// Uses reports whether a text contains a placeholder whose name begins with prefix, such as "item.".
func Uses(text, prefix string) bool { return false }

// Render returns a text with the values in place of its placeholders, at most limit characters (runes) long; 0 means no
// limit. A longer result is cut at the end of a word and ends in an ellipsis, which counts. Unknown placeholders, which
// Check refuses, stay as they are.
func Render(text string, v Values, limit int) string { return text }
