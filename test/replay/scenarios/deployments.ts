/** Deployments and what they keep. The steps play the kubelet; roll-outs have one pod at a time, so that their steps do not depend on chance. */
import type { Body } from '../reference';
import { create, patch, remove, type Act, type Look, type Scenario } from './scenario';

const APPS = '/apis/apps/v1/namespaces/$NS';
const WEB = `${APPS}/deployments/web`;
const EVENTS: Look = { path: 'events', members: ['involvedObject', 'type', 'reason', 'message', 'source'] };
const SETS: Look = { path: `${APPS}/replicasets` };
const LOOKS: readonly Look[] = [
  { path: `${APPS}/deployments`, members: ['status'], unordered: ['conditions'] },
  SETS,
  { path: 'pods', members: [] },
];
const A = { app: 'a' };
const template = (image = 'one', metadata: Body = {}): Body => ({
  metadata: { labels: A, ...metadata },
  spec: { containers: [{ name: 'c', image }] },
});
const ROLLING = { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
const deployment = (replicas: number, spec: Body = {}, metadata: Body = {}): Act =>
  create(`${APPS}/deployments`, {
    metadata: { name: 'web', ...metadata },
    spec: { replicas, selector: { matchLabels: A }, template: template(), ...ROLLING, ...spec },
  });
const changed = (spec: Body): Act => patch(WEB, { spec });
const image = (name: string): Act => changed({ template: { spec: { containers: [{ name: 'c', image: name }] } } });

export const DEPLOYMENTS: readonly Scenario[] = [
  {
    name: 'deployment-life',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'two pods', acts: [deployment(2)] },
      { title: 'they serve', acts: [], serves: true },
      { title: 'three', acts: [changed({ replicas: 3 })], serves: true },
      { title: 'another image', acts: [image('two')], serves: true },
      { title: 'a third', acts: [image('three')], serves: true },
      { title: 'back to the first', acts: [image('one')], serves: true },
      {
        title: 'another label of its own and an annotation',
        acts: [patch(WEB, { metadata: { labels: { l: 'm' }, annotations: { note: 'n' } } })],
      },
      { title: 'none', acts: [changed({ replicas: 0 })] },
      { title: 'deleted', acts: [remove(WEB, { propagationPolicy: 'Foreground' })] },
    ],
  },
  {
    name: 'deployment-stuck',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'three pods that serve', acts: [deployment(3, { progressDeadlineSeconds: 5 })], serves: true },
      { title: 'others that do not', acts: [image('bad')], restMs: 8_000 },
      { title: 'more while it is stuck', acts: [changed({ replicas: 6 })], restMs: 8_000 },
      { title: 'back', acts: [image('one')] },
      { title: 'they serve', acts: [], serves: true },
    ],
  },
  {
    name: 'deployment-stuck-unavailable',
    looks: [...LOOKS, EVENTS],
    steps: [
      {
        title: 'ten that serve',
        acts: [deployment(10, { strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } })],
        serves: true,
      },
      { title: 'others that do not', acts: [image('bad')] },
      { title: 'twenty, in proportion', acts: [changed({ replicas: 20 })] },
      { title: 'five, in proportion', acts: [changed({ replicas: 5 })] },
      { title: 'a third image', acts: [image('worse')] },
      { title: 'other bounds', acts: [changed({ strategy: { rollingUpdate: { maxSurge: '50%', maxUnavailable: '25%' } } })] },
    ],
  },
  {
    name: 'deployment-paused',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'two pods', acts: [deployment(2)], serves: true },
      { title: 'paused', acts: [changed({ paused: true })] },
      { title: 'another image', acts: [image('two')] },
      { title: 'four', acts: [changed({ replicas: 4 })], serves: true },
      { title: 'resumed', acts: [changed({ paused: false })], serves: true },
      {
        title: 'paused again, back and resumed',
        acts: [changed({ paused: true }), image('one'), changed({ paused: false })],
        serves: true,
      },
    ],
  },
  {
    name: 'deployment-born-paused',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'paused', acts: [deployment(2, { paused: true })] },
      { title: 'resumed', acts: [changed({ paused: false })], serves: true },
    ],
  },
  {
    name: 'deployment-recreate',
    looks: [...LOOKS, EVENTS],
    steps: [
      { title: 'two pods', acts: [deployment(2, { strategy: { type: 'Recreate' } })], serves: true },
      { title: 'another image', acts: [image('two')], serves: true },
    ],
  },
  {
    name: 'deployment-history',
    looks: LOOKS,
    steps: [
      { title: 'one pod', acts: [deployment(1, { revisionHistoryLimit: 1 })], serves: true },
      { title: 'a second image', acts: [image('two')], serves: true },
      { title: 'a third', acts: [image('three')], serves: true },
      { title: 'no history', acts: [changed({ revisionHistoryLimit: 0 })], serves: true },
    ],
  },
  {
    name: 'deployment-claims',
    // How many pods come before a set is set right is chance.
    looks: LOOKS,
    steps: [
      { title: 'two pods', acts: [deployment(2)], serves: true },
      { title: 'orphaned', acts: [remove(WEB, { propagationPolicy: 'Orphan' })] },
      { title: 'taken in again', acts: [deployment(2)], serves: true },
      { title: 'a set that is deleted', acts: [remove(`${APPS}/replicasets/*`)], serves: true },
      { title: 'a set with its number changed by hand', acts: [patch(`${APPS}/replicasets/*`, { spec: { replicas: 5 } })], serves: true },
      { title: 'deleted', acts: [remove(WEB, { propagationPolicy: 'Background' })] },
    ],
  },
  {
    name: 'deployment-ready-for-long',
    looks: [...LOOKS, EVENTS],
    steps: [{ title: 'one pod', acts: [deployment(1, { minReadySeconds: 3 })], serves: true, restMs: 6_000 }],
  },
];

/** Its pods are refused, by an admission that knows their account to be missing. */
export const REFUSED_DEPLOYMENT: Scenario = {
  name: 'deployment-refused',
  looks: LOOKS,
  steps: [
    {
      title: 'pods that are refused',
      acts: [
        deployment(2, {
          progressDeadlineSeconds: 4,
          template: { ...template(), spec: { containers: [{ name: 'c', image: 'one' }], serviceAccountName: 'nobody' } },
        }),
      ],
      restMs: 8_000,
    },
    {
      title: 'until their account comes',
      acts: [create('serviceaccounts', { metadata: { name: 'nobody' } })],
      serves: true,
      restMs: 8_000,
    },
  ],
};
