// SPDX-License-Identifier: Apache-2.0

// Package textgen defines the interface for writing the text of slideshows and videos.
//
// A Writer turns a Request into a Draft: slides in order, a title, a caption, tags, and keywords for choosing images.
// There are two implementations, each in a subpackage. Package offline builds slides from the sentences of the request
// and needs no network; package openai calls a chat model. Both meet the requirements of Check, and package conformance
// tests them with sample texts.
//
// Both also implement HookWriter, which writes the spoken hook of a video, its title, caption and tags.
//
// The package does not decide on layout: other packages choose fonts, positions and images from the draft.
package textgen
