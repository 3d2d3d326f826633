// SPDX-License-Identifier: Apache-2.0

// Package service synthesizes speech with a model behind the OpenAI-compatible API, POST {base}/audio/speech: OpenAI
// itself, or one of the many compatible servers, at any base URL.
//
// The size of a response is bounded, and its type is detected from its first bytes: the type that a server declares is
// ignored. The package does not retry. Its errors report whether a retry makes sense, and the caller decides when. It
// keeps no state.
package service
