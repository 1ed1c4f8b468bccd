{{/* Parts of pod specs. The pods fulfil the Pod Security Standard "restricted". */}}
{{- define "control-plane.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "control-plane.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* What all workloads of a component have in common: (list $ "component" $values). */}}
{{- define "control-plane.podSettings" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- $values := index . 2 -}}
serviceAccountName: {{ include "control-plane.fullname" $root }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- include "control-plane.podSecurityContext" $root | nindent 2 }}
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.terminationGracePeriodSeconds }}
terminationGracePeriodSeconds: {{ . }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if ne $values.podAntiAffinity "none" }}
affinity:
  podAntiAffinity:
    {{- if eq $values.podAntiAffinity "hard" }}
    requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: kubernetes.io/hostname
        labelSelector:
          matchLabels:
            {{- include "control-plane.selector" (list $root $component) | nindent 12 }}
    {{- else }}
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 100
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "control-plane.selector" (list $root $component) | nindent 14 }}
    {{- end }}
{{- end }}
{{- end -}}

{{/* Labels and annotations of the pods of a component: (list $ "component"). Another chart version does not replace pods. */}}
{{- define "control-plane.podMetadata" -}}
{{- $root := index . 0 -}}
labels:
  {{- include "control-plane.selector" . | nindent 2 }}
  {{- with $root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $root.Values.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A PodDisruptionBudget: (list $ "component" $values). */}}
{{- define "control-plane.podDisruptionBudget" -}}
{{- $root := index . 0 -}}
{{- $component := index . 1 -}}
{{- if (index . 2).podDisruptionBudget }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "control-plane.fullname" $root }}-{{ $component }}
  namespace: {{ $root.Release.Namespace }}
  labels:
    {{- include "control-plane.labels" (list $root $component) | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "control-plane.selector" (list $root $component) | nindent 6 }}
{{- end }}
{{- end -}}
