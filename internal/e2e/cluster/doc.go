// SPDX-License-Identifier: Apache-2.0

// Package cluster tests the product as a platform team installs it: container images, installed with Helm on a real
// Kubernetes node with a kubelet, containerd, kube-proxy and network policies (hack/realnode), called through Services.
// The programs serve HTTPS with certificates of a test authority, and metrics require a token.
//
// `make test-e2e` builds the prerequisites and runs the tests. They need root and several minutes, and run only if the
// environment names a node program:
//
//	REELOPS_NODE     the program realnode (required; without it the tests are skipped)
//	REELOPS_HELM     helm
//	REELOPS_BIN      folder with reelops
//	REELOPS_IMAGES   folder with the archives that `make images` and `make images-test` write
//	REELOPS_NODE_DIR data folder of the node (default: a temporary one)
//	REELOPS_NODE_KEEP 1 leaves the node running after the test, for inspection
//	REELOPS_CHAOS    how long pods are killed in the test with S3 and Redis (default 30s; `make test-e2e-ha` has 5m)
package cluster
