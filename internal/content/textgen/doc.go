// SPDX-License-Identifier: Apache-2.0

// Package textgen is the port behind which the words of slideshows and videos are written.
//
// A Writer turns what somebody wants said (Request) into a Draft: slides in order, a title, a caption, tags and words to choose
// pictures by. There are two writers, one a folder: offline makes slides from the request's own sentences and needs no network;
// openai asks a chat model. Both keep the same promises, which Check states and the conformance package tries on real texts.
//
// A HookWriter, which both are as well, writes what is spoken in a video and what stands beside it.
//
// The package decides nothing about looks: fonts, positions and pictures are chosen elsewhere from the draft.
package textgen
