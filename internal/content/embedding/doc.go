// SPDX-License-Identifier: Apache-2.0

// Package embedding measures how similar texts are in meaning, with a model behind an OpenAI-compatible embeddings API.
//
// The vectors of catalog texts are fetched once, in the background, and stored in the blob store. Only the vector of a
// query is fetched while a caller waits, with a short timeout. After a failure, no query is sent for a while. Callers
// need a fallback for the time when no result is available.
package embedding
