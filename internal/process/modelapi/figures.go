// SPDX-License-Identifier: Apache-2.0

package modelapi

import (
	"context"
	"errors"
	"time"

	"github.com/reelops/reelops/internal/process/metric"
)

// Begin starts the measurement of a call of a model for a purpose (text, picture, speech). It returns a function that
// must be called with the error of the call. Models are named in the installation's settings, so there are few label
// values. A call that its caller canceled is not counted, because it gives no information about the server.
func Begin(purpose, model string) func(error) {
	began := time.Now()
	return func(err error) {
		outcome := "ok"
		switch {
		case errors.Is(err, context.Canceled):
			return
		case err != nil:
			outcome = "failed"
		}
		metric.AICalls.WithLabelValues(purpose, model, outcome).Inc()
		metric.AISeconds.WithLabelValues(purpose, model).Observe(time.Since(began).Seconds())
	}
}

// Tokens counts the tokens that a server reports for a call. Servers that do not count tokens report 0.
func Tokens(purpose, model string, in, out int64) {
	metric.AITokens.WithLabelValues(purpose, model, "in").Add(float64(max(in, 0)))
	metric.AITokens.WithLabelValues(purpose, model, "out").Add(float64(max(out, 0)))
}

// Pictures counts generated images.
func Pictures(model string, n int) { metric.AIPictures.WithLabelValues(model).Add(float64(n)) }

// Spoken counts the characters of a text that was converted to speech.
func Spoken(model string, characters int) {
	metric.AISpeechCharacters.WithLabelValues(model).Add(float64(characters))
}
