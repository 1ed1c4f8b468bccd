{{/* The pod that writes the Secrets. TMPDIR is in memory: the keys are in no file system of a node. */}}
{{- define "control-plane.certificates.podSpec" -}}
{{- $names := concat (include "control-plane.serviceNames" (list . (include "control-plane.fullname" .)) | fromJsonArray) .Values.apiserver.certificateNames -}}
{{- $controllers := include "control-plane.serviceNames" (list . (printf "%s-controllers" (include "control-plane.fullname" .))) | fromJsonArray -}}
{{- $etcd := list -}}
{{- if not .Values.etcd.endpoints -}}
{{- $etcd = include "control-plane.serviceNames" (list . (include "control-plane.etcd.name" .)) | fromJsonArray -}}
{{- range $index := until (int .Values.etcd.replicas) -}}
{{- $host := include "control-plane.etcd.host" (list $ $index) -}}
{{- $etcd = append (append $etcd $host) (printf "%s.%s" $host $.Values.clusterDomain) -}}
{{- end -}}
{{- end -}}
serviceAccountName: {{ include "control-plane.fullname" . }}-certificates
enableServiceLinks: false
restartPolicy: OnFailure
securityContext:
  {{- include "control-plane.podSecurityContext" . | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: certificates
    image: {{ include "control-plane.image" . }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    command: [platform, certificates, create-secrets]
    args:
      - --namespace={{ .Release.Namespace }}
      - --name-prefix={{ .Values.certificates.secretNamePrefix | default (include "control-plane.fullname" .) }}
      - --labels=app.kubernetes.io/name={{ .Chart.Name }},app.kubernetes.io/instance={{ .Release.Name }}
      - --external-address={{ include "control-plane.externalAddress" . }}
      - --internal-address={{ include "control-plane.internalAddress" . }}
      - --service-cluster-ip-range={{ .Values.apiserver.serviceClusterIPRange }}
      - --server-names={{ join "," $names }}
      - --controllers-names={{ join "," $controllers }}
      {{- with $etcd }}
      - --etcd-names={{ join "," . }}
      {{- end }}
    securityContext:
      {{- include "control-plane.containerSecurityContext" . | nindent 6 }}
    resources:
      {{- toYaml .Values.certificates.resources | nindent 6 }}
    volumeMounts:
      - { name: tmp, mountPath: /tmp }
volumes:
  - name: tmp
    emptyDir: { medium: Memory, sizeLimit: 16Mi }
{{- end -}}
