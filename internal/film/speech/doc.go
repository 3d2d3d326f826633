// SPDX-License-Identifier: Apache-2.0

// Package speech says texts aloud and tells when each word is heard.
//
// A Speaker is a speech service; package speech/service talks to one. Without a service the renderer speaks by package
// speech/spoken, which runs programs that come with Debian. Words says what counts as a word, in every script, and Align
// finds where the words lie in a sound whose loudness over time is known: it is the same for a service, a program and
// somebody's own voice.
//
// The package reads and writes no files and keeps no state.
package speech
