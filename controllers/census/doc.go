// SPDX-License-Identifier: Apache-2.0

// Package census counts what there is, for metrics: slideshows, videos, renders, media and posts by state, how long the oldest of
// them wait, and connected accounts by how well their platforms take them. It follows the cache's events and reads and writes
// nothing else, so every replica of the manager has the same figures, the one that leads as well as the others.
package census
