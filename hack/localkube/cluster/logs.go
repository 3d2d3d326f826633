// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"errors"
	"flag"
	"io"
	"log"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/reelops/reelops/hack/localkube/logfile"
)

// openLogs redirects the logs of the components to files of limited size: kubernetes.log for all of Kubernetes,
// etcd.log for etcd, stderr.log for everything else.
func openLogs(dir string) (closeAll func(), etcd io.Writer, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, nil, err
	}
	kube, err := logfile.Create(filepath.Join(dir, "kubernetes.log"), time.Now)
	if err != nil {
		return nil, nil, err
	}
	etcdLog, err := logfile.Create(filepath.Join(dir, "etcd.log"), time.Now)
	if err != nil {
		return nil, nil, errors.Join(err, kube.Close())
	}
	if err := divertStderr(filepath.Join(dir, "stderr.log")); err != nil {
		return nil, nil, err
	}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "false", "alsologtostderr": "false", "stderrthreshold": "FATAL", "one_output": "true", "v": "1"} {
		if err := flags.Set(name, value); err != nil {
			return nil, nil, err
		}
	}
	klog.SetOutput(kube)
	log.SetOutput(kube)
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	// A panic in one handler of a server must not end the cluster; it is logged.
	utilruntime.ReallyCrash = false
	return func() {
		klog.Flush()
		klog.SetOutput(io.Discard)
		log.SetOutput(io.Discard)
		kube.Close()
		etcdLog.Close()
	}, etcdLog, nil
}

// divertStderr redirects file descriptor 2 to a file. It receives the output of libraries that write to standard error
// directly, and stack traces. os.Stderr still refers to the original standard error.
func divertStderr(file string) error {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	if fi, err := out.Stat(); err == nil && fi.Size() > logfile.MaxBytes {
		if err := out.Truncate(0); err != nil {
			return err
		}
	}
	kept, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return err
	}
	if err := unix.Dup3(int(out.Fd()), 2, 0); err != nil {
		return err
	}
	os.Stderr = os.NewFile(uintptr(kept), "/dev/stderr")
	return nil
}
