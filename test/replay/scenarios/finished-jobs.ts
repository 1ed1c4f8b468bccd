/** What becomes of Jobs that have ended and say how long they are to be kept. */
import { create, patch, remove, type Act, type Look, type Scenario } from './scenario';
import type { Body } from '../reference';

const JOBS = '/apis/batch/v1/namespaces/$NS/jobs';
const LOOKS: readonly Look[] = [
  { path: JOBS, members: [] },
  { path: 'secrets', members: [] },
];
const HOLD = 'example.com/hold';
/** Until long after whoever plays this. Seconds. */
const FOR_EVER = 2_147_483_647;
const ENDED = '2026-01-01T00:00:00Z';

const job = (name: string, spec: Body, finalizers: string[] = []): Act =>
  create(JOBS, {
    metadata: { name, finalizers },
    spec: { suspend: true, ...spec, template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
  });
const ends = (name: string, type: string): Act =>
  patch(`${JOBS}/${name}/status`, {
    status: {
      startTime: ENDED,
      ...(type === 'Complete' ? { completionTime: ENDED, succeeded: 1 } : { failed: 1 }),
      conditions: [
        ...(type === 'Complete' ? ['SuccessCriteriaMet'] : ['FailureTarget']).map((before) => condition(before)),
        condition(type),
      ],
    },
  });
const condition = (type: string): Body => ({
  type,
  status: 'True',
  reason: 'x',
  message: 'x',
  lastProbeTime: ENDED,
  lastTransitionTime: ENDED,
});
const of = (name: string): Body => ({ apiVersion: 'batch/v1', kind: 'Job', name, uid: `<uid of ${name}>`, blockOwnerDeletion: true });
const secret = (name: string, owners: Body[], finalizers: string[] = []): Act =>
  create('secrets', { metadata: { name, ownerReferences: owners, finalizers } });

const scenario = (name: string, steps: Scenario['steps']): Scenario => ({
  name: `ttl-${name}`,
  looks: LOOKS,
  steps: steps.map((step) => ({ restMs: 8_000, ...step })),
});

export const FINISHED_JOBS: readonly Scenario[] = [
  scenario('complete', [
    { title: 'a Job that goes with its end', acts: [job('j', { ttlSecondsAfterFinished: 0 })] },
    { title: 'it ends', acts: [ends('j', 'Complete')] },
  ]),
  scenario('failed', [
    { title: 'a Job that goes with its end', acts: [job('j', { ttlSecondsAfterFinished: 5 })] },
    { title: 'it fails', acts: [ends('j', 'Failed')] },
  ]),
  scenario('kept', [
    { title: 'Jobs that stay', acts: [job('without', {}), job('long', { ttlSecondsAfterFinished: FOR_EVER })] },
    { title: 'they end', acts: [ends('without', 'Complete'), ends('long', 'Complete')] },
    { title: 'one is to be kept less long', acts: [patch(`${JOBS}/long`, { spec: { ttlSecondsAfterFinished: 1 } })] },
    { title: 'so is the other', acts: [patch(`${JOBS}/without`, { spec: { ttlSecondsAfterFinished: 0 } })] },
  ]),
  scenario('children', [
    {
      title: 'a Job with children',
      acts: [job('j', { ttlSecondsAfterFinished: 0 }), secret('child', [of('j')]), secret('held', [of('j')], [HOLD])],
    },
    { title: 'it ends', acts: [ends('j', 'Complete')] },
    { title: 'the child is let go', acts: [patch('secrets/held', { metadata: { finalizers: null } })] },
  ]),
  scenario('held', [
    { title: 'a Job that is held', acts: [job('j', { ttlSecondsAfterFinished: 0 }, [HOLD])] },
    { title: 'it ends', acts: [ends('j', 'Complete')] },
    { title: 'it is let go', acts: [patch(`${JOBS}/j`, { metadata: { finalizers: null } })] },
  ]),
  scenario('going', [
    {
      title: 'a Job that is held and deleted',
      acts: [job('j', { ttlSecondsAfterFinished: 0 }, [HOLD]), remove(`${JOBS}/j`, { propagationPolicy: 'Background' })],
    },
    { title: 'it ends', acts: [ends('j', 'Complete')] },
    { title: 'it is let go', acts: [patch(`${JOBS}/j`, { metadata: { finalizers: null } })] },
  ]),
];
