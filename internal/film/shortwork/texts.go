// SPDX-License-Identifier: Apache-2.0

package shortwork

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/deck"
)

// TitleAndCaption returns the title and the caption of a Slideshow or Video: the given ones, else the generated ones.
// They are empty if there are none.
func TitleAndCaption(short client.Object) (title, caption string) {
	switch s := short.(type) {
	case *v1beta1.Video:
		if t := s.Status.Text; t != nil {
			title, caption = t.Title, t.Caption
		}
		return either(s.Spec.Title, title), either(s.Spec.Caption, caption)
	case *v1beta1.Slideshow:
		if t := s.Status.Text; t != nil {
			title, caption = t.Title, t.Caption
		}
		return either(s.Spec.Title, title), either(s.Spec.Caption, caption)
	}
	return "", ""
}

// either returns the given text, which may be empty, else the generated one.
func either(given *string, generated string) string {
	if given != nil {
		return *given
	}
	return generated
}

// Texts returns the texts that the slides of a Slideshow, or a Video, show.
func Texts(short client.Object) []string {
	switch s := short.(type) {
	case *v1beta1.Slideshow:
		return deck.Texts(s)
	case *v1beta1.Video:
		return videoTexts(s)
	}
	return nil
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
