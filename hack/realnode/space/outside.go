// SPDX-License-Identifier: Apache-2.0

package space

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/hack/realnode/place"
)

// InitArg as the first argument makes the program the first process of a space.
const InitArg = "first-process-of-a-space"

// Options of a space.
type Options struct {
	// Place says which link, addresses and control group are the space's.
	Place place.Place
	// Dir is the data folder; inside it is Home.
	Dir string
	// Args follow the program's name when it is called again inside.
	Args []string
	// Output gets what the inside prints.
	Output io.Writer
	// Ready is written to by the inside, as file 3.
	Ready *os.File
}

// Space runs.
type Space struct{ cmd *exec.Cmd }

// Start makes the space and starts the program again inside. It must be called
// from a goroutine that is locked to its thread and outlives the space: the
// kernel ends the space with the thread.
func Start(o Options) (_ *Space, err error) {
	if err := makeCgroups(o.Place.Cgroup()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = Sweep(o.Place)
		}
	}()
	hold, let, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer let.Close()
	cmd := exec.Command("/proc/self/exe", append([]string{InitArg, o.Dir, o.Place.Link() + "n"}, o.Args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = hold, o.Output, o.Output
	cmd.ExtraFiles = []*os.File{o.Ready}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNS | unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		Pdeathsig:  syscall.SIGKILL,
		Setpgid:    true, // Ctrl-C is for us; we end the space in order
	}
	err = cmd.Start()
	hold.Close()
	if err != nil {
		return nil, fmt.Errorf("starting a process in namespaces of its own: %w", err)
	}
	if err = errors.Join(enterCgroups(o.Place.Cgroup(), cmd.Process.Pid), wire(o.Place, cmd.Process.Pid)); err == nil {
		_, err = let.WriteString("go\n")
	}
	if err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	return &Space{cmd}, nil
}

// PID of the first process, as the machine counts.
func (s *Space) PID() int { return s.cmd.Process.Pid }

// Stop asks the inside to end.
func (s *Space) Stop() { _ = s.cmd.Process.Signal(syscall.SIGTERM) }

// Kill ends the inside at once.
func (s *Space) Kill() { _ = s.cmd.Process.Kill() }

// Wait answers when all processes of the space are gone.
func (s *Space) Wait() error { return s.cmd.Wait() }

// wire lays a link between the machine and the space, and routes to the pods
// and Services over it.
func wire(p place.Place, pid int) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = p.Link()
	link := &netlink.Veth{LinkAttrs: attrs, PeerName: p.Link() + "n", PeerNamespace: netlink.NsPid(pid)}
	if err := netlink.LinkAdd(link); err != nil {
		return fmt.Errorf("adding the link %s: %w", p.Link(), err)
	}
	if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ipnet(p.Machine())}); err != nil {
		return fmt.Errorf("the machine's address %s: %w", p.Machine(), err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("link %s: %w", p.Link(), err)
	}
	for _, to := range []netip.Prefix{p.Pods(), p.Services()} {
		if err := netlink.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: ipnet(to), Gw: net.IP(p.Node().Addr().AsSlice())}); err != nil {
			return fmt.Errorf("the route to %s: %w", to, err)
		}
	}
	return nil
}

// Choose answers a free place on this machine.
func Choose() (place.Place, error) {
	links, err := netlink.LinkList()
	if err != nil {
		return 0, fmt.Errorf("listing the machine's links: %w", err)
	}
	names := map[string]bool{}
	for _, l := range links {
		names[l.Attrs().Name] = true
	}
	var used []netip.Prefix
	addrs, err := netlink.AddrList(nil, netlink.FAMILY_V4)
	if err != nil {
		return 0, fmt.Errorf("listing the machine's addresses: %w", err)
	}
	for _, a := range addrs {
		if ip, ok := netip.AddrFromSlice(a.IP.To4()); ok {
			used = append(used, netip.PrefixFrom(ip, 32))
		}
	}
	routes, err := netlink.RouteList(nil, netlink.FAMILY_V4)
	if err != nil {
		return 0, fmt.Errorf("listing the machine's routes: %w", err)
	}
	for _, r := range routes {
		if r.Dst == nil {
			continue
		}
		ip, ok := netip.AddrFromSlice(r.Dst.IP.To4())
		if ones, _ := r.Dst.Mask.Size(); ok && ones > 0 {
			used = append(used, netip.PrefixFrom(ip, ones))
		}
	}
	return place.Free(names, used)
}

// Sweep removes what a space that is no more may have left.
func Sweep(p place.Place) error {
	var errs []error
	if l, err := netlink.LinkByName(p.Link()); err == nil {
		errs = append(errs, netlink.LinkDel(l))
	}
	return errors.Join(append(errs, removeCgroups(p.Cgroup()))...)
}

func ipnet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: net.IP(p.Addr().AsSlice()), Mask: net.CIDRMask(p.Bits(), 32)}
}
