// SPDX-License-Identifier: Apache-2.0

// Package avatar draws the stock avatar clips: people who talk to the camera, made by code, so that an installation has
// somebody to speak a hook before anybody brought a clip.
//
// A figure is flat illustration with soft shading. What moves only as a whole (room, hair, head, clothes) is painted once;
// every picture then bends and places these parts, and paints eyes, brows and mouth anew. The mouth follows made-up speech
// with syllables, stress and pauses, and says nothing in particular: any voice can be laid over it. A clip ends as it
// begins, so that it can be repeated.
//
// Everything follows from a figure's seed: the same program draws the same pictures, whatever the number of processors.
//
// The package knows nothing of where clips are kept or who asks for them.
package avatar
