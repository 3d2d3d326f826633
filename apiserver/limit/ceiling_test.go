// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDefaults(t *testing.T) {
	want := "analytics_refresh=1/15m,console=1200/5m,generation=20/1h,global=300/5m,posting=30/1h,unauthenticated=60/5m"
	if got := Default().String(); got != want {
		t.Errorf("got rate limits\n%s, want\n%s", got, want)
	}
	again := Ceilings{}
	if err := again.Set(want); err != nil || !cmp.Equal(again, Default()) {
		t.Errorf("parsing the printed limits: %v %v", err, again)
	}
}

func TestSetCeilings(t *testing.T) {
	for _, c := range []struct {
		why, text string
		want      Ceilings
		wrong     string // part of the error; empty for none
	}{
		{"one", "global=100000/5m", Ceilings{Global: {100_000, 5 * time.Minute}}, ""},
		{"two, with blanks", "posting=1/1s, generation=2/90m", Ceilings{Posting: {1, time.Second}, Generation: {2, 90 * time.Minute}}, ""},
		{"no such bucket", "hourly=1/1h", nil, `unknown rate limit "hourly": choose from analytics_refresh, console, generation`},
		{"no window", "global=5", nil, "is not of the form"},
		{"no number", "global=many/5m", nil, "is not of the form"},
		{"no limit at all", "global=0/5m", nil, "global: the limit 0"},
		{"more than the maximum", "global=100000000/5m", nil, "global: the limit 100000000"},
		{"a window with fractions of seconds", "global=5/1500ms", nil, "global: the window 1.5s"},
		{"a window of 0", "global=5/0s", nil, "global: the window 0s"},
		{"one valid and one invalid change nothing", "global=5/5m,posting=5", nil, "is not of the form"},
		{"nothing", "", nil, "is not of the form"},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := Default()
			err := got.Set(c.text)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("got %v, want %q", err, c.wrong)
				}
				if !cmp.Equal(got, Default()) {
					t.Errorf("an invalid text changed the rate limits to %s", got)
				}
				return
			}
			want := Default()
			for b, ceiling := range c.want {
				want[b] = ceiling
			}
			if err != nil || !cmp.Equal(got, want) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}
