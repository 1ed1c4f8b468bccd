/** ReplicaSet and ReplicationController: what is asked of the reference server. */
import type { KindCases } from '../kind-cases';
import type { Body } from '../reference';
import { LABELS, SELECTOR, selectorBodies, selectorChanges, template, templateBodies, twice } from './pods';

const spec = (members: Body): Body => ({ spec: { selector: SELECTOR, template: template(), ...members } });
const controller = (members: Body): Body => ({ spec: { selector: LABELS, template: template(), ...members } });

const bodies = (of: (members: Body) => Body): Record<string, Body> => ({
  plain: of({}),
  'no spec': {},
  'an empty spec': { spec: {} },
  'a status and a generation': { metadata: { generation: 7 }, ...of({}), status: { replicas: -1 } },
  'name: a subdomain': { metadata: { name: 'a.b' }, ...of({}) },
  'name: in capitals': { metadata: { name: 'A' }, ...of({}) },
  'replicas: zero': of({ replicas: 0 }),
  'replicas: negative': of({ replicas: -1 }),
  'ready: negative': of({ minReadySeconds: -1 }),
  ...templateBodies(of),
});

const counts = (of: (members: Body) => Body): Record<string, Body> => {
  const status = (members: Body): Body => ({ ...of({}), status: members });
  return {
    good: status({ replicas: 3, fullyLabeledReplicas: 3, readyReplicas: 2, availableReplicas: 1, observedGeneration: 1 }),
    'all negative': status({ replicas: -1, fullyLabeledReplicas: -2, readyReplicas: -3, availableReplicas: -4, observedGeneration: -5 }),
    'labelled more than all': status({ replicas: 1, fullyLabeledReplicas: 2 }),
    'ready more than all': status({ replicas: 1, readyReplicas: 2 }),
    'available more than all': status({ replicas: 1, readyReplicas: 1, availableReplicas: 2 }),
    'available more than ready': status({ replicas: 2, readyReplicas: 1, availableReplicas: 2 }),
    'all more than all': status({ replicas: 1, fullyLabeledReplicas: 2, readyReplicas: 3, availableReplicas: 4 }),
    conditions: status({ replicas: 0, conditions: [{ type: '-', status: 'x' }] }),
    'spec as well': { ...of({ replicas: -1 }), status: { replicas: 1 } },
    'malformed labels': { ...status({ replicas: 0 }), metadata: { labels: { a: '-' } } },
  };
};

const scales = (of: (members: Body) => Body): Record<string, readonly [Body, Body]> => ({
  good: [of({}), { spec: { replicas: 4 } }],
  negative: [of({}), { spec: { replicas: -1 } }],
});

const shared = { namespaced: true, unrecorded: ['template'] } as const;

export const REPLICA_SETS: KindCases = {
  ...shared,
  resource: 'replicasets',
  kind: 'ReplicaSet',
  apiVersion: 'apps/v1',
  base: spec({}),
  bodies: {
    ...bodies(spec),
    ...selectorBodies(spec),
    'everything wrong at once': {
      metadata: { labels: { a: '-' } },
      spec: {
        replicas: -1,
        minReadySeconds: -1,
        selector: { matchLabels: { a: '-' } },
        template: template({ restartPolicy: 'Never', containers: [] }, { labels: { a: '-' } }),
      },
    },
  },
  changes: selectorChanges(spec),
  statuses: counts(spec),
  scales: scales(spec),
};

export const REPLICATION_CONTROLLERS: KindCases = {
  ...shared,
  resource: 'replicationcontrollers',
  kind: 'ReplicationController',
  apiVersion: 'v1',
  base: controller({}),
  bodies: {
    ...bodies(controller),
    'selector: absent': controller({ selector: null }),
    'selector: empty': controller({ selector: {} }),
    'selector: others': controller({ selector: { a: 'c' } }),
    'selector: malformed': controller({ selector: { 'a b': '-' } }),
    'selector: malformed and matching': controller({ selector: { 'a b': '-' }, template: template({}, { labels: { 'a b': '-' } }) }),
    'no selector and no template': controller({ selector: null, template: null }),
    'everything wrong at once': {
      metadata: { labels: { a: '-' } },
      spec: {
        replicas: -1,
        minReadySeconds: -1,
        selector: { a: '-' },
        template: template({ restartPolicy: 'Never', containers: [] }, { labels: { a: 'x' } }),
      },
    },
  },
  changes: {
    'nothing changes': [controller({}), controller({})],
    'selector changes': [controller({}), controller({ selector: { c: 'd' }, template: template({}, { labels: { c: 'd' } }) })],
    'selector does not match any more': [controller({}), controller({ selector: { c: 'd' } })],
    'selector goes': [controller({}), controller({ selector: null })],
    'template goes': [controller({}), controller({ template: null })],
    'a template that is warned of goes': [controller({ template: twice('Always') }), controller({})],
    'a template that is warned of stays': [controller({ template: twice('Always') }), controller({ template: twice('Always') })],
    'a template that is warned of stays, the rest changes': [
      controller({ template: twice('Always') }),
      controller({ template: twice('Always'), replicas: 5 }),
    ],
    'template changes': [controller({}), controller({ template: template({ hostname: 'h' }) })],
    'becomes wrong': [controller({}), { metadata: { labels: { a: '-' } }, ...controller({ replicas: -1 }) }],
  },
  statuses: counts(controller),
  scales: scales(controller),
};

export const POD_TEMPLATES: KindCases = {
  namespaced: true,
  resource: 'podtemplates',
  kind: 'PodTemplate',
  apiVersion: 'v1',
  base: { template: template() },
  bodies: {
    plain: { template: template() },
    nothing: {},
    'name: a subdomain': { metadata: { name: 'a.b' }, template: template() },
    'name: in capitals': { metadata: { name: 'A' }, template: template() },
    ...Object.fromEntries(Object.entries(templateBodies((members) => members)).map(([title, body]) => [title, body] as const)),
    'everything wrong at once': {
      metadata: { labels: { a: '-' } },
      template: template({ restartPolicy: 'x', containers: [] }, { labels: { a: '-' } }),
    },
  },
  changes: {
    'nothing changes': [{ template: template() }, { template: template() }],
    'template changes': [{ template: template() }, { template: template({ hostname: 'h' }, {}) }],
  },
};
