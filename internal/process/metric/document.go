// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"fmt"
	"strings"
)

// Document returns the content of docs/reference/metrics.md.
func Document() []byte {
	var b strings.Builder
	b.WriteString(`<!-- Written by go -C hack run ./monitoring from internal/process/metric. Do not edit. -->
# Metrics

The metrics of Reelops, by the question that they answer. The manager and the front end serve them for Prometheus on port 9090 at
` + "`/metrics`" + ` (` + "`--metrics-listen`" + `). Alerts are in ` + "`config/monitoring/prometheusrule.yaml`" + `, each with a page in [runbooks](../operations/runbooks/README.md), and a
dashboard for Grafana is in ` + "`config/monitoring/dashboard.json`" + `.

- **Select one installation.** Metrics of libraries (` + "`controller-runtime`, `client_golang`" + `) have the same names in every operator. Add the
  labels ` + "`namespace`" + ` and ` + "`job`" + ` to every query: ` + "`job=\"reelops-manager-metrics\"`" + ` for metrics of the manager,
  ` + "`job=\"reelops-apiserver-metrics\"`" + ` for those of the apiserver. [observability.md](../operations/observability.md) has the origin of the labels.
- **No label names an account, a brand, a key or an object.** With ten thousand brands, a metric would have ten thousand time series. Find
  the account in the log, by ` + "`account`, `key_id` and `short_id`" + `, or in the cluster: ` + "`kubectl reelops status -A`" + `.
- **The largest number of time series of a metric** is the product of the values of its labels, which are known beforehand: 4 platforms, 5
  kinds of work, 8 operations on platforms, some 40 codes of the catalog. A platform's own codes have 60 values at most for each
  platform; further ones are ` + "`other`" + `. Models are those in the installation's settings.
- **Gauges of objects** (posts, work and connections) are computed by every replica of the manager from the same cluster. Take ` + "`max`" + `
  over replicas, never ` + "`sum`" + `. Counters and histograms grow on the replica that does the work: take ` + "`sum`" + ` of ` + "`rate`" + `.
- Times are seconds. Histograms have the suffixes ` + "`_bucket`, `_sum` and `_count`" + `.
`)
	for _, t := range Topics {
		fmt.Fprintf(&b, "\n## %s\n\n| metric | type | labels | of | what it is |\n|---|---|---|---|---|\n", t)
		for _, d := range of(t) {
			labels := make([]string, len(d.Labels))
			for i, l := range d.Labels {
				labels[i] = "`" + l + "`"
			}
			program := d.Program
			if d.Library != "" {
				program += " (" + d.Library + ")"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", d.Name, d.Type, strings.Join(labels, ", "), program, d.Help)
		}
	}
	return []byte(b.String())
}
