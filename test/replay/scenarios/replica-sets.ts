/** Sets of pods, and controllers of the older kind: both keep so many pods of a template. The steps play the kubelet. */
import type { Body } from '../reference';
import { create, patch, remove, type Act, type Look, type Scenario } from './scenario';
import { ownedBy, pod, READY, ready } from './pods';

const SETS = '/apis/apps/v1/namespaces/$NS/replicasets';
const CONTROLLERS = 'replicationcontrollers';
const EVENTS: Look = { path: 'events', members: ['involvedObject', 'type', 'reason', 'message', 'source'] };
const LOOKS: readonly Look[] = [{ path: SETS, members: ['status'] }, { path: 'pods', members: [] }, EVENTS];
const A = { app: 'a' };
const TEMPLATE = { metadata: { labels: A, annotations: { note: 'n' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

const set = (replicas: number, spec: Body = {}, metadata: Body = {}): Act =>
  create(SETS, { metadata: { name: 'set', ...metadata }, spec: { replicas, selector: { matchLabels: A }, template: TEMPLATE, ...spec } });
const scaled = (replicas: number): Act => patch(`${SETS}/set`, { spec: { replicas } });
const allReady: Act = patch('pods/*/status', { status: { phase: 'Running', conditions: [READY] } });

export const REPLICA_SETS: readonly Scenario[] = [
  {
    name: 'set-life',
    looks: LOOKS,
    steps: [
      { title: 'three pods', acts: [set(3)] },
      { title: 'they serve', acts: [allReady] },
      { title: 'one more', acts: [scaled(4)] },
      { title: 'two less', acts: [scaled(2)] },
      { title: 'one fails', acts: [patch('pods/*1/status', { status: { phase: 'Failed' } })] },
      { title: 'all pods are deleted', acts: [remove('pods/*')] },
      { title: 'none', acts: [scaled(0)] },
      { title: 'deleted', acts: [remove(`${SETS}/set`)] },
    ],
  },
  {
    name: 'set-claims',
    looks: LOOKS,
    steps: [
      {
        title: 'pods that are there',
        acts: [...pod('p1', { labels: A }), ...ready('p2', { app: 'a', extra: 'e' }), ...ready('q', { app: 'b' })],
      },
      { title: 'are taken in', acts: [set(2)] },
      { title: 'one leaves by its labels', acts: [patch('pods/p1', { metadata: { labels: { app: 'x' } } })] },
      { title: 'one more comes in by them, and is too many', acts: [patch('pods/q', { metadata: { labels: A } })] },
      { title: 'orphaned', acts: [remove(`${SETS}/set`, { propagationPolicy: 'Orphan' })] },
      { title: 'and taken in again', acts: [set(2)] },
      { title: 'deleted with them', acts: [remove(`${SETS}/set`, { propagationPolicy: 'Foreground' })] },
    ],
  },
  {
    name: 'set-ready-for-long',
    looks: LOOKS,
    steps: [
      { title: 'pods that do not serve', acts: [set(2, { minReadySeconds: 4 })] },
      {
        title: 'for so long',
        acts: [patch('pods/*/status', { status: { phase: 'Running', conditions: [{ ...READY, lastTransitionTime: '$NOW' }] } })],
        restMs: 6_000,
      },
    ],
  },
  {
    name: 'set-foreign',
    looks: LOOKS,
    steps: [
      {
        title: 'pods of another owner',
        acts: [create('configmaps', { metadata: { name: 'm' } }), ...ready('p', A, ownedBy('v1', 'ConfigMap', 'm')), set(1)],
      },
      {
        title: 'a set that is held and goes',
        acts: [patch(`${SETS}/set`, { metadata: { finalizers: ['a.example.com/f'] } }), remove(`${SETS}/set`)],
      },
      { title: 'does nothing any more', acts: [remove('pods/*1')] },
      { title: 'until it is gone', acts: [patch(`${SETS}/set`, { metadata: { finalizers: null } })] },
    ],
  },
  {
    name: 'set-twins',
    looks: LOOKS,
    steps: [
      { title: 'two of one selector', acts: [set(2), set(1, {}, { name: 'twin' })] },
      { title: 'both serve', acts: [allReady] },
    ],
  },
  {
    name: 'controller-life',
    looks: [{ path: CONTROLLERS, members: ['status'] }, { path: 'pods', members: [] }, EVENTS],
    steps: [
      {
        title: 'three pods, one of which is there',
        acts: [...pod('p1', { labels: A }), create(CONTROLLERS, { metadata: { name: 'rc' }, spec: { replicas: 3, template: TEMPLATE } })],
      },
      { title: 'they serve', acts: [allReady] },
      { title: 'one leaves by its labels', acts: [patch('pods/p1', { metadata: { labels: { app: 'x' } } })] },
      { title: 'one', acts: [patch(`${CONTROLLERS}/rc`, { spec: { replicas: 1 } })] },
      { title: 'deleted', acts: [remove(`${CONTROLLERS}/rc`, { propagationPolicy: 'Background' })] },
    ],
  },
];

/** Its pods are refused, by an admission that knows their account to be missing. */
export const REFUSED_SET: Scenario = {
  name: 'set-refused',
  looks: LOOKS.slice(0, 2),
  steps: [
    {
      title: 'pods that are refused',
      acts: [set(3, { template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, serviceAccountName: 'nobody' } } })],
    },
    { title: 'until their account comes', acts: [create('serviceaccounts', { metadata: { name: 'nobody' } })], restMs: 8_000 },
  ],
};
