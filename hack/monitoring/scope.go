// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"strings"

	"github.com/reelops/reelops/internal/kube/lease"
	"github.com/reelops/reelops/internal/process/metric"
)

// jobs are the values of the label job by program: the Prometheus Operator names a job after the Service of its target.
var jobs = map[string]string{
	metric.Manager:   `job="reelops-manager-metrics"`,
	metric.APIServer: `job="reelops-apiserver-metrics"`,
	metric.Both:      `job=~"reelops-(manager|apiserver)-metrics"`,
}

// leaderStatus is a metric of controller-runtime. Its label name is the name of the Lease.
const leaderStatus = "leader_election_master_status"

// selector matches a word of an expression that may be a metric name, and an opening brace after it.
var selector = regexp.MustCompile(`\b[a-z]+(?:_[a-z0-9]+)+\b\{?`)

// scope returns the expression with matchers added to every metric of this project, so that it selects the installation
// in the dashboard's variables. Other operators have metrics with the same names.
func scope(expr string) string {
	return selector.ReplaceAllStringFunc(expr, func(word string) string {
		name := strings.TrimSuffix(word, "{")
		program, ok := programs[name]
		if !ok {
			return word
		}
		matchers := `cluster="$cluster",namespace="$namespace",` + jobs[program]
		if name == leaderStatus {
			matchers += `,name="` + lease.Manager + `"`
		}
		if name == word {
			return name + "{" + matchers + "}"
		}
		return name + "{" + matchers + ","
	})
}

// programs maps the names of series to the program that exports them.
var programs = func() map[string]string {
	out := map[string]string{}
	for _, d := range metric.All() {
		suffixes := []string{""}
		if d.Type == metric.HistogramType {
			suffixes = []string{"_bucket", "_sum", "_count"}
		}
		for _, s := range suffixes {
			out[d.Name+s] = d.Program
		}
	}
	return out
}()
