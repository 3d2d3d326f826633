// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// probe runs the probes of a started container until its run r is over or ctx ends: first the startup probe, then the
// other two concurrently.
func (n *Node) probe(ctx context.Context, c *containerState, r *running, send func(any)) {
	spec := c.spec
	if spec.StartupProbe == nil && spec.ReadinessProbe == nil && spec.LivenessProbe == nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	r.ends(cancel)
	go func() {
		if p := spec.StartupProbe; p != nil && !n.watch(ctx, spec, p, func(ok bool) bool {
			if !ok {
				send(probed{c, r, false, "Startup probe of " + spec.Name + " failed"})
			}
			return true
		}) {
			return
		}
		if spec.ReadinessProbe == nil {
			send(probed{c, r, true, ""})
		} else {
			go n.watch(ctx, spec, spec.ReadinessProbe, func(ok bool) bool {
				send(probed{c, r, ok, ""})
				return false
			})
		}
		if spec.LivenessProbe != nil {
			n.watch(ctx, spec, spec.LivenessProbe, func(ok bool) bool {
				if !ok {
					send(probed{c, r, false, "Liveness probe of " + spec.Name + " failed"})
				}
				return !ok
			})
		}
	}()
}

// watch calls verdict whenever the result of the probe changes, until verdict returns true. It returns the last result,
// or false if ctx ended.
func (n *Node) watch(ctx context.Context, c *corev1.Container, p *corev1.Probe, verdict func(bool) bool) bool {
	t := n.clock.NewTimer(max(time.Duration(p.InitialDelaySeconds)*time.Second, time.Millisecond))
	defer t.Stop()
	var good, bad int32
	var said, known bool
	for {
		select {
		case <-ctx.Done():
			return false
		case <-t.C():
		}
		if try(ctx, c, p) == nil {
			good, bad = good+1, 0
		} else {
			good, bad = 0, bad+1
		}
		ok := good >= max(p.SuccessThreshold, 1)
		if (ok || bad >= max(p.FailureThreshold, 1)) && (!known || ok != said) {
			said, known = ok, true
			if verdict(ok) {
				return ok
			}
		}
		t.Reset(time.Duration(max(p.PeriodSeconds, 1)) * time.Second)
	}
}

func try(ctx context.Context, c *corev1.Container, p *corev1.Probe) error {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(max(p.TimeoutSeconds, 1))*time.Second)
	defer cancel()
	if p.TCPSocket != nil {
		port, err := portOf(c, p.TCPSocket.Port)
		if err != nil {
			return err
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(hostIP, port))
		if err == nil {
			conn.Close()
		}
		return err
	}
	get := p.HTTPGet
	port, err := portOf(c, get.Port)
	if err != nil {
		return err
	}
	scheme := "http"
	if get.Scheme == corev1.URISchemeHTTPS {
		scheme = "https"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+net.JoinHostPort(hostIP, port)+get.Path, nil)
	if err != nil {
		return err
	}
	for _, h := range get.HTTPHeaders {
		req.Header.Add(h.Name, h.Value)
	}
	// Like the kubelet, do not verify certificates in probes.
	tr := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: tr}).Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode >= 400 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

func portOf(c *corev1.Container, p intstr.IntOrString) (string, error) {
	if p.Type == intstr.Int {
		return strconv.Itoa(p.IntValue()), nil
	}
	for _, cp := range c.Ports {
		if cp.Name == p.StrVal {
			return strconv.Itoa(int(cp.ContainerPort)), nil
		}
	}
	if _, err := strconv.Atoi(p.StrVal); err == nil {
		return p.StrVal, nil
	}
	return "", fmt.Errorf("no port is named %q", p.StrVal)
}
