// SPDX-License-Identifier: Apache-2.0

// Package heic decodes HEIC pictures (HEVC in HEIF, what phones make) without trusting the decoder.
//
// The decoder is libheif with libde265, C++ that reads what strangers send, so it runs as WebAssembly: it has a memory of
// its own, no file, no network, no clock and no environment, and a deadline. What goes wrong in it, a memory fault as
// well, is an error here. Each picture gets a fresh memory, which goes back to the system when the picture is done; one
// picture is decoded at a time.
//
// The WebAssembly program comes with the module github.com/gen2brain/heic. Its own Go functions are not used: they prefer
// a libheif found on the machine, outside any sandbox, and they bound neither memory nor time. Build with the tag nodynamic
// to leave that module's loading of shared libraries out of the program altogether; what is decoded by is the same.
package heic
