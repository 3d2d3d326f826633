// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/hack/localkube/cgroup"
	"github.com/reelops/reelops/hack/localkube/sandbox"
)

// Name is the name of the only Node.
const Name = "local"

// Config is the configuration of the node.
type Config struct {
	// REST is the client configuration of the user system:node:local, without rate limits.
	REST *rest.Config
	// APIServer is the host:port of the API server for containers.
	APIServer string
	// Dir contains the pod folders. It is persistent.
	Dir string
	// CgroupName distinguishes the control groups of this instance from those of others.
	CgroupName string
	// Images maps image names to programs.
	Images Images
	// Isolation of containers. Users needs UsersDir, a folder outside of Dir that other users can reach, and Paths.
	Isolation sandbox.Isolation
	UsersDir  string
	Paths     PathVariables
	// Serving is the certificate of the log endpoint. Only a client with exactly the certificate Caller may use the
	// endpoint.
	Serving tls.Certificate
	Caller  *x509.Certificate
	// StopGrace is the grace period of containers when the node stops.
	StopGrace time.Duration
	Clock     clock.WithDelayedExecution
}

// Node runs pods. New returns one.
type Node struct {
	client    kubernetes.Interface
	objects   objects
	keeper    *sandbox.Keeper
	users     *users // nil unless containers are isolated by users
	cgroups   *cgroup.Manager
	images    Images
	clock     clock.WithDelayedExecution
	recorder  record.EventRecorder
	podsDir   string
	rootDir   string
	apiServer string
	stopGrace time.Duration
	serving   tls.Certificate
	caller    *x509.Certificate

	mu      sync.Mutex
	workers map[types.UID]*worker
	all     sync.WaitGroup
}

// New returns a Node. It creates the folders, the process keeper and the parent control group.
func New(c Config) (*Node, error) {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(c.REST), "localkube-node"))
	if err != nil {
		return nil, err
	}
	n := &Node{
		client: client, objects: liveObjects{client}, images: c.Images, clock: c.Clock, apiServer: c.APIServer,
		podsDir: filepath.Join(c.Dir, "pods"), rootDir: filepath.Join(c.Dir, "root"),
		stopGrace: c.StopGrace, serving: c.Serving, caller: c.Caller, workers: map[types.UID]*worker{},
	}
	for _, d := range []string{n.podsDir, n.rootDir} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	if n.keeper, err = sandbox.NewKeeper(c.Isolation); err != nil {
		return nil, err
	}
	if n.keeper.Isolation() == sandbox.Users {
		if n.users, err = newUsers(n.keeper, c.UsersDir, c.Paths); err != nil {
			return nil, fmt.Errorf("preparing the users of pods: %w", err)
		}
	}
	n.cgroups = cgroup.New(c.CgroupName)
	return n, nil
}

// Describe returns a sentence about the isolation of containers, and how resource limits are enforced.
func (n *Node) Describe() string {
	return fmt.Sprintf("isolation by %s; %s", n.keeper.Isolation(), n.cgroups.Describe())
}

// Start registers the node and begins to run pods. It returns when the node is ready. Wait returns when ctx has ended
// and no container runs any more.
func (n *Node) Start(ctx context.Context) error {
	listener, err := net.Listen("tcp", net.JoinHostPort(hostIP, "0"))
	if err != nil {
		return err
	}
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: n.client.CoreV1().Events("")})
	n.recorder = broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "kubelet", Host: Name})
	context.AfterFunc(ctx, broadcaster.Shutdown)
	n.serve(ctx, listener)
	if err := n.register(ctx, int32(listener.Addr().(*net.TCPAddr).Port)); err != nil {
		return fmt.Errorf("registering the node: %w", err)
	}
	n.all.Go(func() { n.keepLease(ctx) })
	return n.watchPods(ctx)
}

// Wait waits until everything has ended.
func (n *Node) Wait() {
	n.all.Wait()
	n.cgroups.Close()
	if n.users != nil {
		_ = os.Remove(n.users.dir) // it is empty
	}
}

func (n *Node) watchPods(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(n.client, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) {
		o.FieldSelector = fields.OneTermEqualSelector("spec.nodeName", Name).String()
	}))
	pods := factory.Core().V1().Pods().Informer()
	if _, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { n.see(ctx, o.(*corev1.Pod)) },
		UpdateFunc: func(_, o any) { n.see(ctx, o.(*corev1.Pod)) },
		DeleteFunc: func(o any) {
			if t, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = t.Obj
			}
			n.forget(o.(*corev1.Pod).UID)
		},
	}); err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), pods.HasSynced) {
		return ctx.Err()
	}
	n.dropOrphans(pods.GetStore())
	return nil
}

// dropOrphans removes the folders of pods that were deleted while the node was not running.
func (n *Node) dropOrphans(store cache.Store) {
	known := map[string]bool{}
	for _, o := range store.List() {
		known[string(o.(*corev1.Pod).UID)] = true
	}
	entries, _ := os.ReadDir(n.podsDir)
	for _, e := range entries {
		if !known[e.Name()] {
			_ = os.RemoveAll(filepath.Join(n.podsDir, e.Name()))
		}
	}
}

func (n *Node) see(ctx context.Context, pod *corev1.Pod) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	if w, ok := n.workers[pod.UID]; ok {
		go w.send(podChanged{pod})
		return
	}
	w := &worker{n: n, pod: pod, dir: n.podDir(pod), events: make(chan any), done: make(chan struct{})}
	n.workers[pod.UID] = w
	n.all.Go(func() { w.run(ctx) })
}

// forget removes the worker of a deleted pod. Until then a worker that is done stays in the map, so that a late change
// of the object does not start a new one.
func (n *Node) forget(uid types.UID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if w, ok := n.workers[uid]; ok {
		delete(n.workers, uid)
		go w.send(podGone{})
	}
}

// merge returns the newer of two versions of one pod.
func merge(a, b *corev1.Pod) *corev1.Pod {
	x, errX := strconv.ParseUint(a.ResourceVersion, 10, 64)
	y, errY := strconv.ParseUint(b.ResourceVersion, 10, 64)
	if errX == nil && errY == nil && y < x {
		return a
	}
	return b
}

func (n *Node) event(pod *corev1.Pod, kind, reason, message string) {
	n.recorder.Event(pod, kind, reason, message)
	klog.V(1).InfoS("Pod", "pod", klog.KObj(pod), "reason", reason, "message", message)
}

// liveObjects reads from the API server. A node may only read the Secrets of pods that are bound to it, so it cannot
// watch all of them.
type liveObjects struct{ client kubernetes.Interface }

func (l liveObjects) Secret(ctx context.Context, ns, name string) (*corev1.Secret, error) {
	return l.client.CoreV1().Secrets(ns).Get(ctx, name, metav1.GetOptions{})
}

func (l liveObjects) ConfigMap(ctx context.Context, ns, name string) (*corev1.ConfigMap, error) {
	return l.client.CoreV1().ConfigMaps(ns).Get(ctx, name, metav1.GetOptions{})
}
