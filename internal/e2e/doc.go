// SPDX-License-Identifier: Apache-2.0

// Package e2e tries the built programs together, as a newcomer's machine runs them: hack/run with its local Kubernetes,
// the manager, the front end and the renderer in real Jobs. It does the main job, kills every program at every stage of
// the work, breaks pictures, disks and encoders, and looks at what is left.
//
// The tests need root, ffmpeg, and the folder with the programs in $REELOPS_BIN; without it they are skipped. They share
// one stack with a data folder of its own, and talk to loopback only. What one package can show alone is tested there.
package e2e
