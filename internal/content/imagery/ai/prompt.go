// SPDX-License-Identifier: Apache-2.0

package ai

import (
	"strings"

	"github.com/reelops/reelops/internal/catalog"
)

// Scene is the subject of a background.
type Scene struct {
	// Heading, Body and Keywords of the slide. Keywords may be English although the text is not.
	Heading, Body string
	Keywords      []string
	// World is the image world, an ID of the catalog; empty leaves it open.
	World string
	// Niche and Audience of the brand; may be empty.
	Niche, Audience string
}

// maxWords is the maximum length of each part of a prompt in bytes.
const maxWords = 400

// Prompt returns the prompt for an image model. It requests an image without any writing and with calm areas for text.
func Prompt(s Scene) string {
	var b strings.Builder
	b.WriteString("A background photograph or illustration for one slide of a vertical short-form slideshow.\n")
	b.WriteString("The slide says: " + quote(s.Heading))
	if s.Body != "" {
		b.WriteString(" " + quote(s.Body))
	}
	b.WriteString("\nShow a scene, object or mood that fits these words; do not show the words.\n")
	if len(s.Keywords) > 0 {
		b.WriteString("Subjects that fit: " + clean(strings.Join(s.Keywords, ", ")) + ".\n")
	}
	if w, ok := catalog.WorldByID(s.World); ok {
		b.WriteString("Visual world, the same on every slide: " + w.Name + ". " + w.Description + "\n")
	}
	if s.Niche != "" {
		b.WriteString("Field: " + clean(s.Niche) + ".\n")
	}
	if s.Audience != "" {
		b.WriteString("For: " + clean(s.Audience) + ".\n")
	}
	b.WriteString("Portrait format, one clear subject, soft light, natural colours, calm areas in the middle and at the bottom where text will be laid over.\n")
	b.WriteString("No text, letters, numbers, captions, logos, watermarks, frames or user interfaces.")
	return b.String()
}

func quote(s string) string { return `"` + strings.ReplaceAll(clean(s), `"`, "'") + `"` }

// clean returns a text as one line of limited length.
func clean(s string) string { return clip(strings.Join(strings.Fields(s), " "), maxWords) }

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
