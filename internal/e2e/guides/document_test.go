// SPDX-License-Identifier: Apache-2.0

package guides

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const shell = "sh"

var (
	// fence matches the first or last line of a block. Its group is the language.
	fence = regexp.MustCompile("^ *```(.*)$")
	// notRun matches the line above a block that is not run. Its group is the reason.
	notRun = regexp.MustCompile(`^ *<!-- not run:(.*)-->$`)
)

// document is a Markdown page with shell commands.
type document struct {
	name string
	// script has the commands on the same lines as the page, so that messages of the shell name the line of the page.
	script string
	// run and skipped have the lines on which the blocks begin.
	run, skipped []int
}

// parse returns the commands of a page. The script calls begin with the line of each block before it runs the block.
func parse(name, text, begin string) (*document, error) {
	d := &document{name: name}
	lines := strings.Split(text, "\n")
	script := make([]string, len(lines))
	inside, language, opened := false, "", 0
	for i, line := range lines {
		m := fence.FindStringSubmatch(line)
		switch {
		case m != nil && inside:
			inside = false
		case m != nil:
			inside, language, opened = true, m[1], i+1
			skip, err := reason(lines[max(0, i-1)])
			if err == nil && language == "" {
				err = fmt.Errorf("the block has no language: name it, %s for commands", shell)
			}
			if err == nil && skip != "" && language != shell {
				err = fmt.Errorf("only blocks with the language %s are run", shell)
			}
			switch {
			case err != nil:
				return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
			case skip != "":
				d.skipped, language = append(d.skipped, i+1), ""
			case language == shell:
				d.run, script[i] = append(d.run, i+1), fmt.Sprintf("%s %d", begin, i+1)
			}
		case inside && language == shell:
			script[i] = line
		}
	}
	if inside {
		return nil, fmt.Errorf("%s:%d: the block does not end", name, opened)
	}
	d.script = strings.Join(script, "\n")
	return d, nil
}

// reason returns the reason in a line that excludes the block below it, or "" if the line is another one.
func reason(line string) (string, error) {
	m := notRun.FindStringSubmatch(line)
	if m == nil {
		if strings.Contains(line, "<!-- not") {
			return "", fmt.Errorf("%q is not of the form <!-- not run: reason -->", line)
		}
		return "", nil
	}
	if why := strings.TrimSpace(m[1]); why != "" {
		return why, nil
	}
	return "", errors.New("a block that is not run needs a reason")
}

func TestParse_KeepsLinesAndSkipsWithAReason(t *testing.T) {
	page := "text\n```sh\none\n\ntwo\n```\n<!-- not run: it needs a cluster -->\n```sh\nhelm\n```\n" +
		"```json\n{}\n```\n```sh\nthree\n```\n"
	d, err := parse("page.md", page, "begin")
	if err != nil {
		t.Fatal(err)
	}
	want := "\nbegin 2\none\n\ntwo\n\n\n\n\n\n\n\n\nbegin 14\nthree\n\n"
	if d.script != want {
		t.Errorf("the script is %q, want %q", d.script, want)
	}
	if !slices.Equal(d.run, []int{2, 14}) || !slices.Equal(d.skipped, []int{8}) {
		t.Errorf("blocks %v are run and %v skipped, want 2 and 14, and 8", d.run, d.skipped)
	}
}

func TestParse_RejectsBlocksThatWouldNotRunUnnoticed(t *testing.T) {
	for name, page := range map[string]string{
		"no reason":     "<!-- not run: -->\n```sh\nmake run\n```",
		"other comment": "<!-- not executed -->\n```sh\nmake run\n```",
		"no language":   "```\nmake run\n```",
		"not a shell":   "<!-- not run: no server -->\n```json\n{}\n```",
		"no end":        "```sh\nmake run",
	} {
		if _, err := parse("page.md", page, "begin"); err == nil || !strings.HasPrefix(err.Error(), "page.md:") {
			t.Errorf("%s: the error is %v, want one with the name of the page", name, err)
		}
	}
}
