/** DaemonSet: what is asked of the reference server. */
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';
import { SELECTOR, selectorBodies, selectorChanges, template, templateBodies } from './pods';

const spec = (members: Body): Body => ({ spec: { selector: SELECTOR, template: template(), ...members } });
const rolling = (of: Json): Body => spec({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: of } });
const counted: Body = { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: 1 };
const status = (of: Body): Body => ({ ...spec({}), status: { ...counted, ...of } });
const generation = (count: Json, members: Body = {}): Body => ({
  metadata: { annotations: { 'deprecated.daemonset.template.generation': count } },
  ...spec(members),
});

export const DAEMON_SETS: KindCases = {
  resource: 'daemonsets',
  kind: 'DaemonSet',
  apiVersion: 'apps/v1',
  namespaced: true,
  base: spec({}),
  unrecorded: ['template'],
  bodies: {
    plain: spec({}),
    'no spec': {},
    'an empty spec': { spec: {} },
    'a status and a generation': { metadata: { generation: 7 }, ...status({ numberReady: -1 }) },
    'name: a subdomain': { metadata: { name: 'a.b' }, ...spec({}) },
    'name: in capitals': { metadata: { name: 'A' }, ...spec({}) },
    'ready: negative': spec({ minReadySeconds: -1 }),
    'history: negative': spec({ revisionHistoryLimit: -1 }),
    'history: zero': spec({ revisionHistoryLimit: 0 }),
    'strategy: OnDelete': spec({ updateStrategy: { type: 'OnDelete' } }),
    'strategy: OnDelete with numbers': spec({ updateStrategy: { type: 'OnDelete', rollingUpdate: { maxUnavailable: -1 } } }),
    'strategy: unknown': spec({ updateStrategy: { type: 'x' } }),
    'strategy: empty': spec({ updateStrategy: { type: '' } }),
    'strategy: Recreate': spec({ updateStrategy: { type: 'Recreate' } }),
    'rolling: null': rolling(null),
    'rolling: zero': rolling({ maxUnavailable: 0 }),
    'rolling: zero in percent': rolling({ maxUnavailable: '0%' }),
    'rolling: surge': rolling({ maxSurge: 1, maxUnavailable: 0 }),
    'rolling: both': rolling({ maxSurge: 1, maxUnavailable: 1 }),
    'rolling: both in percent': rolling({ maxSurge: '10%', maxUnavailable: '10%' }),
    'rolling: surge in percent': rolling({ maxSurge: '10%', maxUnavailable: '0%' }),
    'rolling: both zero': rolling({ maxSurge: 0, maxUnavailable: 0 }),
    'rolling: negative': rolling({ maxSurge: -1, maxUnavailable: -1 }),
    'rolling: negative surge': rolling({ maxSurge: -1, maxUnavailable: 0 }),
    'rolling: malformed': rolling({ maxSurge: 'x', maxUnavailable: '5' }),
    'rolling: malformed surge': rolling({ maxSurge: 'x', maxUnavailable: 0 }),
    'rolling: more than all': rolling({ maxUnavailable: '101%' }),
    'rolling: surge of more than all': rolling({ maxSurge: '101%', maxUnavailable: 0 }),
    'generation: given': generation('5'),
    'generation: negative': generation('-5'),
    'generation: malformed': generation('x'),
    'generation: empty': generation(''),
    'generation: with a sign': generation('+5'),
    'generation: with a zero': generation('05'),
    'generation: with a blank': generation(' 5'),
    'generation: the largest': generation('9223372036854775807'),
    'generation: too large': generation('9223372036854775808'),
    'everything wrong at once': {
      metadata: { labels: { a: '-' } },
      spec: {
        selector: { matchLabels: { a: '-' } },
        template: template({ restartPolicy: 'Never', containers: [] }, { labels: { a: '-' } }),
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: -1, maxUnavailable: 'x' } },
        minReadySeconds: -1,
        revisionHistoryLimit: -1,
      },
    },
    ...selectorBodies(spec),
    ...templateBodies(spec),
  },
  changes: {
    ...selectorChanges(spec),
    'everything becomes wrong': [
      spec({}),
      {
        metadata: { labels: { a: '-' } },
        ...spec({ minReadySeconds: -1, selector: { matchLabels: { c: 'd' } }, template: template({ containers: [] }) }),
      },
    ],
    'strategy changes': [spec({}), spec({ updateStrategy: { type: 'OnDelete' } })],
    'generation given': [spec({}), generation('9')],
    'generation and template given': [spec({}), generation('9', { template: template({ hostname: 'h' }) })],
    'generation negative': [spec({}), generation('-4', { template: template({ hostname: 'h' }) })],
    'generation dropped': [generation('3'), spec({})],
  },
  statuses: {
    good: status({ updatedNumberScheduled: 1, numberAvailable: 1, numberUnavailable: 0, observedGeneration: 1 }),
    'all negative': status({
      currentNumberScheduled: -1,
      numberMisscheduled: -2,
      desiredNumberScheduled: -3,
      numberReady: -4,
      observedGeneration: -5,
      updatedNumberScheduled: -6,
      numberAvailable: -7,
      numberUnavailable: -8,
      collisionCount: -9,
    }),
    'available more than ready': status({ numberReady: 1, numberAvailable: 2 }),
    'ready more than wanted': status({ numberReady: 5 }),
    'spec as well': { ...spec({ minReadySeconds: -1 }), status: counted },
    'malformed labels': { ...status({}), metadata: { labels: { a: '-' } } },
    'a generation': { ...status({}), metadata: { annotations: { 'deprecated.daemonset.template.generation': '5' } } },
  },
  statusChanges: {
    'collisions become fewer': [status({ collisionCount: 2 }), status({ collisionCount: 1 })],
    'collisions go': [status({ collisionCount: 2 }), status({})],
    'generation becomes smaller': [status({ observedGeneration: 5 }), status({ observedGeneration: 1 })],
  },
};
