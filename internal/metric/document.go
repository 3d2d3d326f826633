// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"fmt"
	"strings"
)

// Document is docs/metrics.md.
func Document() []byte {
	var b strings.Builder
	b.WriteString(`<!-- Written by go run ./hack/monitoring from internal/metric. Do not edit. -->
# Metrics

What Reelops counts, by the question that it answers. The manager and the front end serve it for Prometheus on port 9090 at
` + "`/metrics`" + ` (` + "`--metrics-listen`" + `). Alerts are in ` + "`config/monitoring/prometheusrule.yaml`" + `, each with a page in [runbooks](runbooks), and a
dashboard for Grafana is in ` + "`config/monitoring/dashboard.json`" + `.

- **No label names an account, a brand, a key or an object.** With ten thousand brands each would be ten thousand time series for every
  metric, and the operator's questions are about platforms, kinds and causes. Who it was is asked of the log, where every line has the
  account, the key and the short, and of the cluster: ` + "`kubectl reelops status -A`" + `.
- **Most time series a metric can have** is the product of its labels' values, all of them known beforehand: 4 platforms, 5 kinds of
  work, 8 operations on platforms, some 40 codes of the catalog. A platform's own codes are told apart up to 60 for each platform; further ones
  are ` + "`other`" + `. Models are those that the installation's settings name.
- **Gauges of what there is** (of posts, work and connections) are worked out by every replica of the manager from the same
  cluster. Take ` + "`max`" + ` over replicas, never ` + "`sum`" + `. Counters and histograms grow where the work is done: take ` + "`sum`" + ` of ` + "`rate`" + `.
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
