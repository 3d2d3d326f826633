// SPDX-License-Identifier: Apache-2.0

// Package starterset creates the objects of the starter set in the library namespace: a MediaAsset for every avatar
// clip and a MusicTrack for every loop. Their controllers generate the files in Jobs, as for uploads.
//
// The work has the lowest priority. It starts a minute after the manager, creates one object at a time, waits until
// that object has settled, and pauses while a slideshow is created or a video rendered.
//
// A deleted object stays deleted until the manager restarts; --starter-set=false disables the set. An object of the
// same name without the set's label is left alone. After an upgrade, an item with a new description is patched, and one
// with new content is replaced under its ID.
//
// The controller writes no status.
package starterset
