import type { AppsV1ReplicaSet } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { EventReport } from '../../shared/client/events/event-correlator';
import { resourceOf } from '../../shared/client/rest/resource';
import { jsonResponse } from '../../test/support/controllers/fake-api';
import { fakeClient } from '../../test/support/controllers/fake-client';
import { NamespaceTerminatingError, podFromTemplate, PodControl } from './pod-control';

const REPLICA_SETS = resourceOf('apps.v1.ReplicaSet');
const owner = apiObject<AppsV1ReplicaSet>({ metadata: { namespace: 'n', name: 'set', uid: 'u', resourceVersion: '7' } });

function setUp() {
  const fake = fakeClient();
  const reports: EventReport[] = [];
  const events = { record: (report: EventReport) => void reports.push(report) };
  const podControl = new PodControl({ client: fake.client, events, resource: REPLICA_SETS, signal: new AbortController().signal });
  return { ...fake, reports, podControl };
}
const refusal = (message: string) => () =>
  jsonResponse(403, { kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403, message });

test('podFromTemplate takes labels, annotations, finalizers and spec of the template, and adds generateName and the owner reference', () => {
  const template = {
    metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['f/g'], name: 'x' },
    spec: { hostNetwork: true },
  };
  expect(podFromTemplate(template, 'platform', REPLICA_SETS, owner)).toEqual({
    metadata: {
      namespace: 'n',
      generateName: 'set-',
      labels: { a: 'b' },
      annotations: { c: 'd' },
      finalizers: ['f/g'],
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'u', controller: true, blockOwnerDeletion: true }],
    },
    spec: { hostNetwork: true },
  });
});

test('PodControl records an event about the owner for each creation, deletion and failure', async () => {
  const { api, podControl, reports } = setUp();
  const pod = await podControl.create(owner, { metadata: { namespace: 'n', name: 'p' } });
  expect(await podControl.delete(owner, pod)).toBe(true);
  expect(await podControl.delete(owner, pod)).toBe(false);
  api.intercept = refusal('no room');
  await expect(podControl.create(owner, { metadata: { namespace: 'n', name: 'q' } })).rejects.toThrow('no room');
  await expect(podControl.delete(owner, pod)).rejects.toThrow('no room');
  expect(reports.map(({ type, reason, message }) => [type, reason, message])).toEqual([
    ['Normal', 'SuccessfulCreate', 'Created pod: p'],
    ['Normal', 'SuccessfulDelete', 'Deleted pod: p'],
    ['Warning', 'FailedCreate', 'Error creating: no room'],
    ['Warning', 'FailedDelete', 'Error deleting: no room'],
  ]);
  expect(reports[0]?.about).toEqual({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    namespace: 'n',
    name: 'set',
    uid: 'u',
    resourceVersion: '7',
  });
});

test('PodControl rejects with NamespaceTerminatingError and records no event when the namespace is being terminated', async () => {
  const { api, podControl, reports } = setUp();
  api.intercept = refusal('unable to create new content in namespace n because it is being terminated');
  await expect(podControl.create(owner, { metadata: { namespace: 'n', name: 'q' } })).rejects.toThrow(NamespaceTerminatingError);
  expect(reports).toEqual([]);
});
