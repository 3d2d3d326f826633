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

// InitArg as the first argument makes the program run Init.
const InitArg = "first-process-of-a-space"

// Options configure a space.
type Options struct {
	// Place determines the link, the addresses and the control group of the space.
	Place place.Place
	// Dir is the data folder; inside the space it is mounted at Home.
	Dir string
	// Args are the arguments of the program when it is started again inside.
	Args []string
	// Output receives the output of the processes inside.
	Output io.Writer
	// Ready is passed to the program inside as file 3.
	Ready *os.File
}

// Space is a running space.
type Space struct{ cmd *exec.Cmd }

// Start creates the space and starts the program again inside. It must be called from a goroutine that is locked to its
// thread and outlives the space, because the kernel ends the space with the thread.
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
		Setpgid:    true, // Ctrl-C is handled by this process, which stops the space in order
	}
	err = cmd.Start()
	hold.Close()
	if err != nil {
		return nil, fmt.Errorf("starting a process in new namespaces: %w", err)
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

// PID returns the process ID of the first process, as seen on the machine.
func (s *Space) PID() int { return s.cmd.Process.Pid }

// Stop sends SIGTERM to the first process.
func (s *Space) Stop() { _ = s.cmd.Process.Signal(syscall.SIGTERM) }

// Kill kills the first process, and with it all others in the space.
func (s *Space) Kill() { _ = s.cmd.Process.Kill() }

// Wait returns when all processes of the space have ended.
func (s *Space) Wait() error { return s.cmd.Wait() }

// wire creates a link between the machine and the space, and the routes to the pods and Services over it.
func wire(p place.Place, pid int) error {
	attrs := netlink.NewLinkAttrs()
	attrs.Name = p.Link()
	link := &netlink.Veth{LinkAttrs: attrs, PeerName: p.Link() + "n", PeerNamespace: netlink.NsPid(pid)}
	if err := netlink.LinkAdd(link); err != nil {
		return fmt.Errorf("adding the link %s: %w", p.Link(), err)
	}
	if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ipnet(p.Machine())}); err != nil {
		return fmt.Errorf("adding the machine's address %s: %w", p.Machine(), err)
	}
	if err := netlink.LinkSetUp(link); err != nil {
		return fmt.Errorf("setting the link %s up: %w", p.Link(), err)
	}
	for _, to := range []netip.Prefix{p.Pods(), p.Services()} {
		if err := netlink.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: ipnet(to), Gw: net.IP(p.Node().Addr().AsSlice())}); err != nil {
			return fmt.Errorf("adding the route to %s: %w", to, err)
		}
	}
	return nil
}

// Choose returns a free place on this machine.
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

// Sweep removes the link and the control groups that remain of a space that has ended.
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
