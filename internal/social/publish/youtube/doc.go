// SPDX-License-Identifier: Apache-2.0

// Package youtube publishes videos on YouTube.
//
// A video is uploaded as private over a resumable session: the session's address is recorded before
// the first byte is sent, so that after any interruption the session itself says how much it has, or that the video is complete.
// Where a session is forgotten, the channel's own uploads are searched before another one is opened. When YouTube has processed the
// video, only its visibility is left: Commit makes it public, and YouTube notifies the subscribers then, unless the author declined it.
// A cover is set before that. The change of visibility can be repeated without harm and be looked up, so no
// outcome stays unknown for long. A draft ends as the private upload.
//
// What a person changes in YouTube Studio meanwhile is kept: Commit names only the part of the video that holds its visibility, and
// sends back every other field of it as it was read just before.
//
// All calls are written here by hand. The client library of Google would cost little (two hundred kilobytes in the manager, and no
// new module), but it leaves out false values, which would erase what a person set; it sends small files in a single request that nobody can ask
// about after a crash; it does not tell the session's address of large ones; and it hides whether a request left. The token calls are
// two forms: package golang.org/x/oauth2 tells as little of requests that were lost, and reads the time by itself.
//
// Numbers are read at the lowest price in the units that a whole installation shares. What only reports tell is days behind; where there are no
// reports it is unknown.
//
// The package does not decide when a call is made or made again, keeps no tokens, and does not delete videos.
package youtube
