// SPDX-License-Identifier: Apache-2.0

package index

import (
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/content/textsearch"
	"github.com/reelops/reelops/internal/film/shortwork"
)

// Weights of a word of a short by field. A title has titleWeight.
const (
	slidesWeight  = 2
	captionWeight = 1
)

// KeepTexts prepares a whole Slideshow or Video for the index, before its slides or clips are trimmed: it replaces
// spec.context or spec.hookText by all the texts that the slides or the video show. No list and no job shows the two
// fields.
func KeepTexts(o client.Object) {
	switch o := o.(type) {
	case *v1beta1.Slideshow:
		o.Spec.Context = strings.Join(shortwork.Texts(o), "\n")
	case *v1beta1.Video:
		text := strings.Join(shortwork.Texts(o), "\n")
		o.Spec.HookText = nil
		if text != "" {
			o.Spec.HookText = &text
		}
	}
}

// fieldsOf returns the texts of an object after KeepTexts by which its short is found.
func fieldsOf(o client.Object) []textsearch.Field {
	s := Of(0, o, nil)
	seen := view.Short{Show: s.Show, Video: s.Video}
	title, caption := seen.Texts()
	var slides string
	switch {
	case s.Show != nil:
		slides = s.Show.Spec.Context
	case s.Video.Spec.HookText != nil:
		slides = *s.Video.Spec.HookText
	}
	return fieldsOfTexts(title, slides, caption)
}

// fieldsOfTexts returns the texts of a short with their weights.
func fieldsOfTexts(title, slides, caption string) []textsearch.Field {
	return []textsearch.Field{
		{Text: title, Weight: titleWeight}, {Text: slides, Weight: slidesWeight}, {Text: caption, Weight: captionWeight},
	}
}
