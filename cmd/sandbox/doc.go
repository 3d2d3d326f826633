// SPDX-License-Identifier: Apache-2.0

// Command sandbox emulates the social platforms over HTTP, with their own paths, fields, limits and errors. It lets
// operators try publishing without accounts on the platforms and without publishing anything. Every platform is served
// below its name; the page at / shows the published posts. The sandbox trusts all clients, so it listens on loopback by
// default.
//
// To connect an account without a browser, request a platform's authorize page with &approve=maya. The response is the
// redirect that a click would cause. The accounts studio and acme exist too, and &deny=1 refuses.
//
//	GET  /ledger    lists posts that are public or in an inbox; ?platform= and ?account= filter, ?all=true includes private
//	                posts
//	POST /elsewhere creates posts as a person does in a platform's own app; DELETE /ledger/PLATFORM/ID deletes a post as
//	                its owner does
//	GET  /calls     lists the received calls; ?platform=, ?account=, ?call= filter
//	GET  /accounts  lists the accounts of every platform
//	POST /faults    adds lines to the script of failures; GET /faults lists the remaining ones, DELETE /faults clears it
//	POST /reset     clears the posts, the calls and the faults; connections stay valid
//
// Posts created elsewhere, for example a hundred with an hour between them, the newest at a given time (default: now):
//
//	{"platform":"tiktok","account":"maya","caption":"Bread","count":100,"minutes":60,"at":"2026-11-21T09:00:00Z"}
//
// A line of the script:
//
//	{"platform":"tiktok","call":"video.init","account":"maya","when":"after","do":"drop","skip":0,"times":1}
//
// Values of do: drop; cut (half of the response); delay (delay_ms); hang (until the client disconnects); late (carried
// out after the client has disconnected); status (with status, code, retry_after); revoke or expire (the account's
// tokens). For the call "processing", which is the platform's work on a medium, they are fail and reject. An invalid
// line gets a response that lists the valid calls.
package main
