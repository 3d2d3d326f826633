// SPDX-License-Identifier: Apache-2.0

package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// installations returns the values of typical installations: testdata/values/*.yaml.
func installations(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/values/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("got %d files: %v", len(files), err)
	}
	out := map[string]string{"nothing set": ""}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".yaml")] = string(b)
	}
	return out
}

// env returns the environment variables of a Deployment's program.
func env(t *testing.T, o object) map[string]string {
	t.Helper()
	list := containers(o)
	if len(list) != 1 {
		t.Fatalf("got %d containers", len(list))
	}
	out := map[string]string{}
	for _, e := range list[0]["env"].([]any) {
		name := text(e, "name")
		if _, twice := out[name]; twice {
			t.Errorf("%s is set twice", name)
		}
		out[name] = text(e, "value")
		if from := text(e, "valueFrom", "secretKeyRef", "name"); from != "" {
			out[name] = "secret " + from + " " + text(e, "valueFrom", "secretKeyRef", "key")
		}
	}
	return out
}

func TestValues_ReachThePrograms(t *testing.T) {
	const manager, frontEnd = "Deployment " + system + "/reelops-manager", "Deployment " + system + "/reelops-apiserver"
	both := []string{manager, frontEnd}
	values := installations(t)
	for _, c := range []struct {
		values string
		of     []string
		want   map[string]string
	}{
		{"nothing set", both, map[string]string{"REELOPS_BLOB_URL": "file:///data/blobs", "REELOPS_RESUME_DIR": "/var/cache/reelops"}},
		{"nothing set", []string{frontEnd}, map[string]string{"REELOPS_BASE_URL": "http://reelops-apiserver.reelops-system.svc"}},
		{"nothing set", []string{manager}, map[string]string{"REELOPS_RENDERER_IMAGE": "reelops.dev/renderer:dev"}},
		{"s3", both, map[string]string{
			"REELOPS_BLOB_URL": "s3://films?region=eu-west-1&endpoint=http%3A%2F%2Fminio.minio.svc%3A9000&use_path_style=true", "AWS_ACCESS_KEY_ID": "secret films-s3 user",
		}},
		{"s3", []string{frontEnd}, map[string]string{
			"REELOPS_REDIS_URL": "redis://redis.redis.svc:6379/0", "REELOPS_REDIS_PASSWORD_FILE": "/etc/reelops/secrets/redis", "REELOPS_BASE_URL": "https://reelops.example",
		}},
		{"gcs", both, map[string]string{"REELOPS_BLOB_URL": "gs://films", "GOOGLE_APPLICATION_CREDENTIALS": "/etc/reelops/secrets/store"}},
		{"azure", both, map[string]string{"REELOPS_BLOB_URL": "azblob://films", "AZURE_STORAGE_ACCOUNT": "acme", "AZURE_STORAGE_KEY": "secret films-azure AZURE_STORAGE_KEY"}},
		{"services", []string{manager}, map[string]string{
			"REELOPS_LLM_URL": "http://ollama.ai.svc:11434/v1", "REELOPS_LLM_KEY_FILE": "/etc/reelops/secrets/llm", "REELOPS_AI_IMAGE_KEY_FILE": "/etc/reelops/secrets/ai-image",
			"REELOPS_TIKTOK_CLIENT_ID": "abc", "REELOPS_TIKTOK_CLIENT_SECRET_FILE": "/etc/reelops/secrets/tiktok", "REELOPS_PEXELS_KEY_FILE": "/etc/reelops/secrets/pexels",
		}},
		{"services", both, map[string]string{
			"REELOPS_TIKTOK_SCOPES":  "user.info.basic,video.publish,video.upload,video.list",
			"REELOPS_YOUTUBE_SCOPES": "", "REELOPS_INSTAGRAM_SCOPES": "",
		}},
		{"nothing set", both, map[string]string{"REELOPS_LLM_URL": "", "REELOPS_LLM_MODEL": ""}},
		{"ollama", []string{manager}, map[string]string{
			"REELOPS_LLM_URL": "http://reelops-ollama.reelops-system.svc:11434/v1", "REELOPS_LLM_MODEL": "qwen3:4b", "REELOPS_LLM_TIMEOUT": "4m",
		}},
		{"ollama", []string{frontEnd}, map[string]string{"REELOPS_LLM_URL": "", "REELOPS_LLM_MODEL": "qwen3:4b"}},
		{"services", []string{frontEnd}, map[string]string{"REELOPS_LLM_MODEL": "qwen3"}},
		{"services", []string{frontEnd}, map[string]string{
			"REELOPS_AI_IMAGES": "true", "REELOPS_AI_IMAGE_CREDITS": "0", "REELOPS_TIKTOK_CLIENT_ID": "abc", "REELOPS_TIKTOK_CLIENT_SECRET_FILE": "",
			"REELOPS_EMBEDDINGS_KEY_FILE": "/etc/reelops/secrets/embeddings", "REELOPS_CEILINGS": "global=3000/5m,posting=60/1h", "REELOPS_TRUSTED_PROXIES": "10.0.0.0/8,192.168.0.0/16",
		}},
		{"services", []string{frontEnd}, map[string]string{
			"REELOPS_OIDC_ISSUER_URL": "https://login.example:8443/realms/acme", "REELOPS_OIDC_CLIENT_ID": "reelops", "REELOPS_OIDC_GROUPS_PREFIX": "login:",
			"REELOPS_OIDC_CLIENT_SECRET_FILE": "/etc/reelops/secrets/oidc", "REELOPS_OIDC_USERNAME_CLAIM": "",
		}},
		{"pods", []string{manager}, map[string]string{
			"REELOPS_RENDER_CPU": "4", "REELOPS_RENDERS": "3", "REELOPS_MEDIA_JOBS": "2", "REELOPS_RENDER_POD_TEMPLATE": "/etc/reelops/settings/render-pod.yaml",
			"REELOPS_KUEUE_QUEUE": "films", "REELOPS_RENDERER_IMAGE": "registry.example/reelops/renderer@sha256:" + strings.Repeat("0", 64),
		}},
	} {
		objects := render(t, values[c.values])
		for _, name := range c.of {
			got := env(t, objects[name])
			for _, k := range slices.Sorted(maps.Keys(c.want)) {
				if got[k] != c.want[k] {
					t.Errorf("%s: %s has %s=%q, want %q", c.values, name, k, got[k], c.want[k])
				}
			}
		}
	}
}

// TestValues_VariablesAreFlags checks that every variable is a flag of the program. A setting with another name would
// have no effect.
func TestValues_VariablesAreFlags(t *testing.T) {
	for what, values := range installations(t) {
		objects := render(t, values)
		for program, folders := range map[string][]string{
			"manager":   {"cmd/manager", "internal/content/stock", "internal/social/platforms", "internal/process/serving"},
			"apiserver": {"cmd/apiserver", "internal/content/stock", "internal/social/platforms", "internal/process/serving"},
		} {
			source := ""
			for _, folder := range folders {
				files, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
				if err != nil || len(files) == 0 {
					t.Fatalf("%s: got %v", folder, err)
				}
				for _, f := range files {
					b, err := os.ReadFile(f)
					if err != nil {
						t.Fatal(err)
					}
					source += string(b)
				}
			}
			for name := range env(t, deployment(t, objects, program)) {
				flag, ours := strings.CutPrefix(name, "REELOPS_")
				if !ours {
					continue
				}
				flag = strings.ToLower(strings.ReplaceAll(flag, "_", "-"))
				short := regexp.MustCompile(`^(tiktok|youtube|instagram|linkedin|pexels|unsplash|pixabay)-(client-id|client-secret-file|scopes|key-file)$`).ReplaceAllString(flag, "-$2")
				short = regexp.MustCompile(`^(metrics-)?(tls-(cert|key)-file)$`).ReplaceAllString(short, "$2")
				if !strings.Contains(source, `"`+flag+`"`) && !strings.Contains(source, `"`+short+`"`) {
					t.Errorf("%s: %s has no flag --%s", what, program, flag)
				}
			}
		}
	}
}

func TestValues_InvalidValuesAreRejected(t *testing.T) {
	for _, c := range []struct{ values, err string }{
		{"stoer: {type: s3}", "'stoer'"},
		{"store: {type: ftp}", "/store/type"},
		{"store: {type: s3}", "/store/s3/bucket"},
		{"store: {type: azure, azure: {container: films}}", "/store/azure/account"},
		{"store: {folder: {accessMode: ReadOnlyMany}}", "/store/folder/accessMode"},
		{"baseURL: reelops.example", "/baseURL"},
		{"image: {digests: {manager: v1}}", "/image/digests/manager"},
		{"llm: {url: 'https://api.example/v1'}", "/llm/model"},
		{"llm: {apiKey: hunter2}", "'apiKey'"},
		{"llm: {url: 'https://api.example/v1', model: m, ollama: {enabled: true}}", "/llm/"},
		{"llm: {ollama: {enabled: true, model: '$(id)'}}", "/llm/ollama/model"},
		{"platforms: {tiktok: {clientID: abc}}", "/platforms/tiktok/existingSecret/name"},
		{`platforms: {instagram: {scopes: ["instagram_business_basic,instagram_business_content_publish"]}}`, "/platforms/instagram/scopes/0"},
		{"platforms: {linkedin: {scopes: [openid]}}", "'scopes'"},
		{"ceilings: {global: 300 per minute}", "/ceilings/global"},
		{"ceilings: {everything: 1/1s}", "'everything'"},
		{"renderPod: {concurrency: many}", "/renderPod/concurrency"},
		{"ingress: {enabled: true}", "/ingress/host"},
		{"gateway: {enabled: true}", "/gateway/parentRefs"},
		{"manager: {replicas: -1}", "/manager/replicas"},
		{"manager: {serviceAccount: {name: Films}}", "/manager/serviceAccount/name"},
		{"renderPod: {runAsUser: -1}", "/renderPod/runAsUser"},
		{"manager: {strategy: {type: BlueGreen}}", "/manager/strategy/type"},
		{"manager: {podDisruptionBudget: {minAvailable: 1, maxUnavailable: 1}}", "/manager/podDisruptionBudget"},
		{"manager: {topologySpreadConstraints: [{topologyKey: zone}]}", "/manager/topologySpreadConstraints/0"},
		{"apiserver: {serviceAccount: {create: false}}", "/apiserver/serviceAccount/name"},
		{"apiserver: {autoscaling: {enabled: true, maxReplicas: 0}}", "/apiserver/autoscaling/maxReplicas"},
		{"apiserver: {autoscaling: {enabled: true, targetCPUUtilizationPercentage: null}}", "/apiserver/autoscaling/callsUnderWay"},
		{"apiserver: {autoscaling: {enabled: true, minReplicas: 7}}", "apiserver.autoscaling.minReplicas"},
		{"apiserver: {extraVolumeMounts: [{name: extra}]}", "/apiserver/extraVolumeMounts/0"},
		{"podDisruptionBudget: {minAvailable: 1, maxUnavailable: 1}", "/podDisruptionBudget/maxUnavailable"},
		{"podDisruptionBudget: {minAvailable: most}", "/podDisruptionBudget/minAvailable"},
		{"global: {imageRegistry: 'https://mirror.example'}", "/global/imageRegistry"},
		{"global: {compatibility: {openshift: {adaptSecurityContext: maybe}}}", "/global/compatibility/openshift/adaptSecurityContext"},
		{"fullnameOverride: Films", "/fullnameOverride"},
		{"nameOverride: " + strings.Repeat("a", 41), "/nameOverride"},
		{"commonLabels: {app.kubernetes.io/name: films}", "/commonLabels"},
		{"commonLabels: {reelops.dev/component: films}", "/commonLabels"},
		{"commonLabels: {team: video team}", "/commonLabels/team"},
		{"imagePullSecrets: [{secret: registry}]", "/imagePullSecrets/0"},
		{"proxy: {httpsProxy: 'http://user:hunter2@proxy.example:3128'}", "proxy.httpsProxy"},
		{"proxy: {fetchProxy: 'http://user:hunter2@proxy.example:3128'}", "proxy.fetchProxy"},
		{"caBundle: {configMap: {name: a}, secret: {name: b}}", "/caBundle/secret/name"},
		{"rbac: {aggregateToEdit: sometimes}", "/rbac/aggregateToEdit"},
		{"extraObjects: [{kind: ConfigMap}]", "/extraObjects/0"},
		{"monitoring: {serviceMonitor: {interval: ''}}", "/monitoring/serviceMonitor/interval"},
		{"monitoring: {serviceMonitor: {relabelings: [{source_labels: [a]}]}}", "/monitoring/serviceMonitor/relabelings/0"},
		{"crds: {enabled: yes please}", "/crds/enabled"},
		{"apiserver: {drainDelay: soon}", "/apiserver/drainDelay"},
		{"monitoring: {alerts: true}", "'alerts'"},
		{"monitoring: {metrics: {existingSecret: metrics}}", "/monitoring/metrics/secure"},
		{"tls: {enabled: true}", "/tls/existingSecret"},
		{"tls: {enabled: true, existingSecret: films, certManager: {enabled: true}}", "/tls/certManager/enabled"},
		{"tls: {enabled: true, certManager: {enabled: true, issuerRef: {kind: ClusterIssuer}}}", "/tls/certManager/issuerRef"},
	} {
		_, err := template(system, c.values)
		switch {
		case err == nil:
			t.Errorf("%s is accepted", c.values)
		case !strings.Contains(err.Error(), c.err):
			t.Errorf("%s: got %v, want %q in it", c.values, err, c.err)
		case strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%s: the error shows the value: %v", c.values, err)
		}
	}
}

// TestPolicy_NamesTheRenderersImage compares the image that the policy on the manager's Jobs accepts with the image
// that the manager uses.
func TestPolicy_NamesTheRenderersImage(t *testing.T) {
	all := map[string]map[string]object{}
	for what, values := range installations(t) {
		all["chart, "+what] = render(t, values)
	}
	for _, folder := range []string{"default", "overlays/s3", "overlays/ha", "overlays/trying"} {
		all["kustomize, "+folder] = kustomized(t, folder)
	}
	for what, objects := range all {
		want := env(t, deployment(t, objects, "manager"))["REELOPS_RENDERER_IMAGE"]
		var got string
		variables, _ := at(objects["ValidatingAdmissionPolicy /reelops-manager-jobs"], "spec", "variables").([]any)
		for _, v := range variables {
			if text(v, "name") == "renderer" {
				got = text(v, "expression")
			}
		}
		if got != "'"+want+"'" || want == "" {
			t.Errorf("%s: the policy accepts %s, the manager has %q", what, got, want)
		}
	}
}

// TestOllama_PullsTheModelOnce checks that the model is downloaded before Ollama accepts requests, and that a model on
// the volume is not downloaded again. A program that simulates Ollama records the requests.
func TestOllama_PullsTheModelOnce(t *testing.T) {
	o := render(t, installations(t)["ollama"])["Deployment "+system+"/reelops-ollama"]
	pod, _ := o["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	pull, _ := pod["initContainers"].([]any)[0].(map[string]any)
	command, _ := pull["command"].([]any)
	dir := t.TempDir()
	const ollama = `#!/bin/sh
echo "$*" >>"$LOG"
case $1 in
serve) touch "$STATE/up"; while [ -e "$STATE/up" ]; do sleep 0.05; done ;;
list) [ -e "$STATE/up" ] ;;
show) [ -e "$STATE/model" ] ;;
pull) touch "$STATE/model" ;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "ollama"), []byte(ollama), 0o755); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "log")
	for _, want := range []bool{true, false} {
		_ = os.Remove(log)
		_ = os.Remove(filepath.Join(dir, "up"))
		cmd := exec.Command(command[0].(string), command[1].(string), command[2].(string))
		cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "LOG=" + log, "STATE=" + dir}
		for _, e := range pull["env"].([]any) {
			cmd.Env = append(cmd.Env, text(e, "name")+"="+text(e, "value"))
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		said, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(said), "pull qwen3:4b"); got != want {
			t.Errorf("the model was pulled: %v, want %v:\n%s", got, want, said)
		}
	}
}
