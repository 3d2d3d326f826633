// SPDX-License-Identifier: Apache-2.0

// Package spoken says texts with programs that come with Debian: English with flite, everything else with espeak-ng, which is
// less pleasant and knows some eighty languages. hack/decisions/2026-11-21-speech.md tells why these two.
//
// The text reaches a program as a file or as its input, never as an option, without the signs that a program would take for
// markup. A child has bounded memory, processor time and output, and nothing of this process's environment.
package spoken
