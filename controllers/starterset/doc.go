// SPDX-License-Identifier: Apache-2.0

// Package starterset gives the library namespace the objects of the starter set: a MediaAsset for every avatar clip, a
// MusicTrack for every loop. Their own controllers then have them made, in a Job, as if somebody had brought them.
//
// It never hurries. It begins a minute after the manager does, makes one object at a time, the next one when the one before
// has settled, and only while no slideshow is being made and no film rendered. When the set is complete it does nothing.
//
// What an operator deletes stays away until the manager starts again; --starter-set=false keeps the set away for good. An
// object of the same name that somebody else made is left alone. After an upgrade an item that says something else of
// itself is patched, and one that is made differently is replaced under the id it had.
//
// It writes no status.
package starterset
