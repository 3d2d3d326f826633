// SPDX-License-Identifier: Apache-2.0

// Package subtitle displays spoken text: as caption files for players (WebVTT, SRT), and as images over a video in
// which the words appear as they are spoken and the current word is highlighted.
//
// It also draws labels: fixed texts over a video, plain or as a button, in the style of the words (DrawLabels).
//
// The package takes word timings as input and analyses no sound. It stores nothing.
package subtitle
