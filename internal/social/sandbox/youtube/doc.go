// SPDX-License-Identifier: Apache-2.0

// Package youtube simulates YouTube as its documentation describes it: Google's consent page and tokens, resumable
// uploads, videos, the channel and its uploads playlist, statistics and reports, quotas and errors. It is served below
// /youtube/ of the sandbox, with YouTube's own paths.
//
// A video exists from the moment its last byte arrives, exactly once per upload session. It is private, unlisted or
// public as the uploader chose, and public by default. The sandbox lists public videos, and private ones as private
// posts, so that unwanted videos are visible in tests. Processing takes the sandbox's processing time. Its outcome
// depends on the file, or on a script.
//
// Where the documentation is ambiguous, the package implements the stricter reading. Quotas are large by default.
package youtube
