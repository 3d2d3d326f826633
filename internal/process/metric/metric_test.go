// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	_ "sigs.k8s.io/controller-runtime/pkg/controller" // registers the library's metrics
	crmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
)

// sample is one series of a definition.
type sample struct{ d *Definition }

func (s sample) Describe(out chan<- *prometheus.Desc) { out <- s.d.desc() }

func (s sample) Collect(out chan<- prometheus.Metric) {
	values := make([]string, len(s.d.Labels))
	for i := range values {
		values[i] = "x"
	}
	switch s.d.Type {
	case CounterType:
		out <- prometheus.MustNewConstMetric(s.d.desc(), prometheus.CounterValue, 1, values...)
	case GaugeType:
		out <- prometheus.MustNewConstMetric(s.d.desc(), prometheus.GaugeValue, 1, values...)
	case HistogramType:
		out <- prometheus.MustNewConstHistogram(s.d.desc(), 1, 1, map[float64]uint64{1: 1}, values...)
	}
}

func TestMetrics_FollowPrometheusRules(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	for _, d := range All() {
		if d.Library == "" {
			registry.MustRegister(sample{d}) // twice the same name panics
		}
	}
	problems, err := testutil.GatherAndLint(registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestNames_AreDistinctInOpenMetrics checks that no family has the name of another's samples. OpenMetrics names the
// family of a counter without _total. A gauge x and a counter x_total would be one family with two types, which a
// scraper rejects.
func TestNames_AreDistinctInOpenMetrics(t *testing.T) {
	owner := map[string]string{}
	for _, d := range All() {
		family := strings.TrimSuffix(d.Name, "_total")
		names := []string{family}
		switch d.Type {
		case CounterType:
			names = append(names, family+"_total", family+"_created")
		case HistogramType:
			names = append(names, family+"_bucket", family+"_sum", family+"_count", family+"_created")
		}
		for _, n := range names {
			if other, taken := owner[n]; taken {
				t.Errorf("%s and %s both have the name %s", other, d.Name, n)
			}
			owner[n] = d.Name
		}
	}
}

func TestDefinitions_AreComplete(t *testing.T) {
	for _, d := range All() {
		if d.Help == "" || d.Program == "" || !slices.Contains(Topics, d.Topic) {
			t.Errorf("%s lacks its help, program or topic: %+v", d.Name, d)
		}
		if d.Type == HistogramType && d.Library == "" && (len(d.Buckets) < 5 || !slices.IsSorted(d.Buckets)) {
			t.Errorf("%s: buckets %v", d.Name, d.Buckets)
		}
		for _, l := range d.Labels {
			if l == "account" || l == "brand" || l == "namespace" || l == "key" || l == "short" {
				t.Errorf("%s has a time series for each %s: the number is not bounded", d.Name, l)
			}
		}
	}
	if len(All()) != len(all) {
		t.Errorf("got %d definitions with topics, of %d", len(All()), len(all))
	}
}

func TestLibraries_HaveTheirMetrics(t *testing.T) {
	there := map[string]bool{}
	descs := make(chan *prometheus.Desc, 1000)
	crmetrics.Registry.(prometheus.Collector).Describe(descs)
	close(descs)
	name := regexp.MustCompile(`fqName: "([^"]+)"`)
	for d := range descs {
		there[name.FindStringSubmatch(d.String())[1]] = true
	}
	for _, d := range All() {
		if d.Library != "" && !there[d.Name] {
			t.Errorf("%s has no %s", d.Library, d.Name)
		}
	}
}

var makers = map[string]bool{
	"NewCounter": true, "NewCounterVec": true, "NewGauge": true, "NewGaugeVec": true, "NewGaugeFunc": true, "NewCounterFunc": true,
	"NewHistogram": true, "NewHistogramVec": true, "NewSummary": true, "NewSummaryVec": true, "NewDesc": true,
}

// TestList_IsComplete reads the sources: all metrics are in the list, and all in the list are used.
func TestList_IsComplete(t *testing.T) {
	used := map[string]bool{}
	for _, dir := range []string{"internal", "controllers", "apiserver", "cmd"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "..", dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../../../internal/process/metric/") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "prometheus" && makers[s.Sel.Name] {
						t.Errorf("%s creates a metric with prometheus.%s: move it to internal/process/metric", path, s.Sel.Name)
					} else if ok && x.Name == "metric" {
						used[s.Sel.Name] = true
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("list.go")
	if err != nil {
		t.Fatal(err)
	}
	vars := regexp.MustCompile(`(?m)^\t([A-Z]\w+) += (?:counter|gauge|histogram|seen)\(`).FindAllStringSubmatch(string(text), -1)
	if len(vars) < 40 {
		t.Errorf("only %d definitions were found in list.go", len(vars))
	}
	for _, v := range vars {
		if !used[v[1]] {
			t.Errorf("%s is not used", v[1])
		}
	}
}

func TestWord_BoundsLabels(t *testing.T) {
	w := NewWords(2)
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"rate_limit", "rate_limit"}, {"a sentence with a name", "other"}, {"403", "403"}, {"third", "other"}, {"rate_limit", "rate_limit"},
	} {
		if got := w.Of(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func TestProcess_CollectorsOfThePrograms(t *testing.T) {
	for _, program := range []string{Manager, APIServer} {
		r := prometheus.NewRegistry()
		for range 2 { // a second one in a process is not an error
			if err := RegisterProcess(r, program); err != nil {
				t.Fatal(err)
			}
		}
		n := 0
		for _, p := range process {
			if strings.Contains(p.of.Program, program) {
				n++
				if !r.Unregister(p.by) {
					t.Errorf("%s: %s was not registered", program, p.of.Name)
				}
			}
		}
		if n == 0 {
			t.Errorf("%s has none", program)
		}
	}
}
