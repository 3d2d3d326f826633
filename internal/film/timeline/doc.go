// SPDX-License-Identifier: Apache-2.0

// Package timeline describes a short video: a canvas, a sequence of clips with their motion and transitions, and the
// sound under them. It is the plain-data contract between the planner of a video and its renderer.
//
// The package defines the parts of a video, which videos are valid (Validate), and what every frame shows (Shots): a
// still image or a frame of footage, and the layers above it. All of it is pure: no files, no clock, no encoder. It
// does not know where an input is stored. A clip names its input by a key, and the work order has the address of each
// key.
//
// Time is counted in whole frames. A cross-fade is inside the time of the two clips that it joins, so the length of the
// video is exactly the sum of its clips.
package timeline
