// SPDX-License-Identifier: Apache-2.0

// Package publish is the port to social platforms: what the controllers need of TikTok, YouTube, Instagram and LinkedIn, in words
// of their own. The folders below it are the adapters.
//
// A post goes out in two parts. Prepare does everything that nobody can see and that may be done early and again: it opens upload
// sessions, sends bytes, makes containers, waits for the platform's processing. Commit is the one call that may publish. The
// controller records an attempt before Commit and its outcome after it; an attempt whose outcome nobody heard is looked for with
// Find, and never sent again by itself.
//
// Adapters speak HTTP and know nothing of the cluster. They hold no state: what a later call needs they give back as a note, which
// the controller keeps sealed. They read the time from the clock they are given, log nothing, and put no secret, address or answer of a
// platform into an error's Safe text. Calls never outlive their context.
package publish
