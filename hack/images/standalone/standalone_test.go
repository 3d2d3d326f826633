// SPDX-License-Identifier: Apache-2.0

package standalone

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"sigs.k8s.io/yaml"
)

const (
	url     = "http://127.0.0.1:8080"
	sandbox = "http://127.0.0.1:8300"
	// patience is the timeout of everything that takes seconds on an idle machine.
	patience = 5 * time.Minute
)

// TestStandalone runs the image through its life: a first start with the default rights of a container engine, the
// main job over REST and the console, a kill in the middle of a render and of a post, a restart with the rights of the
// Compose file, and a start with namespaces and another URL. It prints the sizes and the times.
func TestStandalone(t *testing.T) {
	images := os.Getenv("REELOPS_IMAGES")
	if images == "" {
		t.Skip("REELOPS_IMAGES is not set: it is the folder with standalone.tar (make test-standalone)")
	}
	e := newEngine(t)
	image := e.load(filepath.Join(images, "standalone.tar"))
	data := filepath.Join(e.dir, "data")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}

	began := time.Now()
	first := e.run("first", image, data, []string{"--seccomp"})
	first.says(patience, "ready in ")
	t.Logf("time to ready on a fresh data folder: %.1f s", time.Since(began).Seconds())
	if !strings.Contains(first.output(), "isolation by users") {
		t.Errorf("the log does not name the isolation:\n%s", first.output())
	}
	first.says(time.Minute, "an API key:")
	a := &api{t: t, client: e.client(), public: "http://localhost:8080", key: key(t, first, "first")}
	a.console(first)
	began = time.Now()
	id := a.slideshow("Three reasons to walk to work\n1. You arrive awake.\n2. You save the gym.\n3. You see your town.")
	first.users(map[string][2]int{
		"manager": {65532, 65532}, "apiserver": {65532, 65532}, "sandbox": {65533, 65533},
		"renderer": {61184, 65519}, "ffmpeg": {61184, 65519},
	})
	a.finished(id)
	film := a.video(id)
	t.Logf("from the request to the MP4 of a slideshow: %.1f s, %d bytes", time.Since(began).Seconds(), len(film))
	a.connect("tiktok")
	a.connect("youtube")
	a.post(id, "tiktok")
	a.published(id, 1)

	// Kill everything while a video is being rendered and a post is on its way.
	long := a.slideshow("Ten reasons to bake\n1. Bread.\n2. Rolls.\n3. Pie.\n4. Cake.\n5. Buns.\n6. Tarts.\n7. Scones.\n" +
		"8. Pizza.\n9. Toast.\n10. Crumbs.")
	eventually(t, patience, "a render runs", func() error {
		if len(first.pids("ffmpeg")) == 0 {
			return errors.New("there is no ffmpeg")
		}
		return nil
	})
	a.post(id, "youtube")
	var j job
	a.call("GET", fmt.Sprintf("/jobs/%d", long), nil, &j)
	if len(first.pids("renderer")) == 0 || j.Result.VideoURL != "" {
		t.Error("the render has ended before the kill")
	}
	if status := first.signal("SIGKILL"); status != 137 {
		t.Errorf("the killed container ended with status %d", status)
	}

	began = time.Now()
	second := e.run("second", image, data, composeRights(t))
	second.says(patience, "ready in ")
	t.Logf("time to ready after the kill, with the rights of the Compose file: %.1f s", time.Since(began).Seconds())
	a.finished(long)
	t.Logf("the interrupted render was finished %.1f s after the restart", time.Since(began).Seconds())
	a.video(long)
	if !bytes.Equal(a.video(id), film) {
		t.Error("the video that was rendered before the kill has changed")
	}
	a.published(id, 2)
	began = time.Now()
	if status := second.signal("SIGTERM"); status != 0 {
		t.Errorf("after SIGTERM the container ended with status %d", status)
	}
	t.Logf("time to stop: %.1f s", time.Since(began).Seconds())

	began = time.Now()
	third := e.run("third", image, data, []string{"--privileged", "--env", "REELOPS_URL=http://localhost:9000"})
	a.public = "http://localhost:9000"
	third.says(patience, "ready in ")
	t.Logf("time to ready with isolation by namespaces: %.1f s", time.Since(began).Seconds())
	if !strings.Contains(third.output(), "isolation by namespaces") {
		t.Errorf("a privileged container has no namespaces:\n%s", third.output())
	}
	other := a.slideshow("Two reasons to run\n1. You are early.\n2. You sleep well.")
	a.finished(other)
	a.video(other)
	a.published(id, 2)
	if status := third.signal("SIGTERM"); status != 0 {
		t.Errorf("after SIGTERM the container ended with status %d", status)
	}

	fourth := e.run("fourth", image, data, []string{"--seccomp", "--cap-drop", "CAP_SETUID"})
	if status := fourth.wait(); status != 1 || !strings.Contains(fourth.output(), "missing capabilities SETUID") {
		t.Errorf("without CAP_SETUID: status %d, %s", status, tail(fourth.output()))
	}
}

// load imports the archive of an image, logs its size, and returns its name.
func (e *engine) load(file string) string {
	e.t.Helper()
	i, err := tarball.ImageFromPath(file, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	layers, err := i.Layers()
	if err != nil {
		e.t.Fatal(err)
	}
	var packed, unpacked int64
	for _, l := range layers {
		n, err := l.Size()
		if err != nil {
			e.t.Fatal(err)
		}
		packed += n
		r, err := l.Uncompressed()
		if err != nil {
			e.t.Fatal(err)
		}
		for tr := tar.NewReader(r); ; {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				e.t.Fatal(err)
			}
			unpacked += h.Size
		}
		e.check(r.Close())
	}
	e.t.Logf("size of the image: %.0f MB compressed, %.0f MB on disk", float64(packed)/1e6, float64(unpacked)/1e6)
	e.ctr("images", "import", file)
	return strings.TrimSpace(e.ctr("images", "ls", "-q"))
}

// defaults are the default capabilities of container engines.
const defaults = "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP SETGID SETPCAP " +
	"SETUID SYS_CHROOT"

// composeRights returns the rights of the Compose file as flags of ctr run.
func composeRights(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../config/compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Services map[string]struct {
			CapAdd   []string `json:"cap_add"`
			ReadOnly bool     `json:"read_only"`
			Tmpfs    []string `json:"tmpfs"`
		} `json:"services"`
	}
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	s := c.Services["reelops"]
	flags := []string{"--seccomp"}
	if s.ReadOnly {
		flags = append(flags, "--read-only")
	}
	for _, dir := range s.Tmpfs {
		flags = append(flags, "--mount", "type=tmpfs,src=tmpfs,dst="+dir+",options=nosuid:nodev:noexec:mode=1777")
	}
	add := map[string]bool{}
	for _, name := range s.CapAdd {
		add[name] = true
	}
	for name := range strings.FieldsSeq(defaults) {
		if !add[name] {
			flags = append(flags, "--cap-drop", "CAP_"+name)
		}
	}
	return flags
}

// key creates an API key with the command that the container prints.
func key(t *testing.T, c *container, name string) string {
	t.Helper()
	m := regexp.MustCompile(`an API key:  docker exec CONTAINER (.+)\n`).FindStringSubmatch(c.output())
	if m == nil {
		t.Fatalf("the container does not print how to create a key:\n%s", c.output())
	}
	args := strings.Fields(strings.Replace(m[1], " KEY ", " "+name+" ", 1))
	var made struct{ Secret string }
	if out := c.command(append(args, "-o", "json")...); json.Unmarshal([]byte(out), &made) != nil || made.Secret == "" {
		t.Fatalf("got no key: %s", out)
	}
	return made.Secret
}

// api is a client of the front end.
type api struct {
	t      *testing.T
	client *http.Client
	// public is the URL of the front end in a browser.
	public, key string
}

func (a *api) get(address string) []byte {
	a.t.Helper()
	res, err := a.client.Get(address)
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		a.t.Fatalf("GET %s: %s, %v: %s", address, res.Status, err, tail(string(body)))
	}
	return body
}

// try sends a request to the API and decodes the data of the response.
func (a *api) try(method, path string, body, into any, headers ...string) error {
	doc, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(a.t.Context(), method, url+"/api/v1"+path, bytes.NewReader(doc))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	var envelope struct {
		Success bool
		Data    json.RawMessage
	}
	if err := json.Unmarshal(text, &envelope); err != nil || !envelope.Success {
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, tail(string(text)))
	}
	return json.Unmarshal(envelope.Data, into)
}

func (a *api) call(method, path string, body, into any, headers ...string) {
	a.t.Helper()
	if err := a.try(method, path, body, into, headers...); err != nil {
		a.t.Fatal(err)
	}
}

// slideshow requests a slideshow with its video.
func (a *api) slideshow(text string) int64 {
	a.t.Helper()
	var job struct {
		ID int64 `json:"job_id"`
	}
	a.call("POST", "/slideshows", map[string]any{"context": text, "auto_render": true}, &job)
	return job.ID
}

type job struct {
	Status string
	Error  *struct{ Code, Message string }
	Result struct {
		VideoURL string `json:"video_url"`
	}
}

// finished waits until the video of a slideshow is rendered.
func (a *api) finished(id int64) {
	a.t.Helper()
	eventually(a.t, patience, fmt.Sprintf("the video of %d is rendered", id), func() error {
		var j job
		if err := a.try("GET", fmt.Sprintf("/jobs/%d", id), nil, &j); err != nil {
			return err
		}
		if j.Status == "failed" {
			a.t.Fatalf("job %d failed: %+v", id, j.Error)
		}
		if j.Status != "succeeded" || j.Result.VideoURL == "" {
			time.Sleep(300 * time.Millisecond) // within the rate limit of a key
			return fmt.Errorf("the job is %s", j.Status)
		}
		return nil
	})
}

// video downloads the video of a slideshow from the URL that a browser on the machine of the container receives.
func (a *api) video(id int64) []byte {
	a.t.Helper()
	var j job
	a.call("GET", fmt.Sprintf("/jobs/%d", id), nil, &j)
	path, ok := strings.CutPrefix(j.Result.VideoURL, a.public+"/")
	if !ok {
		a.t.Fatalf("got the URL %s", j.Result.VideoURL)
	}
	film := a.get(url + "/" + path)
	if len(film) < 10_000 || string(film[4:8]) != "ftyp" {
		a.t.Fatalf("%d bytes are no MP4", len(film))
	}
	return film
}

// connect connects an account of the sandbox.
func (a *api) connect(platform string) {
	a.t.Helper()
	var link struct {
		URL string `json:"authorize_url"`
	}
	a.call("POST", "/connections/link", map[string]any{"platform": platform}, &link)
	// The callback is at localhost, which this test cannot resolve in the network namespace.
	client := *a.client
	client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		req.URL.Host = strings.Replace(req.URL.Host, "localhost:", "127.0.0.1:", 1)
		return nil
	}
	res, err := client.Get(link.URL + "&approve=maya")
	if err != nil {
		a.t.Fatal(err)
	}
	a.check(res.Body.Close())
	eventually(a.t, patience, platform+" is connected", func() error {
		var have struct {
			Accounts []struct {
				Platform string
				Ready    bool `json:"ready_to_post"`
			}
		}
		if err := a.try("GET", "/connections", nil, &have); err != nil {
			return err
		}
		for _, c := range have.Accounts {
			if c.Platform == platform && c.Ready {
				return nil
			}
		}
		return fmt.Errorf("got %+v", have)
	})
}

func (a *api) check(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Error(err)
	}
}

func (a *api) post(id int64, platform string) {
	a.t.Helper()
	body := map[string]any{"short_id": id, "platforms": []string{platform}}
	a.call("POST", "/posts", body, &struct{}{}, "Idempotency-Key", platform)
}

// published waits until a short has n successful posts, and checks that the sandbox received each of them once.
func (a *api) published(id int64, n int) {
	a.t.Helper()
	eventually(a.t, patience, fmt.Sprintf("%d posts are published", n), func() error {
		var posts []struct{ Status string }
		if err := a.try("GET", fmt.Sprintf("/posts?short_id=%d", id), nil, &posts); err != nil {
			return err
		}
		done := 0
		for _, p := range posts {
			if p.Status == "success" {
				done++
			}
		}
		if len(posts) != n || done != n {
			time.Sleep(300 * time.Millisecond)
			return fmt.Errorf("got %+v", posts)
		}
		return nil
	})
	var ledger []struct{ Platform string }
	if text := a.get(sandbox + "/ledger?all=true"); json.Unmarshal(text, &ledger) != nil || len(ledger) != n {
		a.t.Fatalf("want %d posts in the sandbox, got %s", n, tail(string(text)))
	}
}

// console loads the page of the console and its files, and signs in with Chromium, if it is installed.
func (a *api) console(c *container) {
	a.t.Helper()
	page := string(a.get(url + "/console"))
	files := regexp.MustCompile(`(?:src|href)="(/console/assets/[^"]+\.(?:js|css))"`).FindAllStringSubmatch(page, -1)
	if len(files) < 2 {
		a.t.Fatalf("the page has no script and style:\n%s", page)
	}
	for _, f := range files {
		if len(a.get(url+f[1])) == 0 {
			a.t.Errorf("%s is empty", f[1])
		}
	}
	if _, err := exec.LookPath("chromium-headless-shell"); err != nil {
		a.t.Log("no Chromium is installed: the console is not opened in a browser")
		return
	}
	var made struct{ URL string }
	if out := c.command("reelops", "console", "-n", "demo", "-o", "json"); json.Unmarshal([]byte(out), &made) != nil ||
		!strings.HasPrefix(made.URL, a.public+"/console/") {
		a.t.Fatalf("got the link %s", out)
	}
	out := c.e.host("ip", "netns", "exec", c.e.netns, "chromium-headless-shell", "--no-sandbox", "--disable-gpu",
		"--virtual-time-budget=20000", "--dump-dom", made.URL)
	if !strings.Contains(out, "Sign out") {
		a.t.Errorf("the console is not signed in:\n%s", tail(out))
	}
}
