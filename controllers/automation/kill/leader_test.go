// SPDX-License-Identifier: Apache-2.0

package kill

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr/funcr"
	"k8s.io/client-go/tools/clientcmd"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/automation"
	"github.com/reelops/reelops/controllers/post"
	"github.com/reelops/reelops/controllers/postbatch"
	"github.com/reelops/reelops/internal/automation/source"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
)

// Environment of a leader process.
const (
	envLeader     = "REELOPS_TEST_LEADER" // a kubeconfig file; set in leader processes only
	envLeaderTime = "REELOPS_TEST_LEADER_TIME"
	envPlatform   = "REELOPS_TEST_LEADER_PLATFORM" // the URL of the platform
	envStore      = "REELOPS_TEST_LEADER_STORE"    // the folder of the blob store
)

// system is the namespace of the installation.
const system = "reelops-system"

// lead runs the controllers until standard input ends. Each line of standard input is a time in nanoseconds since 1970,
// to which the clock is set. The leader answers each with a line.
func lead() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ctrl.SetLogger(funcr.New(func(_, args string) {
		if !strings.HasPrefix(args, `"level"`) { // only errors
			fmt.Fprintln(os.Stderr, args)
		}
	}, funcr.Options{}))
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv(envLeader))
	if err != nil {
		return err
	}
	config.QPS, config.Burst = 1000, 1000
	now, err := strconv.ParseInt(os.Getenv(envLeaderTime), 10, 64)
	if err != nil {
		return err
	}
	clock := clocktesting.NewFakeClock(time.Unix(0, now))
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: testkit.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Cache:  cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
		Client: client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}},
	})
	if err != nil {
		return err
	}
	if err := setup(ctx, mgr, clock); err != nil {
		return err
	}
	go func() {
		defer cancel()
		for in := bufio.NewScanner(os.Stdin); in.Scan(); {
			now, err := strconv.ParseInt(in.Text(), 10, 64)
			if err != nil {
				return
			}
			clock.SetTime(time.Unix(0, now))
			fmt.Println("set")
		}
	}()
	return mgr.Start(ctx)
}

// setup adds the controllers, as controllers.Setup does.
func setup(ctx context.Context, mgr ctrl.Manager, clock *clocktesting.FakeClock) error {
	const renders = "renders"
	for _, i := range []struct {
		object client.Object
		name   string
		values client.IndexerFunc
	}{
		{&v1beta1.RenderJob{}, renders, func(client.Object) []string { return nil }},
		{&v1beta1.PostBatch{}, postbatch.IndexWaiting, postbatch.WaitingIndex},
		{&v1beta1.Post{}, postbatch.IndexBatch, postbatch.BatchIndex},
		{&v1beta1.Post{}, postbatch.IndexAccount, postbatch.AccountIndex},
		{&v1beta1.Slideshow{}, postbatch.IndexShortID, postbatch.ShortIDIndex},
		{&v1beta1.Video{}, postbatch.IndexShortID, postbatch.ShortIDIndex},
		{&v1beta1.Post{}, post.IndexOpen, post.OpenIndex},
		{&v1beta1.AutomationRun{}, automation.IndexRuns, automation.RunsIndex},
	} {
		if err := mgr.GetFieldIndexer().IndexField(ctx, i.object, i.name, i.values); err != nil {
			return err
		}
	}
	store, err := blob.Open(ctx, blob.Config{
		URL: "file://" + os.Getenv(envStore), BaseURL: "http://127.0.0.1", SigningKey: make([]byte, 32),
	})
	if err != nil {
		return err
	}
	live, err := client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme()})
	if err != nil {
		return err
	}
	numbers := ids.New(live, system)
	next := func(s ids.Space) func(context.Context) (int64, error) {
		return func(ctx context.Context) (int64, error) { return numbers.Next(ctx, s) }
	}
	posts := post.New(post.Config{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock, Events: mgr.GetEventRecorder("post"), Store: store,
		Platforms: map[v1beta1.Platform]publish.Platform{catalog.TikTok: &remote{url: os.Getenv(envPlatform), clock: clock}},
		Accounts:  accounts{}, Sealer: plain{},
	})
	return errors.Join(
		(&automation.Reconciler{
			Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock, Events: mgr.GetEventRecorder("automation"),
			NextID: next(ids.Automations), Items: &source.Chooser{Client: mgr.GetClient(), Clock: clock},
		}).SetupWithManager(mgr),
		(&postbatch.Reconciler{
			Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Clock: clock, Events: mgr.GetEventRecorder("postbatch"),
			NextID: next(ids.Batches), NextPost: next(ids.Posts), IndexRenders: renders,
			Missing: func(v1beta1.Platform) []string { return nil },
		}).SetupWithManager(mgr),
		posts.SetupWithManager(ctx, mgr),
	)
}

// leader is a leader process.
type leader struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	// answers has a value for each time that the leader has set. It is closed when the leader ends.
	answers chan struct{}
}

// startLeader starts a leader whose clock is at a time. Its log is appended to a file.
func startLeader(
	ctx context.Context, kubeconfig, platform, store string, log *os.File, now time.Time,
) (*leader, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-test.run=^$") //nolint:gosec // this program
	l := &leader{cmd: cmd, answers: make(chan struct{}, 1)}
	l.cmd.Env = append(os.Environ(), envLeader+"="+kubeconfig, envPlatform+"="+platform, envStore+"="+store,
		envLeaderTime+"="+strconv.FormatInt(now.UnixNano(), 10))
	l.cmd.Stderr = log
	if l.in, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := l.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := l.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(l.answers)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			l.answers <- struct{}{}
		}
	}()
	return l, nil
}

// set sets the clock of the leader, and returns when it is set. A leader that is still starting sets it before its
// controllers start.
func (l *leader) set(now time.Time) error {
	if _, err := fmt.Fprintln(l.in, now.UnixNano()); err != nil {
		return fmt.Errorf("the leader has ended: %w", err)
	}
	if _, ok := <-l.answers; !ok {
		return errors.New("the leader has ended")
	}
	return nil
}

// kill kills the leader with SIGKILL, and waits for its end.
func (l *leader) kill() {
	_ = l.cmd.Process.Kill()
	for range l.answers { // until its end
	}
	_ = l.cmd.Wait()
}
