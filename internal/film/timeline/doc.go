// SPDX-License-Identifier: Apache-2.0

// Package timeline describes a short film: a canvas, a row of clips with their motion and transitions, and the sound under
// them. It is the plain-data contract between whoever plans a film and whoever draws it.
//
// It knows what a film is made of, which films are possible (Validate), and what every frame shows (Shots): a standing picture or
// one of footage, and the layers above it. All of that is pure: no files, no clock, no encoder. It does not know where an input
// is stored; a clip names it by a key, and the work order says where that key can be fetched.
//
// Time is counted in whole frames. A cross-fade lies inside the time of the two clips it joins, so the film is exactly as long
// as the sum of its clips.
package timeline
