// SPDX-License-Identifier: Apache-2.0

// Package openai writes slideshows with a chat model behind the OpenAI-compatible API: OpenAI itself, or Ollama, vLLM and others
// at any base URL.
//
// The answer is asked for by JSON schema; a server that refuses the schema is asked once more with the shape in the prompt alone.
// Every answer is checked against the promises of package textgen. A bad one is sent back once with what is wrong; a second bad
// one fails. The package does not retry on network faults: it says whether a retry makes sense and its caller decides when.
package openai
