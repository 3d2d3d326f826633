// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// schedulerParallelism is sufficient for one node.
const schedulerParallelism = 1

// StartScheduler starts kube-scheduler with its default profile and returns when its caches are synced.
func StartScheduler(ctx context.Context, cfg *rest.Config) error {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(cfg), "kube-scheduler"))
	if err != nil {
		return err
	}
	informers := scheduler.NewInformerFactory(client, 0, nil)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return fmt.Errorf("starting the scheduler's events: %w", err)
	}
	context.AfterFunc(ctx, broadcaster.Shutdown)
	s, err := scheduler.New(ctx, client, informers, nil, profile.NewRecorderFactory(broadcaster),
		scheduler.WithKubeConfig(cfg), scheduler.WithParallelism(schedulerParallelism))
	if err != nil {
		return fmt.Errorf("building the scheduler: %w", err)
	}
	informers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	if err := s.WaitForHandlersSync(ctx); err != nil {
		return fmt.Errorf("waiting for the scheduler's caches: %w", err)
	}
	go s.Run(ctx)
	return nil
}
