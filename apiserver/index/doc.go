// SPDX-License-Identifier: Apache-2.0

// Package index keeps the lists of the API in process, in display order. A page costs about the same among a thousand
// records as among a million.
//
// Tree is an ordered list that counts its records by class. A class is one combination of values that callers filter
// by. So the total of any filter is a difference of two counts, and a page is found by its number, without walking over
// records. Shorts holds the lists of shorts, one Tree per brand, and the shorts by id. Posts holds the lists of posts in
// two orders, by creation and by the time at which they are due.
//
// Only the informer events of Slideshow, Video and RenderJob, and SetArchive, change Shorts. Readers get the cached objects themselves
// and must not change them. A short is in no list before it has an id. If two objects have the same id (for example a
// manifest copied with its labels), the older one is listed.
//
// SetArchive adds the keys of a namespace's archived shorts, or of its archived posts, to the lists. They are in Trees of
// their own, and a list merges both by counting. While a record is live, its row in the archive is in no list. The posts
// of one short are few: a filter by short names the segments to look for them in. Texts of archived shorts are not kept:
// Search needs an index of them (Words) for each segment. The package never reads rows.
//
// A shelf is a Tree with a text index of its records, which is kept only while there are many of them. The shorts of a
// brand form one shelf.
//
// Media holds the lists of media items and packs, fed by the informers of MediaAsset and MediaPack. Items with the same
// visibility and source form one partition: a Tree and a text index. A list merges the few partitions that a brand may
// see, and a search reads only these.
//
// Wrote records a write of this process. Await makes a reader of the same account wait until the write's event has
// arrived. Usual returns the median duration of recent work, from the same events. Watch notifies a reader of changes
// of one short.
//
// The package does not access the cluster and does not depend on HTTP.
package index
