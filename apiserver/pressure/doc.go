// SPDX-License-Identifier: Apache-2.0

// Package pressure keeps the front end standing when the cluster is slow or away, and when there are more calls than it can answer.
//
// A Gate looks at every answer of the cluster as it passes. When one is missing or bad it asks the cluster a small question itself, and
// when that is not answered either the cluster is away: calls that change something are refused at the door until it answers again, and
// calls that read are answered by the caches without asking. It asks on by itself, so that the end of the trouble needs nobody.
//
// And it counts the calls that are under way. Each one more than it may be is refused at once: a queue would only make all of them late,
// and their memory the end of the process.
//
// What a refused caller is told, and how calls are answered, is not known here.
package pressure
