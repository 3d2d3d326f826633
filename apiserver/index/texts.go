// SPDX-License-Identifier: Apache-2.0

package index

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/content/textsearch"
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
		o.Spec.Context = strings.Join(deck.Texts(o), "\n")
	case *v1beta1.Video:
		text := strings.Join(videoTexts(o), "\n")
		o.Spec.HookText = nil
		if text != "" {
			o.Spec.HookText = &text
		}
	}
}

// videoTexts returns the hook and the texts over the demos of a video.
func videoTexts(v *v1beta1.Video) []string {
	var out []string
	if v.Spec.HookText != nil {
		out = append(out, *v.Spec.HookText)
	} else if v.Status.Text != nil {
		out = append(out, v.Status.Text.Hook)
	}
	for _, d := range v.Spec.Demos {
		out = append(out, d.Text, d.CallToAction)
	}
	return slices.DeleteFunc(out, func(text string) bool { return text == "" })
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
	return []textsearch.Field{
		{Text: title, Weight: titleWeight}, {Text: slides, Weight: slidesWeight}, {Text: caption, Weight: captionWeight},
	}
}
