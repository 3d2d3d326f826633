// SPDX-License-Identifier: Apache-2.0

// Command benchflow measures the overhead of the service: beyond writing and drawing a slideshow, and beyond rendering
// a film. The times of the work are read from the logs of the processes that do it. The rest is overhead.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/reelops/reelops/hack/service"
)

// poll is the polling interval. It is included in the results.
const poll = 5 * time.Millisecond

func main() {
	dataDir := flag.String("data-dir", ".local", "data folder of the running service, or of the one to start")
	bin := flag.String("bin", "bin", "folder with the built programs")
	runs := flag.Int("n", 8, "number of slideshows and videos to create")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := bench(ctx, *dataDir, *bin, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "benchflow:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, dataDir, bin string, runs int) error {
	// The programs inherit the rate limit, which the short polling interval would exceed.
	if err := os.Setenv("REELOPS_CEILINGS", "global=1000000/5m"); err != nil {
		return err
	}
	s, err := service.Connect(ctx, dataDir, bin, "--writer", "offline")
	if err != nil {
		return err
	}
	defer s.Stop()
	var slides, before, after, render figures
	fmt.Printf("\n%4s %14s %14s | %14s %14s %14s\n", "run", "text+slides ms", "overhead ms", "to start ms", "from end ms", "overhead ms")
	for n := range runs + 1 { // the first run warms caches and is not counted
		one, err := once(ctx, s)
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		slides, before, after = append(slides, one.slides), append(before, one.toStart), append(after, one.fromEnd)
		render = append(render, one.toStart+one.fromEnd)
		fmt.Printf("%4d %14d %14d | %14d %14d %14d\n", n, one.work.Milliseconds(), one.slides.Milliseconds(), one.toStart.Milliseconds(),
			one.fromEnd.Milliseconds(), (one.toStart + one.fromEnd).Milliseconds())
	}
	fmt.Println()
	fmt.Printf("POST /slideshows -> succeeded, without writing, rendering and storing:  %s\n", slides)
	fmt.Printf("render accepted -> the renderer starts the video:                       %s\n", before)
	fmt.Printf("video rendered and checked -> succeeded (with upload and report):       %s\n", after)
	fmt.Printf("total render overhead:                                                  %s\n", render)
	return nil
}

type figures []time.Duration

func (f figures) String() string {
	s := slices.Sorted(slices.Values(f))
	return fmt.Sprintf("median %d ms, max %d ms, n=%d", s[len(s)/2].Milliseconds(), s[len(s)-1].Milliseconds(), len(s))
}

// sample holds the times of one slideshow and its film.
type sample struct {
	work             time.Duration // writing, drawing and storing
	slides           time.Duration // overhead beyond work
	toStart, fromEnd time.Duration // overhead of the film
}

func once(ctx context.Context, s *service.Service) (o sample, err error) {
	quiet := func(string) {}
	var made service.Job
	body := map[string]any{"context": "Walk to work. You arrive awake. You save the gym. You see your town. Start tomorrow.", "slide_count": 3}
	if err := s.API.Call(ctx, "POST", "/slideshows", body, &made); err != nil {
		return o, err
	}
	accepted := time.Now()
	if _, err := s.API.Wait(ctx, made.ID, poll, quiet); err != nil {
		return o, err
	}
	ended := time.Now()
	if o.work, err = managerWork(filepath.Join(s.DataDir, "logs", "manager.log"), made.ID); err != nil {
		return o, err
	}
	o.slides = ended.Sub(accepted) - o.work

	if err := s.API.Call(ctx, "POST", fmt.Sprintf("/slideshows/%d/render", made.ID), nil, &made); err != nil {
		return o, err
	}
	accepted = time.Now()
	if _, err := s.API.Wait(ctx, made.ID, poll, quiet); err != nil {
		return o, err
	}
	ended = time.Now()
	logs, err := s.Kubectl(ctx, "logs", "-n", "demo", "-l", fmt.Sprintf("reelops.dev/short-id=%d", made.ID))
	if err != nil {
		return o, fmt.Errorf("reading the renderer's log: %w\n%s", err, logs)
	}
	begun, made2, err := filmTimes(logs)
	if err != nil {
		return o, err
	}
	o.toStart, o.fromEnd = begun.Sub(accepted), ended.Sub(made2)
	return o, nil
}

// line holds the fields that are read from a log line.
type line struct {
	Time    time.Time `json:"time"`
	Message string    `json:"msg"`
	ShortID string    `json:"short_id"`
	TextMS  int64     `json:"text_ms"`
	DrawMS  int64     `json:"draw_ms"`
}

// managerWork returns the total time that the manager logged for writing and drawing a short.
func managerWork(log string, id int64) (time.Duration, error) {
	f, err := os.Open(log)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	var ms int64
	found := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l line
		if json.Unmarshal(lines.Bytes(), &l) != nil || l.ShortID != strconv.FormatInt(id, 10) {
			continue
		}
		if l.Message == "text written" || l.Message == "slides drawn" {
			ms += l.TextMS + l.DrawMS
			found++
		}
	}
	if found != 2 {
		return 0, fmt.Errorf("the manager's log has %d of 2 steps of short %d", found, id)
	}
	return time.Duration(ms) * time.Millisecond, lines.Err()
}

func filmTimes(logs string) (begun, made time.Time, err error) {
	for text := range strings.Lines(logs) {
		var l line
		if json.Unmarshal([]byte(text), &l) != nil {
			continue
		}
		switch l.Message {
		case "render started":
			begun = l.Time
		case "video rendered":
			made = l.Time
		}
	}
	if begun.IsZero() || made.IsZero() {
		return begun, made, errors.New("the renderer's log lacks the start or the end of the render")
	}
	return begun, made, nil
}
