{{/* Labels of every object. */}}
{{- define "reelops.labels" -}}
app.kubernetes.io/name: reelops
app.kubernetes.io/part-of: reelops
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- end }}

{{/* Labels by which pods of a component, .component, are selected. */}}
{{- define "reelops.selector" -}}
app.kubernetes.io/name: reelops
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* The image of a program, .program. */}}
{{- define "reelops.image" -}}
{{- $v := .root.Values.image -}}
{{- with get $v.digests .program -}}
{{ printf "%s/%s@%s" (trimSuffix "/" $v.registry) $.program . }}
{{- else -}}
{{ printf "%s/%s:%s" (trimSuffix "/" $v.registry) $.program (default $.root.Chart.AppVersion $v.tag) }}
{{- end -}}
{{- end }}

{{/* Where pods reach the interface. */}}
{{- define "reelops.inside" -}}
{{- $port := int .Values.apiserver.service.port -}}
http://reelops-apiserver.{{ .Release.Namespace }}.svc{{ if ne $port 80 }}:{{ $port }}{{ end }}
{{- end }}

{{/* Where callers reach it. */}}
{{- define "reelops.baseURL" -}}
{{- if .Values.baseURL -}}
{{ trimSuffix "/" .Values.baseURL }}
{{- else if and .Values.ingress.enabled .Values.ingress.host -}}
{{ ternary "https" "http" (ne .Values.ingress.tlsSecret "") }}://{{ .Values.ingress.host }}
{{- else if and .Values.gateway.enabled .Values.gateway.hostnames -}}
https://{{ first .Values.gateway.hostnames }}
{{- else -}}
{{ include "reelops.inside" . }}
{{- end -}}
{{- end }}

{{/* The store as a URL. */}}
{{- define "reelops.blobURL" -}}
{{- $s := .Values.store -}}
{{- if eq $s.type "folder" -}}
file:///data/blobs
{{- else if eq $s.type "s3" -}}
{{- $q := list -}}
{{- with $s.s3.region }}{{ $q = append $q (printf "region=%s" .) }}{{ end -}}
{{- with $s.s3.endpoint }}{{ $q = append $q (printf "endpoint=%s" (urlquery .)) }}{{ end -}}
{{- if $s.s3.pathStyle }}{{ $q = append $q "use_path_style=true" }}{{ end -}}
s3://{{ $s.s3.bucket }}{{ with $q }}?{{ join "&" . }}{{ end }}
{{- else if eq $s.type "gcs" -}}
gs://{{ $s.gcs.bucket }}
{{- else -}}
azblob://{{ $s.azure.container }}
{{- end -}}
{{- end }}

{{/* Whether all pods stay on one node, because the folder is on it. */}}
{{- define "reelops.together" -}}
{{- if and (eq .Values.store.type "folder") (eq .Values.store.folder.accessMode "ReadWriteOnce") }}yes{{ end -}}
{{- end }}

{{- define "reelops.claim" -}}
{{ default "reelops-blobs" .Values.store.folder.existingClaim }}
{{- end }}

{{/* The port of a URL, .url. */}}
{{- define "reelops.port" -}}
{{- $u := urlParse .url -}}
{{- if regexMatch ":[0-9]+$" $u.host -}}
{{ regexFind "[0-9]+$" $u.host }}
{{- else -}}
{{ get (dict "https" "443" "http" "80" "redis" "6379" "rediss" "6379") $u.scheme | default "443" }}
{{- end -}}
{{- end }}

{{/* Existing Secrets as files: a list of {name, secret, key} is what both programs, .manager or not, mount under /etc/reelops/secrets. */}}
{{- define "reelops.secrets" -}}
{{- $out := list -}}
{{- $v := .root.Values -}}
{{- range $name, $p := $v.stock }}
{{- if $p.existingSecret.name }}{{ $out = append $out (dict "name" $name "flag" (printf "%s-key-file" $name) "secret" $p.existingSecret) }}{{ end }}
{{- end }}
{{- if .manager }}
{{- range $name, $at := dict "llm" $v.llm "ai-image" $v.aiImages "speech" $v.speech }}
{{- if $at.existingSecret.name }}{{ $out = append $out (dict "name" $name "flag" (printf "%s-key-file" $name) "secret" $at.existingSecret) }}{{ end }}
{{- end }}
{{- range $name := list "tiktok" "youtube" "instagram" "linkedin" }}
{{- $p := get $v.platforms $name }}
{{- if $p.existingSecret.name }}{{ $out = append $out (dict "name" $name "flag" (printf "%s-client-secret-file" $name) "secret" $p.existingSecret) }}{{ end }}
{{- end }}
{{- else }}
{{- if $v.embeddings.existingSecret.name }}{{ $out = append $out (dict "name" "embeddings" "flag" "embeddings-key-file" "secret" $v.embeddings.existingSecret) }}{{ end }}
{{- if $v.redis.existingSecret.name }}{{ $out = append $out (dict "name" "redis" "flag" "redis-password-file" "secret" $v.redis.existingSecret) }}{{ end }}
{{- end }}
{{- toJson $out -}}
{{- end }}

{{/* Settings that both programs have, as environment variables. */}}
{{- define "reelops.env" -}}
{{- $v := .root.Values -}}
{{- if $v.resume }}
- name: REELOPS_RESUME_DIR
  value: /var/cache/reelops
{{- end }}
- name: REELOPS_BLOB_URL
  value: {{ include "reelops.blobURL" .root | quote }}
{{- if eq $v.store.type "s3" }}
{{- with $v.store.s3 }}
{{- if .existingSecret.name }}
- name: AWS_ACCESS_KEY_ID
  valueFrom: {secretKeyRef: {name: {{ .existingSecret.name }}, key: {{ .existingSecret.accessKeyIDKey }}}}
- name: AWS_SECRET_ACCESS_KEY
  valueFrom: {secretKeyRef: {name: {{ .existingSecret.name }}, key: {{ .existingSecret.secretAccessKeyKey }}}}
{{- end }}
{{- end }}
{{- else if eq $v.store.type "gcs" }}
{{- if $v.store.gcs.existingSecret.name }}
- name: GOOGLE_APPLICATION_CREDENTIALS
  value: /etc/reelops/secrets/store
{{- end }}
{{- else if eq $v.store.type "azure" }}
- name: AZURE_STORAGE_ACCOUNT
  value: {{ $v.store.azure.account | quote }}
{{- with $v.store.azure.existingSecret }}
{{- if .name }}
- name: AZURE_STORAGE_KEY
  valueFrom: {secretKeyRef: {name: {{ .name }}, key: {{ .key }}}}
{{- end }}
{{- end }}
{{- end }}
{{- range $name, $value := dict "UPLOAD_TTL" $v.uploadTTL "LIBRARY_NAMESPACE" $v.libraryNamespace "ALLOW_HOSTS" (join "," $v.allowHosts) "SPEECH_MODEL" (ternary "" $v.speech.model (empty $v.speech.url)) "SPEECH_VOICES" (ternary "" (join "," $v.speech.voices) (empty $v.speech.url)) "SANDBOX" $v.platforms.sandbox }}
{{- if $value }}
- name: REELOPS_{{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
{{- if ne $v.logLevel "info" }}
- name: REELOPS_LOG_LEVEL
  value: {{ $v.logLevel }}
{{- end }}
{{- if not (kindIs "invalid" $v.aiImages.creditsPerImage) }}
- name: REELOPS_AI_IMAGE_CREDITS
  value: {{ $v.aiImages.creditsPerImage | int | quote }}
{{- end }}
{{- range $name := list "tiktok" "youtube" "instagram" "linkedin" }}
{{- with (get $v.platforms $name).clientID }}
- name: REELOPS_{{ upper $name }}_CLIENT_ID
  value: {{ . | quote }}
{{- end }}
{{- with (get $v.platforms $name).scopes }}
- name: REELOPS_{{ upper $name }}_SCOPES
  value: {{ join "," . | quote }}
{{- end }}
{{- end }}
{{- if $v.platforms.linkedin.pages }}
- name: REELOPS_LINKEDIN_PAGES
  value: "true"
{{- end }}
{{- if $v.platforms.linkedin.analytics }}
- name: REELOPS_LINKEDIN_ANALYTICS
  value: "true"
{{- end }}
{{- range fromJsonArray (include "reelops.secrets" .) }}
- name: REELOPS_{{ .flag | replace "-" "_" | upper }}
  value: /etc/reelops/secrets/{{ .name }}
{{- end }}
{{- end }}

{{/* Mounts that both have. */}}
{{- define "reelops.mounts" -}}
- name: tmp
  mountPath: /tmp
{{- if .root.Values.resume }}
- name: resume
  mountPath: /var/cache/reelops
{{- end }}
{{- if not .manager }}
- name: signing-key
  mountPath: /etc/reelops/signing
  readOnly: true
{{- end }}
{{- if eq .root.Values.store.type "folder" }}
- name: blobs
  mountPath: /data/blobs
{{- end }}
{{- if include "reelops.hasSecrets" . }}
- name: secrets
  mountPath: /etc/reelops/secrets
  readOnly: true
{{- end }}
{{- if and .manager (include "reelops.renderPod" .root) }}
- name: settings
  mountPath: /etc/reelops/settings
  readOnly: true
{{- end }}
{{- end }}

{{- define "reelops.hasSecrets" -}}
{{- if or (fromJsonArray (include "reelops.secrets" .)) (and (eq .root.Values.store.type "gcs") .root.Values.store.gcs.existingSecret.name) }}yes{{ end -}}
{{- end }}

{{- define "reelops.volumes" -}}
- name: tmp
  emptyDir: {sizeLimit: 1Gi}
{{- if .root.Values.resume }}
- name: resume
  emptyDir: {sizeLimit: 5Gi} # the program takes 4 at most
{{- end }}
{{- if not .manager }}
- name: signing-key
  secret: # the manager makes it at its first start; until then the pod waits
    secretName: reelops-signing-key
    defaultMode: 0440
    items: [{key: signing.key, path: signing.key}]
{{- end }}
{{- if eq .root.Values.store.type "folder" }}
- name: blobs
  persistentVolumeClaim: {claimName: {{ include "reelops.claim" .root }}}
{{- end }}
{{- if include "reelops.hasSecrets" . }}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
    {{- range fromJsonArray (include "reelops.secrets" .) }}
    - secret: {name: {{ .secret.name }}, items: [{key: {{ .secret.key }}, path: {{ .name }}}]}
    {{- end }}
    {{- with .root.Values.store.gcs.existingSecret }}
    {{- if and (eq $.root.Values.store.type "gcs") .name }}
    - secret: {name: {{ .name }}, items: [{key: {{ .key }}, path: store}]}
    {{- end }}
    {{- end }}
{{- end }}
{{- if and .manager (include "reelops.renderPod" .root) }}
- name: settings
  configMap: {name: reelops-manager}
{{- end }}
{{- end }}

{{/* What is alike in both Deployments, around the container: .component, .values. */}}
{{- define "reelops.pod" -}}
serviceAccountName: reelops-{{ .component }}
automountServiceAccountToken: true
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
- name: {{ . }}
{{- end }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{ toYaml . | nindent 0 }}
{{- end }}
{{- $affinity := deepCopy .values.affinity }}
{{- if include "reelops.together" .root }}
{{- $together := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (dict "app.kubernetes.io/name" "reelops" "reelops.dev/store" "folder")) }}
{{- $pods := get $affinity "podAffinity" | default dict }}
{{- $_ := set $pods "requiredDuringSchedulingIgnoredDuringExecution" (append (get $pods "requiredDuringSchedulingIgnoredDuringExecution" | default list) $together) }}
{{- $_ := set $affinity "podAffinity" $pods }}
{{- end }}
{{- with $affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
topologySpreadConstraints:
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{ include "reelops.selector" $ | nindent 6 }}
{{- end }}
volumes: {{ include "reelops.volumes" . | nindent 0 }}
{{- end }}

{{- define "reelops.podMeta" -}}
labels:
  {{- include "reelops.selector" . | nindent 2 }}
  app.kubernetes.io/part-of: reelops
  {{- if include "reelops.together" .root }}
  reelops.dev/store: folder
  {{- end }}
  {{- with .values.podLabels }}{{ toYaml . | nindent 2 }}{{ end }}
annotations:
  kubectl.kubernetes.io/default-container: {{ .component }}
  {{- with .values.podAnnotations }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}

{{- define "reelops.container" -}}
name: {{ .component }}
image: {{ include "reelops.image" (dict "root" .root "program" .component) }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- with .values.extraArgs }}
args: {{ toYaml . | nindent 0 }}
{{- end }}
resources: {{ toYaml .values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts: {{ include "reelops.mounts" . | nindent 0 }}
{{- end }}

{{/* A time such as 8s or 1m30s in seconds. */}}
{{- define "reelops.seconds" -}}
{{- $m := regexFind "[0-9]+m" . | trimSuffix "m" | default "0" | int -}}
{{- $s := regexFind "[0-9]+s" . | trimSuffix "s" | default "0" | int -}}
{{ add (mul 60 $m) $s }}
{{- end }}

{{/* The template of render pods as YAML; empty when it says nothing. */}}
{{- define "reelops.renderPod" -}}
{{- $metadata := dict -}}
{{- $spec := dict -}}
{{- range $k := list "labels" "annotations" }}{{ with get $.Values.renderPod $k }}{{ $_ := set $metadata $k . }}{{ end }}{{ end -}}
{{- range $k := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "priorityClassName" "runtimeClassName" -}}
{{- with get $.Values.renderPod $k }}{{ $_ := set $spec $k . }}{{ end -}}
{{- end -}}
{{- if kindIs "bool" .Values.renderPod.hostUsers }}{{ $_ := set $spec "hostUsers" .Values.renderPod.hostUsers }}{{ end -}}
{{- $secrets := list }}{{ range .Values.image.pullSecrets }}{{ $secrets = append $secrets (dict "name" .) }}{{ end -}}
{{- with $secrets }}{{ $_ := set $spec "imagePullSecrets" . }}{{ end -}}
{{- $out := dict -}}
{{- with $metadata }}{{ $_ := set $out "metadata" . }}{{ end -}}
{{- with $spec }}{{ $_ := set $out "spec" . }}{{ end -}}
{{- with $out }}{{ toYaml . }}{{ end -}}
{{- end }}
