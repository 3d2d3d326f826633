// SPDX-License-Identifier: Apache-2.0

// Package fairqueue shares the workers of a controller, and other scarce slots, among accounts. One namespace is one
// account.
//
// A plain work queue is first in, first out: one account whose reconciles wait for slow servers occupies every worker,
// and the objects of all other accounts wait behind it. Here every namespace has a queue of its own. The queues take
// turns, and no namespace has more items in process than its limit.
package fairqueue
