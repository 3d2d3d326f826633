// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/reelops/reelops/internal/process/metric"
)

// Metrics holds the metrics of calls.
type Metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// NewMetrics registers the metrics of calls.
func NewMetrics(r prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{requests: metric.Requests.New(), seconds: metric.RequestSeconds.New()}
	return m, metric.Register(r, m.requests, m.seconds)
}

// methods lists the methods that have their own label value. Clients may send any word as a method, and each would
// create a new time series.
var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "OPTIONS": true}

func (m *Metrics) observe(operation, method string, status int, took time.Duration) {
	if !methods[method] {
		method = "other"
	}
	m.requests.WithLabelValues(operation, method, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(operation).Observe(took.Seconds())
}
