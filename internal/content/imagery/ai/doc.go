// SPDX-License-Identifier: Apache-2.0

// Package ai generates backgrounds with an image model behind an OpenAI-compatible images API: OpenAI itself, or
// LocalAI and others at any base URL.
//
// One call generates one image. The package determines the prompt and the size, reads the image from the response or
// from the address in the response, and distinguishes temporary from permanent failures. It stores nothing, does not
// retry and does not handle credits: its caller records the results and the charges.
package ai
