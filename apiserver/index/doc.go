// SPDX-License-Identifier: Apache-2.0

// Package index keeps the lists of the interface in memory, in the order in which they are shown, so that a page costs the
// same among a thousand records and among a million.
//
// Tree is an ordered list that counts: it knows how many of its records stand before any place, apart for every class of
// records (a class is one combination of values that callers filter by). So the total of any filter is a difference of two
// counts and a page is found by its number; nothing is ever walked through to be counted or skipped. Shorts are the lists
// of shorts, one Tree a brand, and the shorts by id.
//
// Shorts are fed by the events of the informers of Slideshow, Video and RenderJob and by nothing else. What a reader gets are the
// very objects of the cache: they must not be changed. A short is in no list before it has an id, and of two objects that
// claim one id (a manifest that was copied with its labels) the older has it.
//
// Media are the lists of media items and packs, fed by the informers of MediaAsset and MediaPack. What the same brands see by
// the same source stands on one shelf: a Tree, and the words of its texts. A list is made of the few shelves that a brand
// sees, merged; a search looks into these and knows nothing of others.
//
// A write through this process is noted with Wrote; Await lets a reader of the same account wait until its event has come.
// Usual returns the median duration of recent work, from the same events. Watch notifies a reader of changes of one
// short.
//
// Nothing here reads or writes the cluster, and nothing here knows HTTP.
package index
