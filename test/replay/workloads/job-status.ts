/** The status of a Job: what is asked of the reference server. */
import type { Body, Json } from '../reference';
import { job } from './jobs';

const TIME = '2026-01-01T00:00:00Z';
const LATER = '2026-01-01T01:00:00Z';
const status = (of: Body): Body => ({ ...job({ completions: 5, parallelism: 2 }), status: of });
const suspended = (of: Body): Body => ({ ...job({ completions: 5, parallelism: 2, suspend: true }), status: of });
const indexed = (of: Body): Body => ({
  ...job({
    completions: 5,
    parallelism: 2,
    completionMode: 'Indexed',
    backoffLimitPerIndex: 1,
    successPolicy: { rules: [{ succeededCount: 1 }] },
  }),
  status: of,
});
const condition = (type: string, holds: Json = 'True'): Body => ({ type, status: holds, lastProbeTime: TIME, lastTransitionTime: TIME });
const COMPLETE: Body = {
  startTime: TIME,
  completionTime: LATER,
  succeeded: 5,
  conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
};
const FAILED: Body = { startTime: TIME, failed: 1, conditions: [condition('FailureTarget'), condition('Failed')] };

export const JOB_STATUSES: Readonly<Record<string, Body>> = {
  empty: status({}),
  started: status({ startTime: TIME, active: 1 }),
  'all negative': status({ active: -1, succeeded: -2, failed: -3, ready: -4, terminating: -5 }),
  'ready more than active': status({ startTime: TIME, active: 1, ready: 2 }),
  'ready without active': status({ startTime: TIME, ready: 1 }),
  'more than is wanted': status({ startTime: TIME, active: 9, succeeded: 9, failed: 9, terminating: 9 }),
  'active without a start': status({ active: 1 }),
  complete: status(COMPLETE),
  'complete without a start': status({ ...COMPLETE, startTime: null }),
  'complete without an end': status({ ...COMPLETE, completionTime: null }),
  'complete before the start': status({ ...COMPLETE, startTime: LATER, completionTime: TIME }),
  'an end alone': status({ startTime: TIME, completionTime: LATER }),
  'an end before the start': status({ startTime: LATER, completionTime: TIME }),
  'complete with active pods': status({ ...COMPLETE, active: 1 }),
  'complete with terminating pods': status({ ...COMPLETE, terminating: 1 }),
  'complete with ready pods': status({ ...COMPLETE, active: 1, ready: 1 }),
  'complete with too few': status({ ...COMPLETE, succeeded: 1 }),
  'complete without the criteria': status({ ...COMPLETE, conditions: [condition('Complete')] }),
  'complete and failed': status({ ...COMPLETE, conditions: [condition('Complete'), condition('Failed')] }),
  'complete and failed with their reasons': status({
    ...COMPLETE,
    conditions: ['SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed'].map((type) => condition(type)),
  }),
  'complete and about to fail': status({ ...COMPLETE, conditions: [condition('FailureTarget'), condition('Complete')] }),
  'complete is not so': status({ conditions: [condition('Complete', 'False')] }),
  'complete is unknown': status({ conditions: [condition('Complete', 'Unknown')] }),
  'complete of a strange status': status({ conditions: [condition('Complete', 'x')] }),
  'complete twice': status({ ...COMPLETE, conditions: [condition('Complete'), condition('Complete')] }),
  failed: status(FAILED),
  'failed with an end': status({ ...FAILED, completionTime: LATER }),
  'failed without a start': status({ ...FAILED, startTime: null }),
  'failed with active pods': status({ ...FAILED, active: 1 }),
  'failed without the target': status({ ...FAILED, conditions: [condition('Failed')] }),
  'failed after success': status({ ...FAILED, conditions: [condition('SuccessCriteriaMet'), condition('Failed')] }),
  'about to succeed and to fail': status({ startTime: TIME, conditions: [condition('SuccessCriteriaMet'), condition('FailureTarget')] }),
  'criteria met without a policy': status({ startTime: TIME, conditions: [condition('SuccessCriteriaMet')] }),
  'unknown conditions': status({ conditions: [condition('a b'), condition('', '')] }),
  'uncounted: good': status({ startTime: TIME, uncountedTerminatedPods: { succeeded: ['a'], failed: ['b'] } }),
  'uncounted: empty': status({ uncountedTerminatedPods: { succeeded: [''], failed: [''] } }),
  'uncounted: the same twice': status({ startTime: TIME, uncountedTerminatedPods: { succeeded: ['a', 'a'], failed: ['b', 'b'] } }),
  'uncounted: in both': status({ startTime: TIME, uncountedTerminatedPods: { succeeded: ['a', 'b'], failed: ['b', 'c'] } }),
  'uncounted of a complete one': status({ ...COMPLETE, uncountedTerminatedPods: { succeeded: ['a'] } }),
  'uncounted of nothing in a complete one': status({ ...COMPLETE, uncountedTerminatedPods: {} }),
  'uncounted of a failed one': status({ ...FAILED, uncountedTerminatedPods: { failed: ['a'] } }),
  'indexes where there are none': status({ startTime: TIME, completedIndexes: '0', failedIndexes: '1' }),
  'malformed indexes where there are none': status({ startTime: TIME, completedIndexes: 'x', failedIndexes: 'y' }),
  'spec as well': { ...job({ parallelism: -1 }), status: {} },
  'malformed labels': { ...status({}), metadata: { labels: { a: '-' } } },
};

const INDEXES: Readonly<Record<string, Body>> = {
  good: { completedIndexes: '0-1,3', succeeded: 3, failedIndexes: '2' },
  'too large': { completedIndexes: '5' },
  'failed too large': { failedIndexes: '5' },
  malformed: { completedIndexes: 'x' },
  'failed malformed': { failedIndexes: '0-' },
  unordered: { completedIndexes: '1,0' },
  'failed unordered': { failedIndexes: '1,0' },
  overlapping: { completedIndexes: '0-2', failedIndexes: '2-3' },
  'ranges unordered': { completedIndexes: '2-1' },
  'the same twice': { completedIndexes: '1,1' },
  'more of them than succeeded': { completedIndexes: '0-2', succeeded: 1 },
  'fewer of them than succeeded': { completedIndexes: '0', succeeded: 3 },
  empty: { completedIndexes: '', failedIndexes: '' },
};

const fromTo = (before: Body, after: Body): readonly [Body, Body] => [status(before), status(after)];

export const JOB_STATUS_CHANGES: Readonly<Record<string, readonly [Body, Body]>> = {
  'started again': fromTo({ startTime: TIME }, { startTime: LATER }),
  'not started any more': fromTo({ startTime: TIME }, {}),
  'suspended and started again': [suspended({ startTime: TIME }), suspended({ startTime: LATER })],
  'suspended and not started any more': [suspended({ startTime: TIME, conditions: [condition('Suspended')] }), suspended({})],
  'suspended with active pods': [suspended({}), suspended({ startTime: TIME, active: 1, conditions: [condition('Suspended')] })],
  'complete stays': fromTo(COMPLETE, COMPLETE),
  'complete goes': fromTo(COMPLETE, { ...COMPLETE, conditions: [] }),
  'complete becomes false': fromTo(COMPLETE, {
    ...COMPLETE,
    conditions: [condition('SuccessCriteriaMet'), condition('Complete', 'False')],
  }),
  'complete and failed later': fromTo(COMPLETE, {
    ...COMPLETE,
    conditions: [condition('SuccessCriteriaMet'), condition('Complete'), condition('Failed')],
  }),
  'complete and then failed instead': fromTo(COMPLETE, FAILED),
  'criteria go': fromTo(COMPLETE, { ...COMPLETE, conditions: [condition('Complete')] }),
  'end moves': fromTo(COMPLETE, { ...COMPLETE, completionTime: '2026-01-01T02:00:00Z' }),
  'end goes': fromTo(COMPLETE, { ...COMPLETE, completionTime: null }),
  'start of a complete one moves': fromTo(COMPLETE, { ...COMPLETE, startTime: '2026-01-01T00:30:00Z' }),
  'start of a complete one goes': fromTo(COMPLETE, { ...COMPLETE, startTime: null }),
  'counts of a complete one change': fromTo(COMPLETE, { ...COMPLETE, succeeded: 3, failed: 2 }),
  'active of a complete one': fromTo(COMPLETE, { ...COMPLETE, active: 1 }),
  'failed stays': fromTo(FAILED, FAILED),
  'failed goes': fromTo(FAILED, { ...FAILED, conditions: [condition('FailureTarget')] }),
  'target goes': fromTo(FAILED, { ...FAILED, conditions: [condition('Failed')] }),
  'target goes before it failed': fromTo(
    { startTime: TIME, conditions: [condition('FailureTarget')] },
    { startTime: TIME, conditions: [] },
  ),
  'target becomes complete': fromTo(
    { startTime: TIME, conditions: [condition('FailureTarget')] },
    { ...COMPLETE, conditions: [condition('FailureTarget'), condition('Complete')] },
  ),
  'succeeded becomes fewer': fromTo({ startTime: TIME, succeeded: 3 }, { startTime: TIME, succeeded: 2 }),
  'failed becomes fewer': fromTo({ startTime: TIME, failed: 3 }, { startTime: TIME, failed: 2 }),
  'uncounted added to a complete one': fromTo(COMPLETE, { ...COMPLETE, uncountedTerminatedPods: { succeeded: ['a'] } }),
  'criteria met': [indexed({ startTime: TIME }), indexed({ startTime: TIME, conditions: [condition('SuccessCriteriaMet')] })],
  'criteria lost': [indexed({ startTime: TIME, conditions: [condition('SuccessCriteriaMet')] }), indexed({ startTime: TIME })],
  'criteria met and failed': [
    indexed({ startTime: TIME, conditions: [condition('SuccessCriteriaMet')] }),
    indexed({ startTime: TIME, conditions: [condition('SuccessCriteriaMet'), condition('Failed')] }),
  ],
  'criteria met and complete with too few': [
    indexed({ startTime: TIME, conditions: [condition('SuccessCriteriaMet')] }),
    indexed({
      startTime: TIME,
      completionTime: LATER,
      succeeded: 1,
      completedIndexes: '0',
      conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
    }),
  ],
  'failed indexes change in a failed one': [indexed({ ...FAILED, failedIndexes: '0' }), indexed({ ...FAILED, failedIndexes: '0-1' })],
  'completed indexes change in a failed one': [
    indexed({ ...FAILED, completedIndexes: '0', succeeded: 1 }),
    indexed({ ...FAILED, completedIndexes: '0-1', succeeded: 2 }),
  ],
  'completed indexes go': [indexed({ startTime: TIME, completedIndexes: '0-1', succeeded: 2 }), indexed({ startTime: TIME, succeeded: 2 })],
  'failed indexes go': [indexed({ startTime: TIME, failedIndexes: '0-1' }), indexed({ startTime: TIME })],
  ...Object.fromEntries(
    Object.entries(INDEXES).map(([title, of]) => [
      `indexes: ${title}`,
      [indexed({ startTime: TIME }), indexed({ startTime: TIME, ...of })] as const,
    ]),
  ),
};
