import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { placementOf, tolerationsOf } from './placement';

const node = (labels: JsonObject = {}, taints: readonly JsonObject[] = []): ApiObject =>
  apiObject({ metadata: { name: 'a', labels }, spec: { taints: [...taints] } });
const required = (...nodeSelectorTerms: JsonObject[]): JsonObject => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const wants = (key: string, operator: string, ...values: string[]): JsonObject => ({ matchExpressions: [{ key, operator, values }] });
const taint = (effect: string, key = 'k'): JsonObject => ({ key, value: 'v', effect });

test.each<[string, JsonObject, ApiObject, boolean, boolean]>([
  ['any', {}, node(), true, true],
  ['another name', { nodeName: 'b' }, node(), false, false],
  ['a label', { nodeSelector: { l: 'm' } }, node({ l: 'm' }), true, true],
  ['another label', { nodeSelector: { l: 'm' } }, node({ l: 'n' }), false, false],
  ['a label in the other spelling', { nodeSelector: { 'kubernetes.io/os': 'linux' } }, node({ 'platform.io/os': 'linux' }), true, true],
  ['one of the terms', required(wants('x', 'Exists'), wants('l', 'In', 'm', 'n')), node({ l: 'n' }), true, true],
  ['none of the terms', required(wants('x', 'Exists'), wants('l', 'NotIn', 'n')), node({ l: 'n' }), false, false],
  ['no term', required(), node(), false, false],
  ['a term that says nothing', required({}), node(), false, false],
  ['a term that nobody understands', required(wants('l', 'Like', 'm')), node({ l: 'm' }), false, false],
  ['a number', required(wants('l', 'Gt', '4')), node({ l: '5' }), true, true],
  ['its name', required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }), node(), true, true],
  ['a taint', {}, node({}, [taint('NoSchedule')]), false, true],
  ['a stronger taint', {}, node({}, [taint('NoExecute')]), false, false],
  ['a weak taint', {}, node({}, [taint('PreferNoSchedule')]), true, true],
  ['a taint that is tolerated', { tolerations: [{ key: 'k', value: 'v' }] }, node({}, [taint('NoExecute')]), true, true],
  [
    'a trouble',
    {},
    node({}, [taint('NoExecute', 'node.platform.io/not-ready'), taint('NoSchedule', 'node.kubernetes.io/disk-pressure')]),
    true,
    true,
  ],
  ['no network', {}, node({}, [taint('NoSchedule', 'node.kubernetes.io/network-unavailable')]), false, true],
  [
    'no network that it needs',
    { hostNetwork: true },
    node({}, [taint('NoSchedule', 'node.kubernetes.io/network-unavailable')]),
    true,
    true,
  ],
])('%s', (_title, spec, of, runs, stays) => expect(placementOf(spec, 'kubernetes')(of)).toEqual({ runs, stays }));

test('a toleration that is there is replaced in its place', () => {
  const mine = { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 };
  const all = tolerationsOf({ tolerations: [mine, { key: 'k' }] }, 'kubernetes');
  expect(all.slice(0, 2)).toEqual([{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }, { key: 'k' }]);
  expect(all).toHaveLength(7);
});
