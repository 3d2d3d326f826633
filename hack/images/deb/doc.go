// SPDX-License-Identifier: Apache-2.0

// Package deb takes files out of Debian packages. Apt resolves, downloads and verifies the packages in a state folder of its
// own, so neither what is installed on the machine nor its package sources matter; a Tree then finds the shared libraries
// that programs are linked with, by their ELF headers, so that an image holds what is used and not all that is depended on.
//
// It runs no maintainer scripts and installs nothing.
package deb
