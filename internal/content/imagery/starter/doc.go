// SPDX-License-Identifier: Apache-2.0

// Package starter is the library of drawn backgrounds that a fresh installation
// has: no key, no network, no licence question.
//
// Every picture is a scene drawn by code from a seed, at any canvas size and
// ratio, in one of the image worlds of the catalog. All lists them with the words
// they can be found by; Draw makes the pixels. A picture's ID, number and look are
// stable: slides already made refer to them. New pictures go to the end of their
// world's list; none is removed or moved.
//
// Drawing at a size larger than the slide leaves room for a slow zoom: the scene
// is composed for the ratio, so 1.15 times the size is the same picture, sharper.
//
// Backdrops returns abstract pictures in the colours of a design style, for slides
// that no picture fits. They are found by ID and number, and are not listed.
//
// Packs gives the same pictures as packs, one an image world.
//
// Worlds are of two kinds: moods (skies, lights, paper) and subjects (food, people, shops). Scenes of subjects are
// drawn from objects with their own light and shadow (thing), on stages that several scenes share.
//
// The package stores nothing and chooses nothing; choosing is package imagery.
package starter
