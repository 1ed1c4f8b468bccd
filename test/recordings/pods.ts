/**
 * Records what the reference server makes of good and bad Pods, one file for each argument:
 *   node deploy/scripts/run.mjs test/recordings/pods.js volumes > test/recordings/answers/pods/volumes.jsonl
 * pod-answers.test.ts replays the recordings.
 */
import type { KindCases } from './kind-cases';
import { recordKinds } from './record-kinds';
import { pod, type Bodies } from './pods/bodies';
import { CHANGES } from './pods/changes';
import { CONTAINERS } from './pods/containers';
import { DETAILS } from './pods/details';
import { HANDLERS } from './pods/handlers';
import { EPHEMERAL, STATUS_CHANGES, STATUSES } from './pods/later';
import { ORDER } from './pods/order';
import { PLACEMENT } from './pods/placement';
import { SECURITY } from './pods/security';
import { SPEC } from './pods/spec';
import { VOLUMES } from './pods/volumes';
import { COMPLETED, WARNINGS } from './pods/warnings';

const KIND = { resource: 'pods', kind: 'Pod', apiVersion: 'v1', namespaced: true, base: pod({}) } as const;
const brief = (bodies: Bodies): KindCases => ({ ...KIND, bodies, changes: {}, brief: true });

/** Bodies that are only created. */
const named = (bodies: Bodies): Bodies =>
  Object.fromEntries(
    Object.entries(bodies).map(([title, { metadata, ...rest }]) => [title, { metadata: { ...Object(metadata), name: 'p' }, ...rest }]),
  );

const RECORDINGS: Readonly<Record<string, KindCases>> = {
  changes: { ...KIND, bodies: {}, changes: CHANGES, brief: true },
  completed: { ...KIND, bodies: named(COMPLETED), changes: {} },
  containers: brief(CONTAINERS),
  details: brief(DETAILS),
  handlers: brief(HANDLERS),
  later: { ...KIND, bodies: {}, changes: {}, statuses: STATUSES, statusChanges: STATUS_CHANGES, ephemeral: EPHEMERAL, brief: true },
  order: brief(ORDER),
  placement: brief(PLACEMENT),
  security: brief(SECURITY),
  spec: brief(SPEC),
  volumes: brief(VOLUMES),
  warnings: brief(WARNINGS),
};

const name = process.argv[2] ?? '';
const kind = RECORDINGS[name];
if (kind === undefined) throw new Error(`no recording ${name}; there are ${Object.keys(RECORDINGS).join(', ')}`);
void recordKinds('pod-recordings', [kind]);
