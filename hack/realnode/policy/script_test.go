// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func pod(namespace, name, ip string, labels map[string]string, ports ...corev1.ContainerPort) Pod {
	return Pod{Namespace: namespace, Name: name, IP: netip.MustParseAddr(ip), Labels: labels, Ports: ports}
}

// world returns a World with a web server, its store, and an unrelated pod.
func world(t *testing.T, policies ...string) World {
	t.Helper()
	w := World{
		Pods: []Pod{
			pod("other", "stranger", "10.0.0.9", map[string]string{"app": "web"}),
			pod("shop", "web", "10.0.0.1", map[string]string{"app": "web"}, corev1.ContainerPort{Name: "http", ContainerPort: 8080, Protocol: "TCP"}),
			pod("shop", "store", "10.0.0.2", map[string]string{"app": "store"}, corev1.ContainerPort{Name: "s3", ContainerPort: 9000}),
		},
		Namespaces: map[string]map[string]string{
			"shop":  {"kubernetes.io/metadata.name": "shop"},
			"other": {"kubernetes.io/metadata.name": "other", "team": "x"},
		},
	}
	for _, text := range policies {
		p := &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "p"}}
		if err := yaml.UnmarshalStrict([]byte(text), &p.Spec); err != nil {
			t.Fatal(err)
		}
		w.Policies = append(w.Policies, p)
	}
	return w
}

// chains returns the rules of each chain that belongs to a pod.
func chains(t *testing.T, script string) map[string][]string {
	t.Helper()
	got := map[string][]string{}
	var in string
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "chain "):
			in = strings.Fields(line)[1]
		case line == "}":
			in = ""
		case in != "" && strings.ContainsRune(in, '.'):
			got[in] = append(got[in], strings.TrimSuffix(line, " return"))
		}
	}
	return got
}

func TestScript(t *testing.T) {
	const web, store = `counter drop comment "shop/web"`, `counter drop comment "shop/store"`
	for _, c := range []struct {
		name     string
		policies []string
		want     map[string][]string
	}{
		{"no policies isolate no pod", nil, map[string][]string{}},
		{
			"an empty selector isolates only the namespace",
			[]string{"{podSelector: {}, policyTypes: [Ingress]}"},
			map[string][]string{"to-10.0.0.1": {web}, "to-10.0.0.2": {store}},
		},
		{
			"peers of the own namespace by their labels, ports by number",
			[]string{"{podSelector: {matchLabels: {app: store}}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {matchLabels: {app: web}}}], ports: [{port: 9000}]}]}"},
			map[string][]string{"to-10.0.0.2": {"ip saddr { 10.0.0.1 } tcp dport 9000", store}},
		},
		{
			"peers of another namespace by its labels",
			[]string{"{podSelector: {matchLabels: {app: store}}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {matchLabels: {team: x}}, podSelector: {matchLabels: {app: web}}}]}]}"},
			map[string][]string{"to-10.0.0.2": {"ip saddr { 10.0.0.9 } counter", store}},
		},
		{
			"a peer without pods permits nothing",
			[]string{"{podSelector: {matchLabels: {app: store}}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {matchLabels: {app: ghost}}}]}]}"},
			map[string][]string{"to-10.0.0.2": {store}},
		},
		{
			"no peers mean all peers, no ports all ports",
			[]string{"{podSelector: {matchLabels: {app: web}}, policyTypes: [Egress], egress: [{ports: [{port: 53, protocol: UDP}]}, {}]}"},
			map[string][]string{"from-10.0.0.1": {"udp dport 53", "counter", web}},
		},
		{
			"blocks with exceptions, ranges of ports, of two policies both",
			[]string{
				"{podSelector: {matchLabels: {app: web}}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8, 192.168.0.0/16]}}], ports: [{port: 443}]}]}",
				"{podSelector: {}, policyTypes: [Egress], egress: [{to: [{podSelector: {matchLabels: {app: store}}}], ports: [{port: 9000, endPort: 9010}]}]}",
			},
			map[string][]string{
				"from-10.0.0.1": {"ip daddr 0.0.0.0/0 ip daddr != { 10.0.0.0/8, 192.168.0.0/16 } tcp dport 443", "ip daddr { 10.0.0.2 } tcp dport 9000-9010", web},
				"from-10.0.0.2": {"ip daddr { 10.0.0.2 } tcp dport 9000-9010", store},
			},
		},
		{
			"ports by name are the target's",
			[]string{
				"{podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress, Egress], ingress: [{ports: [{port: http}]}], egress: [{to: [{podSelector: {}}], ports: [{port: s3}]}]}",
			},
			map[string][]string{"to-10.0.0.1": {"tcp dport 8080", web}, "from-10.0.0.1": {"ip daddr 10.0.0.2 tcp dport 9000", web}},
		},
		{
			"an unlisted type is not isolated",
			[]string{"{podSelector: {matchLabels: {app: web}}, policyTypes: [Egress], ingress: [{from: [{podSelector: {}}]}]}"},
			map[string][]string{"from-10.0.0.1": {web}},
		},
	} {
		script, err := Script(world(t, c.policies...))
		if err != nil {
			t.Errorf("%s: got %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, chains(t, script)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestScript_IsDeterministic(t *testing.T) {
	w := world(t, "{podSelector: {}, policyTypes: [Ingress, Egress]}")
	a, err := Script(w)
	if err != nil {
		t.Fatal(err)
	}
	w.Pods[0], w.Pods[2] = w.Pods[2], w.Pods[0]
	if b, _ := Script(w); a != b {
		t.Errorf("the order of the pods changes the table:\n%s\n%s", a, b)
	}
	for _, want := range []string{"ip saddr vmap { 10.0.0.1 : jump from-10.0.0.1, 10.0.0.2 : jump from-10.0.0.2 }", "ip daddr vmap { 10.0.0.1 : jump to-10.0.0.1, 10.0.0.2 : jump to-10.0.0.2 }"} {
		if !strings.Contains(a, want) {
			t.Errorf("no %q in\n%s", want, a)
		}
	}
}
