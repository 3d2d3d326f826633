// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/speech/voices"
)

// fieldVoice is the field of a body that names a voice.
const fieldVoice = "voice.name"

// voiceProblem returns why the voice of a name cannot speak a text; nil if it can, and for an empty name. Without a language (BCP 47)
// that of the text counts; with neither, only the name is checked.
func voiceProblem(known voices.Set, name, language, text string) *problem.Problem {
	fault := known.CheckText(name, language, text)
	if fault == nil {
		return nil
	}
	p := problem.Field(fieldVoice, fault.Message)
	p.Details["reason"], p.Details["accepted"] = fault.Reason, fault.Accepted
	return p
}
