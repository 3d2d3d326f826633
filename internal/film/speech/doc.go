// SPDX-License-Identifier: Apache-2.0

// Package speech synthesizes speech and computes word timings.
//
// A Speaker is a speech service; package speech/service calls one. Without a service the renderer uses package
// speech/spoken, which runs programs from Debian. Words splits a text into words, in every script. Align computes the
// timings of the words in a sound from its loudness over time. It works alike for a service, a program and a recorded
// voice.
//
// The package reads and writes no files and keeps no state.
package speech
