/**
 * Records what the reference server makes of good and bad Pods: all of `pod/…`, or what the arguments name:
 *   node deploy/scripts/run.mjs test/replay/pod.js volumes
 * The server is to run without the admission plug-in ServiceAccount. pod-answers.test.ts replays the recordings.
 */
import type { KindCases } from './kind-cases';
import { recordKinds } from './record-kinds';
import { pod, type Bodies } from './pod/bodies';
import { CHANGES } from './pod/changes';
import { CONTAINERS } from './pod/containers';
import { DETAILS } from './pod/details';
import { HANDLERS } from './pod/handlers';
import { EPHEMERAL, STATUS_CHANGES, STATUSES } from './pod/later';
import { ORDER } from './pod/order';
import { PLACEMENT } from './pod/placement';
import { SECURITY } from './pod/security';
import { SPEC } from './pod/spec';
import { VOLUMES } from './pod/volumes';
import { COMPLETED, WARNINGS } from './pod/warnings';

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

void recordKinds('pod-recordings', 'pod', RECORDINGS);
