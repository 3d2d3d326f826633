// SPDX-License-Identifier: Apache-2.0

package space

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/hack/realnode/place"
)

const (
	// Home is the data folder inside the space.
	Home = "/run/realnode"
	// HostName is the host name of the space and the name of the node.
	HostName = "realnode"
)

// own maps folders that are private to the space to their place in the data folder. Programs of a node write to these
// folders regardless of their configuration.
var own = map[string]string{"/var/lib": "var/lib", "/var/log": "var/log", "/usr/libexec": "var/libexec"}

// Init runs the first process of a space. It sets up the mounts, starts the program again with the remaining arguments,
// and reaps orphans until that program ends. It does not return.
func Init() {
	args := os.Args[2:] // folder, link, program's arguments
	if len(args) < 3 {
		fail(errors.New("this command is internal"))
	}
	// Wait until the machine has created the link.
	if line, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil || line != "go\n" {
		os.Exit(1)
	}
	if err := furnish(args[0]); err != nil {
		fail(err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		fail(err)
	}
	main, err := os.StartProcess("/proc/self/exe", append([]string{os.Args[0]}, args[2:]...), &os.ProcAttr{
		Dir: "/", Env: os.Environ(), Files: []*os.File{null, os.Stdout, os.Stderr, os.NewFile(3, "ready")},
	})
	if err != nil {
		fail(err)
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		for range signals {
			_ = main.Signal(syscall.SIGTERM)
		}
	}()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			fail(fmt.Errorf("waiting for processes: %w", err))
		case pid == main.Pid && status.Exited():
			os.Exit(status.ExitStatus())
		case pid == main.Pid && status.Signaled():
			os.Exit(128 + int(status.Signal()))
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "realnode: preparing the namespaces:", err)
	os.Exit(1)
}

// furnish sets up the mounts. None of them is visible on the machine.
func furnish(dir string) error {
	for _, sub := range own {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	// The folder may be below a folder that a mount is about to hide, so keep a descriptor of it.
	data, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	defer unix.Close(data)
	mount := func(source, target, kind string, flags uintptr, options string) error {
		if err := unix.Mount(source, target, kind, flags, options); err != nil {
			return fmt.Errorf("mounting %s on %s: %w", kind+source, target, err)
		}
		return nil
	}
	if err := mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return err
	}
	if err := mount("run", "/run", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return err
	}
	if err := os.Mkdir(Home, 0o755); err != nil {
		return err
	}
	if err := mount(fmt.Sprintf("/proc/self/fd/%d", data), Home, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	for target, sub := range own {
		if _, err := os.Stat(target); err != nil {
			continue // the folder does not exist, so nothing can be mounted there
		}
		if err := mount(filepath.Join(Home, sub), target, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	// Make the machine's files read-only, regardless of the configuration of programs inside.
	if err := mount("tmp", "/tmp", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
		return err
	}
	if err := mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		return err
	}
	// Mounts of the kubelet must propagate to the container runtime, and in the other direction.
	if err := mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return err
	}
	return unix.Sethostname([]byte(HostName))
}

// Network configures the inner end of the link, and the network settings that forwarding requires.
func Network(p place.Place) error {
	lo, err := netlink.LinkByName("lo")
	if err != nil {
		return err
	}
	link, err := netlink.LinkByName(p.Link() + "n")
	if err != nil {
		return fmt.Errorf("looking up the link %sn: %w", p.Link(), err)
	}
	if err := netlink.LinkSetName(link, "eth0"); err != nil {
		return err
	}
	if err := netlink.AddrAdd(link, &netlink.Addr{IPNet: ipnet(p.Node())}); err != nil {
		return err
	}
	for _, l := range []netlink.Link{lo, link} {
		if err := netlink.LinkSetUp(l); err != nil {
			return err
		}
	}
	everything := ipnet(netip.PrefixFrom(netip.IPv4Unspecified(), 0))
	if err := netlink.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: everything, Gw: net.IP(p.Machine().Addr().AsSlice())}); err != nil {
		return err
	}
	for name, value := range map[string]string{"ipv4/ip_forward": "1", "ipv4/conf/all/rp_filter": "0", "ipv4/conf/default/rp_filter": "0"} {
		if err := os.WriteFile("/proc/sys/net/"+name, []byte(value), 0); err != nil {
			return fmt.Errorf("writing the setting net.%s: %w", strings.ReplaceAll(name, "/", "."), err)
		}
	}
	return nil
}
