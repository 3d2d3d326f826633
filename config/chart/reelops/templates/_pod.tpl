{{/* Volume mounts of a program's container. */}}
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
{{- if include "reelops.caVolume" .root }}
- name: ca-bundle
  mountPath: /etc/reelops/ca
  readOnly: true
{{- end }}
{{- include "reelops.tlsMounts" . }}
{{- with .values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "reelops.hasSecrets" -}}
{{- if or (fromJsonArray (include "reelops.secrets" .)) (and (eq .root.Values.store.type "gcs") .root.Values.store.gcs.existingSecret.name) }}yes{{ end -}}
{{- end }}

{{/* Volumes of a program's pod. */}}
{{- define "reelops.volumes" -}}
- name: tmp
  emptyDir: {sizeLimit: 1Gi}
{{- if .root.Values.resume }}
- name: resume
  emptyDir: {sizeLimit: 5Gi} # the program uses at most 4Gi
{{- end }}
{{- if not .manager }}
- name: signing-key
  secret: # the manager creates it at its first start; until then the pod waits
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
  configMap: {name: {{ include "reelops.fullname" .root }}-manager}
{{- end }}
{{- with include "reelops.caVolume" .root }}
- {{ . | nindent 2 | trim }}
{{- end }}
{{- include "reelops.tlsVolumes" . }}
{{- with .values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The pod spec of both Deployments without the containers: .component, .values. */}}
{{- define "reelops.pod" -}}
serviceAccountName: {{ include "reelops.serviceAccountName" . }}
automountServiceAccountToken: true
enableServiceLinks: false
{{- with fromJsonArray (include "reelops.pullSecrets" .root) }}
imagePullSecrets: {{ toYaml . | nindent 0 }}
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
{{- $together := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (dict "app.kubernetes.io/name" (include "reelops.name" .root) "reelops.dev/store" "folder")) }}
{{- $pods := get $affinity "podAffinity" | default dict }}
{{- $_ := set $pods "requiredDuringSchedulingIgnoredDuringExecution" (append (get $pods "requiredDuringSchedulingIgnoredDuringExecution" | default list) $together) }}
{{- $_ := set $affinity "podAffinity" $pods }}
{{- else if not (hasKey $affinity "podAntiAffinity") }}
{{- $term := dict "topologyKey" "kubernetes.io/hostname" "labelSelector" (dict "matchLabels" (fromYaml (include "reelops.selector" .))) }}
{{- $_ := set $affinity "podAntiAffinity" (dict "preferredDuringSchedulingIgnoredDuringExecution" (list (dict "weight" 100 "podAffinityTerm" $term))) }}
{{- end }}
{{- with $affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext: {{ include "reelops.podSecurityContext" .root | nindent 2 }}
{{- with include "reelops.spread" . }}
topologySpreadConstraints: {{ . | trim | nindent 0 }}
{{- end }}
volumes: {{ include "reelops.volumes" . | nindent 0 }}
{{- end }}

{{/* Topology spread constraints of a component: over nodes and zones if possible, unless the values list others. */}}
{{- define "reelops.spread" -}}
{{- $selector := dict "matchLabels" (fromYaml (include "reelops.selector" .)) -}}
{{- $constraints := .values.topologySpreadConstraints -}}
{{- if kindIs "invalid" $constraints -}}
{{- $constraints = list -}}
{{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" -}}
{{- $constraints = append $constraints (dict "maxSkew" 1 "topologyKey" . "whenUnsatisfiable" "ScheduleAnyway") -}}
{{- end -}}
{{- end -}}
{{- range $constraints }}
{{- $constraint := deepCopy . }}
{{- if not (hasKey $constraint "labelSelector") }}{{ $_ := set $constraint "labelSelector" $selector }}{{ end }}
- {{ toYaml $constraint | nindent 2 | trim }}
{{- end }}
{{- end }}

{{/* The security context of pods. OpenShift's SCC restricted-v2 assigns user and group, and rejects others. */}}
{{- define "reelops.podSecurityContext" -}}
runAsNonRoot: true
{{- if not (include "reelops.openshift" .) }}
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
{{- end }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{/* The user of render pods, 0 for none; empty for the default of the manager. */}}
{{- define "reelops.renderUser" -}}
{{- $user := .Values.renderPod.runAsUser -}}
{{- if not (kindIs "invalid" $user) -}}
{{ int64 $user }}
{{- else if include "reelops.openshift" . -}}
0
{{- end -}}
{{- end }}

{{/* The security context of containers. */}}
{{- define "reelops.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Labels of a component's pods. podLabels override commonLabels; selector labels override both. */}}
{{- define "reelops.podLabels" -}}
{{- $labels := dict "app.kubernetes.io/instance" .root.Release.Name "app.kubernetes.io/part-of" "reelops" -}}
{{- $labels = mergeOverwrite $labels .root.Values.commonLabels (get .values "podLabels" | default dict) -}}
{{ toYaml (mergeOverwrite $labels (fromYaml (include "reelops.selector" .))) }}
{{- end }}

{{- define "reelops.podMeta" -}}
labels:
  {{- include "reelops.podLabels" . | nindent 2 }}
  {{- if include "reelops.together" .root }}
  reelops.dev/store: folder
  {{- end }}
annotations:
  kubectl.kubernetes.io/default-container: {{ .component }}
  {{- with .values.podAnnotations }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}

{{- define "reelops.container" -}}
name: {{ .component }}
{{- $image := include "reelops.image" (dict "root" .root "program" .component) }}
image: {{ $image }}
imagePullPolicy: {{ include "reelops.pullPolicy" (dict "root" .root "image" $image) }}
{{- with .values.extraArgs }}
args: {{ toYaml . | nindent 0 }}
{{- end }}
resources: {{ toYaml .values.resources | nindent 2 }}
securityContext: {{ include "reelops.securityContext" . | nindent 2 }}
volumeMounts: {{ include "reelops.mounts" . | nindent 0 }}
{{- end }}
