// SPDX-License-Identifier: Apache-2.0

// Package lang tells the language of a text from its script and its small words, and knows which words of a language carry no
// meaning of their own. It needs no model and no network; what it cannot tell it calls "und" instead of guessing.
package lang
