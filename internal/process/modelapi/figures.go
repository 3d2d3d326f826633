// SPDX-License-Identifier: Apache-2.0

package modelapi

import (
	"context"
	"errors"
	"time"

	"github.com/reelops/reelops/internal/process/metric"
)

// Called begins a call of a model for a purpose (text, picture, speech), and gives what is to be called with its error. A model is
// named by the installation's own settings, so there are few. A call that its own caller gave up says nothing of the server and is not
// counted.
func Called(purpose, model string) func(error) {
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

// Tokens counts what a server says that a call took. Servers that count none say 0.
func Tokens(purpose, model string, in, out int64) {
	metric.AITokens.WithLabelValues(purpose, model, "in").Add(float64(max(in, 0)))
	metric.AITokens.WithLabelValues(purpose, model, "out").Add(float64(max(out, 0)))
}

// Pictures counts pictures that came.
func Pictures(model string, n int) { metric.AIPictures.WithLabelValues(model).Add(float64(n)) }

// Spoken counts the characters of a text that was spoken.
func Spoken(model string, characters int) {
	metric.AISpeechCharacters.WithLabelValues(model).Add(float64(characters))
}
