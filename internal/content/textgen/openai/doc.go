// SPDX-License-Identifier: Apache-2.0

// Package openai writes slideshows with a chat model behind an OpenAI-compatible API: OpenAI itself, or Ollama, vLLM
// and others at any base URL.
//
// Requests specify a JSON schema. If a server rejects the schema, the request is sent again with the format described
// only in the prompt. Every response is checked against the requirements of package textgen. After an invalid response,
// the list of defects is sent to the model once; a second invalid response is an error. The package does not retry
// after network errors: its error reports whether a retry is useful, and the caller decides.
package openai
