// SPDX-License-Identifier: Apache-2.0

// Package kill tests automations while their leader is killed with SIGKILL at random moments of a simulated month.
//
// The test starts etcd and kube-apiserver, and runs its own binary as the leader. A leader consists of the controllers
// of automations, batches and posts, as the manager sets them up, with their caches, queues and writes. Killed leaders
// lose everything in their memory, and requests that are under way.
//
// Three parts are replaced. The clock of the leader is set by the test, which advances it in steps and waits until all
// slots that may start have posts. The platform runs in the process of the test: it records what is published and
// sometimes drops a response. The test also completes shorts, as the controller of videos and the renderer would. There
// is no leader election: the next leader starts after the end of the previous one.
//
// At the end, the record of the objects and of the platform is compared with slots that another library computed: each
// slot that the policy promises has one run and one post, and no other post exists.
package kill
