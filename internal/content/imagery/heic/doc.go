// SPDX-License-Identifier: Apache-2.0

// Package heic decodes HEIC images (HEVC in HEIF, the format of phones) in a sandbox.
//
// The decoder is libheif with libde265, C++ code that parses untrusted data, so it runs as WebAssembly. It has its own
// memory, no files, no network, no clock and no environment, and a deadline. Its failures, including memory faults,
// become errors. Each image gets a fresh memory, which is returned to the system afterwards. One image is decoded at a
// time.
//
// The WebAssembly program comes with the module github.com/gen2brain/heic. Its own Go functions are not used: they
// prefer a libheif installed on the machine, outside any sandbox, and they limit neither memory nor time. The build tag
// nodynamic excludes that module's loading of shared libraries from the program; it does not change the decoder used
// here.
package heic
