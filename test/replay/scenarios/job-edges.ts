/** Jobs of which two things are asked at once, and Jobs and CronJobs behind whose back something is done. The steps play the kubelet. */
import { changed, fails, job, JOB, JOB_EVENTS, JOB_FOLDER, JOB_LOOKS, podTemplate, runs, statusOf, succeeds } from './job-steps';
import { create, patch, remove, type Scenario, type ScenarioStep } from './scenario';
import type { Body } from '../reference';

const A = { app: 'a' };
const ON_NODE = podTemplate({ nodeName: '$NS-nowhere', terminationGracePeriodSeconds: 600 });
const CRONS = '/apis/batch/v1/namespaces/$NS/cronjobs';
const CRON = `${CRONS}/c`;

const scenario = (name: string, steps: readonly ScenarioStep[], looks = JOB_LOOKS): Scenario => ({
  name: `edge-${name}`,
  looks,
  steps: steps.map((step) => ({ restMs: 4_000, ...step })),
});
const indexed = (completions: number, spec: Body = {}): Body => ({
  completions,
  parallelism: completions,
  completionMode: 'Indexed',
  ...spec,
});

export const JOB_EDGES: readonly Scenario[] = [
  scenario('index-goes', [
    { title: 'indexes on a node', acts: [job(indexed(2, { podReplacementPolicy: 'Failed', template: ON_NODE }))] },
    { title: 'one is deleted', acts: [runs('*!'), remove('pods/j-1-*!')] },
    { title: 'and ends', acts: [succeeds('j-1-*!')] },
    { title: 'the other is deleted', acts: [remove('pods/j-0-*!')] },
    { title: 'and fails', acts: [fails('j-0-*!')] },
  ]),
  scenario('restart-once', [
    { title: 'no second attempt', acts: [job({ backoffLimit: 0, template: podTemplate({ restartPolicy: 'OnFailure' }) })] },
    {
      title: 'but one is made',
      acts: [
        statusOf('*!', {
          phase: 'Running',
          containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 1, state: { running: {} } }],
        }),
      ],
    },
  ]),
  scenario('success-beside-failure', [
    {
      title: 'one index counts',
      acts: [job(indexed(3, { backoffLimitPerIndex: 0, successPolicy: { rules: [{ succeededIndexes: '0' }] } }))],
    },
    { title: 'another fails', acts: [fails('j-1-*!')] },
    { title: 'it has done its work', acts: [succeeds('j-0-*!')] },
  ]),
  scenario('failure-of-all-by-one', [
    {
      title: 'a code that ends all indexes',
      acts: [
        job(
          indexed(3, {
            backoffLimitPerIndex: 3,
            podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [9] } }] },
          }),
        ),
      ],
    },
    { title: 'one fails otherwise', acts: [fails('j-0-*!', 1)] },
    { title: 'one fails with it', acts: [fails('j-1-*!', 9)] },
  ]),
  scenario('index-none-may-fail', [
    { title: 'no index may', acts: [job(indexed(2, { backoffLimitPerIndex: 0, maxFailedIndexes: 0 }))] },
    { title: 'one does', acts: [succeeds('j-0-*!'), fails('j-1-*!')] },
  ]),
  scenario('all-fail', [
    { title: 'three at a time', acts: [job({ completions: 9, parallelism: 3, backoffLimit: 6 })] },
    { title: 'fail', acts: [fails('*!')] },
    { title: 'and fail', acts: [fails('*!')] },
  ]),
  scenario('ends-while-resting', [
    { title: 'two pods on a node', acts: [job({ completions: 2, parallelism: 2, template: ON_NODE })] },
    { title: 'suspended', acts: [runs('*!'), changed({ suspend: true })] },
    { title: 'they have done their work', acts: [succeeds('*!')] },
    { title: 'resumed', acts: [changed({ suspend: false })] },
  ]),
  scenario('both-ends', [
    { title: 'two pods', acts: [job({ completions: 1, parallelism: 1, backoffLimit: 0, suspend: false })] },
    { title: 'is suspended and has done its work', acts: [succeeds('*!'), changed({ suspend: true })] },
  ]),
  scenario('ended-pods', [
    {
      title: 'pods that have ended',
      acts: [
        ...['p', 'q'].map((name) => create('pods', { metadata: { name, labels: A }, spec: { containers: [{ name: 'c', image: 'i' }] } })),
        succeeds('p'),
        fails('q'),
      ],
    },
    {
      title: 'are taken in',
      acts: [job({ completions: 2, manualSelector: true, selector: { matchLabels: A }, template: podTemplate({}, { labels: A }) })],
    },
  ]),
  scenario('unowned', [
    { title: 'a pod', acts: [job({ completions: 2 })] },
    { title: "is nobody's for a moment", acts: [patch('pods/*', { metadata: { ownerReferences: null } })] },
    { title: 'and has done its work', acts: [succeeds('*!')] },
  ]),
  scenario('unheld', [
    { title: 'a pod', acts: [job({ completions: 2 })] },
    { title: 'that nobody holds any more', acts: [patch('pods/*', { metadata: { finalizers: null } })] },
    { title: 'has done its work', acts: [succeeds('*!')] },
  ]),
  scenario('kept-for-no-time', [
    { title: 'a Job that goes with its end', acts: [job({ ttlSecondsAfterFinished: 0 })] },
    { title: 'has done its work', acts: [succeeds('*!')], restMs: 6_000 },
  ]),
  scenario('deleted-on-nodes', [
    { title: 'pods on a node', acts: [job({ completions: 2, parallelism: 2, template: ON_NODE })] },
    { title: 'run, and one has done its work', acts: [runs('*!'), succeeds('*!1')] },
    { title: 'the Job is deleted in the foreground', acts: [remove(JOB, { propagationPolicy: 'Foreground' })], restMs: 6_000 },
  ]),
  scenario(
    'cron-orphans',
    [
      {
        title: 'a run',
        acts: [
          create(CRONS, {
            metadata: { name: 'c' },
            spec: {
              schedule: '0 0 1 1 *',
              suspend: true,
              jobTemplate: { spec: { completions: 1, parallelism: 0, template: podTemplate() } },
            },
          }),
          patch(`${CRON}/status`, { status: { lastScheduleTime: '$NOW-40000000s' } }),
          patch(CRON, { spec: { suspend: false } }),
        ],
      },
      {
        title: 'two runs',
        acts: [
          patch(CRON, { spec: { suspend: true, schedule: '0 0 1 2 *' } }),
          patch(`${CRON}/status`, { status: { lastScheduleTime: '$NOW-40000000s' } }),
          patch(CRON, { spec: { suspend: false } }),
        ],
      },
      {
        title: 'one in the place of both',
        acts: [
          patch(CRON, { spec: { suspend: true, schedule: '0 0 1 3 *', concurrencyPolicy: 'Replace' } }),
          patch(`${CRON}/status`, { status: { lastScheduleTime: '$NOW-40000000s' } }),
          patch(CRON, { spec: { suspend: false } }),
        ],
      },
      { title: 'its Job is let go by hand', acts: [patch(`${JOB_FOLDER}/*`, { metadata: { ownerReferences: null } })] },
      { title: 'the CronJob is orphaned', acts: [remove(CRON, { propagationPolicy: 'Orphan' })] },
    ],
    [{ path: CRONS, members: ['status'] }, { path: JOB_FOLDER, members: ['spec'] }, JOB_EVENTS],
  ),
];
