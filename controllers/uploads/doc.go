// SPDX-License-Identifier: Apache-2.0

// Package uploads removes what nobody keeps from the blob store: uploads that were declared and sent and never claimed,
// uploads that came once more after they were taken in, and what writers that were killed left unfinished.
//
// It only looks at the store and at MediaAssets, and writes neither spec nor status. What a MediaAsset still has to take in
// stays, however old; the asset's own controller removes it then.
package uploads
