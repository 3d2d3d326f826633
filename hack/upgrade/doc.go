// SPDX-License-Identifier: Apache-2.0

// Command upgrade stores the kinds of released versions, and checks that the current kinds accept the same objects.
//
//	go -C hack run ./upgrade freeze v0.1.0    # at a release: copies config/crd/bases to config/crd/releases/v0.1.0
//	go -C hack run ./upgrade check            # what the current kinds no longer accept
//
// Frozen kinds are never changed. docs/operations/upgrade.md describes which changes are allowed within a version, and
// check enforces them. No field is removed, changes its type or becomes required. No bound or rule becomes tighter, no
// enum value is removed, and no default changes. Every stored version stays.
package main
