// SPDX-License-Identifier: Apache-2.0

// Package standalone has the test of the image standalone. The test runs the image with containerd and runc, with the
// rights that container engines grant by default, with those of the Compose file, and with more.
package standalone
