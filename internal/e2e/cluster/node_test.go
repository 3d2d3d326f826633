// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/authority"
)

const (
	// system is the namespace of the product, sandboxes that of the sandbox of the platforms, and world that of all
	// other workloads.
	system, sandboxes, world = "reelops-system", "reelops-sandbox", "world"
	// frontEnd and callback are the names of the Services of the front end: of the API and of the internal listener.
	frontEnd, callback = "reelops-apiserver." + system + ".svc", "reelops-apiserver-internal." + system + ".svc"
	// sandbox is the address that pods and this test call.
	sandbox = "http://reelops-sandbox." + sandboxes + ".svc:8300"
	// patience is the timeout of a wait for a pod, on a busy machine.
	patience   = 4 * time.Minute
	nowAndThen = 500 * time.Millisecond
)

// node is a cluster of one node, with the programs of an operator.
type node struct {
	dir, kubeconfig    string
	program, helm, bin string
	images, root       string
	kube               client.Client
	// http is a client that resolves and reaches Services, as pods do; dial opens its connections.
	http *http.Client
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	// base is the address of the API, which pods and this test call; helmInstall sets it.
	base string
	// authority issues the certificates of the programs. No image contains it.
	authority *authority.Authority
}

func setting(t *testing.T, name string) string {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		t.Fatalf("%s is not set: see doc.go", name)
	}
	abs, err := filepath.Abs(v)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// start starts a node that has the images, and stops it at the end of the test.
func start(t *testing.T) *node {
	t.Helper()
	if os.Getenv("REELOPS_NODE") == "" {
		t.Skip("REELOPS_NODE is not set: run the tests with `make test-e2e`")
	}
	log.SetLogger(logr.Discard())
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	n := &node{
		program: setting(t, "REELOPS_NODE"), helm: setting(t, "REELOPS_HELM"), bin: setting(t, "REELOPS_BIN"), images: setting(t, "REELOPS_IMAGES"),
		root: root, dir: os.Getenv("REELOPS_NODE_DIR"), authority: authority.New(t),
	}
	if n.dir == "" {
		n.dir = filepath.Join(t.TempDir(), "node")
	}
	n.kubeconfig = filepath.Join(n.dir, "kubeconfig")
	if os.Getenv("REELOPS_NODE_KEEP") == "" {
		t.Cleanup(func() {
			if out, err := exec.Command(n.program, "down", "--data-dir", n.dir).CombinedOutput(); err != nil {
				t.Errorf("realnode down: %v: %s", err, out)
			}
		})
	}
	began := time.Now()
	n.must(t, "", n.program, "up", "--data-dir", n.dir, "--detach", "--unsafe-no-fsync")
	t.Cleanup(func() { n.explain(t) })
	t.Logf("the node was ready after %s", time.Since(began).Round(time.Second))
	archives, err := filepath.Glob(filepath.Join(n.images, "*.tar"))
	if err != nil {
		t.Fatal(err)
	}
	// The image standalone has a cluster of its own.
	archives = slices.DeleteFunc(archives, func(file string) bool { return filepath.Base(file) == "standalone.tar" })
	more, err := filepath.Glob(filepath.Join(n.images, "test", "*.tar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(archives) < 5 || len(more) == 0 {
		t.Fatalf("%s contains %v and %v: run `make images images-test`", n.images, archives, more)
	}
	n.must(t, "", n.program, append([]string{"load", "--data-dir", n.dir}, append(archives, more...)...)...)
	t.Logf("the images were loaded after %s", time.Since(began).Round(time.Second))

	config, err := clientcmd.BuildConfigFromFlags("", n.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	if n.kube, err = client.New(config, client.Options{Scheme: testkit.Scheme()}); err != nil {
		t.Fatal(err)
	}
	n.dial = clusterDial(t, n)
	n.http = &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext: n.dial, TLSClientConfig: n.authority.TLS(), MaxIdleConnsPerHost: 8, IdleConnTimeout: 20 * time.Second,
	}}
	return n
}

// clusterDial returns a dial function that resolves the names of Services with the DNS of the cluster.
func clusterDial(t *testing.T, n *node) func(ctx context.Context, network, address string) (net.Conn, error) {
	t.Helper()
	address := strings.TrimSpace(n.kubectl(t, "", "get", "service", "kube-dns", "-n", "kube-system", "-o", "jsonpath={.spec.clusterIP}"))
	dns, err := netip.ParseAddr(address)
	if err != nil {
		t.Fatal(err)
	}
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, netip.AddrPortFrom(dns, 53).String())
	}}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(host, ".svc") {
			ips, err := resolver.LookupHost(ctx, host+".cluster.local.")
			if err != nil {
				return nil, err
			}
			host = ips[0]
		}
		return (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, network, net.JoinHostPort(host, port))
	}
}

// run runs a program with the kubeconfig of the cluster, and returns its output.
func (n *node) run(ctx context.Context, stdin, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin = strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+n.kubeconfig, "HELM_CACHE_HOME="+n.dir+"-helm", "HELM_CONFIG_HOME="+n.dir+"-helm", "HELM_DATA_HOME="+n.dir+"-helm")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

func (n *node) must(t *testing.T, stdin, program string, args ...string) string {
	t.Helper()
	out, err := n.run(t.Context(), stdin, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (n *node) kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	return n.must(t, stdin, n.program, append([]string{"kubectl"}, args...)...)
}

func (n *node) reelops(t *testing.T, args ...string) string {
	t.Helper()
	return n.must(t, "", filepath.Join(n.bin, "reelops"), args...)
}

// explain logs the state of the cluster if the test has failed.
func (n *node) explain(t *testing.T) {
	if !t.Failed() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, args := range [][]string{
		{"get", "pods,jobs,pvc", "-A", "-o", "wide"},
		{"get", "events", "-A", "--sort-by=.lastTimestamp", "--field-selector=type=Warning"},
		{"logs", "-n", system, "-l", "app.kubernetes.io/component=manager", "--tail=40", "--prefix"},
		{"logs", "-n", system, "-l", "app.kubernetes.io/component=apiserver", "--tail=40", "--prefix"},
	} {
		out, err := n.run(ctx, "", n.program, append([]string{"kubectl"}, args...)...)
		if len(out) > 12000 {
			out = "..." + out[len(out)-12000:]
		}
		t.Logf("kubectl %s (%v)\n%s", strings.Join(args, " "), err, out)
	}
}

// get reads an address that requires no key.
func (n *node) get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := n.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %d", url, res.StatusCode)
	}
	return doc, err
}
