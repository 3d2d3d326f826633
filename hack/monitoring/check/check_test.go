// SPDX-License-Identifier: Apache-2.0

// Package check tests config/monitoring with Prometheus' own parser and engine. Every expression can be parsed and uses
// only metrics and labels listed in docs/reference/metrics.md. Every alert has a runbook page, and fires for its
// problem and for nothing else. The package is a separate module, so that Prometheus is no dependency of the product.
package check

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

var root = filepath.Join("..", "..", "..")

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// listedMetric is a metric in docs/reference/metrics.md.
type listedMetric struct {
	labels []string
	// programs are the programs that export it: manager, apiserver.
	programs []string
	// library reports whether a library exports it, so that other operators have it too.
	library bool
}

// listed returns the metrics of docs/reference/metrics.md by the names of their series.
func listed(t *testing.T) map[string]listedMetric {
	t.Helper()
	out := map[string]listedMetric{}
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| ([^|]*) \\| ([^|(]*)(\\([^)]*\\))? *\\|")
	for _, m := range row.FindAllStringSubmatch(string(read(t, "docs/reference/metrics.md")), -1) {
		var ls []string
		for l := range strings.SplitSeq(strings.ReplaceAll(m[3], "`", ""), ",") {
			if l = strings.TrimSpace(l); l != "" {
				ls = append(ls, l)
			}
		}
		names := []string{m[1]}
		if m[2] == "histogram" {
			names = []string{m[1] + "_bucket", m[1] + "_sum", m[1] + "_count"}
			ls = append(ls, "le")
		}
		for _, n := range names {
			out[n] = listedMetric{labels: ls, programs: strings.Split(strings.TrimSpace(m[4]), ", "), library: m[5] != ""}
		}
	}
	if len(out) < 50 {
		t.Fatalf("only %d metrics were found in docs/reference/metrics.md", len(out))
	}
	return out
}

// targetLabels are the labels that Prometheus adds to the series of a target.
var targetLabels = []string{"__name__", "cluster", "container", "endpoint", "instance", "job", "namespace", "pod", "service"}

// check reports metrics and labels of an expression that are not listed.
func check(t *testing.T, where, expr string, metrics map[string]listedMetric) {
	t.Helper()
	e, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Errorf("%s: %v\n%s", where, err, expr)
		return
	}
	var known []string
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			m, there := metrics[s.Name]
			if !there {
				t.Errorf("%s: unknown metric %s", where, s.Name)
			}
			known = append(known, m.labels...)
			for _, by := range s.LabelMatchers {
				if !slices.Contains(m.labels, by.Name) && !slices.Contains(targetLabels, by.Name) {
					t.Errorf("%s: %s has no label %s", where, s.Name, by.Name)
				}
			}
		}
		return nil
	})
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if a, ok := n.(*parser.AggregateExpr); ok {
			for _, l := range a.Grouping {
				if !slices.Contains(known, l) && !slices.Contains(targetLabels, l) {
					t.Errorf("%s: no metric in it has the label %s", where, l)
				}
			}
		}
		return nil
	})
}

// rules returns the rules, parsed by Prometheus, which rejects invalid ones.
func rules(t *testing.T) (out []rulefmt.Rule) {
	t.Helper()
	var object map[string]any
	if err := yaml.UnmarshalStrict(read(t, "config/monitoring/prometheusrule.yaml"), &object); err != nil {
		t.Fatal(err)
	}
	text, err := yaml.Marshal(object["spec"])
	if err != nil {
		t.Fatal(err)
	}
	groups, errs := rulefmt.Parse(text, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for _, g := range groups.Groups {
		out = append(out, g.Rules...)
	}
	return out
}

// alerts returns the alerting rules.
func alerts(t *testing.T) []rulefmt.Rule {
	t.Helper()
	return slices.DeleteFunc(rules(t), func(r rulefmt.Rule) bool { return r.Alert == "" })
}

func TestAlerts_UseListedMetricsAndHavePages(t *testing.T) {
	metrics := listed(t)
	all := alerts(t)
	pages := map[string]bool{}
	for _, r := range all {
		check(t, r.Alert, r.Expr, metrics)
		page := "docs/operations/runbooks/" + r.Alert + ".md"
		if !strings.HasSuffix(r.Annotations["runbook_url"], page) {
			t.Errorf("%s links to %s", r.Alert, r.Annotations["runbook_url"])
		}
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || !slices.Contains([]string{"critical", "warning", "info"}, r.Labels["severity"]) {
			t.Errorf("%s: got %+v", r.Alert, r)
		}
		pages[r.Alert+".md"] = true
		text := string(read(t, page))
		for _, part := range []string{"# " + r.Alert, "## What it means", "## Diagnosis", "## Remedy", r.Expr} {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q", page, part)
			}
		}
		for _, m := range regexp.MustCompile("`((?:[a-z_0-9]+ by \\(|topk|histogram_quantile|sum|max|min)[^`]*)`").FindAllStringSubmatch(text, -1) {
			check(t, page, m[1], metrics)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)]+\.md)\)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, "docs/operations/runbooks", m[1])); err != nil {
				t.Errorf("%s links to %s", page, m[1])
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "docs/operations/runbooks/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := filepath.Base(f); name != "README.md" && !pages[name] {
			t.Errorf("%s is the page of no alert", name)
		}
	}
}

// board is the part of the dashboard that the tests use.
type board struct {
	Panels []struct {
		Title       string `json:"title"`
		Type        string `json:"type"`
		Description string `json:"description"`
		Targets     []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
	} `json:"panels"`
	Templating struct {
		List []struct {
			Name  string          `json:"name"`
			Query json.RawMessage `json:"query"`
		} `json:"list"`
	} `json:"templating"`
}

func dashboard(t *testing.T) (out board) {
	t.Helper()
	if err := json.Unmarshal(read(t, "config/monitoring/dashboard.json"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDashboard_UsesListedMetrics(t *testing.T) {
	metrics := listed(t)
	n := 0
	for _, p := range dashboard(t).Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %q has no expression", p.Title)
		}
		for _, target := range p.Targets {
			n++
			check(t, p.Title, variables(target.Expr, "", systemNamespace), metrics)
		}
	}
	if n < 25 {
		t.Errorf("only %d expressions", n)
	}
}

// TestDashboard_PanelsAreDescribed checks that every panel describes what it shows, what is normal and what to do.
func TestDashboard_PanelsAreDescribed(t *testing.T) {
	for _, p := range dashboard(t).Panels {
		if p.Type == "row" {
			continue
		}
		for _, part := range []string{"Shows ", "Normal: ", "What to do: "} {
			if !strings.Contains(p.Description, part) {
				t.Errorf("the description of the panel %q lacks %q", p.Title, part)
			}
		}
	}
}

// play has two hours of series for an alert, with one value per minute: those of normal operation, and those of the
// problem.
type play struct {
	Quiet []string `json:"quiet"`
	Fires []string `json:"fires"`
}

// plays returns the plays in alerts.yaml by alert.
func plays(t *testing.T) map[string]play {
	t.Helper()
	text, err := os.ReadFile("alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]play
	if err := yaml.UnmarshalStrict(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestAlerts_Fire evaluates each alert with the time series of its problem, and with those of normal operation.
func TestAlerts_Fire(t *testing.T) {
	metrics, all, own := listed(t), plays(t), installation("", systemNamespace)
	for _, r := range alerts(t) {
		play, ok := all[r.Alert]
		if !ok || len(play.Fires) == 0 || len(play.Quiet) == 0 {
			t.Errorf("%s has no series in alerts.yaml", r.Alert)
			continue
		}
		delete(all, r.Alert)
		t.Run(r.Alert, func(t *testing.T) {
			if len(firing(t, r, series(t, own, play.Fires, metrics))) == 0 {
				t.Error("does not fire")
			}
			if got := firing(t, r, series(t, own, play.Quiet, metrics)); len(got) > 0 {
				t.Errorf("fires in normal operation: %v", got)
			}
		})
	}
	for name := range all {
		t.Errorf("unknown alert %s", name)
	}
}

// firing returns the labels for which the alert's condition has held for the rule's duration at the end of the series.
func firing(t *testing.T, r rulefmt.Rule, lines []string) (out []labels.Labels) {
	t.Helper()
	wait := time.Duration(r.For)
	for _, s := range evaluate(t, r.Expr, lines, wait) {
		if len(s.Floats) == int(wait/time.Minute)+1 {
			out = append(out, s.Metric)
		}
	}
	return out
}
