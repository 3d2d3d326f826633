// SPDX-License-Identifier: Apache-2.0

// Package synth generates sound: oscillators, filters, envelopes, instruments and drums that return one note each, and
// effects and meters for a whole loop.
//
// A loop has no beginning: sound that rings at its end is heard at its start. So notes that exceed the end continue at
// the start. Effects with state run over the loop twice, and only the second run is used. Oscillators of effects have a
// whole number of periods in a loop.
//
// The package has no harmony, pieces or files. It reads all random numbers from the given sources, so that the same
// calls return the same sound.
package synth

// Rate is the number of samples per second of all sounds.
const Rate = 48000
