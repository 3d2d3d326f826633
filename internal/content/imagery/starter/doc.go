// SPDX-License-Identifier: Apache-2.0

// Package starter is the library of rendered backgrounds that every installation includes. It needs no API key, no
// network and no licences.
//
// Every picture is a scene rendered by code from a seed, at any canvas size and ratio, in one of the image worlds of
// the catalog. All returns the pictures with their search words; Draw renders the pixels. A picture's ID, number and
// look are stable, because existing slides refer to them. New pictures are appended to their world's list; none is
// removed or moved.
//
// Rendering at a size larger than the slide leaves room for a slow zoom: the scene is composed for the ratio, so 1.15
// times the size is the same picture, sharper.
//
// Backdrops returns abstract pictures in the colours of a design style, for slides without a fitting picture. They can
// be read by ID and number, and are not listed.
//
// Packs returns the same pictures as packs, one for each image world.
//
// There are two kinds of worlds: moods (skies, lights, paper) and subjects (food, people, shops). Scenes of subjects
// are composed of objects with their own light and shadow (thing), on stages that several scenes share.
//
// The package stores nothing and chooses nothing; package imagery chooses.
package starter
