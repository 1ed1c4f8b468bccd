/** StatefulSets, their pods one by one, their claims and their history. The steps play the kubelet. */
import type { Body } from '../reference';
import { create, patch, remove, type Act, type Look, type Scenario } from './scenario';

const APPS = '/apis/apps/v1/namespaces/$NS';
const WEB = `${APPS}/statefulsets/web`;
const EVENTS: Look = { path: 'events', members: ['involvedObject', 'type', 'reason', 'message', 'source'] };
const SETS: Look = { path: `${APPS}/statefulsets`, members: ['status'] };
const REVISIONS: Look = { path: `${APPS}/controllerrevisions` };
const CLAIMS: Look = { path: 'persistentvolumeclaims', members: ['spec'] };
const LOOKS: readonly Look[] = [SETS, REVISIONS, { path: 'pods', members: [] }];
const A = { app: 'a' };

const template = (image = 'one', spec: Body = {}): Body => ({
  metadata: { labels: A, annotations: { note: 'n' } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image }], ...spec },
});
const set = (replicas: number, spec: Body = {}): Act =>
  create(`${APPS}/statefulsets`, {
    metadata: { name: 'web' },
    spec: { replicas, serviceName: 'svc', selector: { matchLabels: A }, template: template(), ...spec },
  });
const changed = (spec: Body): Act => patch(WEB, { spec });
const image = (name: string): Act => changed({ template: { spec: { containers: [{ name: 'c', image: name }] } } });
const status = (pod: string, value: Body): Act => patch(`pods/${pod}/status`, { status: value });
const unready = (pod: string): Act => status(pod, { conditions: [{ type: 'Ready', status: 'False' }] });
const claim = (name: string): Body => ({
  metadata: { name, labels: { l: name } },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const PARALLEL = { podManagementPolicy: 'Parallel' };

export const STATEFUL_SETS: readonly Scenario[] = [
  {
    name: 'stateful-life',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'three, of which none serves', acts: [set(3)] },
      { title: 'they serve', acts: [], serves: true },
      { title: 'two', acts: [changed({ replicas: 2 })], serves: true },
      { title: 'another image', acts: [image('two')], serves: true },
      { title: 'back', acts: [image('one')], serves: true },
      { title: 'a pod is deleted', acts: [remove('pods/web-0')], serves: true },
      { title: 'none', acts: [changed({ replicas: 0 })] },
      { title: 'deleted', acts: [remove(WEB, { propagationPolicy: 'Foreground' })] },
    ],
  },
  {
    name: 'stateful-pods',
    looks: [SETS, REVISIONS, { path: 'pods', members: ['spec'], unordered: ['volumes'] }, CLAIMS],
    steps: [
      {
        title: 'with claims and numbers from five on',
        acts: [
          set(2, {
            ...PARALLEL,
            ordinals: { start: 5 },
            volumeClaimTemplates: [claim('data'), claim('log')],
            template: template('one', {
              automountServiceAccountToken: false,
              serviceAccountName: 'default',
              volumes: [
                { name: 'data', emptyDir: {} },
                { name: 'other', emptyDir: {} },
              ],
            }),
          }),
        ],
      },
      { title: 'from four on', acts: [changed({ ordinals: { start: 4 } })], serves: true },
    ],
  },
  {
    name: 'stateful-ordered',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'three that serve', acts: [set(3)], serves: true },
      { title: 'the first one does not any more', acts: [unready('web-0')] },
      { title: 'four', acts: [changed({ replicas: 4 })] },
      { title: 'one', acts: [changed({ replicas: 1 })] },
      { title: 'it serves again', acts: [status('web-0', { conditions: [{ type: 'Ready', status: 'True' }] })] },
    ],
  },
  {
    name: 'stateful-parallel',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'three at once', acts: [set(3, PARALLEL)] },
      { title: 'five', acts: [changed({ replicas: 5 })] },
      { title: 'another image, while none serves', acts: [image('two')] },
      { title: 'they serve', acts: [], serves: true },
      { title: 'one', acts: [changed({ replicas: 1 })] },
    ],
  },
  {
    name: 'stateful-partition',
    looks: LOOKS,
    steps: [
      { title: 'four', acts: [set(4, { updateStrategy: { rollingUpdate: { partition: 2 } } })], serves: true },
      { title: 'another image', acts: [image('two')], serves: true },
      { title: 'an old one is deleted', acts: [remove('pods/web-1')], serves: true },
      { title: 'one more', acts: [changed({ replicas: 5 })], serves: true },
      { title: 'a third image', acts: [image('three')], serves: true },
      { title: 'the rest', acts: [changed({ updateStrategy: { rollingUpdate: { partition: 0 } } })], serves: true },
      {
        title: 'a partition beyond all',
        acts: [changed({ updateStrategy: { rollingUpdate: { partition: 9 } } }), image('four')],
        serves: true,
      },
    ],
  },
  {
    name: 'stateful-stuck',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'three that serve', acts: [set(3)], serves: true },
      { title: 'an image that does not', acts: [image('bad')] },
      { title: 'back, while the last one waits', acts: [image('one')] },
      { title: 'the waiting one is deleted', acts: [remove('pods/web-2')] },
      { title: 'they serve', acts: [], serves: true },
    ],
  },
  {
    name: 'stateful-on-delete',
    looks: LOOKS,
    steps: [
      { title: 'two', acts: [set(2, { updateStrategy: { type: 'OnDelete' } })], serves: true },
      { title: 'another image', acts: [image('two')], serves: true },
      { title: 'one is deleted', acts: [remove('pods/web-0')], serves: true },
      { title: 'rolled out after all', acts: [changed({ updateStrategy: { type: 'RollingUpdate' } })], serves: true },
    ],
  },
  {
    name: 'stateful-failed',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'two', acts: [set(2)], serves: true },
      { title: 'one fails', acts: [status('web-1', { phase: 'Failed', conditions: [] })], serves: true },
      { title: 'one succeeds', acts: [status('web-0', { phase: 'Succeeded', conditions: [] })], serves: true },
    ],
  },
  {
    name: 'stateful-history',
    looks: LOOKS,
    steps: [
      { title: 'one', acts: [set(1, { revisionHistoryLimit: 1 })], serves: true },
      { title: 'a second image', acts: [image('two')], serves: true },
      { title: 'a third', acts: [image('three')], serves: true },
      { title: 'the second again', acts: [image('two')], serves: true },
      { title: 'no history', acts: [changed({ revisionHistoryLimit: 0 })], serves: true },
      { title: 'what is no template', acts: [changed({ minReadySeconds: 1 })], serves: true },
    ],
  },
  {
    name: 'stateful-ready-for-long',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'two', acts: [set(2, { minReadySeconds: 2 })], serves: true, restMs: 6_000 },
      { title: 'another image', acts: [image('two')], serves: true, restMs: 6_000 },
    ],
  },
  {
    name: 'stateful-claims',
    looks: [...LOOKS, CLAIMS],
    steps: [
      {
        title: 'that go when there are fewer',
        acts: [
          set(2, {
            volumeClaimTemplates: [claim('data')],
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
          }),
        ],
        serves: true,
      },
      { title: 'one', acts: [changed({ replicas: 1 })], serves: true },
      { title: 'that stay', acts: [changed({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' } })] },
      { title: 'none', acts: [changed({ replicas: 0 })] },
      { title: 'one again', acts: [changed({ replicas: 1 })], serves: true },
      {
        title: 'that go with the set',
        acts: [changed({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' } })],
      },
      { title: 'deleted', acts: [remove(WEB, { propagationPolicy: 'Background' })] },
    ],
  },
  {
    name: 'stateful-owned',
    looks: LOOKS,
    steps: [
      { title: 'two', acts: [set(2)], serves: true },
      { title: 'orphaned', acts: [remove(WEB, { propagationPolicy: 'Orphan' })] },
      { title: 'taken in again', acts: [set(2)], serves: true },
      { title: 'one with other labels', acts: [patch('pods/web-1', { metadata: { labels: { app: 'b' } } })], serves: true },
      { title: 'its labels are right again', acts: [patch('pods/web-1', { metadata: { labels: A } })], serves: true },
      {
        title: 'a pod that bears no name of a pod of the set',
        acts: [create('pods', { metadata: { name: 'web-x', labels: A }, spec: { containers: [{ name: 'c', image: 'i' }] } })],
      },
    ],
  },
];
