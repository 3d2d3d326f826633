// SPDX-License-Identifier: Apache-2.0

// Package sniff tells from a file's first bytes what it is, among the types that are taken. It believes no name and no
// declared type. It does not say that the file is whole or harmless: who decodes it finds that out.
package sniff
