// SPDX-License-Identifier: Apache-2.0

package voicing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/subtitle"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
	"github.com/reelops/reelops/internal/work/runner"
)

// Sources of a spoken text, as named in a status.
const (
	// Service is the manager's speech service.
	Service = "service"
	// Package is the speech program in a Job's pod.
	Package = "package"
)

// soundType is the content type of the sounds that a Job stores.
const soundType = "audio/wav"

// Studio speaks texts and stores them.
type Studio struct {
	Store *blob.Store
	Jobs  *runner.Runner
	// Speaker is the speech service; nil if there is none. Only Ask uses it.
	Speaker speech.Speaker
	Clock   clock.PassiveClock
}

// Key returns the key of a spoken text below a prefix. It follows from everything that the sound depends on.
func Key(prefix, source string, r speech.Request) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{source, r.Voice, r.Language, r.Text}, "\x00")))
	return prefix + "speech-" + hex.EncodeToString(sum[:8])
}

// Ask has the speech service speak a text and stores the sound under a key, unless the store has the key. what names
// the text in logs and messages. requested reports whether the service received a request. failed is an error of the
// service, which the controller records. err is an error of the store or of ctx, after which the reconcile is repeated.
func (s Studio) Ask(ctx context.Context, what, key string, r speech.Request) (requested bool, failed *v1beta1.WorkError, err error) {
	if there, err := s.Store.Exists(ctx, key); err != nil || there {
		return false, nil, err
	}
	began := s.Clock.Now()
	a, err := s.Speaker.Speak(ctx, r)
	if err != nil {
		if ctx.Err() != nil {
			return true, nil, err // the manager is stopping; the next one sends the request
		}
		log.FromContext(ctx).Error(err, "synthesizing speech of the "+what+" failed")
		return true, unspoken(what, err), nil
	}
	if err := s.Store.Put(ctx, key, a.ContentType, bytes.NewReader(a.Data)); err != nil {
		return true, nil, err
	}
	log.FromContext(ctx).Info(what+" spoken", "bytes", len(a.Data), "speech_ms", s.Clock.Since(began).Milliseconds())
	return true, nil, nil
}

// unspoken returns the record of a service's error.
func unspoken(what string, err error) *v1beta1.WorkError {
	e := &v1beta1.WorkError{Code: string(catalog.GenerationFailed), Message: "The " + what + " could not be spoken", Retryable: true}
	var known *speech.Error
	if errors.As(err, &known) {
		e.Code, e.Message, e.Retryable = known.Code, status.Sentence(known.Message), known.Retryable
	}
	return e
}

// Target returns the address at which a Job stores its sound.
func (s Studio) Target(ctx context.Context, key string) (*order.Target, error) {
	return runner.Target(ctx, s.Store, key, soundType, runner.MediaValid)
}

// Input returns the address of a stored sound that a Job listens to.
func (s Studio) Input(ctx context.Context, key string) (*order.Input, error) {
	head, err := s.Store.Head(ctx, key, sniff.Bytes)
	if err != nil {
		return nil, err
	}
	url, err := s.Store.SignedGet(ctx, key, runner.MediaValid)
	if err != nil {
		return nil, err
	}
	return &order.Input{URL: url, ContentType: sniff.Audio(head), MaxBytes: catalog.MaxTrackBytes}, nil
}

// StoreCaptions stores captions as SRT and as WebVTT below a key without an extension, and returns the key of the
// WebVTT.
func (s Studio) StoreCaptions(ctx context.Context, key string, srt, webVTT []byte) (string, error) {
	if err := s.Store.Put(ctx, key+".srt", subtitle.SRTType, bytes.NewReader(srt)); err != nil {
		return "", err
	}
	return key + ".vtt", s.Store.Put(ctx, key+".vtt", subtitle.WebVTTType, bytes.NewReader(webVTT))
}

// Missing returns why a sound that a Job reported cannot be used; nil if the sound is in the store. size is the number
// of bytes that the Job reported, or 0 for a sound that the service spoke.
func (s Studio) Missing(ctx context.Context, what, key string, size int64) *v1beta1.WorkError {
	n, err := s.Store.Size(ctx, key)
	switch {
	case errors.Is(err, blob.ErrNotFound), err == nil && size > 0 && n != size:
		return faulty("The speech of the " + what + " is not in the store")
	case err != nil:
		return faulty("The blob store is not available")
	}
	return nil
}

func faulty(message string) *v1beta1.WorkError {
	return &v1beta1.WorkError{Code: string(catalog.GenerationFailed), Message: message, Retryable: true}
}

// Timed returns words with the times that a Job reported, and false if it reported none. The Job opened a file that may
// be hostile, so the times are forced into ascending order and limited to length, in milliseconds.
func Timed(words []string, times outcome.Times, length int64) ([]v1beta1.SpokenWord, bool) {
	if len(times) != 2*len(words) {
		return nil, false
	}
	var out []v1beta1.SpokenWord
	last := int64(0)
	for i, t := range words {
		from, to := max(times[2*i], last), times[2*i+1]
		to = min(max(to, from), length)
		out = append(out, v1beta1.SpokenWord{Text: t, StartMilliseconds: min(from, to), EndMilliseconds: to})
		last = to
	}
	return out, true
}
