// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const table = "inet realnode-policy"

// Pod is a pod with its own address.
type Pod struct {
	Namespace, Name string
	IP              netip.Addr
	Labels          map[string]string
	// Ports are the named ports.
	Ports []corev1.ContainerPort
}

// World is the complete input of the rules.
type World struct {
	Pods []Pod
	// Namespaces maps namespaces to their labels.
	Namespaces map[string]map[string]string
	Policies   []*networkingv1.NetworkPolicy
}

// Script returns the nft script that enforces exactly the policies of w. The script is the same for the same input in
// any order.
func Script(w World) (string, error) {
	pods := slices.Clone(w.Pods)
	slices.SortFunc(pods, func(a, b Pod) int { return a.IP.Compare(b.IP) })
	policies := slices.Clone(w.Policies)
	slices.SortFunc(policies, func(a, b *networkingv1.NetworkPolicy) int {
		return strings.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
	})
	w.Pods = pods
	var chains, in, out strings.Builder
	for _, pod := range pods {
		for _, d := range []direction{ingress, egress} {
			isolated, allowed, err := w.rules(pod, policies, d)
			if err != nil {
				return "", err
			} else if !isolated {
				continue
			}
			name := fmt.Sprintf("%s-%s", d.name, pod.IP)
			fmt.Fprintf(&chains, "\tchain %s {\n", name)
			for _, rule := range allowed {
				fmt.Fprintf(&chains, "\t\t%s return\n", rule)
			}
			fmt.Fprintf(&chains, "\t\tcounter drop comment %q\n\t}\n", pod.Namespace+"/"+pod.Name)
			fmt.Fprintf(map[direction]*strings.Builder{ingress: &in, egress: &out}[d], "%s : jump %s, ", pod.IP, name)
		}
	}
	var b strings.Builder
	// Declare the table first, so that deleting it never fails.
	fmt.Fprintf(&b, "table %s\ndelete table %s\ntable %s {\n%s", table, table, table, chains.String())
	choose := func(chain, address, jumps string) {
		fmt.Fprintf(&b, "\tchain %s {\n", chain)
		if jumps != "" {
			fmt.Fprintf(&b, "\t\tip %s vmap { %s }\n", address, strings.TrimSuffix(jumps, ", "))
		}
		b.WriteString("\t}\n")
	}
	choose("from-pod", "saddr", out.String())
	choose("to-pod", "daddr", in.String())
	const begun = "\t\tct state established,related accept\n"
	fmt.Fprintf(&b, "\tchain forward {\n\t\ttype filter hook forward priority filter; policy accept;\n%s\t\tjump from-pod\n\t\tjump to-pod\n\t}\n", begun)
	// Traffic to the node itself, where the API server listens.
	fmt.Fprintf(&b, "\tchain input {\n\t\ttype filter hook input priority filter; policy accept;\n%s\t\tjump from-pod\n\t}\n}\n", begun)
	return b.String(), nil
}

// direction is ingress or egress, from the point of view of the isolated pod.
type direction struct {
	name string
	kind networkingv1.PolicyType
	// peer matches the other end of a packet.
	peer string
}

var (
	ingress = direction{"to", networkingv1.PolicyTypeIngress, "ip saddr"}
	egress  = direction{"from", networkingv1.PolicyTypeEgress, "ip daddr"}
)

// rules returns whether a policy isolates pod in direction d, and the matches of traffic that is still allowed.
func (w World) rules(pod Pod, policies []*networkingv1.NetworkPolicy, d direction) (isolated bool, allowed []string, err error) {
	for _, p := range policies {
		if p.Namespace != pod.Namespace || !slices.Contains(p.Spec.PolicyTypes, d.kind) {
			continue
		}
		if hit, err := selects(&p.Spec.PodSelector, pod.Labels); err != nil {
			return false, nil, fmt.Errorf("network policy %s/%s: %w", p.Namespace, p.Name, err)
		} else if !hit {
			continue
		}
		isolated = true
		if d == ingress {
			for _, r := range p.Spec.Ingress {
				more, err := w.matches(p.Namespace, pod, d, r.From, r.Ports)
				if err != nil {
					return false, nil, fmt.Errorf("network policy %s/%s: %w", p.Namespace, p.Name, err)
				}
				allowed = append(allowed, more...)
			}
			continue
		}
		for _, r := range p.Spec.Egress {
			more, err := w.matches(p.Namespace, pod, d, r.To, r.Ports)
			if err != nil {
				return false, nil, fmt.Errorf("network policy %s/%s: %w", p.Namespace, p.Name, err)
			}
			allowed = append(allowed, more...)
		}
	}
	return isolated, allowed, nil
}

// matches returns the rules for all pairs of a peer and a port.
func (w World) matches(namespace string, pod Pod, d direction, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort) ([]string, error) {
	others, blocks, err := w.peers(namespace, peers)
	if err != nil {
		return nil, err
	}
	var sides []string
	if len(peers) == 0 {
		sides = []string{""}
	} else if len(others) > 0 {
		ips := make([]string, len(others))
		for i, o := range others {
			ips[i] = o.IP.String()
		}
		sides = append(sides, d.peer+" { "+strings.Join(ips, ", ")+" } ")
	}
	for _, b := range blocks {
		side := d.peer + " " + b.CIDR + " "
		if len(b.Except) > 0 {
			side += d.peer + " != { " + strings.Join(b.Except, ", ") + " } "
		}
		sides = append(sides, side)
	}
	if len(ports) == 0 {
		for i := range sides {
			sides[i] += "counter"
		}
		return sides, nil
	}
	var all []string
	for _, port := range ports {
		proto := "tcp"
		if port.Protocol != nil {
			proto = strings.ToLower(string(*port.Protocol))
		}
		if port.Port != nil && port.Port.Type == intstr.String {
			all = append(all, w.named(pod, d, port.Port.StrVal, proto, others, len(peers) == 0, sides)...)
			continue
		}
		for _, side := range sides {
			all = append(all, side+portMatch(proto, port))
		}
	}
	return all, nil
}

func portMatch(proto string, port networkingv1.NetworkPolicyPort) string {
	switch {
	case port.Port == nil:
		return "meta l4proto " + proto
	case port.EndPort != nil:
		return fmt.Sprintf("%s dport %d-%d", proto, port.Port.IntValue(), *port.EndPort)
	default:
		return fmt.Sprintf("%s dport %d", proto, port.Port.IntValue())
	}
}

// named resolves a port's name. For ingress it uses the pod's own ports, for egress the ports of each pod that the
// peers allow.
func (w World) named(pod Pod, d direction, name, proto string, others []Pod, everybody bool, sides []string) (all []string) {
	if d == ingress {
		if number := pod.port(name, proto); number != 0 {
			for _, side := range sides {
				all = append(all, fmt.Sprintf("%s%s dport %d", side, proto, number))
			}
		}
		return all
	}
	if everybody {
		others = w.Pods
	}
	for _, o := range others {
		if number := o.port(name, proto); number != 0 {
			all = append(all, fmt.Sprintf("%s %s %s dport %d", d.peer, o.IP, proto, number))
		}
	}
	return all
}

func (p Pod) port(name, proto string) int32 {
	for _, c := range p.Ports {
		of := strings.ToLower(string(c.Protocol))
		if c.Name == name && (of == proto || of == "" && proto == "tcp") {
			return c.ContainerPort
		}
	}
	return 0
}

// peers returns the pods that the peers select, each once, and the IP blocks.
func (w World) peers(namespace string, peers []networkingv1.NetworkPolicyPeer) (pods []Pod, blocks []*networkingv1.IPBlock, err error) {
	seen := map[netip.Addr]bool{}
	for _, peer := range peers {
		if peer.IPBlock != nil {
			if ip, err := netip.ParsePrefix(peer.IPBlock.CIDR); err == nil && ip.Addr().Is4() {
				blocks = append(blocks, peer.IPBlock)
			}
			continue
		}
		for _, p := range w.Pods {
			inside := p.Namespace == namespace
			if peer.NamespaceSelector != nil {
				if inside, err = selects(peer.NamespaceSelector, w.Namespaces[p.Namespace]); err != nil {
					return nil, nil, err
				}
			}
			if inside && peer.PodSelector != nil {
				if inside, err = selects(peer.PodSelector, p.Labels); err != nil {
					return nil, nil, err
				}
			}
			if inside && !seen[p.IP] {
				seen[p.IP] = true
				pods = append(pods, p)
			}
		}
	}
	return pods, blocks, nil
}

func selects(s *metav1.LabelSelector, set map[string]string) (bool, error) {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return false, err
	}
	return selector.Matches(labels.Set(set)), nil
}
