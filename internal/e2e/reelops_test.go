// SPDX-License-Identifier: Apache-2.0

package e2e

import "testing"

// TestReelops does everything with one stack. The parts do not need each other, so that one can be run alone with -run;
// the last one wants everything before it to have settled.
func TestReelops(t *testing.T) {
	t.Setenv("REELOPS_RENDER_SCRATCH_MEDIUM", "disk") // one that can be filled; the other stacks keep the files of renders in memory
	s := newStack(t)
	if !t.Run("the main job over REST", s.mainJob) {
		return // nothing else can go better, and each would wait for it
	}
	t.Run("the same from manifests", s.manifests)
	t.Run("bad manifests are refused", s.badManifests)
	t.Run("what people may", s.roles)
	t.Run("ids are given by Reelops", s.marks)
	t.Run("what the manager may not", s.confined)
	t.Run("a manager as in a cluster", s.inCluster)
	t.Run("the render pod", s.renderPod)
	t.Run("a corrupt picture", s.corruptPicture)
	t.Run("an impossible timeline", s.impossibleTimeline)
	t.Run("a full disk", s.fullDisk)
	t.Run("a killed encoder", s.killedEncoder)
	t.Run("an encoder that never survives", s.hopelessEncoder)
	t.Run("the manager killed", func(t *testing.T) { s.partKilled(t, "manager") })
	t.Run("the front end killed", func(t *testing.T) { s.partKilled(t, "apiserver") })
	t.Run("the renderer killed", s.rendererKilled)
	t.Run("the renderer killed near its end", s.rendererKilledLate)
	t.Run("a short deleted while it is rendered", s.deletedWhileRendering)
	t.Run("Kubernetes killed", s.kubernetesKilled)
	t.Run("everything killed", s.everythingKilled)
	t.Run("steady state", s.still)
}
