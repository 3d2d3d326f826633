// SPDX-License-Identifier: Apache-2.0

// Package metric is the list of every metric that Reelops has: its name, what it counts, its labels, and the question of an operator
// that it answers. docs/reference/metrics.md is written from the list, alerts and the dashboard are checked against it, and the packages that
// count make their collectors of it: no other package makes collectors of its own, which a test holds.
//
// Labels have few values that are known beforehand. There is none for an account, a brand, a key or an object: with ten thousand
// brands each would be ten thousand time series. Who it was is asked of the log, which has the request, the account, the key and
// the short in every line, or of the objects themselves (kubectl reelops status).
//
// A definition's own collector counts for the whole process, and Register makes those of a program public. New makes another one,
// for packages that count for each server or controller apart.
package metric
