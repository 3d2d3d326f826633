// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/reelops/reelops/hack/pace"
)

// comparison holds the latencies of the same request to the front end and to kube-apiserver, one call after the other.
type comparison struct {
	ours, kube, kubePage time.Duration
	kubeBytes            int
}

// compare requests the 25 newest shorts and their total number. kube-apiserver neither sorts nor counts, so its clients
// have to read all of them. Its first page by name is measured too, although its content is different.
func (c *cluster) compare(ctx context.Context, f *frontEnd) (*comparison, error) {
	logf("listing the same shorts from kube-apiserver")
	kube, err := rest.HTTPClientFor(c.Config)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(c.Config.Host, "/") + "/apis/reelops.dev/v1beta1/namespaces/" + tenant + "/slideshows"
	out := &comparison{}
	if out.kube, err = middle(ctx, 5, func() error {
		n, err := newest(kube, base+"?resourceVersion=0", &out.kubeBytes)
		if err == nil && n != f.shorts {
			err = fmt.Errorf("kube-apiserver has %d shorts", n)
		}
		return err
	}); err != nil {
		return nil, err
	}
	var bytes int
	if out.kubePage, err = middle(ctx, 101, func() error { _, err := newest(kube, base+"?limit=25", &bytes); return err }); err != nil {
		return nil, err
	}
	header := http.Header{"Authorization": {"Bearer " + c.key}}
	out.ours, err = middle(ctx, 1001, func() error {
		return pace.Get(http.DefaultClient, f.url+"/api/v1/shorts?per_page=25", header)
	})
	return out, err
}

// newest reads a list from kube-apiserver and sorts it by creation time, as a client of kube-apiserver would. It
// returns the number of items.
func newest(kube *http.Client, url string, bytes *int) (n int, err error) {
	res, err := kube.Get(url)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, res.Status)
	}
	if err != nil {
		return 0, err
	}
	*bytes = len(doc)
	var list struct {
		Items []struct {
			Metadata struct {
				CreationTimestamp time.Time
			}
		}
	}
	if err := json.Unmarshal(doc, &list); err != nil {
		return 0, err
	}
	slices.SortFunc(list.Items, func(a, b struct {
		Metadata struct{ CreationTimestamp time.Time }
	},
	) int {
		return b.Metadata.CreationTimestamp.Compare(a.Metadata.CreationTimestamp)
	})
	return len(list.Items), nil
}

// middle returns the median time of n calls.
func middle(ctx context.Context, n int, do func() error) (time.Duration, error) {
	var all []time.Duration
	for range n {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		began := time.Now()
		if err := do(); err != nil {
			return 0, err
		}
		all = append(all, time.Since(began))
	}
	slices.Sort(all)
	return all[n/2], nil
}

// Goals for the results.
const (
	goalP99   = 5 * time.Millisecond
	goalRatio = 1.2
	goalTimes = 100
	// lateLimit is the maximum lateness of the load generator. Beyond it, the results describe the generator more than
	// the server.
	lateLimit = time.Millisecond
)

func (p *plan) print(all []*subject, compared *comparison) {
	fmt.Printf("\n%d requests/s, %d alternating rounds of %s, median of the rounds (lowest in brackets), latency from the intended time:\n\n", p.rate, p.rounds, p.length)
	fmt.Printf("%-8s %8s  %-24s %8s %18s %12s %12s %12s\n", "index", "shorts", "request", "p50 ms", "p99 ms", "late p99 ms", "CPU us/req", "bytes/short")
	for _, s := range all {
		for i, r := range s.results {
			note := ""
			if r.late(0.99) > lateLimit {
				note = "  generator late"
			}
			fmt.Printf("%-8s %8d  %-24s %8s %18s %12s %12d %12d%s\n", s.name, s.shorts, calls[i].name, ms(r.of(0.5)),
				ms(r.of(0.99))+" ("+ms(r.best(0.99))+")", ms(r.late(0.99)), r.cpu().Microseconds(), (s.front.after-s.front.before)/uint64(s.shorts), note)
		}
	}
	fmt.Println()
	small, large := all[0], all[len(p.filled)-1]
	for i, call := range calls[1:] {
		a, b := small.results[i+1], large.results[i+1]
		fmt.Printf("%-24s p99 at %d shorts: %s ms   goal < %s ms: %s\n", call.name, large.shorts, ms(b.of(0.99)), ms(goalP99), met(b.of(0.99) < goalP99))
		if small != large {
			ratio := float64(b.of(0.99)) / float64(a.of(0.99))
			fmt.Printf("%-24s p99 at %d / at %d: %.2f (lowest rounds: %.2f; CPU: %.2f)   goal <= %.1f: %s\n", call.name, large.shorts, small.shorts,
				ratio, float64(b.best(0.99))/float64(a.best(0.99)), float64(b.cpu())/float64(a.cpu()), goalRatio, met(ratio <= goalRatio))
		}
	}
	if compared != nil {
		times := float64(compared.kube) / float64(compared.ours)
		fmt.Printf("\n25 newest and total number, sequential requests, median: front end %s ms, kube-apiserver %s ms (%.1f MB read and sorted)\n",
			ms(compared.ours), ms(compared.kube), float64(compared.kubeBytes)/1e6)
		fmt.Printf("front end %.0f times faster   goal >= %d: %s\n", times, goalTimes, met(times >= goalTimes))
		fmt.Printf("(for comparison, kube-apiserver's first 25 by name: %s ms)\n", ms(compared.kubePage))
	}
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "NOT MET"
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }

// profile writes a CPU profile of a front end that answers lists.
func (p *plan) profile(ctx context.Context, c *cluster, s *subject) error {
	logf("taking a profile")
	done := make(chan error, 1)
	go func() {
		res, err := http.Get(s.front.control + "/profile?seconds=8")
		if err != nil {
			done <- err
			return
		}
		defer func() { _ = res.Body.Close() }()
		f, err := os.Create(p.pprof)
		if err == nil {
			_, err = io.Copy(f, res.Body)
			_ = f.Close()
		}
		done <- err
	}()
	if _, err := load(ctx, s.front.url, c.key, p.rate, 9*time.Second, func(int) string { return "/api/v1/shorts?per_page=25" }); err != nil {
		return err
	}
	return <-done
}
