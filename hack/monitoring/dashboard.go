// SPDX-License-Identifier: Apache-2.0

package main

import "encoding/json"

// Layout of a board: its width in Grafana's units, the heights of panels, and how many panels with lines are in one
// row. All number panels of a row are side by side.
const (
	width                    = 24
	numberHeight, lineHeight = 4, 8
	inLine                   = 3
)

type object = map[string]any

func dashboard() ([]byte, error) {
	var panels []object
	y, id := 0, 0
	add := func(o object, x, w, h int) {
		id++
		o["id"], o["gridPos"] = id, object{"x": x, "y": y, "w": w, "h": h}
		panels = append(panels, o)
	}
	source := object{"type": "prometheus", "uid": "${datasource}"}
	for _, r := range rows {
		add(object{"type": "row", "title": r.title, "collapsed": false, "panels": []object{}}, 0, width, 1)
		y++
		x := 0
		for i, p := range r.panels {
			beside, h := len(r.panels), numberHeight
			if !p.number {
				beside, h = min(inLine, len(r.panels)-i/inLine*inLine), lineHeight
			}
			w := width / beside
			add(p.object(source), x, w, h)
			if x += w; x+w > width || i == len(r.panels)-1 {
				x, y = 0, y+h
			}
		}
	}
	board := object{
		"title": "Reelops", "uid": "reelops", "tags": []string{"reelops"}, "timezone": "browser", "schemaVersion": 39, "version": 1, "editable": true,
		"refresh": "30s", "time": object{"from": "now-6h", "to": "now"}, "panels": panels,
		"templating": object{"list": []object{
			{"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "current": object{}, "hide": 0},
			// One cluster and one installation at a time: gauges of two installations have no common maximum. If
			// Prometheus has no label cluster, the variable is empty, which selects the series without the label.
			variable("cluster", "Cluster", `label_values(reelops_build_info, cluster)`, source),
			variable("namespace", "Namespace", `label_values(reelops_build_info{cluster="$cluster"}, namespace)`, source),
			all(variable("platform", "Platform", `label_values(`+scope("reelops_platform_calls_total")+`, platform)`, source)),
		}},
	}
	text, err := json.MarshalIndent(board, "", "  ")
	return append(text, '\n'), err
}

// variable returns a dashboard variable with the values that the query returns. The first value is selected.
func variable(name, label, query string, source object) object {
	return object{"name": name, "label": label, "type": "query", "datasource": source, "query": query, "refresh": 2, "sort": 1, "hide": 0}
}

// all allows the selection of several values of the variable, and selects all of them.
func all(v object) object {
	v["includeAll"], v["multi"], v["allValue"], v["current"] = true, true, ".*", object{"text": "All", "value": "$__all"}
	return v
}

func (p panel) object(source object) object {
	o := object{"title": p.title, "description": p.description(), "datasource": source, "type": "timeseries"}
	defaults := object{"unit": p.unit, "min": 0}
	if p.number {
		o["type"] = "stat"
		steps := []object{{"color": "green", "value": nil}}
		if p.red > 0 {
			steps = append(steps, object{"color": "red", "value": p.red})
		}
		defaults["thresholds"] = object{"mode": "absolute", "steps": steps}
		o["options"] = object{"reduceOptions": object{"calcs": []string{"lastNotNull"}}, "colorMode": "value", "graphMode": "area"}
	} else {
		o["options"] = object{"legend": object{"displayMode": "list", "placement": "bottom"}, "tooltip": object{"mode": "multi", "sort": "desc"}}
	}
	o["fieldConfig"] = object{"defaults": defaults, "overrides": []object{}}
	var targets []object
	for i, l := range p.lines {
		targets = append(targets, object{"refId": string(rune('A' + i)), "expr": scope(l.expr), "legendFormat": l.legend, "datasource": source})
	}
	o["targets"] = targets
	return o
}
