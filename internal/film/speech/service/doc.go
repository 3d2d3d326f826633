// SPDX-License-Identifier: Apache-2.0

// Package service speaks texts with a model behind the OpenAI-compatible API, POST {base}/audio/speech: OpenAI itself, or one
// of the many servers that speak its language, at any base URL.
//
// What comes back is bounded, and told by its first bytes: no type that a server declares is believed. The package does not
// retry: it says whether a retry makes sense and its caller decides when. It keeps nothing.
package service
