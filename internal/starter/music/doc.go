// SPDX-License-Identifier: Apache-2.0

// Package music composes the starter set of background music: short loops in different moods, written down here as chords,
// tunes and rhythms, played by the instruments of the package synth.
//
// The same name gives the same samples every time on one kind of processor: players are early, late, loud and soft by
// chance, and their chance begins anew with every piece. Every piece is a loop without a seam, as loud as the others, and free
// for any use.
//
// It knows nothing of stores, brands or films. Only Render touches anything outside: it calls ffmpeg for the encoding.
package music
