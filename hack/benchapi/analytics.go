// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/hack/pace"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/store/blob"
)

const (
	// measuredID is the id of the first account.
	measuredID = 1
	// goalPage is the longest time for a page of a document in memory.
	goalPage = 10 * time.Millisecond
)

// measuring holds the parameters of the analytics benchmark.
type measuring struct {
	posts, accounts, rate, rounds int
	length                        time.Duration
}

// numbers measures pages of one account's posts: in every order, the first and the last page, with the account's
// document in memory. It also measures the first page with documents read from the store.
func numbers(ctx context.Context, args []string) error {
	p := &measuring{}
	f := flag.NewFlagSet("benchapi analytics", flag.ContinueOnError)
	f.IntVar(&p.posts, "posts", 10_000, "posts of each account, all within the last 30 days")
	f.IntVar(&p.accounts, "accounts", 30, "number of accounts that are read in turn, so that their documents evict each other from memory")
	f.IntVar(&p.rate, "rate", 200, "requests per second for one document in memory")
	f.IntVar(&p.rounds, "rounds", 3, "number of measurement rounds")
	f.DurationVar(&p.length, "length", 3*time.Second, "duration of one measurement")
	bin := f.String("bin", "bin", "folder with etcd and kube-apiserver")
	if err := f.Parse(args); err != nil {
		return err
	}
	if p.posts < 1 || p.accounts < 2 || p.rate < 1 || p.rounds < 1 || p.length < time.Second {
		return errors.New("posts, rate and rounds must be positive, accounts at least 2, length at least 1s")
	}
	c, err := startCluster(ctx, *bin)
	if err != nil {
		return err
	}
	defer c.stop()
	size, err := p.prepare(ctx, c)
	if err != nil {
		return err
	}
	front, err := c.frontEnd(ctx, 0)
	if err != nil {
		return err
	}
	defer front.stop()
	fmt.Printf("%d posts, document of %.1f MB; %d requests/s, %d rounds of %s, latency from the intended time, median of the rounds:\n\n", p.posts, float64(size)/1e6, p.rate, p.rounds, p.length)
	fmt.Printf("%-62s %8s %8s %12s\n", "GET /analytics/accounts/{id}", "p50 ms", "p99 ms", "CPU us/req")
	worst, err := p.hot(ctx, c, front)
	if err != nil {
		return err
	}
	if err := p.cold(ctx, c, front); err != nil {
		return err
	}
	fmt.Printf("\nslowest p99 with the document in memory: %s ms   goal < %s ms: %s\n", ms(worst), ms(goalPage), met(worst < goalPage))
	return nil
}

func pageOf(account int, query string) string {
	return fmt.Sprintf("/api/v1/analytics/accounts/%d?%s", measuredID+account, query)
}

// hot requests one document that is in memory, in every order, and returns the worst p99 latency.
func (p *measuring) hot(ctx context.Context, c *cluster, front *frontEnd) (worst time.Duration, err error) {
	if _, err := load(ctx, front.url, c.key, p.rate, time.Second, func(int) string { return pageOf(0, "") }); err != nil {
		return 0, err // warm-up
	}
	for _, column := range catalog.AnalyticsSorts() {
		for _, dir := range []string{"desc", "asc"} {
			for _, page := range []int{1, max(p.posts/catalog.MaxPerPage, 1)} {
				query := fmt.Sprintf("sort=%s&dir=%s&per_page=%d&page=%d", column, dir, catalog.MaxPerPage, page)
				var all results
				for range p.rounds {
					before, err := front.cpu()
					if err != nil {
						return 0, err
					}
					one, err := load(ctx, front.url, c.key, p.rate, p.length, func(int) string { return pageOf(0, query) })
					if err != nil {
						return 0, err
					}
					after, err := front.cpu()
					if err != nil {
						return 0, err
					}
					one.cpu = (after - before) / time.Duration(len(one.latencies))
					all = append(all, *one)
				}
				worst = max(worst, all.of(0.99))
				fmt.Printf("%-62s %8s %8s %12d\n", query, ms(all.of(0.5)), ms(all.of(0.99)), all.cpu().Microseconds())
			}
		}
	}
	return worst, nil
}

// cold requests one document after the other. There are more of them than memory holds, so that each has to be read
// again.
func (p *measuring) cold(ctx context.Context, c *cluster, front *frontEnd) error {
	header := map[string][]string{"Authorization": {"Bearer " + c.key}}
	client := pace.NewClient()
	defer client.CloseIdleConnections()
	var all []time.Duration
	for i := range (p.rounds + 1) * p.accounts {
		if err := ctx.Err(); err != nil {
			return err
		}
		began := time.Now()
		if err := pace.Get(client, front.url+pageOf(i%p.accounts, "per_page=50"), header); err != nil {
			return err
		}
		if i >= p.accounts { // the first round fills the memory
			all = append(all, time.Since(began))
		}
	}
	slices.Sort(all)
	fmt.Printf("%-62s %8s %8s\n", fmt.Sprintf("from the store, %d accounts in turn, sequential requests", p.accounts), ms(pace.Quantile(all, 0.5)), ms(pace.Quantile(all, 0.99)))
	return nil
}

// prepare creates the accounts with their documents, and returns the size of one document in bytes.
func (p *measuring) prepare(ctx context.Context, c *cluster) (size int, err error) {
	logf("creating %d accounts with %d posts each", p.accounts, p.posts)
	store, err := blob.Open(ctx, blob.Config{URL: "file://" + filepath.Join(c.folder, "blobs"), SigningKey: make([]byte, 32), BaseURL: "http://127.0.0.1"})
	if err != nil {
		return 0, err
	}
	defer func() { _ = store.Close() }()
	now := time.Now()
	doc := p.document(now)
	var text bytes.Buffer
	if err := doc.Encode(&text); err != nil {
		return 0, err
	}
	for i := range p.accounts {
		id := strconv.Itoa(measuredID + i)
		meta := metav1.ObjectMeta{Namespace: tenant, Name: "tiktok-" + id, Labels: map[string]string{v1beta1.LabelID: id, v1beta1.LabelBrand: brand}}
		a := &v1beta1.SocialAccount{ObjectMeta: meta, Spec: v1beta1.SocialAccountSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, Platform: catalog.TikTok, PlatformAccountID: id, TokenSecretRef: v1beta1.LocalRef{Name: "tokens"},
		}}
		if err := c.Client.Create(ctx, a); err != nil {
			return 0, err
		}
		a.Status = v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenActive, AccountName: "Account " + id}
		if err := c.Client.Status().Update(ctx, a); err != nil {
			return 0, err
		}
		n := &v1beta1.AccountAnalytics{ObjectMeta: meta, Spec: v1beta1.AccountAnalyticsSpec{AccountRef: v1beta1.LocalRef{Name: meta.Name}}}
		if err := c.Client.Create(ctx, n); err != nil {
			return 0, err
		}
		n.Status = v1beta1.AccountAnalyticsStatus{
			RefreshStartedAt: ptr.To(metav1.NewTime(now)), RefreshedAt: ptr.To(metav1.NewTime(now)), KnownPosts: int32(p.posts),
			AccountNumbers: v1beta1.AccountNumbers{Followers: doc.Totals.Followers}, DocumentKey: fmt.Sprintf("analytics/%s/%s/1.jsonl", tenant, n.UID),
		}
		if err := c.Client.Status().Update(ctx, n); err != nil {
			return 0, err
		}
		if err := store.Put(ctx, n.Status.DocumentKey, "application/jsonl", bytes.NewReader(text.Bytes())); err != nil {
			return 0, err
		}
	}
	return text.Len(), nil
}

// document returns the document of an account that posts all the time. Every tenth post was published by the service,
// and every seventh lacks some of its metrics.
func (p *measuring) document(now time.Time) *analytics.Document {
	d := &analytics.Document{Version: 1, RefreshedAt: now, Totals: analytics.Totals{Followers: ptr.To[int64](120_000)}}
	for i := range 400 {
		d.History = append(d.History, analytics.Day{
			Day: now.UTC().AddDate(0, 0, i-399).Format(time.DateOnly), Totals: analytics.Totals{Followers: ptr.To(int64(100_000 + 50*i))}, Likes: ptr.To(int64(1000 * i)),
		})
	}
	apart := 29 * 24 * time.Hour / time.Duration(p.posts)
	for i := range p.posts {
		some := func(factor int) *int64 { return ptr.To(int64(i*factor) * 7919 % 1_000_003) }
		r := analytics.Row{Post: analytics.Post{
			ID: fmt.Sprintf("73%017d", i), Title: fmt.Sprintf("Five habits of people who sleep well (%d)", i), PostedAt: now.Add(-time.Duration(i+1) * apart), MeasuredAt: now, Seconds: 24.5,
			Caption: fmt.Sprintf("Small changes, better nights. Save this for tonight. Part %d. #sleep #habits #calm", i),
			URL:     fmt.Sprintf("https://www.tiktok.com/@bench/video/73%017d", i), ThumbnailURL: fmt.Sprintf("https://p16-sign.tiktokcdn.example/obj/tos-maliva/%040x?x-expires=1795305600", i),
			Numbers: analytics.Numbers{Views: some(31), Likes: some(17), Comments: some(3)},
		}}
		if i%7 != 0 {
			r.Shares, r.Favorites = some(5), some(11)
		}
		if i%10 == 0 {
			r.OurPost, r.OurShort = int64(i+1), int64(i+2)
		}
		d.Rows = append(d.Rows, r)
	}
	return d
}
