// SPDX-License-Identifier: Apache-2.0

// Package check tries what config/monitoring holds with Prometheus' own parser and engine: every expression can be parsed and
// speaks of metrics and labels that docs/metrics.md lists, every alert has its page, and fires on what it is there for and on nothing
// else. It is a module of its own: Prometheus does not belong into the product's.
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
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
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

// listed are the metrics of docs/metrics.md with their labels.
func listed(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (\\w+) \\| ([^|]*) \\|")
	for _, m := range row.FindAllStringSubmatch(string(read(t, "docs/metrics.md")), -1) {
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
			out[n] = ls
		}
	}
	if len(out) < 50 {
		t.Fatalf("only %d metrics were found in docs/metrics.md", len(out))
	}
	return out
}

// check says what an expression names that is not there.
func check(t *testing.T, where, expr string, metrics map[string][]string) {
	t.Helper()
	e, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Errorf("%s: %v\n%s", where, err, expr)
		return
	}
	targets := []string{"__name__", "instance", "job", "namespace", "pod", "service"}
	var known []string
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			ls, there := metrics[s.Name]
			if !there {
				t.Errorf("%s: there is no metric %s", where, s.Name)
			}
			known = append(known, ls...)
			for _, m := range s.LabelMatchers {
				if !slices.Contains(ls, m.Name) && !slices.Contains(targets, m.Name) {
					t.Errorf("%s: %s has no label %s", where, s.Name, m.Name)
				}
			}
		}
		return nil
	})
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if a, ok := n.(*parser.AggregateExpr); ok {
			for _, l := range a.Grouping {
				if !slices.Contains(known, l) && !slices.Contains(targets, l) {
					t.Errorf("%s: nothing in it has the label %s", where, l)
				}
			}
		}
		return nil
	})
}

// rules are the alerts as Prometheus reads them, which refuses what is no rule.
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

func TestAlertsSpeakOfMetricsThatAreThereAndHavePages(t *testing.T) {
	metrics := listed(t)
	all := rules(t)
	pages := map[string]bool{}
	for _, r := range all {
		check(t, r.Alert, r.Expr, metrics)
		page := "docs/runbooks/" + r.Alert + ".md"
		if !strings.HasSuffix(r.Annotations["runbook_url"], page) {
			t.Errorf("%s leads to %s", r.Alert, r.Annotations["runbook_url"])
		}
		if r.Annotations["summary"] == "" || r.Annotations["description"] == "" || !slices.Contains([]string{"critical", "warning", "info"}, r.Labels["severity"]) {
			t.Errorf("%s: %+v", r.Alert, r)
		}
		pages[r.Alert+".md"] = true
		text := string(read(t, page))
		for _, part := range []string{"# " + r.Alert, "## What it means", "## How to look", "## What to do", r.Expr} {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q", page, part)
			}
		}
		for _, m := range regexp.MustCompile("`((?:[a-z_0-9]+ by \\(|topk|histogram_quantile|sum|max|min)[^`]*)`").FindAllStringSubmatch(text, -1) {
			check(t, page, m[1], metrics)
		}
		for _, m := range regexp.MustCompile(`\]\(([^)]+\.md)\)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(root, "docs/runbooks", m[1])); err != nil {
				t.Errorf("%s leads to %s", page, m[1])
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "docs/runbooks/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := filepath.Base(f); name != "README.md" && !pages[name] {
			t.Errorf("%s is the page of no alert", name)
		}
	}
}

func TestDashboardSpeaksOfMetricsThatAreThere(t *testing.T) {
	metrics := listed(t)
	var board struct {
		Panels []struct {
			Title   string `json:"title"`
			Type    string `json:"type"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(read(t, "config/monitoring/dashboard.json"), &board); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range board.Panels {
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %q asks nothing", p.Title)
		}
		for _, target := range p.Targets {
			n++
			check(t, p.Title, strings.NewReplacer("$__rate_interval", "5m", "$platform", ".*").Replace(target.Expr), metrics)
		}
	}
	if n < 25 {
		t.Errorf("only %d expressions", n)
	}
}

// TestAlertsFire plays time series to each alert: of the trouble that it is there for, and of good days.
func TestAlertsFire(t *testing.T) {
	entries, err := os.ReadFile("alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var plays map[string]struct {
		Quiet []string `json:"quiet"`
		Fires []string `json:"fires"`
	}
	if err := yaml.UnmarshalStrict(entries, &plays); err != nil {
		t.Fatal(err)
	}
	metrics := listed(t)
	for _, r := range rules(t) {
		play, ok := plays[r.Alert]
		if !ok || len(play.Fires) == 0 || len(play.Quiet) == 0 {
			t.Errorf("%s is not played", r.Alert)
			continue
		}
		delete(plays, r.Alert)
		t.Run(r.Alert, func(t *testing.T) {
			if !fires(t, r, play.Fires, metrics) {
				t.Error("does not fire")
			}
			if fires(t, r, play.Quiet, metrics) {
				t.Error("fires on a good day")
			}
		})
	}
	for name := range plays {
		t.Errorf("there is no alert %s", name)
	}
}

// fires plays two hours of series, a value a minute, and says whether the alert's condition has held for as long as it asks by then.
func fires(t *testing.T, r rulefmt.Rule, series []string, metrics map[string][]string) bool {
	t.Helper()
	for _, s := range series {
		name := s[:strings.IndexAny(s, "{ ")]
		if _, ok := metrics[name]; !ok {
			t.Errorf("the play of %s speaks of %s", r.Alert, name)
		}
	}
	store := promqltest.LoadedStorage(t, "load 1m\n  "+strings.Join(series, "\n  ")+"\n")
	defer func() { _ = store.Close() }()
	engine := promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
	end := time.Unix(0, 0).Add(2 * time.Hour)
	wait := time.Duration(r.For)
	q, err := engine.NewRangeQuery(t.Context(), store, nil, r.Expr, end.Add(-wait), end, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	res := q.Exec(t.Context())
	m, err := res.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range m {
		if len(s.Floats) == int(wait/time.Minute)+1 {
			return true
		}
	}
	return false
}
