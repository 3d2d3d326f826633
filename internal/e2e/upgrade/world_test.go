// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/internal/process/loopback"
	"github.com/reelops/reelops/internal/testkit"
)

const (
	tenant = "acme"
	brand  = "bikes"
	// patience bounds every wait. It is long because the machine may be slow.
	patience = 3 * time.Minute
	often    = 20 * time.Millisecond
	seldom   = 250 * time.Millisecond

	rendererImage = "reelops.dev/renderer:local"
	identity      = "system:serviceaccount:reelops-system:reelops-"
)

// world is one installation on this machine: the programs of bin, and all data in dir.
type world struct {
	bin, dir, config       string
	api, internal, sandbox string // HOST:PORT
	key                    string
	kube                   client.WithWatch
	running                map[string]*program
}

type program struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed when the process has ended
}

// newWorld returns one in which nothing runs. It stops what was started when the test ends.
func newWorld(t *testing.T) *world {
	t.Helper()
	bin := os.Getenv("REELOPS_BIN")
	if bin == "" {
		t.Skip("REELOPS_BIN does not name the folder with the built programs: run the tests with `make test-stack`")
	}
	for _, name := range []string{
		"localkube", "etcd", "kubectl", "manager", "apiserver", "renderer", "reelops",
		"sandbox",
	} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			t.Fatalf("REELOPS_BIN: %v: `make build` builds it", err)
		}
	}
	dir, err := os.MkdirTemp("", "reelops-upgrade-")
	must(t, err)
	w := &world{bin: bin, dir: dir, config: filepath.Join(repository(), "config", "local"), running: map[string]*program{}}
	t.Cleanup(func() {
		if t.Failed() {
			for _, name := range []string{"manager", "apiserver", "localkube"} {
				doc, _ := os.ReadFile(w.path(name + ".log"))
				lines := strings.Split(string(doc), "\n")
				t.Logf("the end of the log of %s:\n%s", name, strings.Join(lines[max(0, len(lines)-15):], "\n"))
			}
		}
		for name := range w.running {
			w.stop(name)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	for _, to := range []*string{&w.api, &w.internal, &w.sandbox} {
		*to, err = loopback.Address()
		must(t, err)
	}
	must(t, os.WriteFile(w.path("signing.key"), bytes.Repeat([]byte{7}, 32), 0o600))
	must(t, os.WriteFile(w.path("token.key"), []byte("BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=\n"), 0o600))
	return w
}

func (w *world) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

// start starts a program with its output in a log file.
func (w *world) start(t *testing.T, name string, args ...string) {
	t.Helper()
	log, err := os.OpenFile(w.path(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(t, err)
	p := &program{cmd: exec.Command(filepath.Join(w.bin, name), args...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the kernel sends the death signal when the thread that started the process ends
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait()
		}
		_ = log.Close()
		close(p.ended)
	}()
	must(t, <-started)
	w.running[name] = p
}

// stop asks a program to end, and kills it if it does not.
func (w *world) stop(name string) {
	p := w.running[name]
	delete(w.running, name)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(40 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}

// kill ends a program as a crash does.
func (w *world) kill(names ...string) {
	for _, name := range names {
		_ = w.running[name].cmd.Process.Kill()
	}
	for _, name := range names {
		<-w.running[name].ended
		delete(w.running, name)
	}
}

// startKubernetes starts the cluster and applies the kinds, permissions and policies.
func (w *world) startKubernetes(t *testing.T) {
	t.Helper()
	w.start(t, "localkube", "--data-dir", w.path("kube"), "--kubeconfig", w.path("kubeconfig"), "--ready-file",
		w.path("kube-ready"),
		"--identity", identity+"manager="+w.path("manager.kubeconfig"), "--identity", identity+"apiserver="+
			w.path("apiserver.kubeconfig"),
		"--image", rendererImage+"="+filepath.Join(w.bin, "renderer"), "--unsafe-no-fsync")
	w.await(t, "localkube", func() bool { _, err := os.Stat(w.path("kube-ready")); return err == nil })
	w.kubectl(t, "", "apply", "--server-side", "--force-conflicts", "-k", w.config)
	// Two renders run at the same time, on a machine with two processors as well.
	w.kubectl(t, "", "patch", "node", "local", "--subresource=status", "--patch",
		`{"status": {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "8"}}}`)
	w.kubectl(t, "", "wait", "--for=condition=Established", "--timeout=60s", "crd", "-l",
		"app.kubernetes.io/part-of=reelops")
	config, err := clientcmd.BuildConfigFromFlags("", w.path("kubeconfig"))
	must(t, err)
	config.QPS, config.Burst = 1000, 1000
	w.kube, err = client.NewWithWatch(config, client.Options{Scheme: testkit.Scheme()})
	must(t, err)
}

func (w *world) startSandbox(t *testing.T) {
	t.Helper()
	w.start(t, "sandbox", "--listen", w.sandbox, "--dir", w.path("sandbox"), "--processing", "200ms")
	w.await(t, "sandbox", func() bool { return ok("http://" + w.sandbox + "/healthz") })
}

func (w *world) startFrontEnd(t *testing.T) {
	t.Helper()
	w.start(t, "apiserver", "--kubeconfig", w.path("apiserver.kubeconfig"), "--blob-url", "file://"+w.path("blobs"),
		"--base-url", "http://"+w.api,
		"--signing-key-file", w.path("signing.key"), "--listen", w.api, "--internal-listen", w.internal,
		"--metrics-listen", "127.0.0.1:0",
		"--sandbox", "http://"+w.sandbox, "--ceilings", "global=10000/5m,generation=1000/1h,posting=1000/1h")
	w.await(t, "apiserver", func() bool { return ok("http://" + w.api + "/readyz") })
}

func (w *world) startManager(t *testing.T) {
	t.Helper()
	health, err := loopback.Address()
	must(t, err)
	w.start(t, "manager", "--kubeconfig", w.path("manager.kubeconfig"), "--blob-url", "file://"+w.path("blobs"),
		"--blob-base-url", "http://"+w.api,
		"--signing-key-file", w.path("signing.key"), "--token-key-file", w.path("token.key"), "--callback-url", "http://"+
			w.internal,
		"--renderer-image", rendererImage, "--sandbox", "http://"+w.sandbox, "--starter-set=false", "--health-listen", health)
	w.await(t, "manager", func() bool { return ok("http://" + health + "/readyz") })
}

// await waits for a condition while a program runs.
func (w *world) await(t *testing.T, name string, holds func() bool) {
	t.Helper()
	p := w.running[name]
	NewWithT(t).Eventually(func(g Gomega) {
		select {
		case <-p.ended:
			doc, _ := os.ReadFile(w.path(name + ".log"))
			t.Fatalf("%s ended:\n%s", name, doc)
		default:
		}
		g.Expect(holds()).To(BeTrue())
	}).WithTimeout(patience).WithPolling(often).Should(Succeed(), "%s is not ready", name)
}

// ok reports whether an address answers with 200.
func ok(url string) bool {
	res, err := http.Get(url)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// run runs a program to its end as an administrator and returns its output.
func (w *world) run(t *testing.T, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(w.bin, name), append(args, "--kubeconfig", w.path("kubeconfig"))...)
	cmd.Stdin = strings.NewReader(stdin)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, complaint.String())
	}
	return string(out)
}

func (w *world) kubectl(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	return w.run(t, stdin, "kubectl", args...)
}

// reply is an answer of the interface.
type reply struct {
	Status     int             `json:"status"`
	RetryAfter string          `json:"retryAfter,omitempty"`
	Body       json.RawMessage `json:"body"`
}

// call sends one request to the interface. A body that is empty is not sent, nor is an empty idempotency key.
func (w *world) call(method, path, body, idempotencyKey string) (*reply, error) {
	req, err := http.NewRequest(method, "http://"+w.api+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+w.key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	doc, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if !json.Valid(doc) {
		return nil, fmt.Errorf("%s %s: %d: not JSON: %.200s", method, path, res.StatusCode, doc)
	}
	return &reply{Status: res.StatusCode, RetryAfter: res.Header.Get("Retry-After"), Body: doc}, nil
}

// read reads the data of an answer that must be 200.
func (w *world) read(g Gomega, path string, into any) {
	out, err := w.call(http.MethodGet, path, "", "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out.Status).To(Equal(http.StatusOK), "%s: %s", path, out.Body)
	envelope := struct{ Data any }{into}
	g.Expect(json.Unmarshal(out.Body, &envelope)).To(Succeed())
}

// landing is one post that reached a platform.
type landing struct {
	Platform, Account, Kind, Caption string
	ID                               string `json:"platform_id"`
	Time                             time.Time
}

// ledger returns all posts that reached a platform.
func (w *world) ledger(g Gomega) (out []landing) {
	res, err := http.Get("http://" + w.sandbox + "/ledger")
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = res.Body.Close() }()
	g.Expect(json.NewDecoder(res.Body).Decode(&out)).To(Succeed())
	return out
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// repository returns the top folder of the source.
func repository() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(file))))
}
