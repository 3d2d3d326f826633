{{/* The Secret with the certificate of both metrics listeners; empty for certificates that the programs sign themselves. */}}
{{- define "reelops.metricsSecret" -}}
{{- with .Values.monitoring.metrics -}}
{{- if .secure -}}
{{ .existingSecret }}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The names by which Prometheus may verify the metrics certificate, as a JSON list. */}}
{{- define "reelops.metricsHosts" -}}
{{- $hosts := list -}}
{{- range list "apiserver" "manager" -}}
{{- $hosts = append $hosts (printf "%s-%s-metrics.%s.svc" (include "reelops.fullname" $) . $.Release.Namespace) -}}
{{- end -}}
{{ toJson $hosts }}
{{- end }}

{{/* Environment variables about certificates: .component. */}}
{{- define "reelops.tlsEnv" -}}
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

{{/* Mounts of certificates. */}}
{{- define "reelops.tlsMounts" -}}
{{- if include "reelops.metricsSecret" .root }}
- name: metrics-tls
  mountPath: /etc/reelops/metrics-tls
  readOnly: true
{{- end }}
{{- end }}

{{/* Volumes of certificates. Kubelet replaces their files when the Secret changes, and the programs read them again. */}}
{{- define "reelops.tlsVolumes" -}}
{{- with include "reelops.metricsSecret" .root }}
- name: metrics-tls
  secret: {secretName: {{ . }}, defaultMode: 0440, items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}]}
{{- end }}
{{- end }}
