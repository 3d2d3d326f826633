// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// open opens a file with room for two lines of six bytes.
func open(t *testing.T, path string, backups int) *File {
	t.Helper()
	f, err := OpenFile(path, Rotation{MaxBytes: 12, MaxBackups: backups})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// write writes the lines with the numbers, of six bytes each.
func write(t *testing.T, f *File, from, to int) {
	t.Helper()
	for i := from; i <= to; i++ {
		if _, err := fmt.Fprintf(f, "%05d\n", i); err != nil {
			t.Fatal(err)
		}
	}
}

// want compares the lines of the file and of its backups, by number, with the given ones.
func want(t *testing.T, path string, lines ...[]int) {
	t.Helper()
	found, err := filepath.Glob(path + "*")
	if err != nil || len(found) != len(lines) {
		t.Errorf("got the files %v, %v; want %d", found, err, len(lines))
	}
	for i, numbers := range lines {
		name := path
		if i > 0 {
			name = fmt.Sprintf("%s.%d", path, i)
		}
		var expected strings.Builder
		for _, n := range numbers {
			fmt.Fprintf(&expected, "%05d\n", n)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != expected.String() {
			t.Errorf("%s has %q, %v; want %q", name, got, err, expected.String())
		}
	}
}

func TestFile_Rotates(t *testing.T) {
	for _, c := range []struct {
		lines int
		want  [][]int
	}{
		{2, [][]int{{1, 2}}},
		{3, [][]int{{3}, {1, 2}}},
		{6, [][]int{{5, 6}, {3, 4}, {1, 2}}},
		{7, [][]int{{7}, {5, 6}, {3, 4}}},
	} {
		path := filepath.Join(t.TempDir(), "audit.log")
		write(t, open(t, path, 2), 1, c.lines)
		want(t, path, c.want...)
	}
}

func TestFile_ContinuesAFileOfAnEarlierProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	write(t, open(t, path, 2), 1, 1)
	write(t, open(t, path, 2), 2, 3)
	want(t, path, []int{3}, []int{1, 2})
}

func TestFile_LosesNoLineInAnInterruptedRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	write(t, open(t, path, 3), 1, 6)
	if err := os.Rename(path+".2", path+".3"); err != nil { // the first step of a rotation
		t.Fatal(err)
	}
	write(t, open(t, path, 3), 7, 7)
	want(t, path, []int{7}, []int{5, 6}, []int{3, 4}, []int{1, 2})
}

func TestFile_LinesLongerThanTheLimitHaveTheirOwnFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f := open(t, path, 2)
	long := strings.Repeat("x", 20) + "\n"
	for _, line := range []string{long, "a\n"} {
		if _, err := f.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{path: "a\n", path + ".1": long} {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v", name, got, err)
		}
	}
}

func TestFile_SeveralProcessesRotateOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	one, other := open(t, path, 3), open(t, path, 3)
	write(t, one, 1, 1)
	write(t, other, 2, 2)
	write(t, one, 3, 3) // rotates the file that the other one has open
	write(t, other, 4, 5)
	write(t, one, 6, 6)
	want(t, path, []int{5, 6}, []int{3, 4}, []int{1, 2})
}

func TestFile_CreatesADeletedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f := open(t, path, 2)
	write(t, f, 1, 1)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	write(t, f, 2, 2)
	want(t, path, []int{2})
}

func TestLog_LinesOfAFailedRotationAreInTheOrdinaryLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f := open(t, path, 1)
	write(t, f, 1, 2)
	// A folder with content cannot be replaced by a file.
	if err := os.MkdirAll(filepath.Join(path+".1", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	var ordinary bytes.Buffer
	l, err := New(Config{Out: f, Log: slog.New(slog.NewTextHandler(&ordinary, nil))}, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	l.Found(t.Context(), "acme", "slideshow-1")
	if got := ordinary.String(); !strings.Contains(got, "rotating the audit log") || !strings.Contains(got, "slideshow-1") {
		t.Errorf("the ordinary log has %q", got)
	}
	if n := testutil.ToFloat64(l.lines.WithLabelValues("not_written")); n != 1 {
		t.Errorf("counted %v lines that were not written", n)
	}
	if err := os.RemoveAll(path + ".1"); err != nil {
		t.Fatal(err)
	}
	write(t, f, 3, 3)
	want(t, path, []int{3}, []int{1, 2})
}

func TestFile_KeepsTheOpenFileIfReopenFails(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := OpenFile(filepath.Join(folder, "audit.log"), Rotation{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := os.Rename(folder, folder+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := f.Reopen(); err == nil {
		t.Error("reopened a file in a folder that does not exist")
	}
	write(t, f, 1, 1)
	want(t, filepath.Join(folder+".moved", "audit.log"), []int{1})
}

func TestFile_PermitsItsOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	write(t, open(t, path, 1), 1, 3)
	var modes []os.FileMode
	for _, name := range []string{path, path + ".1"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		modes = append(modes, info.Mode().Perm())
	}
	if !slices.Equal(modes, []os.FileMode{0o600, 0o600}) {
		t.Errorf("got the modes %v", modes)
	}
}
