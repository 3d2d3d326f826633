// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"strings"
	"testing"
	"time"
)

var required = []string{"--base-url=https://reelops.example", "--blob-url=file:///blobs", "--signing-key-file=/key"}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		why   string
		args  []string
		wrong string // part of the error; empty for none
	}{
		{"all required options", required, ""},
		{"nothing", nil, "--base-url is required"},
		{"no store", required[:1], "--blob-url is required"},
		{"a base without scheme", append([]string{"--base-url=reelops.example"}, required[1:]...), "is not a URL"},
		{"a key prefix that is ambiguous", append([]string{"--key-prefix=x"}, required...), "--key-prefix"},
		{"an invalid voice", append([]string{"--speech-model=m", "--speech-voices=no voice"}, required...), "--speech-voices"},
		{"voices without a model", append([]string{"--speech-voices=alloy"}, required...), "needs --speech-model"},
		{"an identity provider", append([]string{"--oidc-issuer-url=https://login.example", "--oidc-client-id=c"}, required...), ""},
		{"an identity provider without a client", append([]string{"--oidc-issuer-url=https://login.example"}, required...), "--oidc-client-id"},
		{"a client without an identity provider", append([]string{"--oidc-client-id=c"}, required...), "need --oidc-issuer-url"},
		{
			"an identity provider over plain HTTP",
			append([]string{"--oidc-issuer-url=http://login.example", "--oidc-client-id=c"}, required...), "--oidc-issuer-url",
		},
		{"an audit log without backups", append([]string{"--audit-log-maxbackup=0"}, required...), "--audit-log-maxbackup"},
		{"an audit log that another program rotates", append([]string{"--audit-log-maxsize=0"}, required...), ""},
		{"an invalid log level", append([]string{"--log-level=loud"}, required...), "--log-level"},
	} {
		t.Run(c.why, func(t *testing.T) {
			_, err := parseOptions(c.args, io.Discard)
			if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("got %v, want %q", err, c.wrong)
			}
		})
	}
}

func TestOIDC_PrefixOfUserNames(t *testing.T) {
	for _, c := range []struct{ claim, prefix, want string }{
		{"email", "", ""}, {"sub", "", "https://login.example#"}, {"sub", "-", ""}, {"email", "login:", "login:"}, {"sub", "login:", "login:"},
	} {
		o, err := parseOptions(append([]string{
			"--oidc-issuer-url=https://login.example", "--oidc-client-id=c", "--oidc-username-claim=" + c.claim, "--oidc-username-prefix=" + c.prefix,
		}, required...), io.Discard)
		if err != nil || o.oidc.UsernamePrefix != c.want {
			t.Errorf("claim %s, prefix %q: got %q, %v, want %q", c.claim, c.prefix, o.oidc.UsernamePrefix, err, c.want)
		}
	}
}

func TestFlagsWinOverTheEnvironment(t *testing.T) {
	t.Setenv("REELOPS_LISTEN", ":1")
	t.Setenv("REELOPS_DRAIN_DELAY", "3s")
	o, err := parseOptions(append([]string{"--listen=:2"}, required...), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if o.listen != ":2" || o.drainDelay != 3*time.Second {
		t.Errorf("got listen %s, drain delay %s", o.listen, o.drainDelay)
	}
	t.Setenv("REELOPS_DRAIN_DELAY", "soon")
	if _, err := parseOptions(required, io.Discard); err == nil || !strings.Contains(err.Error(), "REELOPS_DRAIN_DELAY") {
		t.Errorf("an invalid value in the environment: %v", err)
	}
}
