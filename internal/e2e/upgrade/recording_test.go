// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"bufio"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/content/imagery/starter"
)

// recording is an installation that a release left behind.
type recording struct {
	// Taken is when it was stopped.
	Taken time.Time `json:"taken"`
	// Key of its API.
	Key     string `json:"key"`
	objects []object
	answers []exchange
	files   []file
	journal string
}

// exchange is a request and its answer.
type exchange struct {
	Method         string `json:"method"`
	Path           string `json:"path"`
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
	Request        string `json:"request,omitempty"`
	Answer         *reply `json:"answer"`
}

// Hosts stand for the addresses of a world, which differ from run to run.
const (
	apiHost      = "api.test:80"
	internalHost = "internal.test:80"
	sandboxHost  = "sandbox.test:80"
)

// portable replaces the addresses of a world in a text.
func (w *world) portable(text string) string {
	return strings.NewReplacer(w.api, apiHost, w.internal, internalHost, w.sandbox, sandboxHost).Replace(text)
}

// local is the reverse of portable.
func (w *world) local(text string) string {
	return strings.NewReplacer(apiHost, w.api, internalHost, w.internal, sandboxHost, w.sandbox).Replace(text)
}

// moment is a time as objects and answers have it.
var moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)

// month is the start of a month: quotas count by calendar months.
var month = regexp.MustCompile(`^\d{4}-\d\d-01T00:00:00Z$`)

// moved returns a text with all times later by d, except for the release of the starter packs, which is a constant of
// the code. The starts of the month of taken and of the next one become those of the present.
func moved(text string, d time.Duration, taken time.Time) string {
	now := taken.Add(d).UTC()
	starts := map[string]time.Time{}
	for i := range 2 {
		was := time.Date(taken.UTC().Year(), taken.UTC().Month()+time.Month(i), 1, 0, 0, 0, 0, time.UTC)
		starts[was.Format(time.RFC3339)] = time.Date(now.Year(), now.Month()+time.Month(i), 1, 0, 0, 0, 0, time.UTC)
	}
	text = moment.ReplaceAllStringFunc(text, func(at string) string {
		if is, ok := starts[at]; ok && month.MatchString(at) {
			return is.Format(time.RFC3339)
		}
		was, err := time.Parse(time.RFC3339Nano, at)
		if err != nil || was.Year() < 2020 || was.Year() > 2100 || was.Equal(starter.Released) {
			return at
		}
		form := "2006-01-02T15:04:05Z"
		if _, digits, ok := strings.Cut(strings.TrimSuffix(at, "Z"), "."); ok {
			form = "2006-01-02T15:04:05." + strings.Repeat("0", len(digits)) + "Z"
		}
		return was.Add(d).Format(form)
	})
	// The ledger of a quota names what it counted as NAME/UID/OPERATION/MONTH.
	return strings.ReplaceAll(text, taken.UTC().Format("/2006-01")+`"`, now.Format("/2006-01")+`"`)
}

// recordings are the folders of testdata.
func recordings(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join("testdata", "*", "recording.json"))
	must(t, err)
	for i := range folders {
		folders[i] = filepath.Dir(folders[i])
	}
	if len(folders) == 0 {
		t.Fatal("testdata has no recording")
	}
	return folders
}

// read reads a recording into a world: for its addresses, and as if it had been taken just now.
func (w *world) recording(t *testing.T, folder string) *recording {
	t.Helper()
	r := &recording{}
	doc, err := os.ReadFile(filepath.Join(folder, "recording.json"))
	must(t, err)
	must(t, json.Unmarshal(doc, r))
	w.key = r.Key
	// Whole seconds: most times are stored as such, and the order of all must stay.
	d := time.Since(r.Taken).Truncate(time.Second)
	here := func(text string) string { return w.local(moved(text, d, r.Taken)) }
	lines(t, folder, "files.jsonl", func(text string) string { return text }, &r.files)
	digests := w.generate(t, r.files)
	same := strings.NewReplacer(digests...)
	whole := func(text string) string { return same.Replace(here(text)) }
	lines(t, folder, "objects.jsonl", whole, &r.objects)
	lines(t, folder, "answers.jsonl", whole, &r.answers)
	var sent []exchange
	lines(t, folder, "answers.jsonl", w.local, &sent)
	for i, e := range sent {
		if e.IdempotencyKey != "" { // a repeated request must be the same, its times included
			r.answers[i].Request = e.Request
		}
	}
	journal, err := os.ReadFile(filepath.Join(folder, "journal.jsonl"))
	must(t, err)
	r.journal = whole(string(journal))
	r.Taken = r.Taken.Add(d)
	return r
}

// lines reads a file of JSON lines, each through change.
func lines[T any](t *testing.T, folder, name string, change func(string) string, into *[]T) {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, name))
	must(t, err)
	defer func() { _ = f.Close() }()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var one T
		must(t, json.Unmarshal([]byte(change(in.Text())), &one))
		*into = append(*into, one)
	}
	must(t, in.Err())
}

// write writes a recording of a world.
func (w *world) write(t *testing.T, folder string, r *recording) {
	t.Helper()
	must(t, os.MkdirAll(folder, 0o755))
	doc, err := json.MarshalIndent(r, "", "  ")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(folder, "recording.json"), append(doc, '\n'), 0o644))
	writeLines(t, w, folder, "objects.jsonl", r.objects)
	writeLines(t, w, folder, "answers.jsonl", r.answers)
	writeLines(t, w, folder, "files.jsonl", r.files)
	must(t, os.WriteFile(filepath.Join(folder, "journal.jsonl"), []byte(w.portable(r.journal)), 0o644))
}

func writeLines[T any](t *testing.T, w *world, folder, name string, all []T) {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for _, one := range all {
		must(t, e.Encode(one))
	}
	must(t, os.WriteFile(filepath.Join(folder, name), []byte(w.portable(out.String())), 0o644))
}

// difference is a field that is not as it was recorded.
type difference struct {
	path     string
	was, now any
}

// absent stands for a field that a document does not have.
const absent = "absent"

// compare lists the fields of two JSON documents that differ.
func compare(path string, was, now any) (out []difference) {
	switch was := was.(type) {
	case map[string]any:
		if now, ok := now.(map[string]any); ok {
			keys := maps.Clone(was)
			maps.Copy(keys, now)
			for _, k := range slices.Sorted(maps.Keys(keys)) {
				a, hadIt := was[k]
				b, hasIt := now[k]
				switch {
				case !hadIt:
					out = append(out, difference{path + "." + k, absent, b})
				case !hasIt:
					out = append(out, difference{path + "." + k, a, absent})
				default:
					out = append(out, compare(path+"."+k, a, b)...)
				}
			}
			return out
		}
	case []any:
		if now, ok := now.([]any); ok && len(was) == len(now) {
			for i := range was {
				out = append(out, compare(path+"[]", was[i], now[i])...)
			}
			return out
		}
	}
	a, err1 := json.Marshal(was)
	b, err2 := json.Marshal(now)
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		return []difference{{path, was, now}}
	}
	return nil
}

// parsed returns an answer as a JSON document, without the signatures of its URLs.
func (r *reply) parsed(t *testing.T) any {
	t.Helper()
	var out any
	must(t, json.Unmarshal(r.Body, &out))
	return map[string]any{"status": r.Status, "retry_after": r.RetryAfter, "body": unsigned(out)}
}

// signature is what changes in a signed URL whenever it is written.
var signature = regexp.MustCompile(`\?.*\bsignature=.*$`)

func unsigned(doc any) any {
	switch doc := doc.(type) {
	case map[string]any:
		for k, v := range doc {
			doc[k] = unsigned(v)
		}
	case []any:
		for i, v := range doc {
			doc[i] = unsigned(v)
		}
	case string:
		return signature.ReplaceAllString(doc, "?signed")
	}
	return doc
}
