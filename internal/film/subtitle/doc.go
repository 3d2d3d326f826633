// SPDX-License-Identifier: Apache-2.0

// Package subtitle shows what is said: as files of cues that players read (WebVTT, SRT), and as pictures that lie over a film,
// in which the words appear as they are spoken and the one that is spoken stands out.
//
// It also draws labels: texts that stand still over a film, plain or as a button, in the look of the words (DrawLabels).
//
// It takes the times of the words as they are given and hears nothing. It stores nothing.
package subtitle
