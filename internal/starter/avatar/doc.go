// SPDX-License-Identifier: Apache-2.0

// Package avatar renders the stock avatar clips: generated people who talk to the camera. With them an installation can
// render a spoken hook before users upload clips.
//
// A figure is flat illustration with soft shading. What moves only as a whole (room, hair, head, clothes) is painted
// once. Every frame then deforms and places these parts, and paints eyes, brows and mouth again. The mouth follows
// synthetic speech with syllables, stress and pauses but no words, so that any voice fits. A clip ends as it begins, so
// that it can loop.
//
// Rendering is deterministic: it depends on the figure's seed only, not on the number of processors.
//
// The package does not depend on the storage or the users of the clips.
package avatar
