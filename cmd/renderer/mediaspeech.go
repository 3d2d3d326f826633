// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/reelops/reelops/internal/mediawork"
	"github.com/reelops/reelops/internal/probe"
	"github.com/reelops/reelops/internal/speech"
	"github.com/reelops/reelops/internal/speech/spoken"
)

// speak says the text of an order into a file.
func (r *run) speak(ctx context.Context, s *mediawork.Speech, dir, path string) error {
	t := spoken.Tools{Flite: r.flite, Espeak: r.espeak, Scratch: dir}
	return t.Speak(ctx, speech.Request{Text: s.Text, Language: s.Language, Voice: s.Voice}, path)
}

// listen finds out how long a sound is and when the words of a text are heard in it.
func (r *run) listen(ctx context.Context, t probe.Tools, l probe.Limits, text, path string, into *mediawork.Result) error {
	v, err := t.Voice(ctx, path, into.ContentType, l)
	if err != nil {
		return err
	}
	into.DurationMilliseconds, into.AudioCodec = max(1, v.Duration.Milliseconds()), v.AudioCodec
	for _, w := range speech.Align(speech.Words(text), v.Levels, probe.LevelStep) {
		into.Words = append(into.Words, min(w.Start.Milliseconds(), into.DurationMilliseconds), min(w.End.Milliseconds(), into.DurationMilliseconds))
	}
	return nil
}
