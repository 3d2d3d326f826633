// SPDX-License-Identifier: Apache-2.0

// Package limit implements the rate limits of the API: a number of requests in a window of time, for one key or one
// address. Windows slide: a request counts for exactly the length of the window.
//
// A single replica counts in process. A decision then costs a lock and no allocation. Several replicas share their
// counts through Redis, whose clock then applies to all of them. Each replica also counts its own requests in local
// windows.
//
// While Redis does not respond, the local windows decide, so that each replica enforces the limit by itself. No request
// waits or fails because of Redis. The limiter logs one line and sets a gauge, and returns to shared counting as soon
// as Redis responds. Requests counted locally are not added to Redis afterwards. The local windows still apply beside
// Redis: even if Redis loses its data, no single replica exceeds the limit.
//
// Package limit does not decide which operation counts against which bucket, or when. It does not handle plan quotas or
// the limits of social platforms.
package limit
