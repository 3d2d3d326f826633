// SPDX-License-Identifier: Apache-2.0

// Package move tests the restore of a backup into an empty cluster, with the real manager. Both clusters use the same
// sandbox of the platforms, whose list of posts shows anything published twice.
package move
