// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
)

// panel is a diagram of a chart: one line for each series, over the days.
type panel struct {
	title, unit string
	series      []series
}

type series struct {
	name, colour string
	value        func(d *sampled) float64
}

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }

var panels = []panel{
	{"Slideshows", "", []series{
		{"created", "#9333ea", func(d *sampled) float64 { return float64(d.Created) }},
		{"in the cluster", "#2563eb", func(d *sampled) float64 { return float64(d.Live) }},
	}},
	{"Memory and etcd", " MiB", []series{
		{"manager", "#9333ea", func(d *sampled) float64 { return megabytes(d.Manager) }},
		{"front end", "#16a34a", func(d *sampled) float64 { return megabytes(d.FrontEnd) }},
		{"etcd", "#2563eb", func(d *sampled) float64 { return megabytes(d.Etcd) }},
	}},
	{"Median latency of a day", " ms", []series{
		{"first page of shorts", "#2563eb", func(d *sampled) float64 { return quantile(d.List, .5) }},
		{"detail of any short", "#16a34a", func(d *sampled) float64 { return quantile(d.Detail, .5) }},
	}},
}

const (
	chartWidth, panelHeight = 760, 240
	// The plot of a panel leaves space for the title and the axes.
	plotLeft, plotTop, plotWidth, plotHeight = 70, 40, 560, 160
)

// chart draws the days as an SVG image with one panel below the other.
func chart(days []sampled) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", chartWidth, panelHeight*len(panels))
	fmt.Fprintln(&b, `<rect width="100%" height="100%" fill="#ffffff"/>`)
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(0 %d)">`+"\n", i*panelHeight)
		p.draw(&b, days)
		fmt.Fprintln(&b, "</g>")
	}
	fmt.Fprintln(&b, "</svg>")
	return b.Bytes()
}

func (p panel) draw(b *bytes.Buffer, days []sampled) {
	most := 0.0
	for _, s := range p.series {
		for i := range days {
			most = max(most, s.value(&days[i]))
		}
	}
	most = ceiling(most)
	x := func(day int) float64 { return plotLeft + plotWidth*float64(day)/daysOfYear }
	y := func(v float64) float64 { return plotTop + plotHeight*(1-v/most) }
	fmt.Fprintf(b, `<text x="%d" y="22" font-size="15" font-weight="600">%s</text>`+"\n", plotLeft, p.title)
	for i := range 5 {
		v := most * float64(i) / 4
		fmt.Fprintf(b, `<path d="M%d %.1fh%d" stroke="#e5e7eb"/><text x="%d" y="%.1f" text-anchor="end" fill="#4b5563">%g%s</text>`+"\n",
			plotLeft, y(v), plotWidth, plotLeft-8, y(v)+4, v, p.unit)
	}
	for month := 0; month <= 12; month += 2 {
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle" fill="#4b5563">month %d</text>`+"\n", x(month*daysOfYear/12), plotTop+plotHeight+20, month)
	}
	for i, s := range p.series {
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="1.5" points="`, s.colour)
		for d := range days {
			fmt.Fprintf(b, "%.1f,%.1f ", x(days[d].Day), y(s.value(&days[d])))
		}
		fmt.Fprintf(b, `"/><text x="%d" y="%d" fill="%s">%s</text>`+"\n", plotLeft+plotWidth+12, plotTop+12+18*i, s.colour, s.name)
	}
}

// ceiling returns the smallest of 1, 2, 4 and 8 times a power of ten that is not below a number.
func ceiling(v float64) float64 {
	for unit := 1.0; ; unit *= 10 {
		for _, n := range []float64{1, 2, 4, 8} {
			if n*unit >= v {
				return n * unit
			}
		}
	}
}
