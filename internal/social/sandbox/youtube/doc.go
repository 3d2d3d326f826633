// SPDX-License-Identifier: Apache-2.0

// Package youtube is a stand-in for YouTube as its documentation describes it: Google's page and tokens, resumable uploads,
// videos, the channel, its list of uploads, counters and reports, allowances and errors. It lives below /youtube/ of the sandbox;
// everything else stands under YouTube's own paths.
//
// A video exists from the moment its last byte arrives, exactly once for a session, and is private, unlisted or public as the
// uploader said; public when nothing was said. Public ones are in the sandbox's ledger, private ones are there as private posts: so
// that a video which nobody wanted can be seen. Processing takes the sandbox's time and ends as the film deserves, or as a script
// says.
//
// What the documentation leaves open is settled for the strict reading. Allowances are large unless they are set.
package youtube
