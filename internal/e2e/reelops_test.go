// SPDX-License-Identifier: Apache-2.0

package e2e

import "testing"

// TestReelops runs its parts with one stack. The parts are independent, so one of them can run alone with -run. The
// last one requires that all work before it has ended.
func TestReelops(t *testing.T) {
	t.Parallel()
	s := newStack(t, withEnv("REELOPS_RENDER_SCRATCH_MEDIUM=disk")) // a disk that a test can fill; other stacks render in memory
	if !t.Run("the main workflow over REST", s.mainJob) {
		return // every other part needs this one and would wait for it
	}
	t.Run("the main workflow from manifests", s.manifests)
	t.Run("rejects invalid manifests", s.invalidManifests)
	t.Run("permissions of the roles", s.roles)
	t.Run("users cannot set ids", s.identityFields)
	t.Run("permissions of the manager", s.managerPermissions)
	t.Run("the manager with flags of a cluster", s.inCluster)
	t.Run("the spec and process of a render pod", s.renderPod)
	t.Run("a corrupt image fails the render", s.corruptImage)
	t.Run("an invalid timeline fails the render", s.impossibleTimeline)
	t.Run("a full disk fails the render", s.fullDisk)
	t.Run("a killed encoder is retried", s.killedEncoder)
	t.Run("an encoder killed every time fails the render", s.encoderAlwaysKilled)
	t.Run("recovers from a killed manager", func(t *testing.T) { s.partKilled(t, "manager") })
	t.Run("recovers from a killed front end", func(t *testing.T) { s.partKilled(t, "apiserver") })
	t.Run("recovers from a killed renderer", s.rendererKilled)
	t.Run("recovers from a renderer killed near its end", s.rendererKilledLate)
	t.Run("deletes a short during its render", s.deletedWhileRendering)
	t.Run("recovers from a killed Kubernetes", s.kubernetesKilled)
	t.Run("recovers when everything is killed", s.everythingKilled)
	t.Run("writes nothing at rest", s.checkSteadyState)
}
