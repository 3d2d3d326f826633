// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/reelops/reelops/hack/pace"
	"github.com/reelops/reelops/internal/e2e/atrest"
)

// goalPreview is the longest acceptable 95th percentile of a preview of one editor.
const goalPreview = 300 * time.Millisecond

// slide is the first slide of a short, with a block of text that an editor moves.
type slide struct{ short, slide, block int64 }

// body returns the request of a preview after the n-th change, at the width that the editor requests in this window.
// Each change moves the block to another place.
func (s slide) body(n int) map[string]any {
	at := map[string]float64{"x": 50, "y": float64(30 + n%40)}
	return map[string]any{"slide_id": s.slide, "max_width": 540, "slides": []map[string]any{
		{"id": s.slide, "textOverlays": []map[string]any{{"id": s.block, "position": at}}},
	}}
}

// drawn holds the times of previews, sorted, in milliseconds since the request.
type drawn struct {
	// FirstByte of the response, and Picture is decoded.
	FirstByte, Picture []float64
	Bytes              float64 // mean size of a response
	// Rejected counts responses that had to be repeated, because all slots were busy.
	Rejected int
}

// measureEditor draws previews as the editor does, one at a time, and waits between them.
const measureEditor = `(async () => {
	const s = %s, end = performance.now() + %d, out = {firstByte: [], picture: [], bytes: 0, rejected: 0};
	const wait = (ms) => new Promise((done) => setTimeout(done, ms));
	for (let n = 0; performance.now() < end; n++) {
		const body = JSON.stringify({slide_id: s.slide, max_width: 540, slides: [{id: s.slide,
			textOverlays: [{id: s.block, position: {x: 50, y: 30 + n %% 40}}]}]});
		const began = performance.now();
		for (;;) {
			const response = await fetch('/console/api/v1/slideshows/' + s.short + '/preview',
				{method: 'POST', headers: {'Content-Type': 'application/json'}, body});
			if (response.status === 503) {
				out.rejected++;
				await wait(1000 * Number(response.headers.get('Retry-After') ?? 1));
				continue;
			}
			if (!response.ok) throw new Error(response.status + ' ' + await response.text());
			const first = performance.now();
			const text = await response.text();
			const {data} = JSON.parse(text);
			const bytes = Uint8Array.from(atob(data.image), (c) => c.charCodeAt(0));
			const picture = await createImageBitmap(new Blob([bytes], {type: data.content_type}));
			out.firstByte.push(first - began);
			out.picture.push(performance.now() - began);
			out.bytes += text.length;
			picture.close();
			break;
		}
		await wait(%d);
	}
	out.bytes /= out.picture.length;
	for (const list of [out.firstByte, out.picture]) list.sort((a, b) => a - b);
	return out;
})()`

// previews measures one editor in the browser, alone and beside others, while the API is called. The others are HTTP
// clients, because many browsers on one machine would measure the browsers.
func (p *plan) previews(ctx context.Context, b *browser, s *atrest.Stack, brand int64) error {
	slides := make([]slide, p.editors)
	for i := range slides {
		var err error
		if slides[i], err = firstSlide(ctx, s, i); err != nil {
			return err
		}
	}
	if err := b.choose(brand); err != nil {
		return err
	}
	list := func(int) string { return "/api/v1/shorts?per_page=25" }
	api := func(ctx context.Context) (*pace.Sent, error) {
		return pace.Send(ctx, s.URL, s.Key, p.rate, p.length, list)
	}
	if _, err := pace.Send(ctx, s.URL, s.Key, p.rate, time.Second, list); err != nil { // connections are opened
		return err
	}
	logf("calling the API without editors")
	alone, err := api(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("\n%-34s %8s %8s %8s %8s %10s %9s %12s %12s\n", fmt.Sprintf("previews beside %d calls/s", p.rate),
		"byte p50", "p95", "pict p50", "p95", "bytes", "rejected", "API p50", "API p99")
	fmt.Printf("%-34s %8s %8s %8s %8s %10s %9s %12s %12s\n", "no editor", "", "", "", "", "", "",
		ms(pace.Quantile(alone.Latencies, 0.5)), ms(pace.Quantile(alone.Latencies, 0.99)))
	var first *drawn
	for _, editors := range slices.Compact([]int{1, p.editors}) {
		logf("drawing previews of %d editors", editors)
		one, calls, others, err := p.edit(ctx, b, s, slides[:editors], api)
		if err != nil {
			return err
		}
		if first == nil {
			first = one
		}
		fmt.Printf("%-34s %8.0f %8.0f %8.0f %8.0f %10.0f %9d %12s %12s   API p99 %.2f times that without editors\n",
			fmt.Sprintf("%d editors, %d previews", editors, len(one.Picture)+int(others.drawn.Load())),
			at(one.FirstByte, 0.5), at(one.FirstByte, 0.95), at(one.Picture, 0.5), at(one.Picture, 0.95), one.Bytes,
			one.Rejected+int(others.rejected.Load()), ms(pace.Quantile(calls.Latencies, 0.5)),
			ms(pace.Quantile(calls.Latencies, 0.99)),
			pace.Quantile(calls.Latencies, 0.99).Seconds()/pace.Quantile(alone.Latencies, 0.99).Seconds())
	}
	p95 := at(first.FirstByte, 0.95)
	goal := float64(goalPreview.Milliseconds())
	fmt.Printf("times in ms; preview of one editor, first byte p95: %.0f ms   goal < %.0f ms: %s\n",
		p95, goal, met(p95 < goal))
	return nil
}

// edit measures the first editor in the browser while the others and the API are busy.
func (p *plan) edit(
	ctx context.Context, b *browser, s *atrest.Stack, slides []slide, api func(context.Context) (*pace.Sent, error),
) (*drawn, *pace.Sent, *others, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	busy, stop := context.WithCancel(ctx)
	defer stop()
	rest := &others{}
	var all sync.WaitGroup
	for i, one := range slides[1:] {
		all.Go(func() {
			// The editors do not begin in step.
			if !pause(busy, p.think*time.Duration(i)/time.Duration(len(slides))) {
				return
			}
			if err := rest.edit(busy, s, one, p.think); err != nil {
				cancel(err)
			}
		})
	}
	var calls *pace.Sent
	var failed error
	called := make(chan struct{})
	go func() {
		defer close(called)
		calls, failed = api(ctx)
	}()
	first := map[string]int64{"short": slides[0].short, "slide": slides[0].slide, "block": slides[0].block}
	one, err := run[drawn](b, fmt.Sprintf(measureEditor, quote(first), p.length.Milliseconds(), p.think.Milliseconds()))
	<-called
	stop()
	all.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return nil, nil, nil, cause
	}
	if err == nil {
		err = failed
	}
	if err == nil && len(one.Picture) == 0 {
		err = fmt.Errorf("the editor drew no preview in %s", p.length)
	}
	return &one, calls, rest, err
}

// others counts the previews of the editors that are HTTP clients.
type others struct{ drawn, rejected atomic.Int64 }

func (o *others) edit(ctx context.Context, s *atrest.Stack, of slide, think time.Duration) error {
	client := pace.NewClient()
	defer client.CloseIdleConnections()
	for n := 0; ctx.Err() == nil; n++ {
		status, wait, err := preview(ctx, client, s, of, n)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		case status == http.StatusServiceUnavailable:
			o.rejected.Add(1)
			pause(ctx, wait)
		case status != http.StatusOK:
			return fmt.Errorf("preview of short %d: status %d", of.short, status)
		default:
			o.drawn.Add(1)
			pause(ctx, think)
		}
	}
	return nil
}

// preview requests a preview, and returns its status and the time of Retry-After.
func preview(ctx context.Context, client *http.Client, s *atrest.Stack, of slide, n int) (int, time.Duration, error) {
	doc, err := json.Marshal(of.body(n))
	if err != nil {
		return 0, 0, err
	}
	url := fmt.Sprintf("%s/api/v1/slideshows/%d/preview", s.URL, of.short)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(doc))
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Authorization", "Bearer "+s.Key)
	req.Header.Set("Content-Type", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
	return res.StatusCode, max(time.Second, time.Duration(seconds)*time.Second), err
}

// firstSlide returns the first slide of the short of an editor.
func firstSlide(ctx context.Context, s *atrest.Stack, editor int) (slide, error) {
	id, err := s.ShortID(editor)
	if err != nil {
		return slide{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/api/v1/slideshows/%d", s.URL, id), nil)
	if err != nil {
		return slide{}, err
	}
	req.Header.Set("Authorization", "Bearer "+s.Key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return slide{}, err
	}
	defer func() { _ = res.Body.Close() }()
	var got struct {
		Data struct {
			TypeData struct {
				Slides []struct {
					ID           int64
					TextOverlays []struct{ ID int64 } `json:"textOverlays"`
				}
			} `json:"type_data"`
		}
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
		return slide{}, err
	}
	slides := got.Data.TypeData.Slides
	if len(slides) == 0 || len(slides[0].TextOverlays) == 0 {
		return slide{}, fmt.Errorf("short %d has no slide with text: %s", id, res.Status)
	}
	return slide{id, slides[0].ID, slides[0].TextOverlays[0].ID}, nil
}

// pause waits, and reports whether the context still lasts.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func at(sorted []float64, q float64) float64 {
	return sorted[min(int(float64(len(sorted))*q), len(sorted)-1)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()*1000) }
