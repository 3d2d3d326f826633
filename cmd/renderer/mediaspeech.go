// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/speech/spoken"
	"github.com/reelops/reelops/internal/media/probe"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// speak converts the text of an order to speech in a file.
func (r *run) speak(ctx context.Context, s *order.Speech, dir, path string) error {
	t := spoken.Tools{Flite: r.flite, Espeak: r.espeak, Scratch: dir}
	return t.Speak(ctx, speech.Request{Text: s.Text, Language: s.Language, Voice: s.Voice}, path)
}

// listen determines the duration of a sound and the times of the words of a text in it.
func (r *run) listen(ctx context.Context, t probe.Tools, l probe.Limits, text, path string, into *outcome.Media) error {
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

// passages speaks several texts or listens for them. Each passage is processed like an order of its own, in sequence. A
// passage that cannot be spoken is refused alone. An unknown voice refuses the order, because all passages have it.
func (r *run) passages(ctx context.Context, o *order.Order, dir string) (*outcome.Media, error) {
	out := &outcome.Media{Passages: make([]outcome.Sound, len(o.Passages))}
	for i := range o.Passages {
		p := &o.Passages[i]
		one := &order.Order{Kind: o.Kind, Speech: &p.Speech, Input: p.Input, File: p.File, Limits: o.Limits}
		folder := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, fmt.Errorf("creating a folder for a passage: %w", err)
		}
		out.Passages[i].ID = p.ID
		result, err := r.look(ctx, one, folder)
		var unspoken *spoken.Refusal
		switch {
		case errors.As(err, &unspoken) && unspoken.Reason != outcome.UnknownVoice:
			out.Passages[i].Refused = unspoken.Reason
		case err != nil:
			return nil, err
		default:
			out.Passages[i] = outcome.Sound{ID: p.ID, Bytes: result.Bytes, DurationMilliseconds: result.DurationMilliseconds, Words: result.Words}
		}
		if err := os.RemoveAll(folder); err != nil {
			return nil, fmt.Errorf("removing the folder of a passage: %w", err)
		}
	}
	return out, nil
}
