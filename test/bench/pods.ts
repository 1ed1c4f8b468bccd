/**
 * Measures a Pod of sixty fields before it is stored: decoding, defaults, disabled fields and validation, beside
 * JSON.parse of its text.
 */
import { validatePod } from '../../apiserver/kinds/core/pod/validate-pod';
import type { JsonObject } from '../../shared/values/json';
import { applyDefaults, decodeObject, dropDisabledFields } from '../../shared/api/types';

const TYPE = 'core.v1.Pod';
/** Calls after which V8 has compiled what they run, and calls that are measured. */
const WARM_UP = 5000;
const ROUNDS = 20_000;

const POD: JsonObject = {
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'shop', tier: 'web' }, annotations: { note: 'x' } },
  spec: {
    nodeName: 'n-1',
    serviceAccountName: 'web',
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 10,
    nodeSelector: { disk: 'ssd' },
    securityContext: { runAsNonRoot: true, runAsUser: 5, fsGroup: 6, seccompProfile: { type: 'RuntimeDefault' } },
    tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
    containers: [
      {
        name: 'web',
        image: 'registry.example.com/web:1.2',
        command: ['/bin/web'],
        args: ['--port', '80', '--verbose'],
        ports: [
          { name: 'http', containerPort: 80 },
          { name: 'dns', containerPort: 53, protocol: 'UDP' },
        ],
        env: [
          { name: 'A', value: '1' },
          { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
        ],
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
        livenessProbe: { httpGet: { path: '/live', port: 'http' }, initialDelaySeconds: 5 },
        readinessProbe: { httpGet: { path: '/ready', port: 80 }, periodSeconds: 3 },
        lifecycle: { preStop: { exec: { command: ['sleep', '5'] } } },
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        volumeMounts: [
          { name: 'settings', mountPath: '/settings', readOnly: true },
          { name: 'scratch', mountPath: '/tmp' },
        ],
      },
    ],
    volumes: [
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'scratch', emptyDir: {} },
    ],
  },
};

/** Microseconds of CPU time. */
export function podMicros(): { readonly processing: number; readonly parsed: number } {
  const text = JSON.stringify(POD);
  return { processing: microsPer(processPod), parsed: microsPer(() => void JSON.parse(text)) };
}

function processPod(): void {
  const { object } = decodeObject(TYPE, POD);
  applyDefaults(TYPE, object);
  dropDisabledFields(TYPE, object);
  if (validatePod(object).length > 0) throw new Error('the pod is invalid');
}

function microsPer(work: () => void): number {
  for (let round = 0; round < WARM_UP; round += 1) work();
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / ROUNDS;
}
