// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os/exec"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// Socket is the agent's socket for the CNI plugin, inside the node's space.
const Socket = "/run/realnode-policy.sock"

// retry is the delay before the agent repeats a failed nft call.
const retry = time.Second

// Agent keeps the nftables table in line with the cluster's network policies.
type Agent struct {
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	wake    chan struct{}
	apply   func(ctx context.Context, script string) error

	mu   sync.Mutex
	last string
	// young holds pods that the plugin reported and whose address is not in the cache yet.
	young map[string]Pod
}

// New returns an Agent.
func New(client kubernetes.Interface) *Agent {
	return &Agent{
		client: client, factory: informers.NewSharedInformerFactory(client, 0),
		wake: make(chan struct{}, 1), apply: nft, young: map[string]Pod{},
	}
}

// Run updates the table until ctx ends. It closes ready when the first table is in force.
func (a *Agent) Run(ctx context.Context, ready chan<- struct{}) error {
	changed := func(any) {
		select {
		case a.wake <- struct{}{}:
		default:
		}
	}
	handler := cache.ResourceEventHandlerFuncs{AddFunc: changed, UpdateFunc: func(_, o any) { changed(o) }, DeleteFunc: changed}
	for _, i := range []cache.SharedIndexInformer{
		a.factory.Core().V1().Pods().Informer(), a.factory.Core().V1().Namespaces().Informer(),
		a.factory.Networking().V1().NetworkPolicies().Informer(),
	} {
		if _, err := i.AddEventHandler(handler); err != nil {
			return err
		}
	}
	a.factory.Start(ctx.Done())
	a.factory.WaitForCacheSync(ctx.Done())
	if err := a.sync(ctx); err != nil {
		return err
	}
	l, err := net.Listen("unix", Socket)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { l.Close() })
	go a.serve(ctx, l)
	close(ready)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-a.wake:
			if err := a.sync(ctx); err != nil && ctx.Err() == nil {
				fmt.Println("realnode: network policies:", err)
				time.AfterFunc(retry, func() { changed(nil) })
			}
		}
	}
}

// sync updates the table to the state of the cache.
func (a *Agent) sync(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	w, err := a.world()
	if err != nil {
		return err
	}
	script, err := Script(w)
	if err != nil || script == a.last {
		return err
	}
	if err := a.apply(ctx, script); err != nil {
		return err
	}
	a.last = script
	return nil
}

func (a *Agent) world() (World, error) {
	w := World{Namespaces: map[string]map[string]string{}}
	pods, err := a.factory.Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil {
		return w, err
	}
	known := map[string]bool{}
	for _, p := range pods {
		id := p.Namespace + "/" + p.Name
		known[id] = true
		if pod, ok := from(p); ok {
			delete(a.young, id)
			w.Pods = append(w.Pods, pod)
		} else if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			delete(a.young, id)
		}
	}
	for id, pod := range a.young {
		if !known[id] {
			delete(a.young, id)
			continue
		}
		w.Pods = append(w.Pods, pod)
	}
	namespaces, err := a.factory.Core().V1().Namespaces().Lister().List(labels.Everything())
	if err != nil {
		return w, err
	}
	for _, n := range namespaces {
		w.Namespaces[n.Name] = n.Labels
	}
	w.Policies, err = a.factory.Networking().V1().NetworkPolicies().Lister().List(labels.Everything())
	return w, err
}

// from returns the Pod of a pod that has its own address and has not ended; false for other pods.
func from(p *corev1.Pod) (Pod, bool) {
	ip, err := netip.ParseAddr(p.Status.PodIP)
	if err != nil || p.Spec.HostNetwork || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return Pod{}, false
	}
	return of(p, ip), true
}

func of(p *corev1.Pod, ip netip.Addr) Pod {
	pod := Pod{Namespace: p.Namespace, Name: p.Name, IP: ip, Labels: p.Labels}
	for _, c := range p.Spec.Containers {
		for _, port := range c.Ports {
			if port.Name != "" {
				pod.Ports = append(pod.Ports, port)
			}
		}
	}
	return pod
}

// Newborn is the plugin's message: a pod has an address and has not started.
type Newborn struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	IP        string `json:"ip"`
}

// serve reads a Newborn from each connection. It answers with an empty line when the pod's policies are in force, or
// with an error.
func (a *Agent) serve(ctx context.Context, l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			var n Newborn
			err := json.NewDecoder(c).Decode(&n)
			if err == nil {
				err = a.admit(ctx, n)
			}
			if err != nil {
				fmt.Fprintln(c, err)
				return
			}
			fmt.Fprintln(c)
		}()
	}
}

func (a *Agent) admit(ctx context.Context, n Newborn) error {
	ip, err := netip.ParseAddr(n.IP)
	if err != nil {
		return err
	}
	p, err := a.factory.Core().V1().Pods().Lister().Pods(n.Namespace).Get(n.Name)
	if apierrors.IsNotFound(err) {
		return errors.New("the pod is not in the cache yet") // the kubelet retries
	} else if err != nil {
		return err
	}
	// A pod of that name may have been replaced since the cache was updated.
	if p, err = a.client.CoreV1().Pods(n.Namespace).Get(ctx, n.Name, metav1.GetOptions{}); err != nil {
		return err
	}
	a.mu.Lock()
	a.young[n.Namespace+"/"+n.Name] = of(p, ip)
	a.mu.Unlock()
	return a.sync(ctx)
}

// nft applies a script in one transaction, or changes nothing.
func nft(ctx context.Context, script string) error {
	cmd := exec.CommandContext(ctx, "nft", "-f", "-")
	cmd.Stdin = bytes.NewBufferString(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("nft: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}
