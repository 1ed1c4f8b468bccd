/** The counter of PodSecurity exemptions, as release 1.31.1 counted with these exemptions. */
import type { JsonObject } from '../../../../shared/values/json';
import { admissionRequest } from '../../../../test/support/objects/admission-request';
import { createPodSecurityExemptionCounter } from '../../../metrics/admission-metrics';
import { Meters } from '../../../metrics/registry/meters';
import type { AdmissionRequest } from '../../../registry/admission';
import { podSecurity } from './pod-security';
import { PRIVILEGED_POLICY } from './policy';

const EXEMPTIONS = { usernames: new Set(['alice']), namespaces: new Set(['exempt']), runtimeClasses: new Set(['special']) };
const BOB = { name: 'bob', groups: [] };
const ALICE = { name: 'alice', groups: [] };
const POD: JsonObject = { metadata: {}, spec: { hostNetwork: true, containers: [{ name: 'c', image: 'i' }] } };
const DEPLOYMENT: JsonObject = { metadata: {}, spec: { template: POD } };
const EXEMPT_RUNTIME_CLASS_POD: JsonObject = { metadata: {}, spec: { runtimeClassName: 'special', containers: [] } };

const request = (kind: string, attributes: Partial<AdmissionRequest>): AdmissionRequest =>
  admissionRequest({ kind, object: kind === 'Pod' ? POD : DEPLOYMENT, name: 'p', namespace: 'plain', user: BOB, ...attributes });

/** `exemptions` as `operation/resource/subresource`. */
test.each<readonly [title: string, attributes: AdmissionRequest, exemptions: readonly string[]]>([
  ['PodSecurity counts an exemption for a pod in an exempt namespace', request('Pod', { namespace: 'exempt' }), ['create/pod/']],
  [
    'PodSecurity counts an exemption for a dry run in an exempt namespace',
    request('Pod', { namespace: 'exempt', dryRun: true }),
    ['create/pod/'],
  ],
  [
    'PodSecurity counts an exemption for a pod update without a relevant change',
    request('Pod', { namespace: 'exempt', operation: 'UPDATE', oldObject: POD }),
    ['update/pod/'],
  ],
  [
    'PodSecurity counts an exemption for an update of ephemeralcontainers',
    request('Pod', { namespace: 'exempt', operation: 'UPDATE', oldObject: POD, subresource: 'ephemeralcontainers' }),
    ['update/pod/ephemeralcontainers'],
  ],
  [
    'PodSecurity counts no exemption for an update of the status subresource',
    request('Pod', { namespace: 'exempt', operation: 'UPDATE', oldObject: POD, subresource: 'status' }),
    [],
  ],
  ['PodSecurity counts an exemption for a pod of an exempt user', request('Pod', { user: ALICE }), ['create/pod/']],
  [
    'PodSecurity counts an exemption for a pod of an exempt runtime class',
    request('Pod', { object: EXEMPT_RUNTIME_CLASS_POD }),
    ['create/pod/'],
  ],
  [
    'PodSecurity counts an exemption for a workload in an exempt namespace',
    request('Deployment', { namespace: 'exempt' }),
    ['create/controller/'],
  ],
  [
    'PodSecurity counts an exemption for a workload that an exempt user updates',
    request('Deployment', { user: ALICE, operation: 'UPDATE' }),
    ['update/controller/'],
  ],
  ['PodSecurity counts no exemption for a pod that no exemption covers', request('Pod', {}), []],
  [
    'PodSecurity counts no exemption for a namespace that an exempt user updates',
    request('Namespace', { user: ALICE, operation: 'UPDATE', oldObject: {}, object: {} }),
    [],
  ],
])('%s', async (_title, attributes, exemptions) => {
  const counted: string[] = [];
  const plugin = podSecurity({
    settings: { defaults: PRIVILEGED_POLICY, exemptions: EXEMPTIONS },
    getNamespace: () => undefined,
    listPods: () => ({ count: 0, entries: [] }),
    onExemption: ({ operation, resource, subresource }) => counted.push(`${operation}/${resource}/${subresource}`),
  });
  await plugin.validate(attributes);
  expect(counted).toEqual(exemptions);
});

test('pod_security_exemptions_total exposes its create and update series as 0 before the first exemption', () => {
  const meters = new Meters();
  const countExemption = createPodSecurityExemptionCounter(meters);
  const lines = (): string[] => [...meters.expose()].filter((line) => line.startsWith('pod_security_exemptions_total{'));
  expect(lines()).toHaveLength(4);
  expect(lines().every((line) => line.endsWith(' 0\n'))).toBe(true);
  countExemption({ operation: 'create', resource: 'pod', subresource: '' });
  expect(lines()).toContain('pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 1\n');
});
