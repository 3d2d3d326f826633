// SPDX-License-Identifier: Apache-2.0

// Command sandbox stands in for the social platforms, over HTTP with their own paths, fields, limits and errors, so that
// publishing can be tried without an account anywhere and without anybody seeing it. Every platform lives below its name; the page at /
// shows what landed. It trusts whoever reaches it, so it listens on loopback unless told otherwise.
//
// Connecting without a browser: a platform's authorize page asked with &approve=maya added answers with the redirect that a click
// would give; studio and acme are there too, &deny=1 refuses.
//
//	GET  /ledger    what became public or reached an inbox; ?platform= and ?account= narrow it, ?all=true shows private posts too
//	POST /elsewhere posts as a person does in a platform's own app; DELETE /ledger/PLATFORM/ID takes a post away as its owner does
//	GET  /calls     the calls that came; ?platform=, ?account=, ?call=
//	GET  /accounts  the accounts of every platform
//	POST /faults    adds lines to the script of failures; GET /faults shows what is left of it, DELETE /faults forgets it
//	POST /reset     forgets what landed, the calls and the faults; connections stay good
//
// Posts that are made elsewhere, here a hundred with an hour between each two, the newest at a time (now when there is none):
//
//	{"platform":"tiktok","account":"maya","caption":"Bread","count":100,"minutes":60,"at":"2026-11-21T09:00:00Z"}
//
// A line of the script:
//
//	{"platform":"tiktok","call":"video.init","account":"maya","when":"after","do":"drop","skip":0,"times":1}
//
// do is drop, cut (half of the answer), delay (delay_ms), hang (until the caller goes), late (carried out when the caller has gone),
// status (with status, code, retry_after), revoke or expire (the account's tokens). For the call "processing", which is the platform's work on a
// medium, it is fail or reject. A wrong line is answered with the calls that there are.
package main
