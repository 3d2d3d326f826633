// SPDX-License-Identifier: Apache-2.0

// Package cluster tries the product as a platform team has it: container images, installed with Helm on a real Kubernetes node with a
// kubelet, containerd, kube-proxy and network policies (hack/realnode), called through Services. The programs speak HTTPS under an authority of
// the test, and metrics need a token.
//
// `make test-e2e` builds what it takes and runs it. By itself the package does nothing: the test needs root and minutes, and runs where the
// environment names a node program:
//
//	REELOPS_NODE     the program realnode (required; without it the tests are skipped)
//	REELOPS_HELM     helm
//	REELOPS_BIN      folder with reelops
//	REELOPS_IMAGES   folder with the archives that `make images` and `make images-test` write
//	REELOPS_NODE_DIR data folder of the node (default: a temporary one)
//	REELOPS_NODE_KEEP 1 leaves the node running after the test, to look at
//	REELOPS_CHAOS    how long pods are killed in the test with S3 and Redis (default 30s; `make test-e2e-ha` has 5m)
package cluster
