// SPDX-License-Identifier: Apache-2.0

// Package embedding tells how near texts are in meaning, by a model behind an OpenAI-compatible embeddings API.
//
// The texts of a catalog are learned once, in the background, and kept in the blob store; only a query is asked about while
// somebody waits, shortly, and not at all while the server fails. Who asks needs another way for the time when no answer can
// be given.
package embedding
