// SPDX-License-Identifier: Apache-2.0

package voicing

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// Passage is one of several texts that one Job speaks.
type Passage struct {
	// Key of the sound.
	Key string
	speech.Request
}

// Record is the result of speaking a passage. It is stored beside the sound, so that after an edit the unchanged
// passages are found.
type Record struct {
	// Refused is why the passage cannot be spoken; empty if it was spoken.
	Refused outcome.Reason `json:"refused,omitempty"`
	// DurationMilliseconds of the sound.
	DurationMilliseconds int64 `json:"duration_milliseconds,omitempty"`
	// Words are the times of the words; absent if the Job reported none.
	Words outcome.Times `json:"words,omitempty"`
}

// maxRecord is the maximum size of the JSON of a Record, in bytes.
const maxRecord = 64 << 10

func recordKey(key string) string { return key + ".json" }

// Recorded returns the record of a passage; nil if the passage was not spoken yet.
func (s Studio) Recorded(ctx context.Context, key string) (*Record, error) {
	body, err := s.Store.Get(ctx, recordKey(key))
	if errors.Is(err, blob.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	r := &Record{}
	if err := json.NewDecoder(io.LimitReader(body, maxRecord)).Decode(r); err != nil {
		return nil, fmt.Errorf("reading the record of a passage: %w", err)
	}
	return r, nil
}

// Order returns the work order for passages that are not recorded yet: to speak them, or to determine the word times of
// sounds from the service.
func (s Studio) Order(ctx context.Context, source string, all []Passage) (*order.Order, error) {
	o := &order.Order{
		Kind:   order.Speak,
		Limits: order.Limits{DurationMilliseconds: catalog.MaxSpeechDuration.Milliseconds(), Tracks: catalog.MaxMediaTracks},
	}
	if source == Service {
		o.Kind = order.Listen
	}
	for _, p := range all {
		out := order.Passage{ID: path.Base(p.Key), Speech: order.Speech{Text: p.Text, Language: p.Language}}
		var err error
		if source == Service {
			out.Input, err = s.Input(ctx, p.Key)
		} else {
			out.Voice = p.Voice
			out.File, err = s.Target(ctx, p.Key)
		}
		if err != nil {
			return nil, err
		}
		o.Passages = append(o.Passages, out)
	}
	return o, nil
}

// Take records the results that a Job reported for the passages. After an error, the Job has to run again.
func (s Studio) Take(ctx context.Context, all []Passage, res *outcome.Media) *v1beta1.WorkError {
	reported := map[string]outcome.Sound{}
	for _, sound := range res.Passages {
		reported[sound.ID] = sound
	}
	for _, p := range all {
		sound, ok := reported[path.Base(p.Key)]
		if !ok {
			return faulty("The worker returned the speech of other slides")
		}
		if sound.Refused == "" {
			if missing := s.Missing(ctx, "slide", p.Key, sound.Bytes); missing != nil {
				return missing
			}
		}
		if err := s.record(ctx, p.Key, Record{sound.Refused, sound.DurationMilliseconds, sound.Words}); err != nil {
			return faulty("The blob store is not available")
		}
	}
	return nil
}

func (s Studio) record(ctx context.Context, key string, r Record) error {
	doc, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("writing the record of a passage: %w", err)
	}
	return s.Store.Put(ctx, recordKey(key), "application/json", bytes.NewReader(doc))
}
