/** Tests the bounds of the errors of ResourceQuotas, of which clients choose the numbers of scopes and resources. */
import { resourceQuota } from './resource-quota';
import type { StrategyContext } from '../../../registry/strategy';
import { GENERATED_NAMES } from '../../../../shared/names/dialect';
import { featureGates } from '../../../../shared/cli/feature-gates';
import type { CoreV1ResourceQuotaSpec } from '../../../../shared/api/types/generated/members';

const context: StrategyContext = {
  names: GENERATED_NAMES.platform,
  user: { name: 'u', groups: [] },
  now: 0,
  serviceFamilies: ['IPv4'],
  warn: () => undefined,
  gates: featureGates(),
};
const MANY = 20_000;
/** Resources to which the scope BestEffort does not apply. */
const hard = Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`hugepages-${index}`, '1']));
/** The ends of the messages, which are long because they show the value. */
const messageEnds = (spec: CoreV1ResourceQuotaSpec): readonly string[] =>
  (resourceQuota.validate?.({ spec }, undefined, context) ?? []).map(({ body }) => body.slice(-40));

it('a ResourceQuota reports at most 1,000 scopes that do not apply to its resources', () => {
  const scopes = Array.from({ length: MANY }, () => 'BestEffort');
  const messages = messageEnds({ hard, scopes });
  expect(messages).toHaveLength(1000);
  expect(new Set(messages).size).toBe(1);
});

it('a ResourceQuota reports at most 1,000 scopes of its scopeSelector that do not apply to its resources', () => {
  const matchExpressions = Array.from({ length: MANY }, () => ({ scopeName: 'BestEffort', operator: 'Exists' }));
  expect(messageEnds({ hard, scopeSelector: { matchExpressions } })).toHaveLength(1000);
});

it('a ResourceQuota reports every unsupported scope', () => {
  expect(messageEnds({ scopes: Array.from({ length: MANY }, (_, index) => `x${index}`) })).toHaveLength(MANY);
});
