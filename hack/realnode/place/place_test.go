// SPDX-License-Identifier: Apache-2.0

package place

import (
	"net/netip"
	"testing"
)

func TestFree(t *testing.T) {
	for _, c := range []struct {
		name  string
		links map[string]bool
		used  []netip.Prefix
		want  Place
	}{
		{name: "an empty machine", want: 0},
		{name: "the link of a node exists", links: map[string]bool{"realnode0": true}, want: 1},
		{name: "the machine has an address among the pods'", used: []netip.Prefix{netip.MustParsePrefix("10.118.0.7/32")}, want: 1},
		{name: "the machine is in a wide network", used: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, want: 0},
		{name: "two are in use in different ways", links: map[string]bool{"realnode0": true}, used: []netip.Prefix{netip.MustParsePrefix("10.119.1.0/24")}, want: 2},
	} {
		if got, err := Free(c.links, c.used); err != nil || got != c.want {
			t.Errorf("%s: got place %d (%v), want %d", c.name, got, err, c.want)
		}
	}
	all := map[string]bool{}
	for p := range Place(Places) {
		all[p.Link()] = true
	}
	if p, err := Free(all, nil); err == nil {
		t.Errorf("a full machine: got place %d", p)
	}
}

func TestAddresses(t *testing.T) {
	p := Place(3)
	for got, want := range map[string]string{
		p.Machine().String(): "10.117.3.1/30", p.Node().String(): "10.117.3.2/30", p.Pods().String(): "10.118.3.0/24",
		p.Services().String(): "10.119.3.0/24", p.API().String(): "10.119.3.1", p.DNS().String(): "10.119.3.10",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if !p.Services().Contains(p.DNS()) || !p.Services().Contains(p.API()) {
		t.Error("a Service's address is outside of the range")
	}
}
