// SPDX-License-Identifier: Apache-2.0

package main

import "encoding/json"

// row is a question of an operator with what answers it.
type row struct {
	title  string
	panels []panel
}

// panel shows expressions over time, or as one number.
type panel struct {
	title, about string
	// unit as Grafana knows it: s, short, percentunit, reqps, bytes.
	unit string
	// number shows the last value alone, red from so much on; 0 for never.
	number bool
	red    float64
	lines  []line
}

type line struct{ expr, legend string }

func one(expr, legend string) []line { return []line{{expr, legend}} }

// quantiles of a histogram, by a label.
func quantiles(metric, by string) []line {
	return []line{
		{`histogram_quantile(0.5, sum by (` + by + `, le) (rate(` + metric + `_bucket[$__rate_interval])))`, "{{" + by + "}} median"},
		{`histogram_quantile(0.99, sum by (` + by + `, le) (rate(` + metric + `_bucket[$__rate_interval])))`, "{{" + by + "}} 99 %"},
	}
}

var rows = []row{
	{"At a glance", []panel{
		{title: "Leaders", about: "1 as it should be; 0: nothing is done", unit: "short", number: true, lines: one(`sum(leader_election_master_status)`, "")},
		{title: "Posts overdue", unit: "short", number: true, red: 1, lines: one(`sum(max by (platform) (reelops_posts_overdue))`, "")},
		{title: "Posts of unknown outcome", unit: "short", number: true, red: 1, lines: one(`max(reelops_posts_unknown)`, "")},
		{title: "Renders waiting", unit: "short", number: true, red: 50, lines: one(`sum(max by (state) (reelops_work{kind="render",state=~"new|queued"}))`, "")},
		{title: "Connections that need somebody", unit: "short", number: true, red: 1, lines: one(`sum(max by (platform, token_status) (reelops_connections{token_status=~"expired|revoked|insufficient_scope"}))`, "")},
		{title: "Requests answered with 5xx", unit: "percentunit", number: true, red: 0.01, lines: one(`sum(rate(reelops_api_requests_total{status=~"5.."}[$__rate_interval])) / sum(rate(reelops_api_requests_total[$__rate_interval]))`, "")},
	}},
	{"Are posts late, lost or unknown?", []panel{
		{title: "Lateness of posts", about: "From a post's time to the call that publishes", unit: "s", lines: quantiles("reelops_post_lateness_seconds", "platform")},
		{title: "Posts that ended", unit: "short", lines: one(`sum by (platform, state) (increase(reelops_posts_total[$__rate_interval]))`, "{{platform}} {{state}}")},
		{title: "Why posts failed", unit: "short", lines: one(`sum by (platform, code) (increase(reelops_posts_total{state="failed"}[$__rate_interval]))`, "{{platform}} {{code}}")},
		{title: "Posts to come", unit: "short", lines: one(`max by (platform, state) (reelops_posts_open)`, "{{platform}} {{state}}")},
		{title: "Oldest overdue post", unit: "s", lines: one(`max by (platform) (reelops_posts_overdue_oldest_seconds)`, "{{platform}}")},
	}},
	{"How long do renders wait and take?", []panel{
		{title: "Waiting for work to begin", unit: "s", lines: quantiles("reelops_work_wait_seconds", "kind")},
		{title: "Working", unit: "s", lines: quantiles("reelops_work_run_seconds", "kind")},
		{title: "Starting render pods", about: "Scheduling, pulling the image, starting", unit: "s", lines: quantiles("reelops_render_start_seconds", "source")},
		{title: "In work", unit: "short", lines: one(`max by (kind, state) (reelops_work{state=~"new|queued|processing"})`, "{{kind}} {{state}}")},
		{title: "Why work failed", unit: "short", lines: one(`sum by (kind, code) (increase(reelops_work_total{outcome="failed"}[$__rate_interval]))`, "{{kind}} {{code}}")},
		{title: "Attempts at renders", about: "lost: the pod went away; memory: begun anew with more of it", unit: "short", lines: one(`sum by (source, why) (increase(reelops_render_attempts_total[$__rate_interval]))`, "{{source}} {{why}}")},
		{title: "Reports of render pods", unit: "short", lines: one(`sum by (result) (increase(reelops_render_reports_total[$__rate_interval]))`, "{{result}}")},
	}},
	{"Which platform fails, and why?", []panel{
		{title: "Calls that failed", unit: "short", lines: one(`sum by (platform, operation, outcome, code) (increase(reelops_platform_calls_total{outcome!~"ok|absent",platform=~"$platform"}[$__rate_interval]))`, "{{platform}} {{operation}}: {{outcome}} {{code}}")},
		{title: "Share of calls that failed", unit: "percentunit", lines: one(`sum by (platform) (rate(reelops_platform_calls_total{outcome!~"ok|absent"}[$__rate_interval])) / sum by (platform) (rate(reelops_platform_calls_total[$__rate_interval]))`, "{{platform}}")},
		{title: "Time of calls, 99 %", unit: "s", lines: one(`histogram_quantile(0.99, sum by (platform, operation, le) (rate(reelops_platform_call_seconds_bucket{platform=~"$platform"}[$__rate_interval])))`, "{{platform}} {{operation}}")},
	}},
	{"Which connections need somebody?", []panel{
		{title: "Connected accounts", unit: "short", lines: one(`max by (platform, token_status) (reelops_connections)`, "{{platform}} {{token_status}}")},
		{title: "First token to end", unit: "s", lines: one(`min by (platform) (reelops_connection_token_soonest_seconds)`, "{{platform}}")},
		{title: "Headroom of the fullest account", about: "Posts that it may still make in the platform's window", unit: "short", lines: []line{
			{`min by (platform) (reelops_connection_headroom_least)`, "{{platform}}"}, {`max by (platform) (reelops_connections_limited)`, "{{platform}} accounts held back"},
		}},
	}},
	{"How does the interface answer, and who is limited?", []panel{
		{title: "Requests", unit: "reqps", lines: one(`sum by (status) (rate(reelops_api_requests_total[$__rate_interval]))`, "{{status}}")},
		{title: "Time to answer, 99 %", unit: "s", lines: one(`histogram_quantile(0.99, sum by (operation, le) (rate(reelops_api_request_seconds_bucket[$__rate_interval])))`, "{{operation}}")},
		{title: "Refused by ceilings", about: "Which key it was stands in the log: status 429, key_id", unit: "short", lines: one(`sum by (bucket) (increase(reelops_ratelimit_refusals_total[$__rate_interval]))`, "{{bucket}}")},
		{title: "Ceilings in Redis", about: "1: shared; 0: each replica counts alone", unit: "short", lines: []line{
			{`min(reelops_ratelimit_shared_up)`, "shared"}, {`sum(rate(reelops_ratelimit_local_decisions_total[$__rate_interval]))`, "decided alone, a second"},
		}},
	}},
	{"What does AI cost?", []panel{
		{title: "Tokens an hour", unit: "short", lines: one(`sum by (purpose, model, direction) (rate(reelops_ai_tokens_total[1h])) * 3600`, "{{purpose}} {{model}} {{direction}}")},
		{title: "Pictures and spoken characters an hour", unit: "short", lines: []line{
			{`sum by (model) (rate(reelops_ai_pictures_total[1h])) * 3600`, "{{model}} pictures"}, {`sum by (model) (rate(reelops_ai_speech_characters_total[1h])) * 3600`, "{{model}} characters"},
		}},
		{title: "Calls of models", unit: "short", lines: one(`sum by (purpose, model, outcome) (increase(reelops_ai_calls_total[$__rate_interval]))`, "{{purpose}} {{model}} {{outcome}}")},
	}},
	{"Do the store and the machinery keep up?", []panel{
		{title: "Calls of the store that failed", unit: "short", lines: one(`sum by (operation) (increase(reelops_store_calls_total{outcome="failed"}[$__rate_interval]))`, "{{operation}}")},
		{title: "Time of calls of the store, 99 %", unit: "s", lines: one(`histogram_quantile(0.99, sum by (operation, le) (rate(reelops_store_call_seconds_bucket[$__rate_interval])))`, "{{operation}}")},
		{title: "Queues", unit: "short", lines: one(`sum by (controller) (workqueue_depth)`, "{{controller}}")},
		{title: "Passes that failed", unit: "short", lines: one(`sum by (controller) (increase(controller_runtime_reconcile_errors_total[$__rate_interval]))`, "{{controller}}")},
		{title: "Memory", unit: "bytes", lines: one(`process_resident_memory_bytes{job=~".*reelops.*"}`, "{{pod}}")},
		{title: "Age of numbers", unit: "s", lines: one(`max by (platform) (reelops_analytics_oldest_seconds)`, "{{platform}}")},
	}},
}

// width of a board in Grafana's units, heights of panels, and how many with lines are beside one another. Numbers of a row are all in one line.
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
			{
				"name": "platform", "label": "Platform", "type": "query", "datasource": source, "query": `label_values(reelops_platform_calls_total, platform)`,
				"refresh": 2, "includeAll": true, "multi": true, "allValue": ".*", "current": object{"text": "All", "value": "$__all"}, "hide": 0,
			},
		}},
	}
	text, err := json.MarshalIndent(board, "", "  ")
	return append(text, '\n'), err
}

func (p panel) object(source object) object {
	o := object{"title": p.title, "datasource": source, "type": "timeseries"}
	if p.about != "" {
		o["description"] = p.about
	}
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
		targets = append(targets, object{"refId": string(rune('A' + i)), "expr": l.expr, "legendFormat": l.legend, "datasource": source})
	}
	o["targets"] = targets
	return o
}
