{{/*
The gateway for charts: copy this file into templates. "Beside your app in Kubernetes" in the catalogue says how it is used.

Values: portcullis.image, portcullis.tlsSecret and portcullis.keysSecret. The file portcullis.yaml stands beside Chart.yaml.
*/}}

{{/* What the pod needs, as keys of its spec. */}}
{{- define "portcullis.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
# The app's sleep, the time that it takes to end, and then the gateway's timeouts.drain, with some seconds to spare.
terminationGracePeriodSeconds: 60
securityContext:
  runAsNonRoot: true
  # Secrets belong to root; this group is what lets the gateway read them.
  fsGroup: 10001
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* An element of initContainers: one that always runs is started before the app, and stopped after it. */}}
{{- define "portcullis.container" -}}
- name: portcullis
  image: {{ required "portcullis.image" .Values.portcullis.image | quote }}
  restartPolicy: Always
  command: [/usr/local/bin/portcullis]
  args: [run, /etc/portcullis/portcullis.yaml]
  ports:
    - { name: https, containerPort: 8443 }
    - { name: admin, containerPort: 9901 }
  startupProbe:
    httpGet: { path: /startupz, port: admin }
    periodSeconds: 1
    failureThreshold: 30
  readinessProbe:
    httpGet: { path: /readyz, port: admin }
    periodSeconds: 5
  livenessProbe:
    httpGet: { path: /healthz, port: admin }
    periodSeconds: 10
    timeoutSeconds: 3
  lifecycle:
    preStop:
      # Load balancers go on sending for a while. The kubelet counts this sleep itself; the image has no shell.
      sleep: { seconds: 10 }
  resources:
    requests: { cpu: 100m, memory: 128Mi }
    # One worker for each processor that the limit allows.
    limits: { cpu: "2", memory: 512Mi }
  securityContext:
    runAsUser: 10001
    runAsGroup: 10001
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities: { drop: [ALL] }
  volumeMounts:
    # Folders, never subPath: Kubernetes does not renew the files of a subPath.
    - { name: configuration, mountPath: /etc/portcullis, readOnly: true }
    - { name: tls, mountPath: /run/portcullis/tls, readOnly: true }
    - { name: keys, mountPath: /run/portcullis/keys, readOnly: true }
{{- end }}

{{/* Elements of volumes. */}}
{{- define "portcullis.volumes" -}}
- name: configuration
  configMap: { name: {{ .Release.Name }}-portcullis }
- name: tls
  # Readable by the group above alone: the gateway refuses keys that everybody can read, as with the default of 0644.
  secret: { secretName: {{ required "portcullis.tlsSecret" .Values.portcullis.tlsSecret }}, defaultMode: 0440 }
- name: keys
  secret: { secretName: {{ required "portcullis.keysSecret" .Values.portcullis.keysSecret }}, defaultMode: 0440 }
{{- end }}

{{/* A whole ConfigMap. Its name has no hash: the gateway takes a new version by itself. */}}
{{- define "portcullis.configMap" }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-portcullis
data:
  portcullis.yaml: |
    {{- required "no portcullis.yaml beside Chart.yaml" (.Files.Get "portcullis.yaml") | nindent 4 }}
{{- end }}
