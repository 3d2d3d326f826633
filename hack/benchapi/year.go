// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/hack/settled"
	"github.com/reelops/reelops/internal/e2e/atrest"
)

const (
	// daysOfYear is the number of simulated days.
	daysOfYear = 365
	// firstUnit is the id of the first short, above the ids that the manager assigns.
	firstUnit = 2_000_000
)

// year runs an installation for a simulated year: each day it creates finished shorts with published posts, reads lists
// and details, and edits an old short. The clock is not changed: a day is shorter, and so is the time after which shorts
// are archived.
func year(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("benchapi year", flag.ContinueOnError)
	bin := f.String("bin", "bin", "folder with the built programs, etcd and kube-apiserver")
	length := f.Duration("length", time.Hour, "duration of the year")
	shorts := f.Int("shorts", 20, "number of shorts a day; each has four posts")
	after := f.Int("archive-after", 30, "days after which settled shorts are archived")
	calls := f.Int("calls", 10, "number of calls of each kind a day")
	out := f.String("out", "", "folder for year.csv and year.svg; empty writes neither")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *length < daysOfYear*100*time.Millisecond || *shorts < 1 || *after < 1 || *calls < 1 {
		return errors.New("--length must be at least 37s; --shorts, --archive-after and --calls must be positive")
	}
	folder, err := os.MkdirTemp("", "reelops-year-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	stack, err := atrest.Start(ctx, atrest.Options{Bin: *bin, Folder: folder, CompactEvery: compactEvery}, 1, logf)
	if err != nil {
		return err
	}
	defer stack.Stop()
	y := &simulated{Stack: stack, day: *length / daysOfYear, shorts: *shorts, calls: *calls, random: rand.New(rand.NewPCG(1, 2))}
	stack.ManagerFlags = []string{"--archive-after", (time.Duration(*after) * y.day).String()}
	stack.FrontEndFlags = []string{"--ceilings", "global=1000000/5m"}
	if _, _, err := stack.Restart(ctx, false); err != nil {
		return err
	}
	if err := y.run(ctx); err != nil {
		return err
	}
	if *out == "" {
		return nil
	}
	return y.save(*out)
}

// simulated is a year with its measurements.
type simulated struct {
	*atrest.Stack
	day           time.Duration
	shorts, calls int
	random        *rand.Rand
	created       int
	repeated      int // requests for edits that were answered with an error and repeated
	days          []sampled
}

// sampled holds what was measured on a day: sizes in bytes, latencies in milliseconds.
type sampled struct {
	Day, Created, Archived, Live int
	Etcd, Manager, FrontEnd      int64
	// List and Detail are the latencies of the day's calls, Edit that of an edit of an old short.
	List, Detail []float64
	Edit         float64
}

func (y *simulated) run(ctx context.Context) error {
	logf("a day is %s", y.day)
	began := time.Now()
	for day := range daysOfYear {
		if err := y.create(ctx); err != nil {
			return err
		}
		s, err := y.sample(ctx, day+1)
		if err != nil {
			return err
		}
		y.days = append(y.days, *s)
		if (day+1)%30 == 0 {
			y.print(y.days[len(y.days)-30:])
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(began.Add(time.Duration(day+1) * y.day))):
		}
	}
	logf("the year took %s", time.Since(began).Round(time.Second))
	return y.check(ctx)
}

// create creates the shorts of a day. They are copies of the slideshow that the manager created, and were published two
// days ago.
func (y *simulated) create(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i := range y.shorts {
		g.Go(func() error {
			s, id := y.Model(), strconv.FormatInt(firstUnit+int64(y.created+i), 10)
			s.ObjectMeta = metav1.ObjectMeta{
				Namespace: s.Namespace, Name: "slideshow-" + id, Finalizers: s.Finalizers,
				Labels: map[string]string{v1beta1.LabelID: id, v1beta1.LabelBrand: atrest.Account},
			}
			return settled.Create(ctx, y.Client, s, time.Now().Add(-48*time.Hour))
		})
	}
	err := g.Wait()
	y.created += y.shorts
	return err
}

// posts returns the number of posts that were created.
func (y *simulated) posts() int { return y.created * len(settled.Platforms) }

// sample makes the calls of a day and measures.
func (y *simulated) sample(ctx context.Context, day int) (*sampled, error) {
	s := &sampled{Day: day, Created: y.created}
	for range y.calls {
		ms, err := y.call(ctx, http.MethodGet, "/api/v1/shorts?per_page=25", nil, nil)
		if err != nil {
			return nil, err
		}
		s.List = append(s.List, ms)
		if ms, err = y.call(ctx, http.MethodGet, fmt.Sprintf("/api/v1/shorts/%d", y.any()), nil, nil); err != nil {
			return nil, err
		}
		s.Detail = append(s.Detail, ms)
	}
	var err error
	if s.Edit, err = y.edit(ctx, y.any(), fmt.Sprintf("Day %d", day)); err != nil {
		return nil, err
	}
	if s.Etcd, err = y.EtcdBytes(ctx); err != nil {
		return nil, err
	}
	if s.Manager, err = y.ManagerMemory(); err != nil {
		return nil, err
	}
	if s.FrontEnd, err = y.FrontEndMemory(); err != nil {
		return nil, err
	}
	if s.Archived, err = y.archived(ctx); err != nil {
		return nil, err
	}
	s.Live, err = y.live(ctx)
	return s, err
}

// edit changes the title of a short and returns how long that took, in milliseconds. A short that leaves the cluster at
// the moment can take longer than one request waits.
func (y *simulated) edit(ctx context.Context, id int64, title string) (float64, error) {
	var total float64
	for range 5 {
		ms, err := y.call(ctx, http.MethodPatch, fmt.Sprintf("/api/v1/slideshows/%d", id), fmt.Appendf(nil, `{"title":%q}`, title), nil)
		total += ms
		switch {
		case err == nil:
			return total, nil
		case ctx.Err() != nil:
			return total, ctx.Err()
		}
		y.repeated++
		logf("%v", err)
	}
	return 0, fmt.Errorf("the short %d was not edited after 5 requests", id)
}

// any returns the id of a short, whether archived or not.
func (y *simulated) any() int64 { return firstUnit + int64(y.random.IntN(y.created)) }

// call sends a request, decodes the response to answer unless that is nil, and returns the latency in milliseconds.
func (y *simulated) call(ctx context.Context, method, path string, body []byte, answer any) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, method, y.URL+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+y.Key)
	req.Header.Set("Content-Type", "application/json")
	began := time.Now()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	took := float64(time.Since(began).Microseconds()) / 1000 // the caller may add those of failed requests
	if err == nil && answer != nil {
		err = json.Unmarshal(text, answer)
	}
	return took, err
}

func (y *simulated) archived(ctx context.Context) (int, error) {
	a := &v1beta1.Archive{}
	err := y.Client.Get(ctx, client.ObjectKey{Namespace: atrest.Account, Name: v1beta1.ArchiveName}, a)
	return int(a.Status.Shorts), client.IgnoreNotFound(err)
}

// live returns the number of slideshows in the cluster.
func (y *simulated) live(ctx context.Context) (int, error) {
	l := &v1beta1.SlideshowList{}
	if err := y.Client.List(ctx, l, client.InNamespace(atrest.Account), client.Limit(1)); err != nil {
		return 0, err
	}
	n := len(l.Items)
	if l.RemainingItemCount != nil {
		n += int(*l.RemainingItemCount)
	}
	return n, nil
}

// check compares the totals of the API with the shorts that were created. The first one was created by the manager.
func (y *simulated) check(ctx context.Context) error {
	for path, want := range map[string]int{"/api/v1/shorts?per_page=1": y.created + 1, "/api/v1/posts?per_page=1": y.posts()} {
		var page struct {
			Meta struct {
				Pagination struct {
					TotalCount int `json:"total_count"`
				}
			}
		}
		if _, err := y.call(ctx, http.MethodGet, path, nil, &page); err != nil {
			return err
		}
		if got := page.Meta.Pagination.TotalCount; got != want {
			return fmt.Errorf("%s has a total of %d, want %d", path, got, want)
		}
	}
	logf("the API lists all %d shorts and %d posts; %d edits were repeated", y.created+1, y.posts(), y.repeated)
	return ctx.Err()
}

// print prints a line for some days: the last sizes, and quantiles of the latencies of all.
func (y *simulated) print(days []sampled) {
	last := days[len(days)-1]
	var list, detail, edit []float64
	for _, d := range days {
		list, detail, edit = append(list, d.List...), append(detail, d.Detail...), append(edit, d.Edit)
	}
	logf("day %3d: %6d shorts, %5d of them in the cluster; etcd %3d MB, manager %3d MB, front end %3d MB; list p50 %.1f p99 %.1f ms, detail p50 %.1f p99 %.1f ms, edit p50 %.0f ms",
		last.Day, last.Created, last.Live, last.Etcd>>20, last.Manager>>20, last.FrontEnd>>20,
		quantile(list, .5), quantile(list, .99), quantile(detail, .5), quantile(detail, .99), quantile(edit, .5))
}

// quantile returns a quantile of some numbers, which it sorts.
func quantile[T cmp.Ordered](all []T, q float64) T {
	slices.Sort(all)
	return all[min(int(q*float64(len(all))), len(all)-1)]
}

// save writes the measurements of all days as year.csv, and their chart as year.svg.
func (y *simulated) save(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	_ = w.Write([]string{"day", "shorts_created", "shorts_archived", "slideshows_live", "etcd_bytes", "manager_bytes", "front_end_bytes", "list_p50_ms", "detail_p50_ms", "edit_ms"})
	for _, d := range y.days {
		row := []string{}
		for _, n := range []int{d.Day, d.Created, d.Archived, d.Live, int(d.Etcd), int(d.Manager), int(d.FrontEnd)} {
			row = append(row, strconv.Itoa(n))
		}
		for _, ms := range []float64{quantile(d.List, .5), quantile(d.Detail, .5), d.Edit} {
			row = append(row, strconv.FormatFloat(ms, 'f', 2, 64))
		}
		_ = w.Write(row)
	}
	w.Flush() // a buffer never fails
	if err := os.WriteFile(filepath.Join(folder, "year.csv"), table.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "year.svg"), chart(y.days), 0o644)
}
