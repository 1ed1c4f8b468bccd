/**
 * CronJobs and the Jobs that they make. A run is due when the last one is said to have been more than a year ago, so that nobody waits for a minute; Jobs
 * end at once where there is nothing to do, and go on for ever where nobody does it.
 */
import type { Body } from '../reference';
import { JOB_EVENTS, JOB_FOLDER, podTemplate } from './job-steps';
import { create, patch, remove, type Act, type Look, type Scenario, type ScenarioStep } from './scenario';

const CRONS = '/apis/batch/v1/namespaces/$NS/cronjobs';
const CRON = `${CRONS}/c`;
const LOOKS: readonly Look[] = [
  { path: CRONS, members: ['status'] },
  { path: JOB_FOLDER, members: ['spec'] },
  { path: 'pods', members: [] },
  JOB_EVENTS,
];
const LONG_AGO = '$NOW-40000000s';
const ENDS = { completions: 0 };
const LASTS = { completions: 1, parallelism: 0 };
const FAILS = { completions: 1, parallelism: 0, activeDeadlineSeconds: 1 };

const jobTemplate = (spec: Body, metadata: Body = {}): Body => ({ metadata, spec: { template: podTemplate(), ...spec } });
const cron = (job: Body, spec: Body = {}, metadata: Body = {}): Act =>
  create(CRONS, {
    metadata: { name: 'c', ...metadata },
    spec: { schedule: '0 0 1 1 *', jobTemplate: jobTemplate(job), ...spec },
  });
const changed = (spec: Body): Act => patch(CRON, { spec });
/** A run is due, by this schedule. */
const due = (schedule: string, spec: Body = {}): readonly Act[] => [
  changed({ suspend: true, schedule, ...spec }),
  patch(`${CRON}/status`, { status: { lastScheduleTime: LONG_AGO } }),
  changed({ suspend: false }),
];
const scenario = (name: string, steps: readonly ScenarioStep[], looks = LOOKS): Scenario => ({
  name: `cron-${name}`,
  looks,
  steps: steps.map((step) => ({ restMs: 4_000, ...step })),
});

export const CRON_JOBS: readonly Scenario[] = [
  scenario('life', [
    { title: 'nothing is due', acts: [cron(LASTS, {}, { labels: { l: 'm' }, annotations: { note: 'n' } })] },
    { title: 'a run is due', acts: due('0 0 1 1 *', { jobTemplate: { metadata: { labels: { a: 'b' }, annotations: { x: 'y' } } } }) },
    { title: 'the Job goes on', acts: [patch(`${JOB_FOLDER}/*`, { spec: { parallelism: 1 } })] },
    { title: 'and ends', acts: [patch('pods/*/status', { status: { phase: 'Succeeded' } })] },
    { title: 'deleted', acts: [remove(CRON, { propagationPolicy: 'Background' })] },
  ]),
  scenario('allow', [
    { title: 'one runs', acts: [cron(LASTS), ...due('0 0 1 1 *')] },
    { title: 'another runs', acts: due('0 0 1 2 *') },
    { title: 'the same is due again', acts: due('0 0 1 2 *') },
  ]),
  scenario('forbid', [
    { title: 'one runs', acts: [cron(LASTS, { concurrencyPolicy: 'Forbid' }), ...due('0 0 1 1 *')] },
    { title: 'another is not to', acts: due('0 0 1 2 *') },
    { title: 'the first is deleted', acts: [remove(`${JOB_FOLDER}/*`, { propagationPolicy: 'Background' })] },
  ]),
  scenario('replace', [
    { title: 'one runs', acts: [cron(LASTS, { concurrencyPolicy: 'Replace' }), ...due('0 0 1 1 *')] },
    { title: 'another takes its place', acts: due('0 0 1 2 *') },
  ]),
  scenario('history', [
    { title: 'one has ended', acts: [cron(ENDS, { successfulJobsHistoryLimit: 2, failedJobsHistoryLimit: 1 }), ...due('0 0 1 1 *')] },
    { title: 'two have', acts: due('0 0 1 2 *') },
    { title: 'three have', acts: due('0 0 1 3 *') },
    { title: 'one fails', acts: due('0 0 1 4 *', { jobTemplate: jobTemplate(FAILS) }) },
    { title: 'two fail', acts: due('0 0 1 5 *') },
    { title: 'none are kept', acts: [changed({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 })] },
  ]),
  scenario('missed', [
    { title: 'too many are due', acts: [cron(ENDS), ...due('0 0 * * *')] },
    { title: 'as many, with a deadline', acts: due('0 0 1 * *', { startingDeadlineSeconds: 20 }) },
    { title: 'no deadline', acts: [changed({ startingDeadlineSeconds: null })] },
  ]),
  scenario('suspended', [
    { title: 'suspended', acts: [cron(ENDS, { suspend: true }), patch(`${CRON}/status`, { status: { lastScheduleTime: LONG_AGO } })] },
    { title: 'resumed', acts: [changed({ suspend: false })] },
  ]),
  scenario('zones', [
    { title: 'in New York', acts: [cron(ENDS, { timeZone: 'America/New_York' }), ...due('0 0 1 1 *')] },
    { title: 'in Kathmandu', acts: due('30 12 1 2 *', { timeZone: 'Asia/Kathmandu' }) },
    { title: 'in UTC by name', acts: due('30 12 1 3 *', { timeZone: 'Etc/UTC' }) },
  ]),
  scenario('foreign', [
    {
      title: 'a Job that somebody else made',
      acts: [
        cron(LASTS),
        create(JOB_FOLDER, {
          metadata: {
            name: 'by-hand',
            annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
            ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', name: 'c', uid: '<uid of c>', controller: true }],
          },
          spec: { template: podTemplate(), ...LASTS },
        }),
      ],
    },
    { title: 'ends', acts: [patch(`${JOB_FOLDER}/by-hand`, { spec: { parallelism: 1 } })] },
    { title: 'well', acts: [patch('pods/*/status', { status: { phase: 'Succeeded' } })] },
    {
      title: 'a Job that was never there',
      acts: [
        patch(`${CRON}/status`, {
          status: { active: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'x', namespace: '$NS', uid: 'some-uid' }] },
        }),
      ],
    },
  ]),
  scenario(
    'refused',
    [
      {
        title: 'a quota without room',
        acts: [create('resourcequotas', { metadata: { name: 'quota' }, spec: { hard: { 'count/jobs.batch': '0' } } })],
      },
      { title: 'a run that is refused', acts: [cron(ENDS), ...due('0 0 1 1 *')], restMs: 6_000 },
    ],
    LOOKS.slice(0, 2),
  ),
  scenario('held', [
    { title: 'held and deleted', acts: [cron(ENDS, {}, { finalizers: ['a.example.com/f'] }), remove(CRON)] },
    { title: 'a run is due', acts: due('0 0 1 1 *') },
  ]),
  scenario('never', [{ title: 'a day that never comes', acts: [cron(ENDS), ...due('0 0 31 2 *')] }]),
  scenario('every', [
    { title: 'every year', acts: [cron(ENDS), ...due('@every 8760h')] },
    { title: 'yearly', acts: due('@yearly') },
  ]),
];
