// SPDX-License-Identifier: Apache-2.0

// Package ai makes backgrounds with a picture model behind the OpenAI-compatible images API: OpenAI itself, or LocalAI and
// others at any base URL.
//
// One call makes one picture. The package decides on the words of the prompt and on the size to ask for, reads the picture
// from the answer (in it, or at an address in it) and tells failures that pass from those that do not. It stores nothing,
// retries nothing and knows nothing of credits: its caller remembers what was made and paid.
package ai
