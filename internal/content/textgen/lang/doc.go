// SPDX-License-Identifier: Apache-2.0

// Package lang detects the language of a text from its script and its function words, and lists the words of a language
// that carry no meaning of their own. It needs no model and no network. It returns "und" for an unknown language
// instead of guessing.
package lang
