// SPDX-License-Identifier: Apache-2.0

// Package sniff detects the type of a file from its first bytes, among the accepted types. It ignores the file name and
// the declared type. It does not check that the file is complete or harmless: its decoder does that.
package sniff
