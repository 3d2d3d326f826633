// SPDX-License-Identifier: Apache-2.0

// Package spoken synthesizes speech with programs from Debian: English with flite, everything else with espeak-ng,
// which sounds worse and supports some eighty languages. hack/decisions/2026-11-21-speech.md has the reasons for these
// two.
//
// The text reaches a program as a file or as its input, never as an option, without the characters that a program would
// read as markup. A child process has bounded memory, processor time and output, and nothing of this process's
// environment.
package spoken
