/** Jobs whose pods fail, vanish or take too long. The steps play the kubelet. */
import { changed, DISRUPTED, fails, job, JOB_LOOKS, podTemplate, runs, statusOf, succeeds } from './job-steps';
import { create, patch, remove, type Scenario, type ScenarioStep } from './scenario';
import type { Body } from '../reference';

const ON_NODE = podTemplate({ nodeName: '$NS-nowhere', terminationGracePeriodSeconds: 600 });

const scenario = (name: string, steps: readonly ScenarioStep[], looks = JOB_LOOKS): Scenario => ({
  name: `job-${name}`,
  looks,
  steps: steps.map((step) => ({ restMs: 4_000, ...step })),
});
const indexed = (completions: number, spec: Body): Body => ({ completions, parallelism: completions, completionMode: 'Indexed', ...spec });
const rules = (...list: Body[]): Body => ({ podFailurePolicy: { rules: list } });
const onCode = (action: string, values: number[], operator = 'In', more: Body = {}): Body => ({
  action,
  onExitCodes: { operator, values, ...more },
});
const onDisruption = (action: string): Body => ({ action, onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] });

export const JOB_FAILURES: readonly Scenario[] = [
  scenario('retries', [
    { title: 'two at a time', acts: [job({ completions: 4, parallelism: 2, backoffLimit: 2 })] },
    { title: 'one fails', acts: [fails('*!1')] },
    { title: 'another fails', acts: [fails('*!1')] },
    { title: 'one has done its work', acts: [succeeds('*!1')] },
    { title: 'one too many', acts: [fails('*!1')] },
    { title: 'what fails later', acts: [fails('*!')] },
  ]),
  scenario('no-retry', [
    { title: 'one pod', acts: [job({ backoffLimit: 0 })] },
    { title: 'it fails', acts: [fails('*!')] },
  ]),
  scenario('waits', [
    { title: 'one pod', acts: [job({ backoffLimit: 5 })] },
    { title: 'it fails just now', acts: [statusOf('*!', { phase: 'Failed' })], restMs: 13_000 },
  ]),
  scenario('restarts', [
    { title: 'a pod that is started again', acts: [job({ backoffLimit: 2, template: podTemplate({ restartPolicy: 'OnFailure' }) })] },
    { title: 'once', acts: [statusOf('*!', restarted(1))] },
    { title: 'and twice', acts: [statusOf('*!', restarted(2))] },
  ]),
  scenario('index-limits', [
    { title: 'an own limit for each', acts: [job(indexed(3, { backoffLimitPerIndex: 1 }))] },
    { title: 'one fails', acts: [fails('j-1-*!')] },
    { title: 'it fails again', acts: [fails('j-1-*!')] },
    { title: 'another fails once', acts: [fails('j-2-*!')] },
    { title: 'the others have done their work', acts: [succeeds('*!')] },
  ]),
  scenario('index-most', [
    { title: 'two may fail', acts: [job(indexed(4, { backoffLimitPerIndex: 0, maxFailedIndexes: 1 }))] },
    { title: 'one does', acts: [fails('j-0-*!')] },
    { title: 'and one more', acts: [fails('j-1-*!')] },
  ]),
  scenario('policy-job', [
    { title: 'a code that ends it', acts: [job({ completions: 4, parallelism: 2, ...rules(onCode('FailJob', [41, 42])) })] },
    { title: 'another code', acts: [fails('*!1', 1)] },
    { title: 'this code', acts: [runs('*!1'), fails('*!1', 42)] },
  ]),
  scenario('policy-container', [
    {
      title: 'a code of one container',
      acts: [
        job({
          backoffLimit: 9,
          template: podTemplate({
            containers: [
              { name: 'c', image: 'i' },
              { name: 'd', image: 'i' },
            ],
          }),
          ...rules(onCode('FailJob', [7], 'NotIn', { containerName: 'd' }), onCode('FailJob', [7], 'NotIn')),
        }),
      ],
    },
    { title: 'a code that is excepted', acts: [fails('*!', 7)] },
    { title: 'another code', acts: [fails('*!', 8)] },
  ]),
  scenario('policy-ignored', [
    {
      title: 'disruptions that do not count',
      acts: [job({ backoffLimit: 0, ...rules(onDisruption('Ignore'), onCode('Count', [3])) })],
    },
    { title: 'one is disrupted', acts: [fails('*!', 1, [DISRUPTED])] },
    { title: 'another fails', acts: [fails('*!', 3)] },
  ]),
  scenario('policy-condition', [
    { title: 'disruptions that end it', acts: [job({ backoffLimit: 6, ...rules(onDisruption('FailJob')) })] },
    { title: 'one is disrupted', acts: [fails('*!', 1, [DISRUPTED])] },
  ]),
  scenario('policy-index', [
    {
      title: 'a code that ends an index',
      acts: [job(indexed(3, { backoffLimitPerIndex: 2, ...rules(onCode('FailIndex', [9]), onDisruption('Ignore')) }))],
    },
    { title: 'one fails with it', acts: [fails('j-1-*!', 9)] },
    { title: 'one is disrupted', acts: [fails('j-2-*!', 1, [DISRUPTED])] },
    { title: 'the same fails', acts: [fails('j-2-*!', 1)] },
    { title: 'the others have done their work', acts: [succeeds('*!')] },
  ]),
  scenario('deadline', [
    { title: 'two pods that take too long', acts: [job({ parallelism: 2, activeDeadlineSeconds: 5 })], restMs: 9_000 },
  ]),
  scenario('deadline-suspended', [
    { title: 'not while it is suspended', acts: [job({ suspend: true, activeDeadlineSeconds: 2 })], restMs: 5_000 },
    { title: 'but then', acts: [changed({ suspend: false })], restMs: 6_000 },
  ]),
  scenario('vanished', [
    { title: 'two pods', acts: [job({ parallelism: 2, completions: 3, backoffLimit: 1 })] },
    { title: 'one is deleted', acts: [remove('pods/*!1')], restMs: 14_000 },
    { title: 'one more is', acts: [remove('pods/*!1')] },
  ]),
  scenario('replaced-at-once', [
    { title: 'a pod on a node', acts: [job({ backoffLimit: 4, template: ON_NODE })] },
    { title: 'runs', acts: [runs('*!')] },
    { title: 'and is deleted', acts: [remove('pods/*!')], restMs: 14_000 },
  ]),
  scenario('replaced-when-failed', [
    { title: 'a pod on a node', acts: [job({ backoffLimit: 4, podReplacementPolicy: 'Failed', template: ON_NODE })] },
    { title: 'is deleted', acts: [runs('*!'), remove('pods/*!')] },
    { title: 'and ends', acts: [fails('*!')] },
  ]),
  scenario('failing-on-nodes', [
    { title: 'two pods on a node', acts: [job({ parallelism: 2, completions: 2, backoffLimit: 0, template: ON_NODE })] },
    { title: 'run, and one fails', acts: [runs('*!'), fails('*!1')] },
    { title: 'the other ends', acts: [fails('*!')] },
  ]),
  scenario('succeeding-on-nodes', [
    {
      title: 'two pods on a node',
      acts: [job(indexed(2, { successPolicy: { rules: [{ succeededIndexes: '0' }] }, template: ON_NODE }))],
    },
    { title: 'run, and one has done its work', acts: [runs('*!'), succeeds('j-0-*')] },
    { title: 'the other ends', acts: [fails('*!')] },
  ]),
  scenario('suspended-on-nodes', [
    { title: 'a pod on a node', acts: [job({ template: ON_NODE })] },
    { title: 'suspended', acts: [runs('*!'), changed({ suspend: true })] },
    { title: 'it ends', acts: [fails('*!')] },
    { title: 'resumed', acts: [changed({ suspend: false })] },
  ]),
  scenario(
    'no-room',
    [
      { title: 'a quota', acts: [create('resourcequotas', { metadata: { name: 'quota' }, spec: { hard: { pods: '1' } } })] },
      { title: 'two pods where one has room', acts: [job({ parallelism: 2, completions: 2 })] },
      { title: 'more room', acts: [patch('resourcequotas/quota', { spec: { hard: { pods: '5' } } })], restMs: 25_000 },
    ],
    JOB_LOOKS.slice(0, 2),
  ),
];

function restarted(restartCount: number): Body {
  const container = { name: 'c', image: 'i', imageID: '', ready: true, restartCount, state: { running: {} } };
  return { phase: 'Running', containerStatuses: [container] };
}
