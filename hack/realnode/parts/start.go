// SPDX-License-Identifier: Apache-2.0

package parts

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"text/template"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/reelops/reelops/hack/realnode/policy"
	"github.com/reelops/reelops/hack/realnode/volumes"
)

//go:embed addons.yaml
var addons string

// audit is a policy that records the metadata of requests, but no bodies.
const audit = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`

// start starts the components. ctx is the lifetime of the node, limited is the deadline of the start.
func (n *Node) start(ctx, limited context.Context) error {
	if n.Audit {
		if err := os.WriteFile(n.path("etc/audit.yaml"), []byte(audit), 0o600); err != nil {
			return err
		}
	}
	for _, p := range []program{n.containerd(), n.etcd()} {
		if err := n.launch(p); err != nil {
			return err
		}
	}
	if err := until(limited, "etcd", dial("tcp", "127.0.0.1:2379")); err != nil {
		return err
	}
	if err := n.launch(n.apiServer()); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", n.path("kubeconfig"))
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := until(limited, "kube-apiserver", func(ctx context.Context) error {
		return client.RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}); err != nil {
		return err
	}
	for _, p := range []program{n.controllerManager(), n.scheduler(), n.proxy()} {
		if err := n.launch(p); err != nil {
			return err
		}
	}
	if err := n.importOwn(limited); err != nil {
		return err
	}
	if err := n.standIns(ctx, limited, client); err != nil {
		return err
	}
	if err := n.launch(n.kubelet()); err != nil {
		return err
	}
	if err := n.apply(limited); err != nil {
		return err
	}
	return n.awaitReady(limited, client)
}

// importOwn imports the node's own images into containerd.
func (n *Node) importOwn(ctx context.Context) error {
	if err := until(ctx, "containerd", dial("unix", runtimeSocket)); err != nil {
		return err
	}
	for _, name := range ownImages {
		if err := n.importFile(ctx, n.path("images", name+".tar")); err != nil {
			return err
		}
	}
	return nil
}

func (n *Node) importFile(ctx context.Context, file string) error {
	r, err := os.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	return Import(ctx, n.Home, r)
}

// Import imports an archive of images into the node whose data folder is dir.
func Import(ctx context.Context, dir string, r io.Reader) error {
	// A path relative to its folder keeps the socket address below the kernel's length limit.
	cmd := exec.CommandContext(ctx, "ctr", "--address", filepath.Base(runtimeSocket), "--namespace", "k8s.io", "images", "import", "-")
	cmd.Dir = dir
	out := &bytes.Buffer{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r, out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("ctr images import: %w: %s", err, bytes.TrimSpace(out.Bytes()))
	}
	return nil
}

// apply applies the add-ons: cluster DNS and the storage class.
func (n *Node) apply(ctx context.Context) error {
	t, err := template.New("addons").Parse(addons)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, map[string]any{"DNS": n.Place.DNS(), "Image": DNSImage, "Class": volumes.Class, "Provisioner": volumes.Provisioner}); err != nil {
		return err
	}
	raw := b.Bytes()
	return until(ctx, "the add-ons", func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, "/proc/self/exe", "kubectl", "--kubeconfig", n.path("kubeconfig"), "apply", "--server-side", "--force-conflicts", "-f", "-")
		cmd.Stdin = bytes.NewReader(raw)
		cmd.Env = append(os.Environ(), "HOME="+n.path("var"))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("kubectl apply: %w: %s", err, bytes.TrimSpace(out))
		}
		return nil
	})
}

// awaitReady waits until pods can run and resolve names. After a restart the cluster still has the status from before,
// so only a newer status counts.
func (n *Node) awaitReady(ctx context.Context, client kubernetes.Interface) error {
	begin := metav1.Now().Rfc3339Copy()
	if err := until(ctx, "the Ready condition of the node", func(ctx context.Context) error {
		node, err := client.CoreV1().Nodes().Get(ctx, n.Node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range node.Status.Conditions {
			switch {
			case c.Type != corev1.NodeReady:
			case c.Status != corev1.ConditionTrue:
				return fmt.Errorf("%s: %s", c.Reason, c.Message)
			case c.LastHeartbeatTime.Before(&begin):
				return errors.New("no heartbeat since the start")
			case len(node.Spec.Taints) == 0:
				return nil
			}
		}
		return fmt.Errorf("taints %v", node.Spec.Taints)
	}); err != nil {
		return err
	}
	// Query the Service's address, which requires the rules of kube-proxy and CoreDNS in a pod.
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "udp", net.JoinHostPort(n.Place.DNS().String(), "53"))
	}}
	return until(ctx, "DNS (CoreDNS)", func(ctx context.Context) error {
		_, err := resolver.LookupHost(ctx, "kubernetes.default.svc.cluster.local.")
		return err
	})
}

// standIns runs the volumes and network policies in this process. Their logs are part of this process's log.
func (n *Node) standIns(ctx, limited context.Context, client kubernetes.Interface) error {
	ready := make(chan struct{})
	for name, run := range map[string]func() error{
		"volumes":          func() error { return volumes.New(client, n.path("volumes"), n.Node).Run(ctx) },
		"network policies": func() error { return policy.New(client).Run(ctx, ready) },
	} {
		go func() {
			if err := run(); err != nil && ctx.Err() == nil {
				n.ended <- fmt.Errorf("%s: %w", name, err)
			}
		}()
	}
	select {
	case <-ready:
		return nil
	case <-limited.Done():
		return fmt.Errorf("waiting for network policies: %w", context.Cause(limited))
	}
}

func dial(network, address string) func(context.Context) error {
	return func(ctx context.Context) error {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return err
		}
		return c.Close()
	}
}
