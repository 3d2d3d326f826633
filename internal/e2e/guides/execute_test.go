// SPDX-License-Identifier: Apache-2.0

package guides

import (
	"strings"
	"testing"
	"time"
)

func TestExecute_NamesTheBlockThatFailed(t *testing.T) {
	for name, c := range map[string]struct {
		page, output, reason string
		line                 int
	}{
		"a command fails":    {"```sh\necho one\n```\n```sh\necho two\nfalse | cat\n```", "two\n", "exit status 1", 4},
		"a variable is gone": {"```sh\na=1\n```\n```sh\necho $a $b\n```", "page.md: line 5: b: unbound", "exit status", 4},
		"it takes too long":  {"```sh\necho one\nuntil false; do sleep 0.1; done\n```", "one\n", "not done after", 1},
		"a request failed":   {"text\n```sh\necho '{\"success\": false}'\n```", "success", "a request failed", 2},
		"all is well":        {"```sh\na=1\n```\n```sh\ntest $a = 1\n```", "", "", 4},
	} {
		d, err := parse("page.md", c.page, begin)
		must(t, err)
		limit := time.Minute
		if strings.HasPrefix(c.reason, "not done") {
			limit = time.Second
		}
		line, output, err := d.execute(t.Context(), t.TempDir(), limit)
		if line != c.line || !strings.Contains(output, c.output) {
			t.Errorf("%s: line %d with the output %q, want line %d with %q", name, line, output, c.line, c.output)
		}
		if (err == nil) != (c.reason == "") || err != nil && !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.reason)
		}
	}
}
