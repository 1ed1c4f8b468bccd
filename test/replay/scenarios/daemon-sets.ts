/**
 * DaemonSets on nodes of the scenario's own, one pod on each that it may be on. The steps play the nodes and their kubelets. Between the deletion of a pod and the next one
 * the reference may count its node for nothing and replace one pod more than it should: such a recording is made again.
 */
import type { Body } from '../reference';
import { create, patch, remove, type Act, type Look, type Scenario, type ScenarioStep } from './scenario';

const APPS = '/apis/apps/v1/namespaces/$NS';
const WEB = `${APPS}/daemonsets/web`;
const SETS: Look = { path: `${APPS}/daemonsets`, members: ['status'] };
const REVISIONS: Look = { path: `${APPS}/controllerrevisions` };
const LOOKS: readonly Look[] = [SETS, REVISIONS, { path: 'pods', members: [] }];
/** A pod whose template is taken back before it is replaced stays, or goes after all. */
const ROLLED: readonly Look[] = [SETS, REVISIONS, { path: 'pods', members: [], leftOut: ['pod-template-generation'] }];
const A = { app: 'a' };
const OWN = { own: '$NS' };

const at = (name: string): string => `/api/v1/nodes/$NS-${name}`;
const ready = (name: string): Act =>
  patch(`${at(name)}/status`, {
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Said', message: 'by hand', lastHeartbeatTime: '$NOW' }] },
  });
const node = (name: string, labels: Body = {}, spec: Body = {}): readonly Act[] => [
  create('/api/v1/nodes', { metadata: { name: `$NS-${name}`, labels: { ...OWN, ...labels } }, spec }),
  ready(name),
];
const leftovers = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [at(name), `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/$NS-${name}`]);

const template = (spec: Body = {}): Body => ({
  metadata: { labels: A },
  spec: {
    nodeSelector: OWN,
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    serviceAccountName: 'default',
    containers: [{ name: 'c', image: 'one' }],
    ...spec,
  },
});
const set = (spec: Body = {}, metadata: Body = {}): Act =>
  create(`${APPS}/daemonsets`, {
    metadata: { name: 'web', ...metadata },
    spec: { selector: { matchLabels: A }, template: template(), ...spec },
  });
const changed = (spec: Body): Act => patch(WEB, { spec });
const image = (name: string): Act => changed({ template: { spec: { containers: [{ name: 'c', image: name }] } } });
const status = (value: Body): Act => patch('pods/*1/status', { status: value });
const taint = (effect: string): Body => ({ taints: [{ key: 'k', value: 'v', effect }] });
/** Steps on nodes that live. */
const living = (names: readonly string[], steps: readonly ScenarioStep[]): readonly ScenarioStep[] =>
  steps.map((step) => ({ ...step, beats: names }));
const ALL = ['a', 'b', 'c'];
const NODES = ALL.flatMap((name) => node(name));

export const DAEMON_SETS: readonly Scenario[] = [
  {
    name: 'daemon-life',
    looks: LOOKS,
    leftovers: leftovers(...ALL),
    steps: living(ALL, [
      { title: 'two nodes', acts: [...node('a'), ...node('b')] },
      { title: 'a set', acts: [set()] },
      { title: 'they serve', acts: [], serves: true },
      { title: 'a third node', acts: node('c'), serves: true },
      { title: 'a node that it does not select any more', acts: [patch(at('b'), { metadata: { labels: { own: null } } })], serves: true },
      // The reference looks when the set changes.
      { title: 'a node that is gone', acts: [remove(at('c')), patch(WEB, { metadata: { labels: { looked: 'at' } } })], serves: true },
      { title: 'a pod is deleted', acts: [remove('pods/*')], serves: true },
      { title: 'another image', acts: [image('two')], serves: true },
      { title: 'back', acts: [image('one')], serves: true },
      { title: 'no node', acts: [changed({ template: { spec: { nodeSelector: { own: 'none' } } } })] },
      { title: 'deleted', acts: [remove(WEB, { propagationPolicy: 'Foreground' })] },
    ]),
  },
  {
    name: 'daemon-placement',
    looks: [SETS, REVISIONS, { path: 'pods', members: ['spec'] }],
    leftovers: leftovers('a', 'b', 'c', 'd'),
    steps: living(
      ['a', 'b', 'c', 'd'],
      [
        {
          title: 'a node that is cordoned, two with taints, and one without',
          acts: [
            ...node('a', {}, { unschedulable: true }),
            ...node('b', {}, taint('NoSchedule')),
            ...node('c', {}, taint('NoExecute')),
            ...node('d', {}, taint('PreferNoSchedule')),
            set(),
          ],
        },
        {
          title: 'the taints are tolerated',
          acts: [changed({ template: { spec: { tolerations: [{ key: 'k', operator: 'Exists' }] } } })],
          serves: true,
        },
        { title: 'not any more', acts: [changed({ template: { spec: { tolerations: null } } })], serves: true },
        { title: 'a taint on a node with a pod', acts: [patch(at('d'), { spec: taint('NoSchedule') })], serves: true },
        { title: 'one that does not let it stay', acts: [patch(at('d'), { spec: taint('NoExecute') })], serves: true },
      ],
    ),
  },
  {
    name: 'daemon-affinity',
    looks: [SETS, REVISIONS, { path: 'pods', members: ['spec'] }],
    leftovers: leftovers('a', 'b'),
    steps: living(
      ['a', 'b'],
      [
        {
          title: 'required and preferred, with the network of the node',
          acts: [
            ...node('a', { zone: 'one' }),
            ...node('b', { zone: 'two' }),
            set({
              template: template({
                hostNetwork: true,
                tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 }],
                affinity: {
                  nodeAffinity: {
                    requiredDuringSchedulingIgnoredDuringExecution: {
                      nodeSelectorTerms: [
                        { matchExpressions: [{ key: 'zone', operator: 'In', values: ['two'] }] },
                        { matchExpressions: [{ key: 'none', operator: 'Exists' }] },
                      ],
                    },
                    preferredDuringSchedulingIgnoredDuringExecution: [
                      { weight: 1, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } },
                    ],
                  },
                },
              }),
            }),
          ],
        },
        { title: 'a label that fits', acts: [patch(at('a'), { metadata: { labels: { none: '' } } })] },
      ],
    ),
  },
  {
    name: 'daemon-rolling',
    looks: ROLLED,
    isByAge: true,
    leftovers: leftovers(...ALL),
    steps: living(ALL, [
      { title: 'three', acts: [...NODES, set()], serves: true },
      { title: 'an image that does not serve', acts: [image('bad')] },
      { title: 'two at a time', acts: [changed({ updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } })] },
      { title: 'back', acts: [image('one')], serves: true },
      { title: 'half of them', acts: [changed({ updateStrategy: { rollingUpdate: { maxUnavailable: '50%' } } }), image('bad')] },
      { title: 'a third image while they do not serve', acts: [image('three')] },
      { title: 'they serve', acts: [], serves: true },
    ]),
  },
  {
    name: 'daemon-surge',
    looks: LOOKS,
    isByAge: true,
    leftovers: leftovers(...ALL),
    steps: living(ALL, [
      { title: 'three', acts: [...NODES, set({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } })], serves: true },
      { title: 'an image that does not serve', acts: [image('bad')] },
      { title: 'two more at a time', acts: [changed({ updateStrategy: { rollingUpdate: { maxSurge: 2 } } })] },
      { title: 'they serve', acts: [], serves: true },
      { title: 'a third image', acts: [image('three')], serves: true },
    ]),
  },
  {
    name: 'daemon-on-delete',
    looks: LOOKS,
    leftovers: leftovers(...ALL),
    steps: living(ALL, [
      { title: 'three', acts: [...NODES, set({ updateStrategy: { type: 'OnDelete' } })], serves: true },
      { title: 'another image', acts: [image('two')], serves: true },
      { title: 'one is deleted', acts: [remove('pods/*1')], serves: true },
      { title: 'rolled out after all', acts: [changed({ updateStrategy: { type: 'RollingUpdate' } })], serves: true },
    ]),
  },
  {
    name: 'daemon-ended',
    looks: [SETS, REVISIONS, { path: 'pods', members: ['status'] }],
    leftovers: leftovers('a'),
    steps: living(
      ['a'],
      [
        { title: 'one', acts: [...node('a'), set()], serves: true },
        { title: 'it fails', acts: [status({ phase: 'Failed', conditions: [] })], serves: true },
        { title: 'it succeeds', acts: [status({ phase: 'Succeeded', conditions: [] })], serves: true },
      ],
    ),
  },
  {
    name: 'daemon-history',
    looks: LOOKS,
    leftovers: leftovers('a'),
    steps: living(
      ['a'],
      [
        { title: 'one', acts: [...node('a'), set({ revisionHistoryLimit: 1 }, { annotations: { note: 'n' } })], serves: true },
        { title: 'a second image', acts: [image('two')], serves: true },
        { title: 'a third', acts: [image('three')], serves: true },
        { title: 'the second again', acts: [image('two')], serves: true },
        { title: 'what is no template', acts: [changed({ minReadySeconds: 1 })], serves: true },
        { title: 'orphaned', acts: [remove(WEB, { propagationPolicy: 'Orphan' })] },
        { title: 'taken in again', acts: [set()], serves: true },
        { title: 'the second once more', acts: [image('two')], serves: true },
      ],
    ),
  },
  {
    name: 'daemon-ready-for-long',
    looks: LOOKS,
    leftovers: leftovers('a', 'b'),
    steps: living(
      ['a', 'b'],
      [
        { title: 'two', acts: [...node('a'), ...node('b'), set({ minReadySeconds: 2 })], serves: true, restMs: 6_000 },
        { title: 'another image', acts: [image('two')], serves: true, restMs: 6_000 },
      ],
    ),
  },
];
