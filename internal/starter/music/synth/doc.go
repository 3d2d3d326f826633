// SPDX-License-Identifier: Apache-2.0

// Package synth makes sound from numbers: oscillators, filters, envelopes, instruments and drums that give one note each, and
// effects and meters that work on a whole loop.
//
// A loop has no beginning: what rings at its end is heard at its start. So notes are added around the seam, and effects with
// a memory are run over the loop twice, of which the second run counts. Oscillators of effects turn a whole number of times
// in a loop.
//
// It knows no harmony, no songs and no files, and takes every random number from a source it is given, so that the same
// calls give the same sound.
package synth

// Rate is the number of samples a second of everything here.
const Rate = 48000
