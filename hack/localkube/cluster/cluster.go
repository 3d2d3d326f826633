// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/hack/localkube/controlplane"
	"github.com/reelops/reelops/hack/localkube/node"
	"github.com/reelops/reelops/hack/localkube/pki"
	"github.com/reelops/reelops/hack/localkube/sandbox"
)

const (
	// startLimit limits the whole start, also on a slow and busy machine.
	startLimit = 3 * time.Minute
	// stopLimit limits each step of stopping. A step that takes longer is aborted, which is as safe as kill -9.
	stopLimit = 5 * time.Second
	podGrace  = 2 * time.Second
	pollEvery = 25 * time.Millisecond
)

// Options are the settings of the command line.
type Options struct {
	DataDir    string
	Kubeconfig string
	Identities []Identity
	Images     node.Images
	// Isolation of containers, and the variables with the paths of mounts for isolation by users.
	Isolation     sandbox.Isolation
	PathVariables node.PathVariables
	// AuditLog is a file with one line per request, without bodies; empty means none.
	AuditLog string
	// ReadyFile is created when everything runs, and removed before the start. Its lines are the server's URL and the
	// description of the node.
	ReadyFile string
	NoFsync   bool
	// Say prints a line for the user.
	Say func(format string, args ...any)
}

// Run runs a cluster until ctx ends or a component fails.
func Run(ctx context.Context, o Options) error {
	dir, err := filepath.Abs(o.DataDir)
	if err != nil {
		return err
	}
	o.DataDir = dir
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("creating the data folder: %w", err)
	}
	held, err := lock(dir)
	if err != nil {
		return err
	}
	defer held.Close()
	if o.ReadyFile != "" {
		if err := os.Remove(o.ReadyFile); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	closeLogs, etcdLog, err := openLogs(filepath.Join(dir, "logs"))
	if err != nil {
		return err
	}
	defer closeLogs()
	c := &cluster{Options: o, begin: time.Now()}
	if err := c.makePKI(); err != nil {
		return fmt.Errorf("creating certificates: %w", err)
	}
	failed, err := c.start(ctx, etcdLog)
	if err != nil {
		// Components that have started end with the process. A half-started API server cannot be stopped in order.
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("%w (see %s)", err, filepath.Join(dir, "logs"))
	}
	defer c.stop()
	o.Say("ready in %s: kubeconfig %s", since(c.begin), o.Kubeconfig)
	select {
	case <-ctx.Done():
		o.Say("stopping")
		return nil
	case err := <-failed:
		return fmt.Errorf("%w (see %s)", err, filepath.Join(dir, "logs"))
	}
}

type cluster struct {
	Options
	begin time.Time

	ca, etcdCA, nodeCA                         *pki.Pair
	apiServing, etcdServing, nodeServing       *pki.Pair
	admin, etcdClient, nodeClient, towardsNode *pki.Pair
	tokenKey                                   string
	store                                      *pki.Store
	// node describes the node.
	node string

	// undo stops the started components, last first.
	undo []func()
}

func (c *cluster) makePKI() (err error) {
	if c.store, err = pki.Open(filepath.Join(c.DataDir, "pki"), time.Now()); err != nil {
		return err
	}
	for name, p := range map[string]**pki.Pair{"ca": &c.ca, "etcd-ca": &c.etcdCA, "node-ca": &c.nodeCA} {
		if *p, err = c.store.Authority(name); err != nil {
			return err
		}
	}
	local := []string{"127.0.0.1", "localhost"}
	for _, l := range []struct {
		name string
		p    **pki.Pair
		ca   *pki.Pair
		want pki.Leaf
	}{
		{"apiserver", &c.apiServing, c.ca, pki.Leaf{Name: "kube-apiserver", Server: true, Hosts: append([]string{
			"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "10.96.0.1",
		}, local...)}},
		{"etcd", &c.etcdServing, c.etcdCA, pki.Leaf{Name: "etcd", Server: true, Client: true, Hosts: local}},
		{"etcd-client", &c.etcdClient, c.etcdCA, pki.Leaf{Name: "kube-apiserver", Client: true}},
		{"node", &c.nodeServing, c.nodeCA, pki.Leaf{Name: "system:node:" + node.Name, Server: true, Hosts: local}},
		{"apiserver-node-client", &c.towardsNode, c.ca, pki.Leaf{Name: "kube-apiserver-kubelet-client", Client: true}},
		{"node-client", &c.nodeClient, c.ca, pki.Leaf{Name: "system:node:" + node.Name, Groups: []string{"system:nodes"}, Client: true}},
		{"admin", &c.admin, c.ca, pki.Leaf{Name: "localkube-admin", Groups: []string{"system:masters"}, Client: true}},
	} {
		if *l.p, err = c.store.Leaf(l.name, l.ca, l.want); err != nil {
			return err
		}
	}
	c.tokenKey, err = c.store.SigningKey("service-accounts")
	return err
}

// start starts all components. The channel receives an error when a component ends by itself.
func (c *cluster) start(ctx context.Context, etcdLog io.Writer) (<-chan error, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	listener, p, err := choosePorts(c.DataDir)
	if err != nil {
		return nil, err
	}
	failed := make(chan error, 3)

	at := time.Now()
	etcd, err := controlplane.StartEtcd(ctx, controlplane.EtcdConfig{
		Dir: filepath.Join(c.DataDir, "etcd"), ClientAddr: loopback(p.Etcd), PeerAddr: loopback(p.Peer),
		Authority: c.etcdCA, Server: c.etcdServing, NoFsync: c.NoFsync, Log: etcdLog,
	})
	if err != nil {
		listener.Close()
		return nil, err
	}
	c.defers("etcd", etcd.Stop)
	go func() {
		if err, ok := <-etcd.Failed(); ok {
			failed <- fmt.Errorf("etcd stopped: %w", err)
		}
	}()
	c.Say("etcd ready in %s", since(at))

	at = time.Now()
	api := controlplane.APIServerConfig{
		Listener: listener, EtcdURL: "https://" + loopback(p.Etcd), EtcdAuthority: c.etcdCA, EtcdClient: c.etcdClient,
		Authority: c.ca, Serving: c.apiServing, NodeAuthority: c.nodeCA, NodeClient: c.towardsNode, TokenKeyFile: c.tokenKey,
	}
	if c.AuditLog != "" {
		api.AuditLog, api.AuditPolicy = c.AuditLog, filepath.Join(c.DataDir, "audit-policy.yaml")
		if err := replaceFile(api.AuditPolicy, []byte(auditPolicy)); err != nil {
			return nil, err
		}
	}
	apiCtx, stopAPI := context.WithCancel(context.Background())
	done, err := controlplane.StartAPIServer(apiCtx, api)
	if err != nil {
		stopAPI()
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		err := <-done
		if apiCtx.Err() == nil {
			failed <- fmt.Errorf("kube-apiserver stopped: %w", err)
		}
		close(ended)
	}()
	c.defers("kube-apiserver", func() { stopAPI(); <-ended })
	server := "https://" + loopback(p.API)
	admin := restConfig(server, c.ca, c.admin)
	if err := c.until(ctx, failed, apiReady(admin)); err != nil {
		return nil, fmt.Errorf("waiting for kube-apiserver: %w", err)
	}
	c.Say("kube-apiserver ready in %s", since(at))

	at = time.Now()
	partsCtx, stopParts := context.WithCancel(context.Background())
	c.defers("controllers and scheduler", stopParts)
	if err := c.startParts(ctx, partsCtx, admin, server); err != nil {
		return nil, err
	}
	c.Say("controllers, scheduler and node ready in %s", since(at))
	return failed, c.publish(server)
}

// startParts starts controllers, scheduler and node concurrently.
func (c *cluster) startParts(ctx, partsCtx context.Context, admin *rest.Config, server string) error {
	n, err := c.newNode(server)
	if err != nil {
		return err
	}
	nodeCtx, stopNode := context.WithCancel(context.Background())
	// The node writes nothing when it stops: the next start determines which pods were running, as after a crash.
	c.defers("node", func() { stopNode(); n.Wait() })
	steps := map[string]func() error{
		"controllers": func() error {
			return controlplane.StartControllers(partsCtx, controlplane.ControllersConfig{REST: admin, RootCA: c.ca.CertPEM, TokenKeyFile: c.tokenKey})
		},
		"scheduler": func() error { return controlplane.StartScheduler(partsCtx, admin) },
		"node":      func() error { return n.Start(nodeCtx) },
	}
	errs := make(chan error, len(steps))
	for name, f := range steps {
		go func() {
			if err := f(); err != nil {
				errs <- fmt.Errorf("%s: %w", name, err)
				return
			}
			errs <- nil
		}()
	}
	for range steps {
		select {
		case err := <-errs:
			if err != nil {
				return err
			}
		case <-ctx.Done():
			return fmt.Errorf("starting controllers, scheduler and node: %w", ctx.Err())
		}
	}
	return c.until(ctx, nil, func(ctx context.Context) error {
		client, err := kubernetes.NewForConfig(admin)
		if err != nil {
			return err
		}
		// Without this ServiceAccount no pod can be created in the default namespace.
		_, err = client.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		return err
	})
}

func (c *cluster) newNode(server string) (*node.Node, error) {
	serving, err := tls.X509KeyPair(c.nodeServing.CertPEM, c.nodeServing.KeyPEM)
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	h.Write([]byte(c.DataDir))
	name := strconv.FormatUint(h.Sum64(), 16)
	n, err := node.New(node.Config{
		REST: restConfig(server, c.ca, c.nodeClient), APIServer: server[len("https://"):],
		Dir: filepath.Join(c.DataDir, "node"), CgroupName: name, Images: c.Images,
		Isolation: c.Isolation, UsersDir: filepath.Join(os.TempDir(), "localkube-"+name), Paths: c.PathVariables,
		Serving: serving, Caller: c.towardsNode.Cert, StopGrace: podGrace, Clock: clock.RealClock{},
	})
	if err != nil {
		return nil, err
	}
	c.node = n.Describe()
	c.Say("node: %s", c.node)
	return n, nil
}

// publish writes the kubeconfigs, and then the ready file.
func (c *cluster) publish(server string) error {
	raw, err := kubeconfig(server, "admin", c.ca, c.admin)
	if err != nil {
		return err
	}
	if c.Kubeconfig != "" {
		if err := replaceFile(c.Kubeconfig, raw); err != nil {
			return fmt.Errorf("writing the kubeconfig: %w", err)
		}
	}
	for _, id := range c.Identities {
		pair, err := c.store.Issue(c.ca, pki.Leaf{Name: id.Name, Groups: id.groups(), Client: true})
		if err != nil {
			return err
		}
		if raw, err = kubeconfig(server, id.Name, c.ca, pair); err != nil {
			return err
		}
		if err := replaceFile(id.File, raw); err != nil {
			return fmt.Errorf("writing the kubeconfig of %s: %w", id.Name, err)
		}
	}
	if c.ReadyFile != "" {
		return replaceFile(c.ReadyFile, []byte(server+"\n"+c.node+"\n"))
	}
	return nil
}

func (c *cluster) defers(name string, f func()) {
	c.undo = append(c.undo, func() {
		done := make(chan struct{})
		go func() { f(); close(done) }()
		select {
		case <-done:
		case <-time.After(stopLimit):
			c.Say("%s did not stop within %s and was abandoned", name, stopLimit)
		}
	})
}

func (c *cluster) stop() {
	if c.ReadyFile != "" {
		_ = os.Remove(c.ReadyFile)
	}
	for i := len(c.undo) - 1; i >= 0; i-- {
		c.undo[i]()
	}
	c.undo = nil
}

// until repeats f until it succeeds.
func (c *cluster) until(ctx context.Context, failed <-chan error, f func(context.Context) error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := f(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case err := <-failed:
			return err
		case <-tick.C:
		}
	}
}

func apiReady(cfg *rest.Config) func(context.Context) error {
	var once sync.Once
	var client *kubernetes.Clientset
	var broken error
	return func(ctx context.Context) error {
		once.Do(func() { client, broken = kubernetes.NewForConfig(cfg) })
		if broken != nil {
			return broken
		}
		return client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func since(t time.Time) string { return time.Since(t).Round(10 * time.Millisecond).String() }

// auditPolicy records the metadata of requests, never a body: bodies contain secrets.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
`
