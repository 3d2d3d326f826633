// SPDX-License-Identifier: Apache-2.0

// Package deb extracts files from Debian packages. Apt resolves, downloads and verifies the packages in its own state
// folder, so the installed packages and package sources of the machine do not matter. A Tree then finds the shared
// libraries that programs are linked with, by their ELF headers, so that an image contains only the libraries that are
// used, not every dependency.
//
// The package runs no maintainer scripts and installs nothing.
package deb
