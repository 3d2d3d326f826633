// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// process are the metrics that are counted once per process.
var process = []struct {
	of *Definition
	by prometheus.Collector
}{
	{WorkWait.Definition, WorkWait.HistogramVec},
	{WorkRun.Definition, WorkRun.HistogramVec},
	{WorkEnded.Definition, WorkEnded.CounterVec},
	{AutomationRunsEnded.Definition, AutomationRunsEnded.CounterVec},
	{RenderStart.Definition, RenderStart.HistogramVec},
	{RenderAttempts.Definition, RenderAttempts.CounterVec},
	{Unconfined.Definition, Unconfined.CounterVec},
	{RenderReports.Definition, RenderReports.CounterVec},
	{PlatformCalls.Definition, PlatformCalls.CounterVec},
	{PlatformSeconds.Definition, PlatformSeconds.HistogramVec},
	{AICalls.Definition, AICalls.CounterVec},
	{AISeconds.Definition, AISeconds.HistogramVec},
	{AITokens.Definition, AITokens.CounterVec},
	{AIPictures.Definition, AIPictures.CounterVec},
	{AISpeechCharacters.Definition, AISpeechCharacters.CounterVec},
	{StoreCalls.Definition, StoreCalls.CounterVec},
	{BuildInfo.Definition, BuildInfo.GaugeVec},
	{ClockAhead.Definition, ClockAhead.GaugeVec},
	{StoreSeconds.Definition, StoreSeconds.HistogramVec},
}

// RegisterProcess registers the per-process metrics of a program.
func RegisterProcess(to prometheus.Registerer, program string) error {
	for _, p := range process {
		if strings.Contains(p.of.Program, program) {
			if err := Register(to, p.by); err != nil {
				return err
			}
		}
	}
	return nil
}
