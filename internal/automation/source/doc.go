// SPDX-License-Identifier: Apache-2.0

// Package source chooses the next item of an Automation from any of its sources. It reads the cluster and feeds, and
// writes nothing. The caller records the item before it uses it.
package source
