{{/* Names. */}}
{{- define "control-plane.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The name of a Secret: (list $ "component"). */}}
{{- define "control-plane.secret" -}}
{{- $root := index . 0 -}}
{{- printf "%s-%s" ($root.Values.certificates.secretNamePrefix | default (include "control-plane.fullname" $root)) (index . 1) -}}
{{- end -}}

{{- define "control-plane.image" -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}

{{/* Labels of all objects of a component: (list $ "component"). */}}
{{- define "control-plane.labels" -}}
{{- $root := index . 0 -}}
helm.sh/chart: {{ printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $root.Release.Service }}
{{ include "control-plane.selector" . }}
{{- end -}}

{{- define "control-plane.selector" -}}
{{- $root := index . 0 -}}
app.kubernetes.io/name: {{ $root.Chart.Name }}
app.kubernetes.io/instance: {{ $root.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end -}}

{{/* Names under which a Service is reached: (list $ "service"). A list in JSON. */}}
{{- define "control-plane.serviceNames" -}}
{{- $root := index . 0 -}}
{{- $name := index . 1 -}}
{{- $namespace := $root.Release.Namespace -}}
{{- list $name (printf "%s.%s" $name $namespace) (printf "%s.%s.svc" $name $namespace) (printf "%s.%s.svc.%s" $name $namespace $root.Values.clusterDomain) | toJson -}}
{{- end -}}

{{/* The https URL of the API servers for pods. */}}
{{- define "control-plane.internalAddress" -}}
{{- printf "https://%s.%s.svc:%d" (include "control-plane.fullname" .) .Release.Namespace (int .Values.apiserver.service.port) -}}
{{- end -}}

{{- define "control-plane.externalAddress" -}}
{{- .Values.apiserver.externalAddress | default (include "control-plane.internalAddress" .) -}}
{{- end -}}

{{- define "control-plane.etcd.name" -}}
{{- printf "%s-etcd" (include "control-plane.fullname" .) -}}
{{- end -}}

{{/* The host name of a member: (list $ index). */}}
{{- define "control-plane.etcd.host" -}}
{{- $root := index . 0 -}}
{{- $name := include "control-plane.etcd.name" $root -}}
{{- printf "%s-%d.%s.%s.svc" $name (int (index . 1)) $name $root.Release.Namespace -}}
{{- end -}}

{{/* URLs of the members for the API servers, separated by commas. */}}
{{- define "control-plane.etcd.endpoints" -}}
{{- if .Values.etcd.endpoints -}}
{{- join "," .Values.etcd.endpoints -}}
{{- else -}}
{{- $urls := list -}}
{{- range $index := until (int .Values.etcd.replicas) -}}
{{- $urls = append $urls (printf "https://%s:2379" (include "control-plane.etcd.host" (list $ $index))) -}}
{{- end -}}
{{- join "," $urls -}}
{{- end -}}
{{- end -}}

{{/* True when the API servers need the files of etcd.clientSecretName. */}}
{{- define "control-plane.etcd.hasClientSecret" -}}
{{- if .Values.etcd.endpoints -}}
{{- $https := hasPrefix "https://" (first .Values.etcd.endpoints) -}}
{{- if and $https (not .Values.etcd.clientSecretName) -}}
{{- fail "etcd.clientSecretName is required for etcd.endpoints with https" -}}
{{- end -}}
{{- if $https -}}true{{- end -}}
{{- end -}}
{{- end -}}
