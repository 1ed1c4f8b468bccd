import type { BatchV1Job, BatchV1PodFailurePolicyRule, CoreV1Pod, CoreV1PodCondition } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { matchPodFailurePolicy } from './pod-failure-policy';

const job = (...rules: BatchV1PodFailurePolicyRule[]) =>
  apiObject<BatchV1Job>({ metadata: { name: 'j' }, spec: { podFailurePolicy: { rules } } });
const onExitCodes = (action: string, operator: string, values: number[], containerName?: string): BatchV1PodFailurePolicyRule => ({
  action,
  onExitCodes: { operator, values, ...(containerName === undefined ? {} : { containerName }) },
});

function pod(codes: Readonly<Record<string, number>>, conditions: CoreV1PodCondition[] = []) {
  const containerStatuses = Object.entries(codes).map(([name, exitCode]) => ({ name, state: { terminated: { exitCode } } }));
  return apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name: 'p' }, status: { phase: 'Failed', containerStatuses, conditions } });
}

it('matchPodFailurePolicy applies the first matching rule of podFailurePolicy', () => {
  const rules = [onExitCodes('Ignore', 'In', [1]), onExitCodes('FailJob', 'In', [1, 2]), onExitCodes('FailIndex', 'NotIn', [3])];
  expect(matchPodFailurePolicy(job(...rules), pod({ c: 1 }))).toEqual({ type: 'ignore' });
  expect(matchPodFailurePolicy(job(...rules), pod({ c: 2 }))).toEqual({
    type: 'fail-job',
    message: 'Container c for pod n/p failed with exit code 2 matching FailJob rule at index 1',
  });
  expect(matchPodFailurePolicy(job(...rules), pod({ c: 4 }))).toEqual({ type: 'fail-index' });
  expect(matchPodFailurePolicy(job(...rules), pod({ c: 3 }))).toEqual({ type: 'count' });
});

it('matchPodFailurePolicy matches the exit codes of failed containers, and only of the named container', () => {
  expect(matchPodFailurePolicy(job(onExitCodes('Ignore', 'NotIn', [5])), pod({ c: 0 }))).toEqual({ type: 'count' });
  expect(matchPodFailurePolicy(job(onExitCodes('Ignore', 'In', [5], 'd')), pod({ c: 5, d: 1 }))).toEqual({ type: 'count' });
  expect(matchPodFailurePolicy(job(onExitCodes('Ignore', 'In', [5], 'd')), pod({ c: 1, d: 5 }))).toEqual({ type: 'ignore' });
});

it('matchPodFailurePolicy matches pod conditions by type and status', () => {
  const rule = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };
  expect(matchPodFailurePolicy(job(rule), pod({}, [{ type: 'DisruptionTarget', status: 'True' }]))).toEqual({ type: 'ignore' });
  expect(matchPodFailurePolicy(job(rule), pod({}, [{ type: 'DisruptionTarget', status: 'False' }]))).toEqual({ type: 'count' });
});
