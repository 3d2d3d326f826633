{{/* The Secret with the certificate of both metrics listeners; empty for self-signed certificates. */}}
{{- define "reelops.metricsSecret" -}}
{{- if .Values.monitoring.metrics.secure -}}
{{ default (.Values.tls.certManager.enabled | ternary (printf "%s-metrics-tls" (include "reelops.fullname" .)) "") .Values.monitoring.metrics.existingSecret }}
{{- end -}}
{{- end }}

{{/* The URL scheme of the API and of the internal listener, and the name of the API's port in its Service. */}}
{{- define "reelops.scheme" -}}
{{ .Values.tls.enabled | ternary "https" "http" }}
{{- end }}

{{/* The port of the API's Service. */}}
{{- define "reelops.servicePort" -}}
{{ default (.Values.tls.enabled | ternary 443 80) .Values.apiserver.service.port }}
{{- end }}

{{/* The Secret with the certificate of the front end; empty for plain HTTP. */}}
{{- define "reelops.tlsSecret" -}}
{{- if .Values.tls.enabled -}}
{{ default (printf "%s-apiserver-tls" (include "reelops.fullname" .)) .Values.tls.existingSecret }}
{{- end -}}
{{- end }}

{{/* Files with certificate authorities that render pods trust besides those of their image, comma-separated. */}}
{{- define "reelops.renderAuthorities" -}}
{{- $files := list -}}
{{- if .Values.tls.enabled }}{{ $files = append $files "/etc/reelops/tls-ca/ca.crt" }}{{ end -}}
{{- if and .Values.caBundle.renderPods (include "reelops.caVolume" .) }}{{ $files = append $files "/etc/reelops/ca/ca.crt" }}{{ end -}}
{{ join "," $files }}
{{- end }}

{{/* The DNS names of the metrics certificate, as a JSON list. */}}
{{- define "reelops.metricsHosts" -}}
{{- $hosts := list -}}
{{- range list "apiserver" "manager" -}}
{{- $hosts = append $hosts (printf "%s-%s-metrics.%s.svc" (include "reelops.fullname" $) . $.Release.Namespace) -}}
{{- end -}}
{{ toJson $hosts }}
{{- end }}

{{/* The DNS names of the front end's certificate, as a JSON list. */}}
{{- define "reelops.tlsHosts" -}}
{{- $hosts := list -}}
{{- range list "apiserver" "apiserver-internal" -}}
{{- $service := printf "%s-%s" (include "reelops.fullname" $) . -}}
{{- $hosts = concat $hosts (list (printf "%s.%s.svc" $service $.Release.Namespace) (printf "%s.%s.svc.cluster.local" $service $.Release.Namespace)) -}}
{{- end -}}
{{ toJson $hosts }}
{{- end }}

{{/* Environment variables for certificates. */}}
{{- define "reelops.tlsEnv" -}}
{{- if and .manager (include "reelops.renderAuthorities" .root) }}
- name: REELOPS_RENDER_CA_FILES
  value: {{ include "reelops.renderAuthorities" .root }}
{{- end }}
{{- if and .root.Values.tls.enabled (not .manager) }}
- name: REELOPS_TLS_CERT_FILE
  value: /etc/reelops/tls/tls.crt
- name: REELOPS_TLS_KEY_FILE
  value: /etc/reelops/tls/tls.key
{{- end }}
{{- if .root.Values.monitoring.metrics.secure }}
- name: REELOPS_METRICS_SECURE
  value: "true"
{{- if include "reelops.metricsSecret" .root }}
- name: REELOPS_METRICS_TLS_CERT_FILE
  value: /etc/reelops/metrics-tls/tls.crt
- name: REELOPS_METRICS_TLS_KEY_FILE
  value: /etc/reelops/metrics-tls/tls.key
{{- end }}
{{- end }}
{{- end }}

{{/* Volume mounts of certificates. */}}
{{- define "reelops.tlsMounts" -}}
{{- if .root.Values.tls.enabled }}
{{- if .manager }}
- name: tls-ca
  mountPath: /etc/reelops/tls-ca
  readOnly: true
{{- else }}
- name: tls
  mountPath: /etc/reelops/tls
  readOnly: true
{{- end }}
{{- end }}
{{- if include "reelops.metricsSecret" .root }}
- name: metrics-tls
  mountPath: /etc/reelops/metrics-tls
  readOnly: true
{{- end }}
{{- end }}

{{/* Volumes of certificates. The kubelet updates their files when the Secret changes; the programs reload them. */}}
{{- define "reelops.tlsVolumes" -}}
{{- with include "reelops.tlsSecret" .root }}
{{- if $.manager }}
- name: tls-ca
  secret: {secretName: {{ . }}, defaultMode: 0440, items: [{key: ca.crt, path: ca.crt}]}
{{- else }}
- name: tls
  secret: {secretName: {{ . }}, defaultMode: 0440, items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}]}
{{- end }}
{{- end }}
{{- with include "reelops.metricsSecret" .root }}
- name: metrics-tls
  secret: {secretName: {{ . }}, defaultMode: 0440, items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}]}
{{- end }}
{{- end }}
