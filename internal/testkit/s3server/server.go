// SPDX-License-Identifier: Apache-2.0

// Package s3server runs a real S3-compatible server, MinIO, for a test: on loopback, with an empty bucket. It stops
// with the test. It checks signatures, lengths and checksums as S3 does, unlike lightweight imitations.
//
// The server is built from its Go module on first use, into bin/minio, which takes some minutes once. hack/tools/minio
// pins its version, separate from the product's dependencies.
package s3server

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/reelops/reelops/internal/process/loopback"
)

// Credentials, region and bucket of the server.
const (
	AccessKey = "reelops-test"
	SecretKey = "reelops-test-secret"
	Region    = "us-east-1"
	Bucket    = "reelops"
)

// startTimeout is the timeout of the start. It is long because the machine may be busy.
const startTimeout = time.Minute

// Server is a server with one bucket.
type Server struct {
	// Endpoint is the address, such as http://127.0.0.1:9000.
	Endpoint string
}

// URL returns the URL of the bucket as a blob store. The credentials come from the environment.
func (s *Server) URL() string {
	q := url.Values{"endpoint": {s.Endpoint}, "region": {Region}, "use_path_style": {"true"}}
	return "s3://" + Bucket + "?" + q.Encode()
}

// Env returns the environment variables that a program needs to use the bucket.
func (s *Server) Env() []string {
	return []string{"AWS_ACCESS_KEY_ID=" + AccessKey, "AWS_SECRET_ACCESS_KEY=" + SecretKey, "AWS_EC2_METADATA_DISABLED=true"}
}

// Client returns an S3 client, for operations that the blob store lacks.
func (s *Server) Client() *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: &s.Endpoint, Region: Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(AccessKey, SecretKey, ""),
	})
}

// Start starts a server and sets its credentials in the environment of the test process. With -short it skips the test,
// because the server may have to be built.
func Start(t *testing.T) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("the S3 server is not built in short runs")
	}
	s := &Server{}
	for _, e := range s.Env() {
		name, value, _ := bytes.Cut([]byte(e), []byte("="))
		t.Setenv(string(name), string(value))
	}
	program := build(t)
	addr, err := address()
	if err != nil {
		t.Fatal(err)
	}
	s.Endpoint = "http://" + addr
	output, ended := &bytes.Buffer{}, make(chan struct{})
	cmd := exec.Command(program, "server", "--quiet", "--address", addr, filepath.Join(t.TempDir(), "data"))
	cmd.Env = append(os.Environ(), "MINIO_ROOT_USER="+AccessKey, "MINIO_ROOT_PASSWORD="+SecretKey, "MINIO_BROWSER=off", "MINIO_UPDATE=off", "HOME="+t.TempDir())
	cmd.Stdout, cmd.Stderr = output, output
	// The server ends with the test process, even when the process is killed.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the death signal is sent when the starting thread ends, so keep the thread
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		<-ended
	})
	poll, end := time.NewTicker(50*time.Millisecond), time.After(startTimeout)
	defer poll.Stop()
	for !s.ready(t.Context()) {
		select {
		case <-ended:
			t.Fatalf("the S3 server did not start: %s", output)
		case <-end:
			t.Fatal("the S3 server does not respond")
		case <-poll.C:
		}
	}
	if _, err := s.Client().CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: aws.String(Bucket)}); err != nil {
		t.Fatal(err)
	}
	return s
}

// address returns a free address that MinIO accepts. MinIO refuses the default port of its console, even though the
// console is off (cmd/globals.go and handleCommonArgs in MinIO's source).
func address() (string, error) {
	const consolePort = ":13333"
	addr, err := loopback.Address()
	if strings.HasSuffix(addr, consolePort) {
		return loopback.Address() // never the same port again
	}
	return addr, err
}

func (s *Server) ready(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Endpoint+"/minio/health/ready", nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// build returns the path of the program. It builds the program if it is missing or its version has changed.
func build(t *testing.T) string {
	t.Helper()
	_, here, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(here), "..", "..", "..")
	program, module := filepath.Join(root, "bin", "minio"), filepath.Join(root, "hack", "tools", "minio")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	// Test binaries of several packages run at once, and only one may build.
	lock, err := os.OpenFile(program+".lock", os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	pinned, err := os.Stat(filepath.Join(module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if there, err := os.Stat(program); err == nil && !there.ModTime().Before(pinned.ModTime()) {
		return program
	}
	cmd := exec.Command("go", "build", "-C", module, "-o", program+".new", "github.com/minio/minio")
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the S3 server could not be built: %v\n%s", err, fmt.Sprint(string(out)))
	}
	if err := os.Rename(program+".new", program); err != nil {
		t.Fatal(err)
	}
	return program
}
