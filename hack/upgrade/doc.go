// SPDX-License-Identifier: Apache-2.0

// Command upgrade keeps the kinds of released versions, and tells whether those of today take what they took.
//
//	go -C hack run ./upgrade freeze v0.1.0    # at a release: config/crd/releases/v0.1.0 becomes what config/crd/bases is
//	go -C hack run ./upgrade check            # what the kinds of today no longer take that a release took
//
// What was frozen is never changed. What a change may do within a version is in docs/operations/upgrade.md; the check is its letter: a field is not
// removed, nor its type changed, nothing becomes required, no bound or rule becomes tighter, no value of an enum goes, no default becomes
// another, and every stored version stays.
package main
