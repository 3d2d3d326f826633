// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"strings"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/content/deck"
	"github.com/reelops/reelops/internal/film/speech/voices"
)

// fieldVoice is the field of a body that names a voice.
const fieldVoice = "voice.name"

// voiceProblem returns the reason why the named voice cannot speak a text; nil if it can, and for an empty name.
// Without a language (BCP 47) the language of the text is used. With neither, only the name is checked.
func voiceProblem(known voices.Set, name, language, text string) *problem.Problem {
	fault := known.CheckText(name, language, text)
	if fault == nil {
		return nil
	}
	p := problem.Field(fieldVoice, fault.Message)
	p.Details["reason"], p.Details["accepted"] = fault.Reason, fault.Accepted
	return p
}

// slideshowVoice returns the reason why a narration cannot speak a slideshow; nil if it can, as far as is known before
// the text is written.
func (s *Service) slideshowVoice(c *operation.Call, show *v1beta1.Slideshow, voice *v1beta1.VoiceOver) *problem.Problem {
	if voice == nil || voice.Mode == v1beta1.VoiceOverNone {
		return nil
	}
	language := show.Spec.Language
	if language == "" {
		language = c.Brand.Spec.Language
	}
	text := strings.TrimSpace(strings.Join(deck.Texts(show), " "))
	if text == "" {
		text = show.Spec.Context
	}
	return voiceProblem(s.Voices, voice.Name, language, text)
}
