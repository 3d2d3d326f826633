// SPDX-License-Identifier: Apache-2.0

// Package voices is the single list of the available voices: the packaged ones (flite for English, espeak-ng for the
// other languages), or those of a speech service. It starts no process. The front end publishes the list and checks
// requests against it, and internal/film/speech/spoken chooses from it.
package voices
