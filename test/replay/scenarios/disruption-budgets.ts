/** Budgets and the pods that they speak of. */
import type { Body } from '../reference';
import { create, patch, remove, type Act, type Look, type Scenario } from './scenario';
import { ownedBy, pod, READY, ready, status } from './pods';

const POLICY = '/apis/policy/v1/namespaces/$NS/poddisruptionbudgets';
const APPS = '/apis/apps/v1/namespaces/$NS';
const LOOKS: readonly Look[] = [{ path: POLICY }, { path: 'events', members: ['involvedObject', 'type', 'reason', 'message', 'source'] }];
const A = { app: 'a' };
const SELECTOR = { matchLabels: A };
const TEMPLATE = { metadata: { labels: A }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const LONG_AGO = '2020-01-01T00:00:00Z';

const budget = (name: string, spec: Body): Act => create(POLICY, { metadata: { name }, spec: { selector: SELECTOR, ...spec } });
const workload = (kind: string, name: string, replicas: number, metadata: Body = {}): Act =>
  create(`${APPS}/${kind}`, {
    metadata: { name, ...metadata },
    spec: { replicas, serviceName: 's', selector: SELECTOR, template: TEMPLATE },
  });
const replicaSet = (name: string, replicas: number, metadata: Body = {}): Act =>
  create(`${APPS}/replicasets`, { metadata: { name, ...metadata }, spec: { replicas, selector: SELECTOR, template: TEMPLATE } });
const owned = (owner: Body, ...names: readonly string[]): Act[] => names.flatMap((name) => ready(name, A, owner));
const SET = ownedBy('apps/v1', 'ReplicaSet', 'set');
const unready = (name: string): Act => status(name, { conditions: [{ ...READY, status: 'False' }] });

const COUNTED: Scenario = {
  name: 'budget-number',
  looks: LOOKS,
  steps: [
    { title: 'a budget without pods', acts: [budget('b', { minAvailable: 2 })] },
    { title: 'pods that do not serve yet', acts: [...pod('p1', { labels: A }), ...pod('p2', { labels: A }), ...pod('p3', { labels: A })] },
    { title: 'they serve', acts: ['p1', 'p2', 'p3'].map((name) => status(name, { phase: 'Running', conditions: [READY] })) },
    { title: 'one does not serve any more', acts: [unready('p1')] },
    { title: 'it is deleted', acts: [remove('pods/p1')] },
    { title: 'pods of others', acts: ready('q', { app: 'b' }) },
    { title: 'another bound', acts: [patch(`${POLICY}/b`, { spec: { minAvailable: 1 } })] },
    { title: 'a pod leaves by its labels', acts: [patch('pods/p2', { metadata: { labels: { app: 'b' } } })] },
    { title: 'one comes in by them', acts: [patch('pods/q', { metadata: { labels: A } })] },
    { title: 'one ends', acts: [status('q', { phase: 'Succeeded', conditions: [{ ...READY, status: 'False' }] })] },
  ],
};

const OWNED: readonly Scenario[] = [
  {
    name: 'budget-share',
    looks: LOOKS,
    steps: [
      { title: 'three of four pods', acts: [replicaSet('set', 4), ...owned(SET, 'p1', 'p2', 'p3'), budget('b', { minAvailable: '50%' })] },
      { title: 'seven wanted', acts: [patch(`${APPS}/replicasets/set`, { spec: { replicas: 7 } }), ...owned(SET, 'p4')] },
      { title: 'none wanted', acts: [patch(`${APPS}/replicasets/set`, { spec: { replicas: 0 } }), remove('pods/p4')] },
    ],
  },
  {
    name: 'budget-unavailable',
    looks: LOOKS,
    steps: [
      {
        title: 'one of three may be missing',
        acts: [replicaSet('set', 3), ...owned(SET, 'p1', 'p2', 'p3'), budget('b', { maxUnavailable: 1 })],
      },
      { title: 'a share, rounded up', acts: [patch(`${POLICY}/b`, { spec: { maxUnavailable: '34%' } })] },
      { title: 'more than there are', acts: [patch(`${POLICY}/b`, { spec: { maxUnavailable: 9 } })] },
      { title: 'none', acts: [patch(`${POLICY}/b`, { spec: { maxUnavailable: 0 } })] },
    ],
  },
  {
    name: 'budget-deployment',
    looks: LOOKS,
    steps: [
      {
        title: 'two sets of one deployment',
        acts: [
          workload('deployments', 'web', 5),
          replicaSet('old', 2, ownedBy('apps/v1', 'Deployment', 'web')),
          replicaSet('set', 3, ownedBy('apps/v1', 'Deployment', 'web')),
          ...owned(SET, 'p1', 'p2'),
          ...owned(ownedBy('apps/v1', 'ReplicaSet', 'old'), 'p3', 'p4'),
          budget('b', { maxUnavailable: 2 }),
        ],
      },
    ],
  },
  {
    name: 'budget-owners',
    looks: LOOKS,
    steps: [
      {
        title: 'a stateful set',
        acts: [
          workload('statefulsets', 'db', 3),
          ...owned(ownedBy('apps/v1', 'StatefulSet', 'db'), 'p1', 'p2'),
          budget('b', { maxUnavailable: 1 }),
        ],
      },
      {
        title: 'and a replication controller',
        acts: [
          create('replicationcontrollers', { metadata: { name: 'rc' }, spec: { replicas: 2, selector: A, template: TEMPLATE } }),
          ...owned(ownedBy('v1', 'ReplicationController', 'rc'), 'p3', 'p4'),
        ],
      },
    ],
  },
];

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/housekeeping.example.com/v1/namespaces/$NS/$NS-widgets';
const definition = (): Act =>
  create(DEFINITIONS, {
    metadata: { name: '$NS-widgets.housekeeping.example.com' },
    spec: {
      group: 'housekeeping.example.com',
      scope: 'Namespaced',
      names: { plural: '$NS-widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
        },
      ],
    },
  });

const BROKEN: readonly Scenario[] = [
  {
    name: 'budget-custom-owner',
    looks: [...LOOKS, { path: DEFINITIONS, members: ['status'] }],
    leftovers: [`${DEFINITIONS}/$NS-widgets.housekeeping.example.com`],
    steps: [
      { title: 'a kind of its own', acts: [definition()], restMs: 45_000 },
      {
        title: 'pods of an object of that kind',
        acts: [
          create(WIDGETS, { apiVersion: 'housekeeping.example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { replicas: 5 } }),
          ...owned(ownedBy('housekeeping.example.com/v1', 'Widget', 'w'), 'p1', 'p2', 'p3', 'p4'),
          budget('b', { minAvailable: '50%' }),
        ],
      },
    ],
  },
  {
    name: 'budget-unmanaged',
    looks: LOOKS,
    steps: [
      { title: 'a share of pods without owner', acts: [...ready('p1', A), ...ready('p2', A), budget('b', { minAvailable: '50%' })] },
      { title: 'most of them', acts: [patch(`${POLICY}/b`, { spec: { minAvailable: null, maxUnavailable: 1 } })] },
      { title: 'one has an owner', acts: [replicaSet('set', 3), ...owned(SET, 'p3')] },
      { title: 'a number', acts: [patch(`${POLICY}/b`, { spec: { maxUnavailable: null, minAvailable: 1 } })] },
    ],
  },
  {
    name: 'budget-no-scale',
    looks: LOOKS,
    steps: [
      {
        title: 'an owner that has no scale',
        acts: [
          create('configmaps', { metadata: { name: 'map' } }),
          ...owned(ownedBy('v1', 'ConfigMap', 'map'), 'p1', 'p2'),
          budget('b', { maxUnavailable: 1 }),
        ],
      },
      { title: 'a number does not ask for the owner', acts: [patch(`${POLICY}/b`, { spec: { maxUnavailable: null, minAvailable: 1 } })] },
    ],
  },
  {
    name: 'budget-job-owner',
    looks: LOOKS,
    steps: [
      {
        title: 'an owner that has no scale, of another group',
        acts: [
          create('/apis/batch/v1/namespaces/$NS/jobs', {
            metadata: { name: 'job' },
            spec: { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
          }),
          ...owned(ownedBy('batch/v1', 'Job', 'job'), 'p1'),
          budget('b', { maxUnavailable: 1 }),
        ],
      },
    ],
  },
  {
    name: 'budget-no-kind',
    looks: LOOKS,
    steps: [
      {
        title: 'an owner of an unknown kind',
        acts: [
          ...owned(
            { ownerReferences: [{ apiVersion: 'nobody.example.com/v1', kind: 'Thing', name: 't', uid: 'u', controller: true }] },
            'p1',
          ),
          budget('b', { maxUnavailable: 1 }),
        ],
      },
    ],
  },
  {
    name: 'budget-lost-owner',
    looks: LOOKS,
    steps: [
      {
        title: 'an owner that is gone',
        acts: [
          ...owned({ ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true }] }, 'p1'),
          budget('b', { maxUnavailable: 1 }),
        ],
      },
      {
        title: 'one in whose place another stands',
        acts: [
          replicaSet('set', 3),
          ...owned({ ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'u', controller: true }] }, 'p2'),
        ],
      },
      { title: 'a share with it', acts: [patch(`${POLICY}/b`, { spec: { maxUnavailable: null, minAvailable: '30%' } })] },
    ],
  },
];

const EVICTED: readonly Scenario[] = [
  {
    name: 'budget-evictions',
    looks: [...LOOKS, { path: 'pods', members: [] }],
    steps: [
      { title: 'three pods, two are to stay', acts: [...owned({}, 'p1', 'p2', 'p3'), budget('b', { minAvailable: 2 })] },
      { title: 'one may go', acts: [create('pods/p1/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p1' } })] },
      { title: 'no other', acts: [create('pods/p2/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p2' } })] },
      { title: 'until another serves', acts: owned({}, 'p4') },
      {
        title: 'then it goes',
        acts: [create('pods/p2/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p2' } })],
      },
    ],
  },
  {
    name: 'budget-disrupted',
    looks: LOOKS,
    steps: [
      { title: 'two pods', acts: [...owned({}, 'p1', 'p2'), budget('b', { minAvailable: 1 })] },
      {
        title: 'one is on its way, one was, one is gone',
        acts: [patch(`${POLICY}/b/status`, { status: { disruptedPods: { p1: '$NOW', p2: LONG_AGO, p9: '$NOW' } } })],
      },
    ],
  },
  {
    name: 'budget-stale-mark',
    looks: [...LOOKS, { path: 'pods', members: ['status'] }],
    steps: [
      { title: 'a budget', acts: [...owned({}, 'p1', 'p2'), budget('b', { minAvailable: 1 })] },
      {
        title: 'marked long ago, and now',
        acts: ['p1', 'p2'].map((name, index) =>
          status(name, {
            conditions: [
              READY,
              {
                type: 'DisruptionTarget',
                status: 'True',
                reason: 'EvictionByEvictionAPI',
                message: 'Eviction API: evicting',
                lastTransitionTime: index === 0 ? LONG_AGO : '$NOW',
              },
            ],
          }),
        ),
      },
      {
        title: 'marked by a kubelet',
        acts: [
          ...owned({}, 'p3'),
          status('p3', {
            conditions: [
              READY,
              { type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet', message: 'm', lastTransitionTime: LONG_AGO },
            ],
          }),
        ],
      },
      {
        title: 'marked and ended',
        acts: [
          ...owned({}, 'p4'),
          status('p4', {
            phase: 'Failed',
            conditions: [
              { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler', message: 'm', lastTransitionTime: LONG_AGO },
            ],
          }),
        ],
      },
    ],
  },
  {
    name: 'budget-going',
    looks: LOOKS,
    steps: [
      {
        title: 'pods that are held',
        acts: [...owned({ finalizers: ['nobody.example.com/f'] }, 'p1'), ...owned({}, 'p2'), budget('b', { minAvailable: 1 })],
      },
      { title: 'one goes', acts: [remove('pods/p1')] },
    ],
  },
];

const SELECTED: readonly Scenario[] = [
  {
    name: 'budget-selectors',
    looks: LOOKS,
    steps: [
      {
        title: 'an empty selector',
        acts: [...owned({}, 'p1', 'p2'), create(POLICY, { metadata: { name: 'all' }, spec: { selector: {}, minAvailable: 1 } })],
      },
      { title: 'no selector', acts: [create(POLICY, { metadata: { name: 'none' }, spec: { minAvailable: 1 } })] },
    ],
  },
  {
    name: 'budget-nothing',
    looks: LOOKS,
    steps: [
      { title: 'a budget that says nothing', acts: [...owned({}, 'p1'), budget('b', {})] },
      {
        title: 'its status is overwritten',
        acts: [patch(`${POLICY}/b/status`, { status: { disruptionsAllowed: 7, currentHealthy: 9, conditions: null } })],
      },
    ],
  },
  {
    name: 'budget-twice',
    // Which budget an Event on the pod names is chance there.
    looks: [{ path: POLICY }],
    steps: [
      { title: 'two budgets', acts: [budget('b1', { minAvailable: 1 }), budget('b2', { minAvailable: 1 })] },
      { title: 'a pod of both', acts: [create('pods', { metadata: { name: 'p1', labels: A }, spec: TEMPLATE.spec })], restMs: 4_000 },
    ],
  },
];

export const DISRUPTION_BUDGETS: readonly Scenario[] = [COUNTED, ...OWNED, ...BROKEN, ...EVICTED, ...SELECTED];
