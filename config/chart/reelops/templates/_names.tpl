{{/* The value of app.kubernetes.io/name. */}}
{{- define "reelops.name" -}}
{{ default .Chart.Name .Values.nameOverride }}
{{- end }}

{{/* The prefix of the names of objects. It does not contain the release's name: a cluster has one installation. */}}
{{- define "reelops.fullname" -}}
{{ default (include "reelops.name" .) .Values.fullnameOverride }}
{{- end }}

{{/* The labels that the chart sets on every object. */}}
{{- define "reelops.ownLabels" -}}
app.kubernetes.io/name: {{ include "reelops.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: reelops
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (.Chart.Version | replace "+" "_") }}
{{- end }}

{{/* All labels of every object, with commonLabels. */}}
{{- define "reelops.labels" -}}
{{ include "reelops.labelsWith" (dict "root" . "labels" dict) }}
{{- end }}

{{/* All labels of every object, and .labels, which override commonLabels. */}}
{{- define "reelops.labelsWith" -}}
{{ include "reelops.ownLabels" .root }}
{{- with mergeOverwrite (deepCopy .root.Values.commonLabels) .labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The selector labels of a component, .component. A Deployment's selector is immutable, so it has no
     other labels. */}}
{{- define "reelops.selector" -}}
app.kubernetes.io/name: {{ include "reelops.name" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* The name of a component's ServiceAccount. fullnameOverride does not change that of the manager: admission policies
     and the role bindings in the namespaces of accounts contain it. */}}
{{- define "reelops.serviceAccountName" -}}
{{- $prefix := eq .component "manager" | ternary "reelops" (include "reelops.fullname" .root) -}}
{{ default (printf "%s-%s" $prefix .component) (get .root.Values .component).serviceAccount.name }}
{{- end }}

{{/* The image .image, with global.imageRegistry in place of its registry. The first part of a path is a registry if it
     has a dot or a port, or is localhost. */}}
{{- define "reelops.fromRegistry" -}}
{{- $registry := (.root.Values.global).imageRegistry -}}
{{- if $registry -}}
{{ trimSuffix "/" $registry }}/{{ regexReplaceAll "^(localhost|[^/]*[.:][^/]*)/" .image "" }}
{{- else -}}
{{ .image }}
{{- end -}}
{{- end }}

{{/* The image of a program, .program. */}}
{{- define "reelops.image" -}}
{{- $v := .root.Values.image -}}
{{- $image := printf "%s/%s" (trimSuffix "/" $v.registry) .program -}}
{{- with get $v.digests .program -}}
{{- $image = printf "%s@%s" $image . -}}
{{- else -}}
{{- $image = printf "%s:%s" $image (default .root.Chart.AppVersion $v.tag) -}}
{{- end -}}
{{ include "reelops.fromRegistry" (dict "root" .root "image" $image) }}
{{- end }}

{{/* "yes" if an image has a digest or a version tag, which are immutable; else empty. */}}
{{- define "reelops.fixed" -}}
{{- if regexMatch "@sha256:|:v?[0-9]+\\.[0-9]+[^/]*$" . }}yes{{ end -}}
{{- end }}

{{/* The pull policy of an image, .image. A mutable tag is resolved at every start of a container. */}}
{{- define "reelops.pullPolicy" -}}
{{- if .root.Values.image.pullPolicy -}}
{{ .root.Values.image.pullPolicy }}
{{- else if include "reelops.fixed" .image -}}
IfNotPresent
{{- else -}}
Always
{{- end -}}
{{- end }}

{{/* Pull secrets as a JSON list of {name}: imagePullSecrets, global.imagePullSecrets and the deprecated
     image.pullSecrets. Each entry may be a string. */}}
{{- define "reelops.pullSecrets" -}}
{{- $out := list -}}
{{- range concat (.Values.imagePullSecrets | default list) ((.Values.global).imagePullSecrets | default list) (.Values.image.pullSecrets | default list) -}}
{{- $out = append $out (dict "name" (kindIs "string" . | ternary . (get (kindIs "map" . | ternary . dict) "name"))) -}}
{{- end -}}
{{ toJson (uniq $out) }}
{{- end }}

{{/* "yes" if OpenShift assigns the user and group of pods; else empty. */}}
{{- define "reelops.openshift" -}}
{{- $mode := (((.Values.global).compatibility).openshift).adaptSecurityContext | default "auto" -}}
{{- if or (eq $mode "force") (and (eq $mode "auto") (.Capabilities.APIVersions.Has "security.openshift.io/v1")) }}yes{{ end -}}
{{- end }}

{{/* Whether CRDs are rendered, and whether they outlive the release. crds.install and crds.retain are the former
     names of the values. */}}
{{- define "reelops.crdsEnabled" -}}
{{- if not (or (eq (toString .Values.crds.enabled) "false") (eq (toString .Values.crds.install) "false")) }}yes{{ end -}}
{{- end }}

{{- define "reelops.crdsKept" -}}
{{- if not (or (eq (toString .Values.crds.keep) "false") (eq (toString .Values.crds.retain) "false")) }}yes{{ end -}}
{{- end }}

{{/* The largest number of replicas of the apiserver. */}}
{{- define "reelops.frontEnds" -}}
{{- with .Values.apiserver -}}
{{ .autoscaling.enabled | ternary .autoscaling.maxReplicas .replicas }}
{{- end -}}
{{- end }}
