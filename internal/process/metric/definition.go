// SPDX-License-Identifier: Apache-2.0

package metric

import (
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Type of a metric.
type Type string

// Types of metrics.
const (
	CounterType   Type = "counter"
	GaugeType     Type = "gauge"
	HistogramType Type = "histogram"
)

// Programs that have metrics.
const (
	Manager   = "manager"
	APIServer = "apiserver"
	Both      = "manager, apiserver"
)

// Definition describes a metric.
type Definition struct {
	Name   string
	Type   Type
	Help   string
	Labels []string
	// Buckets of a histogram.
	Buckets []float64
	// Program that has the metric: Manager, APIServer or Both.
	Program string
	// Topic of the metric.
	Topic Topic
	// Library is the package that counts the metric; empty if Reelops does.
	Library string
}

var all []*Definition

// All returns the definitions, sorted by topic.
func All() []*Definition {
	out := make([]*Definition, 0, len(all))
	for _, t := range Topics {
		out = append(out, of(t)...)
	}
	return out
}

// of returns the definitions of a topic.
func of(t Topic) (out []*Definition) {
	for _, d := range all {
		if d.Topic == t {
			out = append(out, d)
		}
	}
	return out
}

func define(t Type, topic Topic, program, name, help string, labels []string) *Definition {
	d := &Definition{Name: name, Type: t, Help: help, Labels: labels, Program: program, Topic: topic}
	all = append(all, d)
	return d
}

func (d *Definition) desc() *prometheus.Desc {
	return prometheus.NewDesc(d.Name, d.Help, d.Labels, nil)
}

// Counter is a counter metric.
type Counter struct {
	*Definition
	*prometheus.CounterVec
}

func counter(topic Topic, program, name, help string, labels ...string) *Counter {
	c := &Counter{Definition: define(CounterType, topic, program, name, help, labels)}
	c.CounterVec = c.New()
	return c
}

// New returns a new collector of the metric.
func (c *Counter) New() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: c.Name, Help: c.Help}, c.Labels)
}

// Of returns a collector of one time series of the metric, with the given label values.
func (c *Counter) Of(values ...string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Name: c.Name, Help: c.Help, ConstLabels: c.constant(values)})
}

func (d *Definition) constant(values []string) prometheus.Labels {
	if len(values) != len(d.Labels) {
		panic(fmt.Sprintf("%s has the labels %v, not %d", d.Name, d.Labels, len(values)))
	}
	out := prometheus.Labels{}
	for i, l := range d.Labels {
		out[l] = values[i]
	}
	return out
}

// Gauge is a gauge metric.
type Gauge struct {
	*Definition
	*prometheus.GaugeVec
}

func gauge(topic Topic, program, name, help string, labels ...string) *Gauge {
	g := &Gauge{Definition: define(GaugeType, topic, program, name, help, labels)}
	g.GaugeVec = g.New()
	return g
}

// New returns a new collector of the metric.
func (g *Gauge) New() *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: g.Name, Help: g.Help}, g.Labels)
}

// Of returns a collector of one time series of the metric, with the given label values.
func (g *Gauge) Of(values ...string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: g.Name, Help: g.Help, ConstLabels: g.constant(values)})
}

// Histogram is a histogram metric.
type Histogram struct {
	*Definition
	*prometheus.HistogramVec
}

func histogram(topic Topic, program, name, help string, buckets []float64, labels ...string) *Histogram {
	h := &Histogram{Definition: define(HistogramType, topic, program, name, help, labels)}
	h.Buckets = buckets
	h.HistogramVec = h.New()
	return h
}

// New returns a new collector of the metric.
func (h *Histogram) New() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: h.Name, Help: h.Help, Buckets: h.Buckets}, h.Labels)
}

// Of returns a collector of one time series of the metric, with the given label values.
func (h *Histogram) Of(values ...string) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: h.Name, Help: h.Help, Buckets: h.Buckets, ConstLabels: h.constant(values)})
}

// Seen is a gauge whose value is computed on collection.
type Seen struct{ *Definition }

func seen(topic Topic, program, name, help string, labels ...string) *Seen {
	return &Seen{define(GaugeType, topic, program, name, help, labels)}
}

// Desc returns the descriptor of the metric.
func (s *Seen) Desc() *prometheus.Desc { return s.desc() }

// Value returns one sample of the metric.
func (s *Seen) Value(v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(s.desc(), prometheus.GaugeValue, v, labels...)
}

// library defines a metric that a library counts.
func library(of string, t Type, program, name, help string, labels ...string) {
	define(t, Machine, program, name, help, labels).Library = of
}

// Register registers collectors. A collector that is already registered is no error and stays: a second manager or
// server in one process counts in collectors that are not exported.
func Register(to prometheus.Registerer, collectors ...prometheus.Collector) error {
	for _, c := range collectors {
		var already prometheus.AlreadyRegisteredError
		if err := to.Register(c); err != nil && !errors.As(err, &already) {
			return fmt.Errorf("registering a metric: %w", err)
		}
	}
	return nil
}

// word matches codes that may be the value of a label.
var word = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,48}$`)

// Words limits the values of a label that another system chooses. A value that does not look like a code, and every new
// one after the maximum number, becomes "other".
type Words struct {
	most int
	mu   sync.Mutex
	seen map[string]bool
}

// NewWords returns a set of at most most words.
func NewWords(most int) *Words { return &Words{most: most, seen: map[string]bool{}} }

// Of returns s itself or "other". Empty stays empty.
func (w *Words) Of(s string) string {
	if s == "" {
		return ""
	}
	if !word.MatchString(s) {
		return "other"
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.seen[s]:
		return s
	case len(w.seen) >= w.most:
		return "other"
	}
	w.seen[s] = true
	return s
}
