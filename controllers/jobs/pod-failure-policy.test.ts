import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { verdictOn } from './failure-policy';

const job = (...rules: JsonObject[]) => apiObject({ metadata: { name: 'j' }, spec: { podFailurePolicy: { rules } } });
const onCode = (action: string, operator: string, values: number[], containerName?: string): JsonObject => ({
  action,
  onExitCodes: { operator, values, ...(containerName === undefined ? {} : { containerName }) },
});

function pod(codes: Readonly<Record<string, number>>, conditions: JsonObject[] = []) {
  const containerStatuses = Object.entries(codes).map(([name, exitCode]) => ({ name, state: { terminated: { exitCode } } }));
  return apiObject({ metadata: { namespace: 'n', name: 'p' }, status: { phase: 'Failed', containerStatuses, conditions } });
}

it('verdictOn applies the first matching rule of podFailurePolicy', () => {
  const rules = [onCode('Ignore', 'In', [1]), onCode('FailJob', 'In', [1, 2]), onCode('FailIndex', 'NotIn', [3])];
  expect(verdictOn(job(...rules), pod({ c: 1 }))).toEqual({ type: 'ignore' });
  expect(verdictOn(job(...rules), pod({ c: 2 }))).toEqual({
    type: 'fail-job',
    message: 'Container c for pod n/p failed with exit code 2 matching FailJob rule at index 1',
  });
  expect(verdictOn(job(...rules), pod({ c: 4 }))).toEqual({ type: 'fail-index' });
  expect(verdictOn(job(...rules), pod({ c: 3 }))).toEqual({ type: 'count' });
});

it('verdictOn matches the exit codes of failed containers, and only of the named container', () => {
  expect(verdictOn(job(onCode('Ignore', 'NotIn', [5])), pod({ c: 0 }))).toEqual({ type: 'count' });
  expect(verdictOn(job(onCode('Ignore', 'In', [5], 'd')), pod({ c: 5, d: 1 }))).toEqual({ type: 'count' });
  expect(verdictOn(job(onCode('Ignore', 'In', [5], 'd')), pod({ c: 1, d: 5 }))).toEqual({ type: 'ignore' });
});

it('verdictOn matches pod conditions by type and status', () => {
  const rule = { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] };
  expect(verdictOn(job(rule), pod({}, [{ type: 'DisruptionTarget', status: 'True' }]))).toEqual({ type: 'ignore' });
  expect(verdictOn(job(rule), pod({}, [{ type: 'DisruptionTarget', status: 'False' }]))).toEqual({ type: 'count' });
});
