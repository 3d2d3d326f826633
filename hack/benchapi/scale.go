// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/hack/pace"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/e2e/atrest"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/store/blob"
)

// compactEvery is how often kube-apiserver compacts etcd, so that the measured size has no old revisions.
const compactEvery = 30 * time.Second

const (
	// shortsEach is the number of archived shorts of an account, postsEach that of posts of a short.
	shortsEach, postsEach = 10_000, 4
	// segmentsEach is the number of segments of an account: months.
	segmentsEach = 12
	// starts is the number of measured starts of the programs.
	starts = 5
	// ownFiles is the number of accounts with files of their own. Those of further accounts are hard links.
	ownFiles = 100
)

// scale measures an installation whose archive grows, beside the same installation without one.
func scale(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("benchapi scale", flag.ContinueOnError)
	bin := f.String("bin", "bin", "folder with the built programs, etcd and kube-apiserver")
	history := f.String("history", "0,100000,1000000", "numbers of archived shorts to measure, ascending; each has four posts")
	live := f.Int("live", 10_000, "number of finished shorts in the cluster")
	calls := f.Int("calls", 300, "number of calls of each kind")
	if err := f.Parse(args); err != nil {
		return err
	}
	var sizes []int
	for text := range strings.SplitSeq(*history, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n%shortsEach != 0 {
			return fmt.Errorf("--history: %q is not a multiple of %d", text, shortsEach)
		}
		sizes = append(sizes, n)
	}
	if !slices.IsSorted(sizes) || *live < 1 || *calls < 1 {
		return errors.New("--history must be ascending, --live and --calls positive")
	}
	folder, err := os.MkdirTemp("", "reelops-scale-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	stack, err := atrest.Start(ctx, atrest.Options{Bin: *bin, Folder: folder, CompactEvery: compactEvery}, *live, logf)
	if err != nil {
		return err
	}
	defer stack.Stop()
	w := &scaled{Stack: stack, folder: folder, calls: *calls}
	if w.store, err = blob.Open(ctx, blob.Config{URL: "file://" + filepath.Join(folder, "blobs"), SigningKey: make([]byte, 32), BaseURL: "http://127.0.0.1"}); err != nil {
		return err
	}
	defer func() { _ = w.store.Close() }()
	if err := w.addAccounts(ctx, sizes[len(sizes)-1]/shortsEach); err != nil {
		return err
	}
	for _, n := range sizes {
		if err := w.grow(ctx, n/shortsEach); err != nil {
			return err
		}
		if err := w.print(ctx); err != nil {
			return err
		}
	}
	return nil
}

// scaled is an installation with an archive.
type scaled struct {
	*atrest.Stack
	folder string
	calls  int
	store  *blob.Store
	// accounts exist from the beginning, so that sizes differ only by the archives.
	accounts []account
	// archived is the number of the first accounts that have an archive, and links are the segments of the first of them.
	archived int
	links    [][]v1beta1.ArchiveSegment
}

type account struct{ namespace, key string }

// addAccounts adds accounts, and waits until the manager has reconciled them.
func (w *scaled) addAccounts(ctx context.Context, n int) error {
	for i := range n {
		if err := w.addAccount(ctx, i); err != nil {
			return err
		}
	}
	if _, _, err := w.Restart(ctx, false); err != nil {
		return err
	}
	return w.Quiet(ctx)
}

// grow adds archives until n accounts have one.
func (w *scaled) grow(ctx context.Context, n int) error {
	began := time.Now()
	for w.archived < n {
		if err := w.addArchive(ctx, w.archived); err != nil {
			return err
		}
		w.archived++
		if w.archived%50 == 0 {
			logf("  %d accounts with an archive after %s", w.archived, time.Since(began).Round(time.Second))
		}
	}
	// An installation writes these files over years. Here, the next write of etcd would wait for all of them.
	syscall.Sync()
	return nil
}

func (w *scaled) addAccount(ctx context.Context, i int) error {
	secret, hash, hint := apikey.New(apikey.DefaultPrefix)
	a := account{namespace: fmt.Sprintf("history-%d", i), key: secret}
	in := func(name, id string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: a.namespace, Name: name, Labels: map[string]string{v1beta1.LabelID: id}}
	}
	number := strconv.Itoa(1000 + i)
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: a.namespace}},
		&v1beta1.Account{ObjectMeta: in(v1beta1.AccountName, number), Spec: v1beta1.AccountSpec{Email: "owner@example.com"}},
		&v1beta1.Brand{ObjectMeta: in(brand, number)},
		&v1beta1.APIKey{ObjectMeta: in("key", number), Spec: v1beta1.APIKeySpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, DisplayName: "scale", SecretSHA256: hash, Hint: hint, Scopes: []v1beta1.Scope{"read"},
		}},
	} {
		if err := w.Client.Create(ctx, o); err != nil {
			return err
		}
	}
	w.accounts = append(w.accounts, a)
	return nil
}

// addArchive adds the archive of an account.
func (w *scaled) addArchive(ctx context.Context, i int) error {
	namespace := w.accounts[i].namespace
	segments, err := w.segments(ctx, namespace, i)
	if err != nil {
		return err
	}
	o := &v1beta1.Archive{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: v1beta1.ArchiveName}}
	if err := w.Client.Create(ctx, o); err != nil {
		return err
	}
	o.Status.Segments = segments
	for i := range segments {
		o.Status.Shorts += int64(segments[i].Shorts)
		o.Status.Posts += int64(segments[i].Posts)
		o.Status.Bytes += segments[i].Bytes
	}
	return w.Client.Status().Update(ctx, o)
}

// segments writes the segments of an account, or links those of another one.
func (w *scaled) segments(ctx context.Context, namespace string, i int) ([]v1beta1.ArchiveSegment, error) {
	if i >= ownFiles {
		of := w.accounts[i%ownFiles].namespace
		return w.links[i%ownFiles], w.link(of, namespace)
	}
	store := archive.New(w.store, 0)
	var out []v1beta1.ArchiveSegment
	for month := range segmentsEach {
		first, end := month*shortsEach/segmentsEach, (month+1)*shortsEach/segmentsEach
		shorts, posts, err := history(namespace, i, month, first, end)
		if err != nil {
			return nil, err
		}
		seg, err := store.Write(ctx, namespace, shorts, posts)
		if err != nil {
			return nil, err
		}
		out = append(out, seg)
	}
	slices.SortFunc(out, func(a, b v1beta1.ArchiveSegment) int { return strings.Compare(a.Name, b.Name) })
	w.links = append(w.links, out)
	return out, nil
}

// link makes hard links of the archive of a namespace in another one.
func (w *scaled) link(from, to string) error {
	root := filepath.Join(w.folder, "blobs", "archive")
	return filepath.WalkDir(filepath.Join(root, from), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		part, err := filepath.Rel(filepath.Join(root, from), path)
		if err != nil {
			return err
		}
		target := filepath.Join(root, to, part)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		return os.Link(path, target)
	})
}

// history returns the rows of the shorts of one month of an account, by their numbers, half-open.
func history(namespace string, account, month, first, end int) (shorts []archive.Short, posts []archive.Post, err error) {
	from := time.Date(2025, time.Month(1+month), 1, 0, 0, 0, 0, time.UTC)
	gap := 27 * 24 * time.Hour / time.Duration(end-first)
	for n := first; n < end; n++ {
		s := sample(n*50 + 1 + n%5) // neither drafts nor unfinished ones
		if n%5 == 0 {
			s = sample(n * 50) // with a film
		}
		id := strconv.FormatInt(int64(account*shortsEach+n)+firstID, 10)
		created := metav1.NewTime(from.Add(time.Duration(n-first) * gap))
		s.Namespace, s.Name, s.CreationTimestamp, s.Labels[v1beta1.LabelID] = namespace, "slideshow-"+id, created, id
		if n%40 == 0 {
			s.Status.Work.State = v1beta1.WorkFailed
		}
		objects := []client.Object{s}
		if r := sampleRender(0, s); r != nil && n%5 == 0 {
			r.Namespace = namespace
			objects = append(objects, r)
		}
		row := archive.Short{
			ID: int64(account*shortsEach+n) + firstID, Kind: v1beta1.KindSlideshow, Brand: brand, State: string(s.Status.Work.State),
			Title: s.Status.Text.Title, Caption: s.Status.Text.Caption, CreatedAt: created.UTC(), ArchivedAt: created.AddDate(0, 1, 0).UTC(), FilmBytes: 4_000_000,
		}
		if row.Objects, err = archive.EncodeAll(objects); err != nil {
			return nil, nil, err
		}
		shorts = append(shorts, row)
		for i := range postsEach {
			p, err := historyPost(namespace, row.ID, i, created.Add(time.Duration(i)*time.Hour))
			if err != nil {
				return nil, nil, err
			}
			posts = append(posts, p)
		}
	}
	return shorts, posts, nil
}

// historyPost returns the row of a published post.
func historyPost(namespace string, short int64, i int, at time.Time) (archive.Post, error) {
	id := short*postsEach + int64(i)
	platform := []v1beta1.Platform{"tiktok", "youtube", "instagram", "linkedin"}[i]
	o := &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: fmt.Sprintf("post-%d", id), CreationTimestamp: metav1.NewTime(at), Generation: 1,
			Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(id, 10), v1beta1.LabelShort: strconv.FormatInt(short, 10), v1beta1.LabelBrand: brand},
		},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, Account: string(platform), Platform: platform, Batch: fmt.Sprintf("batch-%d", short), ShortID: short,
			ScheduledAt: metav1.NewMicroTime(at), Title: fmt.Sprintf("Five habits of people who sleep well (%d)", short), PostingMode: "direct",
			Caption: fmt.Sprintf("Small changes, better nights. Save this for tonight. Part %d.", short),
			Media:   v1beta1.PostMedia{Kind: "video", VideoKey: fmt.Sprintf("renders/%s/%d/film.mp4", namespace, short)},
		},
		Status: v1beta1.PostStatus{
			ObservedGeneration: 1, State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished,
			PlatformPostID: fmt.Sprintf("p%d", id), PostURL: fmt.Sprintf("https://example.com/%d", id), PublishedAt: &metav1.Time{Time: at}, FinishedAt: &metav1.Time{Time: at},
			Attempts: []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, StartedAt: metav1.NewMicroTime(at)}},
		},
	}
	row := archive.PostOf(o)
	row.ArchivedAt = at.AddDate(0, 1, 0).UTC()
	var err error
	row.Object, err = archive.Encode(o)
	return row, err
}

// request is a kind of call. one is the number of the account and of the short, which are random for each call.
type request struct {
	name string
	path func(account, short int) string
}

var requests = []request{
	{"shorts, first page", func(int, int) string { return "/api/v1/shorts?per_page=25" }},
	{"shorts, hundredth page", func(int, int) string { return "/api/v1/shorts?per_page=25&page=100" }},
	{"shorts, last page", func(int, int) string { return "/api/v1/shorts?per_page=25&page=400" }},
	{"shorts, failed ones", func(int, int) string { return "/api/v1/shorts?per_page=25&status=failed" }},
	{"posts, first page", func(int, int) string { return "/api/v1/posts?per_page=25" }},
	{"posts of a platform", func(int, int) string { return "/api/v1/posts?per_page=25&platform=youtube" }},
	{"detail of a short", func(a, n int) string { return fmt.Sprintf("/api/v1/shorts/%d", a*shortsEach+n+firstID) }},
	{"job of a short", func(a, n int) string { return fmt.Sprintf("/api/v1/jobs/%d", a*shortsEach+n+firstID) }},
}

// print restarts the programs and measures them.
func (w *scaled) print(ctx context.Context) error {
	shorts := w.archived * shortsEach
	var managers, fronts []atrest.Started
	for range starts {
		manager, front, err := w.Restart(ctx, false)
		if err != nil {
			return err
		}
		managers, fronts = append(managers, manager), append(fronts, front)
	}
	etcd, err := w.EtcdBytes(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("\n%d archived shorts, %d archived posts, %d accounts\n", shorts, shorts*postsEach, len(w.accounts))
	fmt.Printf("  etcd %.0f MB   manager %s   front end %s\n", float64(etcd)/1e6, startsOf(managers), startsOf(fronts))
	if err := w.Quiet(ctx); err != nil {
		return err
	}
	// The calls exceed the rate limits of a key.
	if err := w.ServeAlone(ctx, "--ceilings", "global=1000000/5m"); err != nil {
		return err
	}
	if err := w.time(ctx, "live shorts, first page", w.calls, func(int) (string, string) { return "/api/v1/shorts?per_page=25", w.Key }); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, many := range []bool{false, true} {
		if w.archived == 0 {
			continue
		}
		accounts := 1
		if many {
			accounts = w.archived
		}
		fmt.Printf("  calls of %d accounts\n", accounts)
		for _, r := range requests {
			err := w.time(ctx, r.name, w.calls, func(int) (string, string) {
				i := random.IntN(accounts)
				return r.path(i%ownFiles, random.IntN(shortsEach)), w.accounts[i].key
			})
			if err != nil {
				return err
			}
		}
	}
	resident, err := w.FrontEndMemory()
	if err != nil {
		return err
	}
	fmt.Printf("  front end after the calls: %.0f MB\n", float64(resident)/1e6)
	return nil
}

// startsOf returns the median, the least and the greatest time of starts, and the median of the memory.
func startsOf(all []atrest.Started) string {
	ready, resident := make([]time.Duration, len(all)), make([]int64, len(all))
	for i, s := range all {
		ready[i], resident[i] = s.Ready, s.Resident
	}
	slices.Sort(ready)
	slices.Sort(resident)
	middle := len(all) / 2
	return fmt.Sprintf("ready after %s (%s to %s), %.0f MB",
		round(ready[middle]), round(ready[0]), round(ready[len(all)-1]), float64(resident[middle])/1e6)
}

// time makes calls one after the other, and prints the median and the 99th percentile of their latencies.
func (w *scaled) time(ctx context.Context, name string, n int, next func(i int) (path, key string)) error {
	all := make([]time.Duration, 0, n)
	for i := range n {
		path, key := next(i)
		began := time.Now()
		if err := pace.Get(http.DefaultClient, w.URL+path, http.Header{"Authorization": {"Bearer " + key}}); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, time.Since(began))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	slices.Sort(all)
	fmt.Printf("    %-26s median %8s   p99 %8s\n", name, pace.Quantile(all, 0.5).Round(10*time.Microsecond), pace.Quantile(all, 0.99).Round(10*time.Microsecond))
	return nil
}
