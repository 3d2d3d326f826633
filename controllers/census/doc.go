// SPDX-License-Identifier: Apache-2.0

// Package census exports metrics about the objects in the cache: slideshows, videos, renders, media and posts by state,
// the age of the oldest waiting one, and connected accounts by token state and limits. It follows informer events only,
// so every replica of the manager exports the same values, whether it leads or not.
package census
