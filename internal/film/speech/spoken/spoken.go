// SPDX-License-Identifier: Apache-2.0

package spoken

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/speech/voices"
	"github.com/reelops/reelops/internal/work/child"
	"github.com/reelops/reelops/internal/work/outcome"
)

// ContentType is the content type of the speech.
const ContentType = "audio/wav"

// Tools are the programs and their files.
type Tools struct {
	// Flite and Espeak are the programs; default flite and espeak-ng of the path.
	Flite, Espeak string
	// Scratch is an existing folder for the text.
	Scratch string
}

// Refusal is the error of a text that cannot be spoken. Another attempt cannot succeed.
type Refusal struct {
	Reason outcome.Reason
	// Message is a sentence for users. It contains nothing of the text.
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Pace of the programs. Hooks are spoken a little faster than their default.
const (
	fliteStretch = "0.92"
	espeakWords  = "170" // a minute
)

// Speak converts a text to a WAV file. The error is a *Refusal of the text, the voice or the language, ErrKilled, or
// the error of the context.
func (t Tools) Speak(ctx context.Context, r speech.Request, out string) error {
	text := plain(r.Text)
	if len(speech.Words(text)) == 0 {
		return &Refusal{outcome.Unspeakable, "The text contains nothing that can be spoken."}
	}
	tag := voices.LanguageOf(text, r.Language)
	voice, fault := voices.Choose(r.Voice, tag)
	switch {
	case !voices.Readable(text, tag), fault != nil && fault.Reason == voices.Unspoken:
		return otherLanguage()
	case fault != nil:
		return &Refusal{outcome.UnknownVoice, fault.Message}
	case voice.Program == voices.Flite:
		text = ascii(text)
		if len(speech.Words(text)) == 0 {
			return &Refusal{outcome.Unspeakable, "The text contains nothing that can be spoken."}
		}
		return t.flite(ctx, text, voice.Voice, out)
	}
	sound := &child.Bounded{Limit: maxOutput}
	err := t.runTo(ctx, strings.NewReader(text+"\n"), sound, child.Files{}, orName(t.Espeak, "espeak-ng"), "-b", "1", "-z", "-s", espeakWords, "-v", voice.Voice, "--stdout", "--stdin")
	if errors.Is(err, child.ErrTooMuch) {
		return tooLong()
	}
	if err != nil {
		return err
	}
	return os.WriteFile(out, speech.WholeWAV(sound.Bytes), 0o600)
}

func otherLanguage() *Refusal {
	return &Refusal{outcome.OtherLanguage, "The speech programs of the renderer do not support the language of the text well enough."}
}

// flite is given a file: what it reads from its input it does not take as a whole.
func (t Tools) flite(ctx context.Context, text, voice, out string) error {
	dir, err := os.MkdirTemp(t.Scratch, "text-")
	if err != nil {
		return fmt.Errorf("creating a folder for the text: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "text")
	if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
		return fmt.Errorf("writing the text: %w", err)
	}
	return t.run(ctx, nil, child.Files{Read: []string{file}, Write: []string{out}}, orName(t.Flite, "flite"), "-voice", voice, "--setf", "duration_stretch="+fliteStretch, "-f", file, "-o", out)
}

func orName(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}
