// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// step is a command line, its exit code, and a part of its output: on standard output if it succeeds, otherwise on
// standard error.
type step struct {
	line   string
	code   int
	prints string
}

func (p *plugin) steps(t *testing.T, steps ...step) {
	t.Helper()
	for _, s := range steps {
		out, errOut, code := p.run(t, strings.Fields(s.line)...)
		text := out
		if s.code != 0 {
			text = errOut
		}
		if code != s.code || !strings.Contains(text, s.prints) {
			t.Errorf("reelops %s: exit code %d, want %d with %q\nstdout: %s\nstderr: %s", s.line, code, s.code, s.prints, out, errOut)
		}
	}
}

func TestPlugin_AccountsAndBrands(t *testing.T) {
	t.Parallel()
	p := installed(t)
	must(t, p.Create(t.Context(), testkit.Namespace("somebody")))
	p.steps(t,
		step{"account create first --email ann@first.example --slideshow-limit 5 -o jsonpath={.namespace}", 0, "first"},
		step{"account create first --email ann@first.example", exitFailed, `error: the account "first" exists`},
		step{"account create somebody --email a@b.example", exitFailed, "is not labelled for an account"},
		step{"account create Bad_Name --email a@b.example", exitFailed, "metadata.name: "},
		step{"account create shared --email a@b.example", exitUsage, "is reserved"},
		step{"account create second", exitUsage, `required flag(s) "email" not set`},
		step{"account create second --email a@b.example -n other", exitUsage, "accepts no --namespace"},
		step{"account create second --email a@b.example -o frob", exitUsage, "unable to match a printer"},
		step{"account create second --email a@b.example -o name", 0, "account.reelops.dev/account"},
		step{"account list", 0, "ACCOUNT"},
		step{"account list -o wide", 0, "ann@first.example"},
		step{"account list -n first -o custom-columns=EMAIL:.spec.email --no-headers", 0, "ann@first.example"},
		step{"account list --account nosuch", exitNotFound, `there is no account "nosuch"`},
		step{"account list --as nobody", exitFailed, `User "nobody" cannot list resource "accounts"`},
		step{"brand create coffee --account first --display-name Coffee", 0, `brand "coffee" created in account "first"`},
		step{"brand create tea -n first -o yaml", 0, "name: tea"},
		step{"brand create tea -n first", exitFailed, `the brand "tea" exists`},
		step{"brand create tea --account nosuch", exitNotFound, `there is no account "nosuch"`},
		step{"brand create tea --account first -n second", exitUsage, "name different accounts"},
		step{"brand create tea", exitUsage, "name the account with --account or --namespace"},
		step{"brand create tea --context tenant", exitNotFound, `there is no account "tenant"`},
		step{"brand create Bad_Name -n first", exitFailed, "metadata.name: "},
		step{"brand list -n first -o name", 0, "brand.reelops.dev/coffee\nbrand.reelops.dev/tea\n"},
		step{"brand list -n first -o jsonpath={.items[*].spec.displayName}", 0, "Coffee"},
		step{"brand list -n first -l reelops.dev/id=none", 0, ""},
		step{"brand list -l a=b=c", exitUsage, "--selector: "},
		step{"brand list -A -n first", exitUsage, "--all-accounts excludes"},
		step{"brand list extra", exitUsage, "unknown command"},
		step{"status --account first -o yaml", 0, "accounts: 1"},
		step{"status --account nosuch", exitNotFound, `there is no account "nosuch"`},
		step{"status -o name", exitUsage, "-o name is for commands that"},
	)
}

func TestPlugin_Keys(t *testing.T) {
	t.Parallel()
	p := installed(t)
	must(t, p.Create(t.Context(), testkit.Namespace("keys")))
	must(t, p.Create(t.Context(), testkit.Account("keys")))
	must(t, p.Create(t.Context(), testkit.Brand("keys", "coffee")))
	id := p.ok(t, "key", "create", "-n", "keys", "--brand", "coffee", "--name", "website", "--scopes", "brand:read,posts:write", "-o", "jsonpath={.id}")
	p.steps(t,
		step{"key create -n keys --brand coffee --name ci --expires-in 24h", 0, "Its secret is shown only now"},
		step{"key create -n keys --brand tea --name ci", exitNotFound, `there is no brand "tea"`},
		step{"key create -n keys --brand coffee --name ci --scopes frob", exitUsage, `there is no scope "frob"`},
		step{"key create -n keys --brand coffee", exitUsage, `required flag(s) "name" not set`},
		step{"key create -n keys --brand coffee --name ci --as nobody", exitFailed, `User "nobody" cannot get resource "brands"`},
		step{"key list -n keys", 0, "brand:read,posts:write"},
		step{"key list -n keys -o yaml", 0, "secretSHA256: "},
		step{"key list -n nosuch", exitNotFound, `there is no account "nosuch"`},
		step{"key revoke " + id, 0, "key " + id + " revoked"},
		step{"key revoke " + id + " -o name", 0, "apikey.reelops.dev/key-" + id},
		step{"key revoke 4711", exitNotFound, "there is no key 4711"},
		step{"key revoke frob", exitUsage, "the id of a key is a number"},
		step{"key revoke", exitUsage, "accepts 1 arg(s), received 0"},
		step{"key revoke " + id + " --frob", exitUsage, "unknown flag: --frob"},
		step{"key frob", exitUsage, "there is no command"},
	)
}

func TestPlugin_MusicAndPosts(t *testing.T) {
	t.Parallel()
	p := installed(t)
	p.publishing(t, "posting")
	p.steps(t,
		step{"music add -n posting --url https://music.example/calm.flac --title Calm", 0, `track "Calm" created`},
		step{"music add -n nosuch --url https://music.example/calm.flac", exitNotFound, `there is no account "nosuch"`},
		step{"music add -n posting", exitUsage, "give exactly one of FILE, --url and --blob-key"},
		step{"music add -n posting missing.mp3 --blob-url file:///tmp", exitFailed, "no such file"},
		step{"music list -n posting", 0, "Calm"},
		step{"connection list -n posting -o wide", 0, "Acme on YouTube"},
		step{"connection list -n nosuch", exitNotFound, `there is no account "nosuch"`},
		step{"post list -n posting", 0, "youtube"},
		step{"post list -n posting -l reelops.dev/brand=tea -o name", 0, ""},
		step{"post list --as nobody", exitFailed, `User "nobody" cannot list resource "posts"`},
		step{"batch list -n posting -o name", 0, "postbatch.reelops.dev/held\npostbatch.reelops.dev/sent\n"},
		step{"batch list -n posting --awaiting-approval -o name", 0, "postbatch.reelops.dev/held\n"},
		step{"approve held -n posting --as nobody", exitFailed, `User "nobody" cannot get resource "postbatches"`},
		step{"approve held -n posting", 0, `batch "held" approved: its posts are published at 2030-01-02 03:04:05Z`},
		step{"approve held -n posting", 0, `batch "held" was already approved`},
		step{"approve nosuch -n posting", exitNotFound, `there is no batch "nosuch" in the account "posting"`},
		step{"approve held", exitUsage, "name the account with --account or --namespace"},
	)
}

// publishing creates in an account a connection, a post, a batch that awaits approval and one that does not.
func (p *plugin) publishing(t *testing.T, account string) {
	t.Helper()
	coffee := v1beta1.LocalRef{Name: "coffee"}
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: account, Name: name} }
	at := metav1.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	batch := func(name string, reason v1beta1.Reason) *v1beta1.PostBatch {
		return &v1beta1.PostBatch{
			ObjectMeta: named(name),
			Spec:       v1beta1.PostBatchSpec{BrandRef: coffee, ShortRef: v1beta1.ShortRef{ID: 1}, Platforms: []v1beta1.Platform{"youtube"}, ScheduledAt: &at},
			Status: v1beta1.PostBatchStatus{Conditions: []metav1.Condition{{
				Type: string(v1beta1.ConditionReady), Status: metav1.ConditionFalse, Reason: string(reason), LastTransitionTime: at,
			}}},
		}
	}
	p.has(t, testkit.Namespace(account), testkit.Account(account), testkit.Brand(account, "coffee"),
		batch("held", v1beta1.ReasonAwaitingApproval), batch("sent", v1beta1.ReasonProgressing),
		&v1beta1.SocialAccount{
			ObjectMeta: named("youtube"),
			Spec:       v1beta1.SocialAccountSpec{BrandRef: coffee, Platform: "youtube", PlatformAccountID: "UC1", TokenSecretRef: v1beta1.LocalRef{Name: "token"}},
			Status:     v1beta1.SocialAccountStatus{AccountName: "Acme on YouTube", TokenStatus: v1beta1.TokenActive, ProfileURL: "https://youtube.example/acme"},
		},
		&v1beta1.Post{
			ObjectMeta: named("post-1"),
			Spec: v1beta1.PostSpec{
				BrandRef: coffee, Batch: "sent", Account: "youtube", Platform: "youtube", ShortID: 1, Media: v1beta1.PostMedia{Kind: "video"},
				PostingMode: "direct", ScheduledAt: metav1.NewMicroTime(at.Time),
			},
			Status: v1beta1.PostStatus{State: v1beta1.PostScheduled},
		})
}

func TestPlugin_Installation(t *testing.T) {
	p := installed(t)
	dir := t.TempDir()
	archive, text := filepath.Join(dir, "reelops.tar.gz"), filepath.Join(dir, "text")
	must(t, os.WriteFile(text, []byte("no archive"), 0o600))
	p.has(t, testkit.Namespace("backed-up"), testkit.Account("backed-up"))
	p.steps(t,
		step{"status", 0, "accounts"},
		step{"status --context frob", exitFailed, `context "frob" does not exist`},
		step{"status --server https://127.0.0.1:1", exitFailed, "the cluster cannot be reached"},
		step{"status --token frob --kubeconfig " + p.anonymous(t), exitFailed, "the cluster rejected the user's credentials"},
		step{"status --kubeconfig " + text + "-missing", exitFailed, "no such file"},
		step{"doctor", exitFailed, "failed checks"},
		step{"doctor -n backed-up", exitUsage, "accepts no --namespace"},
		step{"backup " + archive, 0, archive + " contains"},
		step{"backup " + dir + "/missing/reelops.tar.gz", exitFailed, "no such file"},
		step{"backup", exitUsage, "accepts 1 arg(s), received 0"},
		step{"backup " + archive + " --as nobody", exitFailed, `User "nobody" cannot`},
		step{"restore " + archive, exitFailed, "--into-existing"},
		step{"restore " + text, exitFailed, "nothing was restored"},
		step{"restore " + archive + "-missing", exitFailed, "no such file"},
		step{"migrate --dry-run -o jsonpath={.dryRun}", 0, "true"},
		step{"migrate", 0, "accounts v1beta1: "},
		step{"migrate --as nobody", exitFailed, "you may not do this in all namespaces"},
		step{"migrate extra", exitUsage, "unknown command"},
		step{"options", 0, "--as-group"},
		step{"--version", 0, "version"},
		step{"frob", exitUsage, "there is no command `kubectl reelops frob`"},
	)
}

// anonymous returns a kubeconfig without credentials.
func (p *plugin) anonymous(t *testing.T) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(p.kubeconfig)
	must(t, err)
	config.AuthInfos["admin"] = clientcmdapi.NewAuthInfo()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, clientcmd.WriteToFile(*config, file))
	return file
}
