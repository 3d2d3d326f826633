// SPDX-License-Identifier: Apache-2.0

package check

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// target is a scraped program: the labels that Prometheus adds to all of its series.
type target struct {
	// cluster is empty if Prometheus has no such label.
	cluster, namespace, job, pod string
	// lease is the label name of leader_election_master_status.
	lease string
	// programs are the Reelops programs whose metrics the target exports; nil for another operator, which exports only
	// the metrics of libraries.
	programs []string
}

const (
	systemNamespace = "reelops-system"
	managerLease    = "manager.reelops.dev"
)

// installation returns the targets of a Reelops installation, with the labels of the ServiceMonitor in
// config/monitoring.
func installation(cluster, namespace string) []target {
	return []target{
		{cluster: cluster, namespace: namespace, job: "reelops-manager-metrics", pod: "reelops-manager-0", lease: managerLease, programs: []string{"manager"}},
		{cluster: cluster, namespace: namespace, job: "reelops-apiserver-metrics", pod: "reelops-apiserver-0", programs: []string{"apiserver"}},
	}
}

// others are programs in the same Prometheus whose series no alert and no panel may select: operators that export the
// libraries' metrics, and a second installation of Reelops.
var others = append([]target{
	{namespace: "kueue-system", job: "kueue-controller-manager-metrics-service", lease: "c1f6bfd2.kueue.x-k8s.io"},
	{namespace: "cert-manager", job: "cert-manager", lease: "cert-manager-controller"},
	{namespace: "external-secrets", job: "external-secrets-metrics", lease: "external-secrets-controller"},
	{namespace: "kube-system", job: "kube-controller-manager", lease: "kube-controller-manager"},
	{namespace: "monitoring", job: "prometheus-operator", lease: ""},
	// An operator in the same namespace, and Reelops' Lease name under a job that does not belong to the
	// ServiceMonitor.
	{namespace: systemNamespace, job: "keda-operator", lease: "operator.keda.sh"},
	{namespace: systemNamespace, job: "node-exporter", lease: managerLease},
}, installation("", "reelops-staging")...)

// label returns a series' labels with those of the target.
func (g target) label(of labels.Labels) labels.Labels {
	b := labels.NewBuilder(of)
	pod := g.pod
	if pod == "" {
		pod = g.job + "-0"
	}
	b.Set("job", g.job).Set("namespace", g.namespace).Set("cluster", g.cluster).Set("service", g.job).Set("endpoint", "metrics")
	b.Set("pod", pod+of.Get("instance")).Set("container", "main")
	if of.Get("instance") == "" {
		b.Set("instance", pod+":9090")
	}
	if of.Get(labels.MetricName) == "leader_election_master_status" {
		b.Set("name", g.lease)
	}
	return b.Labels()
}

// has reports whether the target exports the metric: a program of Reelops exports its own, another operator those of
// the libraries.
func (g target) has(m listedMetric) bool {
	if g.programs == nil {
		return m.library
	}
	return slices.ContainsFunc(g.programs, func(p string) bool { return slices.Contains(m.programs, p) })
}

// series returns the lines of a play as series of the targets.
func series(t *testing.T, targets []target, lines []string, metrics map[string]listedMetric) (out []string) {
	t.Helper()
	for _, line := range lines {
		desc, values := line, ""
		if i := strings.LastIndex(line, "}"); i >= 0 {
			desc, values = line[:i+1], line[i+1:]
		} else if i := strings.Index(line, " "); i >= 0 {
			desc, values = line[:i], line[i:]
		}
		ls, err := parser.NewParser(parser.Options{}).ParseMetric(desc)
		if err != nil {
			t.Fatalf("%s: got %v", line, err)
		}
		m, ok := metrics[ls.Get(labels.MetricName)]
		if !ok {
			t.Fatalf("no metric of %s", line)
		}
		n := 0
		for _, g := range targets {
			if g.has(m) {
				n++
				out = append(out, g.label(ls).String()+values)
			}
		}
		if n == 0 && slices.ContainsFunc(targets, func(g target) bool { return g.programs != nil }) {
			t.Fatalf("no target has %s", line)
		}
	}
	return out
}

// alike returns two hours of series that match a selector and grow by 60 per minute. Labels of the target are left to
// the target.
func alike(t *testing.T, s *parser.VectorSelector) string {
	t.Helper()
	b := labels.NewBuilder(labels.FromStrings(labels.MetricName, s.Name))
	for _, m := range s.LabelMatchers {
		if m.Name == labels.MetricName || slices.Contains(targetLabels, m.Name) {
			continue
		}
		candidates := append(strings.Split(m.Value, "|"), "500", "transient", "x")
		i := slices.IndexFunc(candidates, m.Matches)
		if i < 0 {
			t.Fatalf("no known value matches %s", m)
		}
		b.Set(m.Name, candidates[i])
	}
	if strings.HasSuffix(s.Name, "_bucket") {
		b.Set("le", "+Inf")
	}
	return b.Labels().String() + " 1+60x120"
}

// selectors returns the selectors in an expression.
func selectors(t *testing.T, expr string) (out []*parser.VectorSelector) {
	t.Helper()
	e, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatalf("%s: got %v", expr, err)
	}
	parser.Inspect(e, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			out = append(out, s)
		}
		return nil
	})
	return out
}

// evaluate evaluates an expression for every minute of the last part of two hours of series; 0 means only at their end.
func evaluate(t *testing.T, expr string, lines []string, last time.Duration) promql.Matrix {
	t.Helper()
	slices.Sort(lines)
	store := promqltest.LoadedStorage(t, "load 1m\n  "+strings.Join(slices.Compact(lines), "\n  ")+"\n")
	defer func() { _ = store.Close() }()
	engine := promqltest.NewTestEngine(t, false, 0, promqltest.DefaultMaxSamplesPerQuery)
	end := time.Unix(0, 0).Add(2 * time.Hour)
	q, err := engine.NewRangeQuery(t.Context(), store, nil, expr, end.Add(-last), end, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	m, err := q.Exec(t.Context()).Matrix()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestAlerts_SelectOneInstallation evaluates each alert with its series for Reelops, and with the same series for other
// operators in the same Prometheus.
func TestAlerts_SelectOneInstallation(t *testing.T) {
	metrics, all := listed(t), plays(t)
	for _, r := range alerts(t) {
		play := all[r.Alert]
		t.Run(r.Alert, func(t *testing.T) {
			for _, cluster := range []string{"", "one"} {
				own := installation(cluster, systemNamespace)
				quiet, trouble := series(t, own, play.Quiet, metrics), series(t, own, play.Fires, metrics)
				if got := firing(t, r, slices.Concat(trouble, series(t, others, play.Quiet, metrics))); len(got) == 0 {
					t.Error("does not fire while other operators have no problem")
				}
				if got := firing(t, r, slices.Concat(quiet, series(t, others, play.Fires, metrics))); len(got) > 0 {
					t.Errorf("fires for the problem of another operator: %v", got)
				}
			}
			two := slices.Concat(series(t, installation("one", systemNamespace), play.Fires, metrics), series(t, installation("two", systemNamespace), play.Quiet, metrics))
			got := firing(t, r, two)
			if len(got) == 0 {
				t.Error("does not fire while another cluster has no problem")
			}
			for _, ls := range got {
				if c := ls.Get("cluster"); c != "one" {
					t.Errorf("fires for the cluster %q, want one only", c)
				}
				if n := ls.Get("namespace"); n != systemNamespace {
					t.Errorf("fires with the namespace %q, by which alerts are routed", n)
				}
			}
		})
	}
}

// TestAlerts_NoLeaderFiresWithoutSeries covers a manager that no longer serves metrics while other operators do.
func TestAlerts_NoLeaderFiresWithoutSeries(t *testing.T) {
	metrics, all := listed(t), plays(t)
	for _, r := range alerts(t) {
		got := firing(t, r, series(t, others, all["ReelopsNoLeader"].Quiet, metrics))
		if fires := len(got) > 0; fires != (r.Alert == "ReelopsNoLeader") {
			t.Errorf("%s fires without series of Reelops: %v", r.Alert, fires)
		}
	}
}

// TestRecordings_SelectOneInstallation evaluates every recording rule with matching series of Reelops, and with those
// of other programs.
func TestRecordings_SelectOneInstallation(t *testing.T) {
	metrics := listed(t)
	for _, r := range rules(t) {
		if r.Record == "" {
			continue
		}
		check(t, r.Record, r.Expr, metrics)
		if _, served := metrics[r.Record]; served {
			t.Errorf("%s is recorded, and a program exports it too", r.Record)
		}
		selectsOwn(t, r.Record, func(string) string { return r.Expr }, metrics)
	}
}

// selectsOwn fails the test unless an expression has a result for Reelops' series that match its selectors, and none
// for those of other programs. of returns the expression for a cluster, which is empty if Prometheus has no such label.
func selectsOwn(t *testing.T, name string, of func(cluster string) string, metrics map[string]listedMetric) {
	t.Helper()
	for _, cluster := range []string{"", "one"} {
		expr := of(cluster)
		var lines []string
		for _, s := range selectors(t, expr) {
			lines = append(lines, alike(t, s))
		}
		if len(evaluate(t, expr, series(t, installation(cluster, systemNamespace), lines, metrics), 0)) == 0 {
			t.Errorf("%s has no result of Reelops: %s", name, expr)
		}
		if got := evaluate(t, expr, series(t, others, lines, metrics), 0); len(got) > 0 {
			t.Errorf("%s counts series of another operator: %s\n%v", name, expr, got)
		}
	}
}

// variables replaces the variables of the dashboard, like Grafana does.
func variables(expr, cluster, namespace string) string {
	return strings.NewReplacer("$__rate_interval", "5m", "$platform", ".*", "$cluster", cluster, "$namespace", namespace).Replace(expr)
}

// TestDashboard_SelectsOneInstallation evaluates every panel with matching series of Reelops, and with those of other
// programs.
func TestDashboard_SelectsOneInstallation(t *testing.T) {
	metrics := listed(t)
	for _, p := range dashboard(t).Panels {
		for _, target := range p.Targets {
			selectsOwn(t, p.Title, func(cluster string) string { return variables(target.Expr, cluster, systemNamespace) }, metrics)
			var lines []string
			for _, s := range selectors(t, variables(target.Expr, "", systemNamespace)) {
				lines = append(lines, alike(t, s))
			}
			expr, elsewhere := variables(target.Expr, "one", systemNamespace), series(t, installation("another", systemNamespace), lines, metrics)
			if got := evaluate(t, expr, elsewhere, 0); len(got) > 0 {
				t.Errorf("%s counts series of another cluster: %s\n%v", p.Title, expr, got)
			}
		}
	}
}

// TestDashboard_VariablesFindInstallations checks the queries of the variables, whose metric only Reelops has.
func TestDashboard_VariablesFindInstallations(t *testing.T) {
	queries := map[string]string{}
	for _, v := range dashboard(t).Templating.List {
		var q string
		if json.Unmarshal(v.Query, &q) == nil {
			queries[v.Name] = q
		}
	}
	metrics := listed(t)
	value := regexp.MustCompile(`^label_values\((reelops_\w+(?:\{.*\})?), (\w+)\)$`)
	for _, name := range []string{"cluster", "namespace", "platform"} {
		m := value.FindStringSubmatch(queries[name])
		if m == nil || m[2] != name {
			t.Errorf("the variable %s has the query %q", name, queries[name])
			continue
		}
		check(t, fmt.Sprintf("variable %s", name), variables(m[1], "", systemNamespace), metrics)
	}
}

// TestTargets_AreThoseOfTheServiceMonitor compares the jobs that the rules select with the Services that the
// ServiceMonitor selects. Without jobLabel, the Prometheus Operator names a job after its Service.
func TestTargets_AreThoseOfTheServiceMonitor(t *testing.T) {
	var monitor struct {
		Spec struct {
			JobLabel  string                                  `json:"jobLabel"`
			Selector  struct{ MatchLabels map[string]string } `json:"selector"`
			Endpoints []struct {
				Port        string `json:"port"`
				HonorLabels bool   `json:"honorLabels"`
				Relabelings []any  `json:"relabelings"`
			} `json:"endpoints"`
		} `json:"spec"`
	}
	decode(t, read(t, "config/monitoring/servicemonitor.yaml"), &monitor)
	if len(monitor.Spec.Endpoints) != 1 || monitor.Spec.JobLabel != "" || monitor.Spec.Endpoints[0].HonorLabels || monitor.Spec.Endpoints[0].Relabelings != nil {
		t.Fatalf("the targets' labels differ from the Prometheus Operator's: %+v", monitor.Spec)
	}
	var jobs []string
	for _, file := range []string{"config/manager/service.yaml", "config/apiserver/service.yaml"} {
		for document := range strings.SplitSeq(string(read(t, file)), "\n---\n") {
			var service struct {
				Metadata struct {
					Name   string            `json:"name"`
					Labels map[string]string `json:"labels"`
				} `json:"metadata"`
				Spec struct{ Ports []struct{ Name string } } `json:"spec"`
			}
			decode(t, []byte(document), &service)
			selected := true
			for k, v := range monitor.Spec.Selector.MatchLabels {
				selected = selected && service.Metadata.Labels[k] == v
			}
			for _, port := range service.Spec.Ports {
				if selected && port.Name == monitor.Spec.Endpoints[0].Port {
					jobs = append(jobs, service.Metadata.Name)
				}
			}
		}
	}
	var want []string
	for _, g := range installation("", systemNamespace) {
		want = append(want, g.job)
	}
	if !slices.Equal(jobs, want) {
		t.Errorf("the ServiceMonitor selects the Services %v, want %v", jobs, want)
	}
}
