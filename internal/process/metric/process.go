// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// process are the metrics that a process counts once, wherever in it something happens.
var process = []struct {
	of *Definition
	by prometheus.Collector
}{
	{WorkWait.Definition, WorkWait.HistogramVec},
	{WorkRun.Definition, WorkRun.HistogramVec},
	{WorkEnded.Definition, WorkEnded.CounterVec},
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

// RegisterProcess makes what the process counts for the whole of itself part of a program's metrics.
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
