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

// Definition is what is published of a metric.
type Definition struct {
	Name   string
	Type   Type
	Help   string
	Labels []string
	// Buckets of a histogram.
	Buckets []float64
	// Program that has it: Manager, APIServer or Both.
	Program string
	// Topic that it belongs to.
	Topic Topic
	// Library is the package that counts it, where Reelops does not.
	Library string
}

var all []*Definition

// All are the definitions, topic by topic.
func All() []*Definition {
	out := make([]*Definition, 0, len(all))
	for _, t := range Topics {
		out = append(out, of(t)...)
	}
	return out
}

// of are the definitions of a topic.
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

// Counter is a number that grows.
type Counter struct {
	*Definition
	*prometheus.CounterVec
}

func counter(topic Topic, program, name, help string, labels ...string) *Counter {
	c := &Counter{Definition: define(CounterType, topic, program, name, help, labels)}
	c.CounterVec = c.New()
	return c
}

// New makes another collector of it.
func (c *Counter) New() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: c.Name, Help: c.Help}, c.Labels)
}

// Of makes a collector of one line of it, with these values of its labels.
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

// Gauge is a number that goes up and down.
type Gauge struct {
	*Definition
	*prometheus.GaugeVec
}

func gauge(topic Topic, program, name, help string, labels ...string) *Gauge {
	g := &Gauge{Definition: define(GaugeType, topic, program, name, help, labels)}
	g.GaugeVec = g.New()
	return g
}

// New makes another collector of it.
func (g *Gauge) New() *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: g.Name, Help: g.Help}, g.Labels)
}

// Of makes a collector of one line of it, with these values of its labels.
func (g *Gauge) Of(values ...string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: g.Name, Help: g.Help, ConstLabels: g.constant(values)})
}

// Histogram is how long something took, or how much it was.
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

// New makes another collector of it.
func (h *Histogram) New() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: h.Name, Help: h.Help, Buckets: h.Buckets}, h.Labels)
}

// Of makes a collector of one line of it, with these values of its labels.
func (h *Histogram) Of(values ...string) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Name: h.Name, Help: h.Help, Buckets: h.Buckets, ConstLabels: h.constant(values)})
}

// Seen is a gauge or counter whose value is worked out when somebody asks for it.
type Seen struct{ *Definition }

func seen(topic Topic, program, name, help string, labels ...string) *Seen {
	return &Seen{define(GaugeType, topic, program, name, help, labels)}
}

// Desc describes it.
func (s *Seen) Desc() *prometheus.Desc { return s.desc() }

// Value of one line of it.
func (s *Seen) Value(v float64, labels ...string) prometheus.Metric {
	return prometheus.MustNewConstMetric(s.desc(), prometheus.GaugeValue, v, labels...)
}

// library tells of a metric of the machinery that a library counts.
func library(of string, t Type, program, name, help string, labels ...string) {
	define(t, Machine, program, name, help, labels).Library = of
}

// Register adds collectors. One that is there already keeps counting: a second manager or server in one process has figures of
// its own that nobody reads.
func Register(to prometheus.Registerer, collectors ...prometheus.Collector) error {
	for _, c := range collectors {
		var already prometheus.AlreadyRegisteredError
		if err := to.Register(c); err != nil && !errors.As(err, &already) {
			return fmt.Errorf("registering a metric: %w", err)
		}
	}
	return nil
}

// word is what a code may look like as the value of a label.
var word = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,48}$`)

// Words keeps the values of a label few, where somebody else chooses them: what does not look like a code, and every new one after
// the most, is "other".
type Words struct {
	most int
	mu   sync.Mutex
	seen map[string]bool
}

// NewWords makes a set that takes so many words.
func NewWords(most int) *Words { return &Words{most: most, seen: map[string]bool{}} }

// Of is the word itself or other; empty stays empty.
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
