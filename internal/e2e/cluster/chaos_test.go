// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	s3User, s3Password = "reelops", "only-for-tests"
	// killEvery is the interval between two killed pods.
	killEvery = 10 * time.Second
	// workEvery is the interval between two requests for a published video. Two processors can do no more.
	workEvery = 20 * time.Second
	// retries is the maximum number of retries of a request, as documented for a 503.
	retries = 30
)

// TestPodsKilled kills pods of every kind at random under load: two managers, two front ends, render pods, Redis and
// the store. Clients receive no error except 503 with Retry-After. Every video is rendered, and every post is published
// exactly once.
func TestPodsKilled(t *testing.T) {
	length := 30 * time.Second
	if v := os.Getenv("REELOPS_CHAOS"); v != "" {
		var err error
		if length, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	}
	s := &story{node: start(t)}
	s.doubled(t)
	var ids []int64
	for _, p := range []string{"tiktok", "instagram", "linkedin"} {
		ids = append(ids, s.api.connect(t, p).ID)
	}

	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	var wg sync.WaitGroup
	w := &work{node: s.node, key: s.api.key, accounts: ids}
	wg.Go(func() { w.look(ctx) })
	wg.Go(func() { w.make(ctx, &wg) })
	killed := s.killPods(ctx, t)
	wg.Wait()
	t.Logf("pods killed in %s: %v; %d calls, %d of them retried after a 503; %d videos requested",
		length, killed, w.calls, w.busy, len(w.shorts))
	for _, f := range w.failed {
		t.Error(f)
	}
	s.allOnce(t, w)
}

// doubled installs with a bucket, Redis, and two replicas of the manager and of the front end.
func (s *story) doubled(t *testing.T) {
	t.Helper()
	s.prepare(t)
	s.kubectl(t, "", "set", "env", "-n", sandboxes, "deployment/reelops-sandbox", "REELOPS_FETCH_FROM=http://minio."+world+".svc:9000/")
	s.kubectl(t, "", "apply", "-f", "testdata/stores.yaml")
	for _, name := range []string{"minio", "redis"} {
		s.kubectl(t, "", "rollout", "status", "-n", world, "deployment/"+name, "--timeout=3m")
	}
	store := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: aws.String("http://minio." + world + ".svc:9000"), UsePathStyle: true, HTTPClient: s.http,
		Credentials: credentials.NewStaticCredentialsProvider(s3User, s3Password, ""),
	})
	if _, err := store.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String("films")}); err != nil {
		t.Fatal(err)
	}
	s.kubectl(t, "", "create", "secret", "generic", "films", "-n", system, "--from-literal=AWS_ACCESS_KEY_ID="+s3User, "--from-literal=AWS_SECRET_ACCESS_KEY="+s3Password)
	s.helmInstall(t, "install", "https", "store.type=s3", "store.s3.bucket=films", "store.s3.region=us-east-1", "store.s3.pathStyle=true",
		"store.s3.endpoint=http://minio."+world+".svc:9000", "store.s3.existingSecret.name=films",
		"redis.url=redis://redis."+world+".svc:6379/0", "manager.replicas=2", "apiserver.replicas=2",
		"manager.resources.requests.cpu=50m", "apiserver.resources.requests.cpu=50m", "renderPod.cpu=500m",
		// All requests of this test have one key, so the rate limits are higher.
		"ceilings.global=100000/5m", "ceilings.posting=1000/1h", "ceilings.generation=1000/1h")
	s.reelops(t, "account", "create", tenant, "--email", "owner@example.com")
	s.reelops(t, "brand", "create", tenant, "--account", tenant, "--display-name", "Acme")
	s.api = s.newAPI(t, tenant, "chaos")
}

// killPods kills one pod after the other until ctx ends, and returns the counts. A front end is deleted with its grace
// period, like in a node drain, because no other replica can complete its open requests. Any other pod is either
// deleted at once, or its process is killed and restarted in place.
func (s *story) killPods(ctx context.Context, t *testing.T) (killed map[string]int) {
	t.Helper()
	killed = map[string]int{}
	tick := time.NewTicker(killEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return killed
		case <-tick.C:
		}
		victim, kind := s.victim(ctx)
		switch {
		case victim == nil:
		case kind == "apiserver":
			if s.kube.Delete(ctx, victim) == nil {
				killed["apiserver drained"]++
			}
		// The files of the store are lost with its pod.
		case kind == "minio" || rand.IntN(2) == 0:
			if kill(t, victim) {
				killed[kind+" killed"]++
			}
		default:
			if s.kube.Delete(ctx, victim, client.GracePeriodSeconds(0)) == nil {
				killed[kind+" removed"]++
			}
		}
	}
}

// kill sends SIGKILL to the processes of a pod, which run on this machine. It reports whether there was one.
func kill(t *testing.T, pod *corev1.Pod) (struck bool) {
	t.Helper()
	groups, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		doc, err := os.ReadFile(g)
		if err != nil || !strings.Contains(strings.ReplaceAll(string(doc), "_", "-"), "pod"+string(pod.UID)) {
			continue // ended meanwhile, or part of another pod
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(g), "cmdline"))
		if err != nil || strings.HasPrefix(string(line), "/pause") {
			continue // the process that holds the network of the pod
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(g)))
		if err != nil {
			t.Fatal(err)
		}
		struck = syscall.Kill(pid, syscall.SIGKILL) == nil || struck
	}
	return struck
}

// victim returns a random running pod and its kind. The kind is chosen first, because there are more render pods than
// managers.
func (s *story) victim(ctx context.Context) (*corev1.Pod, string) {
	kinds := map[string][]corev1.Pod{}
	for kind, of := range map[string][]client.ListOption{
		"manager":   {client.InNamespace(system), client.MatchingLabels{"app.kubernetes.io/component": "manager"}},
		"apiserver": {client.InNamespace(system), client.MatchingLabels{"app.kubernetes.io/component": "apiserver"}},
		"render":    {client.InNamespace(tenant), client.MatchingLabels{"reelops.dev/component": "renderer"}},
		"redis":     {client.InNamespace(world), client.MatchingLabels{"app": "redis"}},
		"minio":     {client.InNamespace(world), client.MatchingLabels{"app": "minio"}},
	} {
		var pods corev1.PodList
		if err := s.kube.List(ctx, &pods, of...); err != nil {
			return nil, ""
		}
		running := 0
		for _, p := range pods.Items {
			if p.DeletionTimestamp == nil && p.Status.Phase == corev1.PodRunning {
				running++
				kinds[kind] = append(kinds[kind], p)
			}
		}
		// The last front end is not deleted: the PodDisruptionBudget prevents that in a drain.
		if kind == "apiserver" && running < 2 {
			delete(kinds, kind)
		}
	}
	if len(kinds) == 0 {
		return nil, ""
	}
	var names []string
	for k := range kinds {
		names = append(names, k)
	}
	slices.Sort(names)
	kind := names[rand.IntN(len(names))]
	pods := kinds[kind]
	return &pods[rand.IntN(len(pods))], kind
}

// work is the load of the test and its results.
type work struct {
	node     *node
	key      string
	accounts []int64

	mu          sync.Mutex
	calls, busy int
	failed      []string
	shorts      []made
}

// made is one video with its batch of posts.
type made struct {
	short int64
	batch string
}

// try sends a request and repeats it after a 503, as the documentation requires of clients.
func (w *work) try(ctx context.Context, id, method, path string, body, into any) error {
	a := &api{n: w.node, key: w.key, id: id}
	for range retries {
		err := a.call(ctx, method, path, body, into)
		w.mu.Lock()
		w.calls++
		var r *refusal
		again := errors.As(err, &r) && r.status == http.StatusServiceUnavailable
		if again {
			w.busy++
		}
		w.mu.Unlock()
		if !again {
			return err
		}
		seconds, bad := strconv.Atoi(r.after)
		if bad != nil || seconds < 1 {
			return fmt.Errorf("%s %s: got a 503 with Retry-After %q", method, path, r.after)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(seconds) * time.Second):
		}
	}
	return fmt.Errorf("%s %s: got 503 in %d attempts", method, path, retries)
}

func (w *work) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.failed = append(w.failed, time.Now().Format(time.TimeOnly)+" "+err.Error())
}

// look sends reads continuously, on new and on reused connections.
func (w *work) look(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := w.try(context.WithoutCancel(ctx), "", "GET", []string{"/account", "/shorts", "/posts", "/connections"}[i%4], nil, nil); err != nil {
			w.fail(err)
		}
		if i%2 == 0 {
			w.node.http.CloseIdleConnections()
		}
	}
}

// make requests videos and publishes them, all in parallel.
func (w *work) make(ctx context.Context, wg *sync.WaitGroup) {
	for i := 0; ; i++ {
		wg.Go(func() {
			m, err := w.one(context.WithoutCancel(ctx), i)
			if err != nil {
				w.fail(fmt.Errorf("video %d: %w", i, err))
				return
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.shorts = append(w.shorts, m)
		})
		select {
		case <-ctx.Done():
			return
		case <-time.After(workEvery):
		}
	}
}

func (w *work) one(ctx context.Context, i int) (made, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	id := func(what string) string { return fmt.Sprintf("chaos-%d-%s", i, what) }
	var j job
	if err := w.try(ctx, id("short"), "POST", "/slideshows", map[string]any{"context": fmt.Sprintf("Note %d: tidy desks", i), "slide_count": 3}, &j); err != nil {
		return made{}, err
	}
	short := j.ID
	if err := w.settle(ctx, short, false); err != nil {
		return made{}, err
	}
	if err := w.try(ctx, id("render"), "POST", fmt.Sprintf("/slideshows/%d/render", short), nil, nil); err != nil {
		return made{}, err
	}
	if err := w.settle(ctx, short, true); err != nil {
		return made{}, err
	}
	var b batch
	err := w.try(ctx, id("posts"), "POST", "/posts", map[string]any{"short_id": short, "social_data_ids": w.accounts, "posting_mode": "direct"}, &b)
	return made{short, b.ID}, err
}

// settle polls a job until it has succeeded. With film, it also waits for the video.
func (w *work) settle(ctx context.Context, id int64, film bool) error {
	for {
		var j job
		if err := w.try(ctx, "", "GET", fmt.Sprintf("/jobs/%d", id), nil, &j); err != nil {
			return err
		}
		switch {
		case j.Status == "failed":
			return fmt.Errorf("job %d failed: %+v", id, j.Error)
		case j.Status == "succeeded" && (!film || j.Result.VideoURL != ""):
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("job %d is %s: %w", id, j.Status, ctx.Err())
		case <-time.After(2 * time.Second):
		}
	}
}

// allOnce waits until all requested posts are published, and checks that each is on its platform exactly once.
func (s *story) allOnce(t *testing.T, w *work) {
	t.Helper()
	want := NewWithT(t)
	want.Expect(w.shorts).NotTo(BeEmpty())
	urls := map[string]bool{}
	for _, m := range w.shorts {
		for _, p := range s.api.published(t, m.short, m.batch, len(w.accounts)) {
			want.Expect(urls).NotTo(HaveKey(p.URL))
			urls[p.URL] = true
		}
	}
	landed := map[string]int{}
	for _, l := range s.ledger(t) {
		landed[l.URL]++
	}
	want.Expect(landed).To(HaveLen(len(urls)), "published posts differ from the requested ones")
	for url, n := range landed {
		want.Expect(urls).To(HaveKey(url))
		want.Expect(n).To(Equal(1), url)
	}
	t.Logf("%d videos rendered, %d posts published once", len(w.shorts), len(urls))
}
