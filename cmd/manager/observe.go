// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"log/slog"

	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/process/version"
)

// observe registers the process metrics beside those of the libraries. If the environment configures tracing, it sends
// spans until end is called.
func observe(ctx context.Context, log *slog.Logger) (end func(), err error) {
	metric.BuildInfo.WithLabelValues(version.Version).Set(1)
	if err := metric.RegisterProcess(metrics.Registry, metric.Manager); err != nil {
		return nil, err
	}
	return tracing.Begin(ctx, "reelops-manager", func(err error) { log.Debug("sending spans failed", "error", err.Error()) })
}
