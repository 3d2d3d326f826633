// SPDX-License-Identifier: Apache-2.0

// Package youtube publishes videos on YouTube.
//
// A video is uploaded as private over a resumable session. The session URL is recorded before the first byte is sent,
// so that the upload can be resumed after any interruption: the session reports how many bytes it has, or that the
// video is complete. If YouTube no longer knows the session, the channel's uploads are searched before another session
// is opened. The cover is set once YouTube has processed the video. Then Commit makes the video public, and YouTube
// notifies the subscribers unless the author declined it. Changing the visibility is idempotent and can be read back,
// so no outcome stays unknown for long. A draft remains a private upload.
//
// Changes that a user makes in YouTube Studio in the meantime are kept. Commit updates only the part of the video that
// holds its visibility, and sends back the other fields of that part as it has just read them.
//
// The package does not use Google's client library. That library would be cheap (two hundred kilobytes in the manager,
// and no new module), but it omits false values, which would erase a user's settings. It sends small files in a single
// request whose outcome cannot be queried after a crash. It does not expose the session URL of large files, and it does
// not report whether a request was sent. The token calls are two forms. Package golang.org/x/oauth2 does not report
// whether a request was lost either, and reads the clock itself.
//
// Analytics are read at the lowest cost in quota units, which the whole installation shares. Metrics that only reports
// contain are days behind. They are unknown where there are no reports.
//
// The package does not decide when calls are sent or retried, does not store tokens, and does not delete videos.
package youtube
