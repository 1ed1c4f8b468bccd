/** What upstream's conformance tests show of workloads and no other scenario does: endpoints of scale, owners that are collected, revisions that somebody meddles with, and quotas in the way. */
import type { Body } from '../reference';
import { pod } from './pods';
import { create, patch, remove, replace, type Act, type Look, type Scenario } from './scenario';

const APPS = '/apis/apps/v1/namespaces/$NS';
const CONTROLLERS = 'replicationcontrollers';
const POLICY = '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets';
const A = { app: 'a' };
const PODS: Look = { path: 'pods', members: [] };
const OF_CONTROLLERS: Look = { path: CONTROLLERS, members: ['status'], unordered: ['conditions'] };
const template = (image = 'one', container: Body = {}): Body => ({
  metadata: { labels: A },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image, ...container }] },
});
const controller = (name: string, replicas: number, more: Body = {}): Act =>
  create(CONTROLLERS, { metadata: { name }, spec: { replicas, selector: A, template: template(), ...more } });
const workload = (resource: string, replicas: number, spec: Body = {}): Act =>
  create(`${APPS}/${resource}`, {
    metadata: { name: 'web' },
    spec: { replicas, selector: { matchLabels: A }, template: template(), ...spec },
  });
const scaled = (path: string, replicas: number): Act => replace(`${path}/web/scale`, { metadata: { name: 'web' }, spec: { replicas } });

const scales: readonly Scenario[] = [
  [`${APPS}/deployments`, workload('deployments', 1)] as const,
  [`${APPS}/replicasets`, workload('replicasets', 1)] as const,
  [`${APPS}/statefulsets`, workload('statefulsets', 1, { serviceName: 's' })] as const,
  [CONTROLLERS, controller('web', 1)] as const,
].map(([path, made]) => ({
  name: `scale-${path.split('/').at(-1) ?? ''}`,
  // Names of revisions are told apart by the revisions that are seen.
  looks: [{ path, members: ['status'], unordered: ['conditions'] }, { path: `${APPS}/controllerrevisions` }, PODS],
  steps: [
    { title: 'one pod', acts: [made], serves: true },
    { title: 'two, by its scale', acts: [scaled(path, 2)], serves: true },
    { title: 'four, by a patch of it', acts: [patch(`${path}/web/scale`, { spec: { replicas: 4 } })], serves: true },
  ],
}));

const COLLECTED: readonly Scenario[] = ['Background', 'Foreground', 'Orphan'].map((propagationPolicy) => ({
  name: `controller-${propagationPolicy.toLowerCase()}`,
  looks: [OF_CONTROLLERS, PODS],
  steps: [
    { title: 'a controller with ten pods', acts: [controller('rc', 10)] },
    { title: 'goes', acts: [remove(`${CONTROLLERS}/rc`, { propagationPolicy })], restMs: 5_000 },
  ],
}));

const REVISIONS = `${APPS}/controllerrevisions`;
/** StatefulSets look at theirs only when something else happens. */
const ofRevisions: Scenario = {
  name: 'revisions-daemonsets',
  looks: [{ path: REVISIONS, members: ['revision'] }],
  steps: [
    {
      title: 'the first one',
      acts: [create(`${APPS}/daemonsets`, { metadata: { name: 'web' }, spec: { selector: { matchLabels: A }, template: template() } })],
    },
    { title: 'leaves by its labels', acts: [patch(`${REVISIONS}/*`, { metadata: { labels: { app: 'x' } } })] },
    { title: 'comes back', acts: [patch(`${REVISIONS}/*`, { metadata: { labels: A } })] },
    { title: 'is let go by hand', acts: [patch(`${REVISIONS}/*`, { metadata: { ownerReferences: null } })] },
    { title: 'is deleted', acts: [remove(`${REVISIONS}/*`)] },
  ],
};

const OTHERS: readonly Scenario[] = [
  {
    name: 'controller-quota',
    looks: [OF_CONTROLLERS, PODS],
    steps: [
      { title: 'room for two', acts: [create('resourcequotas', { metadata: { name: 'q' }, spec: { hard: { pods: '2' } } })] },
      { title: 'three wanted', acts: [controller('rc', 3)] },
      { title: 'two wanted', acts: [patch(`${CONTROLLERS}/rc`, { spec: { replicas: 2 } })] },
    ],
  },
  {
    name: 'deployment-rollover',
    looks: [{ path: `${APPS}/deployments`, members: ['status'], unordered: ['conditions'] }, { path: `${APPS}/replicasets` }, PODS],
    steps: [
      {
        title: 'pods of an older set are taken in',
        acts: [
          create(`${APPS}/replicasets`, {
            metadata: { name: 'old', labels: A },
            spec: { replicas: 1, selector: { matchLabels: A }, template: template('old') },
          }),
        ],
        serves: true,
      },
      {
        title: 'a roll-out that does not get on',
        acts: [workload('deployments', 1, { template: template('bad'), strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })],
      },
      {
        title: 'another one before its end',
        acts: [patch(`${APPS}/deployments/web`, { spec: { template: { spec: { containers: [{ name: 'c', image: 'good' }] } } } })],
      },
      { title: 'serves', acts: [], serves: true },
    ],
  },
  {
    name: 'budget-changed',
    looks: [{ path: POLICY, members: ['status'] }, PODS],
    steps: [
      {
        title: 'a pod that is to stay',
        acts: [
          ...pod('p', {
            labels: A,
            phase: 'Running',
            conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }],
          }),
          create(POLICY, { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: { matchLabels: A } } }),
        ],
      },
      { title: 'stays', acts: [evict('p')] },
      { title: 'may go', acts: [patch(`${POLICY}/b`, { spec: { minAvailable: 0 } })] },
      { title: 'goes', acts: [evict('p')] },
    ],
  },
];

function evict(name: string): Act {
  return create(`pods/${name}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });
}

export const CONFORMANCE: readonly Scenario[] = [...scales, ...COLLECTED, ofRevisions, ...OTHERS];
