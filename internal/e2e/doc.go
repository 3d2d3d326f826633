// SPDX-License-Identifier: Apache-2.0

// Package e2e tests the built programs together, as they run on a newcomer's machine: hack/run with its local
// Kubernetes, the manager, the front end and the renderer in real Jobs. The tests cover the main workflow, kill every
// program at every stage of the work, break images, disks and encoders, and check the resulting state.
//
// The tests need root, ffmpeg, and the directory with the programs in $REELOPS_BIN; without it they are skipped. They
// share one stack with a data directory of its own, and use only loopback. Behaviour of a single package is tested in
// that package.
package e2e
