// SPDX-License-Identifier: Apache-2.0

package runner_test

import (
	"bytes"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/pod"
	"github.com/reelops/reelops/internal/work/runner"
)

// TestLaunchMedia_IsAllowedByThePolicy launches and stops the Jobs of a clip, a track and a video with the identity of
// the manager.
func TestLaunchMedia_IsAllowedByThePolicy(t *testing.T) {
	cluster, manager := testkit.ManagerCluster(t, "tenant")
	store, err := blob.Open(t.Context(), blob.Config{
		URL: "file://" + t.TempDir(), BaseURL: "http://127.0.0.1",
		SigningKey: bytes.Repeat([]byte{1}, 32),
	})
	if err != nil {
		t.Fatal(err)
	}
	run := &runner.Runner{
		Client: manager, Clock: clock.RealClock{}, Store: store, Slots: runner.NewSlots(1),
		Pod: pod.Options{
			Image: "reelops.dev/renderer:dev", CPU: resource.MustParse("1"), Memory: resource.MustParse("1Gi"),
			Scratch: resource.MustParse("1Gi"),
		},
	}
	clip, track, video := &v1beta1.MediaAsset{}, &v1beta1.MusicTrack{}, &v1beta1.Video{}
	clip.Spec.Source.URL, track.Spec.Source.URL = ptr.To("https://example.com/a.mp4"), ptr.To("https://example.com/a.mp3")
	for kind, owner := range map[string]client.Object{"a clip": clip, "a track": track, "a video's speech": video} {
		owner.SetNamespace("tenant")
		owner.SetName("tea")
		owner.SetUID("0af76519-16cd-43dd-8448-eb211c80319c") // only its name and uid are used here
		o := &order.Order{Kind: order.ProbeAudio, Limits: order.Limits{DurationMilliseconds: 1000, Tracks: 8}}
		o.Input = &order.Input{URL: "http://127.0.0.1/a", ContentType: "audio/mpeg", MaxBytes: 1}
		if err := run.LaunchMedia(t.Context(), runner.Media(owner, 1), o); err != nil {
			t.Errorf("%s: got %v", kind, err)
			continue
		}
		var jobs batchv1.JobList
		if err := cluster.Client.List(t.Context(), &jobs, client.InNamespace("tenant")); err != nil || len(jobs.Items) != 1 {
			t.Fatalf("%s: got %d Jobs, %v", kind, len(jobs.Items), err)
		}
		for _, o := range []client.Object{&jobs.Items[0], secret(owner)} {
			if err := manager.Delete(t.Context(), o, client.PropagationPolicy("Background")); err != nil {
				t.Errorf("%s: removing: got %v", kind, err)
			}
		}
	}
}

func secret(owner client.Object) client.Object {
	name := runner.Media(owner, 1).Name()
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: owner.GetNamespace(), Name: name}}
}
