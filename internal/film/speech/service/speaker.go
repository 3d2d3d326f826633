// SPDX-License-Identifier: Apache-2.0

package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/speech/voices"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/process/modelapi"
)

const (
	// DefaultTimeout bounds one Speak.
	DefaultTimeout = 60 * time.Second
	// DefaultVoice is the voice if neither the request nor the configuration names one. OpenAI and most compatible
	// servers have it.
	DefaultVoice = "alloy"
	// DefaultFormat is the format if none is configured: it is lossless.
	DefaultFormat = "wav"
	// MaxBytes bounds a response, in bytes: two minutes of uncompressed stereo.
	MaxBytes = 24 << 20
)

// Formats are the formats that can be requested.
var Formats = []string{"wav", "flac", "mp3", "aac", "opus"}

// Config configures a Speaker.
type Config struct {
	// BaseURL ends before "/audio/speech", for example "http://localhost:8880/v1". Empty means modelapi.DefaultBaseURL.
	BaseURL string
	// APIKey may be empty for servers that need none.
	APIKey string
	// Model is the model's name as the server knows it.
	Model string
	// Voice is used if a request names none; empty means DefaultVoice.
	Voice string
	// Voices are the voices of the service. A request for another voice is refused without a call. Empty means that
	// they are unknown.
	Voices []voices.Voice
	// Format is one of Formats; empty means DefaultFormat.
	Format string
	// Timeout bounds one Speak; 0 means DefaultTimeout.
	Timeout time.Duration
	// HTTP is the transport; nil means http.DefaultTransport. Redirects are not followed.
	HTTP http.RoundTripper
}

// Speaker synthesizes speech with a model.
type Speaker struct {
	server        *modelapi.Server
	api           sdk.AudioSpeechService
	model         string
	voice, format string
	voices        voices.Set
	timeout       time.Duration
}

var _ speech.Speaker = (*Speaker)(nil)

// New returns a Speaker; it sends no request. A missing model, an unusable base URL or an unknown format is an error.
func New(c Config) (*Speaker, error) {
	s := &Speaker{
		model: c.Model, voice: cmp.Or(c.Voice, DefaultVoice), format: cmp.Or(c.Format, DefaultFormat), timeout: cmp.Or(c.Timeout, DefaultTimeout),
		voices: voices.Set{Service: true, Named: c.Voices},
	}
	if fault := s.voices.Check(s.voice, ""); fault != nil {
		return nil, fmt.Errorf("speech service: %w", fault)
	}
	if !slices.Contains(Formats, s.format) {
		return nil, fmt.Errorf("speech service: the format %q is none of %v", s.format, Formats)
	}
	server, err := modelapi.Open(modelapi.Config{
		BaseURL: c.BaseURL, APIKey: c.APIKey, Model: c.Model, Timeout: s.timeout, MaxAnswer: MaxBytes + 1, HTTP: c.HTTP,
	})
	if err != nil {
		return nil, fmt.Errorf("speech service: %w", err)
	}
	s.server, s.api = server, sdk.NewAudioSpeechService(server.Options...)
	return s, nil
}

// Errors of responses without speech.
var (
	errNoSound  = errors.New("the answer is no sound of a known type")
	errTooLarge = errors.New("the answer is larger than any speech")
)

// Speak sends one request to the model.
func (s *Speaker) Speak(ctx context.Context, r speech.Request) (*speech.Audio, error) {
	if err := check(r.Text); err != nil {
		return nil, err
	}
	if fault := s.voices.Check(r.Voice, ""); fault != nil {
		return nil, &speech.Error{Code: string(catalog.ValidationFailed), Message: strings.TrimSuffix(fault.Message, ".")}
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	data, err := s.call(ctx, r)
	if err != nil {
		return nil, s.failure(ctx, err)
	}
	data = speech.WholeWAV(data)
	contentType := sniff.Audio(data[:min(len(data), sniff.Bytes)])
	if contentType == "" {
		return nil, s.failure(ctx, errNoSound)
	}
	return &speech.Audio{ContentType: contentType, Data: data}, nil
}

// check returns an error for a text that no server can speak.
func check(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return speech.Fail("The text is not valid UTF-8", false, nil)
	case n > speech.MaxCharacters:
		return speech.Fail(fmt.Sprintf("A spoken text has at most %d characters, this one has %d", speech.MaxCharacters, n), false, nil)
	case len(speech.Words(text)) == 0:
		return speech.Fail("The text contains nothing that can be spoken", false, nil)
	}
	return nil
}

func (s *Speaker) call(ctx context.Context, r speech.Request) ([]byte, error) {
	done := modelapi.Begin("speech", s.model)
	res, err := s.api.New(ctx, sdk.AudioSpeechNewParams{
		Input: r.Text, Model: s.model, Voice: sdk.AudioSpeechNewParamsVoiceUnion{OfString: param.NewOpt(cmp.Or(r.Voice, s.voice))},
		ResponseFormat: sdk.AudioSpeechNewParamsResponseFormat(s.format),
	})
	done(err)
	if err != nil {
		return nil, err
	}
	modelapi.Spoken(s.model, utf8.RuneCountInString(r.Text))
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err == nil && len(data) > MaxBytes {
		err = errTooLarge
	}
	return data, err
}

// failure returns the *speech.Error for any error of a call. It contains no text of the server, which may repeat the
// request.
func (s *Speaker) failure(ctx context.Context, err error) error {
	var api *sdk.Error
	switch {
	case errors.Is(err, modelapi.ErrRedirect):
		return speech.Fail("The URL of the speech service redirects", false, modelapi.ErrRedirect)
	case errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded):
		return speech.Fail("The speech service took too long", true, context.DeadlineExceeded)
	case errors.Is(err, context.Canceled):
		return speech.Fail("Speech synthesis was stopped", true, context.Canceled)
	case errors.Is(err, errNoSound), errors.Is(err, errTooLarge):
		return speech.Fail("The speech service returned no usable audio", true, err)
	case errors.As(err, &api):
		cause := s.server.Answered(api)
		switch n := api.StatusCode; {
		case n == http.StatusTooManyRequests:
			return speech.Fail("The speech service is busy", true, cause)
		case n == http.StatusUnauthorized || n == http.StatusForbidden:
			return speech.Fail("The speech service does not accept the configured key", false, cause)
		case n == http.StatusRequestTimeout || n >= http.StatusInternalServerError:
			return speech.Fail("The speech service is not available", true, cause)
		}
		return speech.Fail("The speech service does not accept the request", false, cause)
	}
	return speech.Fail("The speech service could not be reached or returned an invalid response", true, s.server.Unreached(err))
}
