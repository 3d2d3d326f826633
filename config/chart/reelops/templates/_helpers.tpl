{{/* The URL of the API inside the cluster. */}}
{{- define "reelops.inside" -}}
{{- $port := int (include "reelops.servicePort" .) -}}
{{ include "reelops.scheme" . }}://{{ include "reelops.fullname" . }}-apiserver.{{ .Release.Namespace }}.svc{{ if ne $port (.Values.tls.enabled | ternary 443 80) }}:{{ $port }}{{ end }}
{{- end }}

{{/* The URL of the API for clients. */}}
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

{{/* "yes" if all pods must run on one node, because the volume of the store is on it; else empty. */}}
{{- define "reelops.together" -}}
{{- if and (eq .Values.store.type "folder") (eq .Values.store.folder.accessMode "ReadWriteOnce") }}yes{{ end -}}
{{- end }}

{{- define "reelops.claim" -}}
{{ default (printf "%s-blobs" (include "reelops.fullname" .)) .Values.store.folder.existingClaim }}
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

{{/* The existing Secrets that a program mounts under /etc/reelops/secrets, as a JSON list of {name, flag, secret}.
     .manager is true for the manager. */}}
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
{{- with $v.console.oidc }}
{{- if and .issuerURL .existingSecret.name }}{{ $out = append $out (dict "name" "oidc" "flag" "oidc-client-secret-file" "secret" .existingSecret) }}{{ end }}
{{- end }}
{{- if $v.redis.existingSecret.name }}{{ $out = append $out (dict "name" "redis" "flag" "redis-password-file" "secret" $v.redis.existingSecret) }}{{ end }}
{{- end }}
{{- toJson $out -}}
{{- end }}

{{/* Environment variables that both programs share. */}}
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
{{- range $name, $value := dict "UPLOAD_TTL" $v.uploadTTL "LIBRARY_NAMESPACE" $v.libraryNamespace "ALLOW_HOSTS" (join "," $v.allowHosts) "WEBHOOK_HOSTS" (join "," $v.webhookHosts) "SPEECH_MODEL" (ternary "" $v.speech.model (empty $v.speech.url)) "SPEECH_VOICES" (ternary "" (join "," $v.speech.voices) (empty $v.speech.url)) "SANDBOX" $v.platforms.sandbox }}
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
{{- with include "reelops.outbound" .root }}
{{ . }}
{{- end }}
{{- range fromJsonArray (include "reelops.secrets" .) }}
- name: REELOPS_{{ .flag | replace "-" "_" | upper }}
  value: /etc/reelops/secrets/{{ .name }}
{{- end }}
{{- include "reelops.tlsEnv" . }}
{{- end }}

{{/* A duration such as 8s or 1m30s in seconds. */}}
{{- define "reelops.seconds" -}}
{{- $m := regexFind "[0-9]+m" . | trimSuffix "m" | default "0" | int -}}
{{- $s := regexFind "[0-9]+s" . | trimSuffix "s" | default "0" | int -}}
{{ add (mul 60 $m) $s }}
{{- end }}

{{/* The template of render pods as YAML; empty if no value sets a field of it. */}}
{{- define "reelops.renderPod" -}}
{{- $metadata := dict -}}
{{- $spec := dict -}}
{{- with mergeOverwrite (deepCopy .Values.commonLabels) .Values.renderPod.labels }}{{ $_ := set $metadata "labels" . }}{{ end -}}
{{- with .Values.renderPod.annotations }}{{ $_ := set $metadata "annotations" . }}{{ end -}}
{{- range $k := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" "priorityClassName" "runtimeClassName" -}}
{{- with get $.Values.renderPod $k }}{{ $_ := set $spec $k . }}{{ end -}}
{{- end -}}
{{- if kindIs "bool" .Values.renderPod.hostUsers }}{{ $_ := set $spec "hostUsers" .Values.renderPod.hostUsers }}{{ end -}}
{{- with fromJsonArray (include "reelops.pullSecrets" .) }}{{ $_ := set $spec "imagePullSecrets" . }}{{ end -}}
{{- $out := dict -}}
{{- with $metadata }}{{ $_ := set $out "metadata" . }}{{ end -}}
{{- with $spec }}{{ $_ := set $out "spec" . }}{{ end -}}
{{- with $out }}{{ toYaml . }}{{ end -}}
{{- end }}

{{/* Environment variables for outbound requests: the proxy, and the directory of caBundle. */}}
{{- define "reelops.outbound" -}}
{{- $env := list -}}
{{- with .Values.proxy -}}
{{- range $name := list "httpProxy" "httpsProxy" "fetchProxy" -}}
{{- if contains "@" (get $.Values.proxy $name) }}{{ fail (printf "proxy.%s has a user or a password: leave it empty and set the variable from a Secret in extraEnv" $name) }}{{ end -}}
{{- end -}}
{{- if or .httpProxy .httpsProxy -}}
{{- with .httpProxy }}{{ $env = append $env (dict "name" "HTTP_PROXY" "value" .) }}{{ end -}}
{{- with .httpsProxy }}{{ $env = append $env (dict "name" "HTTPS_PROXY" "value" .) }}{{ end -}}
{{- $direct := list "$(KUBERNETES_SERVICE_HOST)" ".svc" ".cluster.local" -}}
{{- with .noProxy }}{{ $direct = append $direct . }}{{ end -}}
{{- $env = append $env (dict "name" "NO_PROXY" "value" (join "," $direct)) -}}
{{- end -}}
{{- end -}}
{{- if include "reelops.caVolume" . }}{{ $env = append $env (dict "name" "SSL_CERT_DIR" "value" "/etc/reelops/ca") }}{{ end -}}
{{- with $env }}{{ toYaml . }}{{ end -}}
{{- end }}

{{/* The volume with caBundle; empty if unset. */}}
{{- define "reelops.caVolume" -}}
{{- with .Values.caBundle -}}
{{- if .configMap.name -}}
name: ca-bundle
configMap: {name: {{ .configMap.name }}, items: [{key: {{ .configMap.key }}, path: ca.crt}]}
{{- else if .secret.name -}}
name: ca-bundle
secret: {secretName: {{ .secret.name }}, defaultMode: 0440, items: [{key: {{ .secret.key }}, path: ca.crt}]}
{{- end -}}
{{- end -}}
{{- end }}
