/** PodDisruptionBudget: what is asked of the reference server. */
import type { KindCases } from '../kind-cases';
import type { Body, Json } from '../reference';

const SELECTOR: Body = { matchLabels: { a: 'b' } };
const spec = (members: Body): Body => ({ spec: { selector: SELECTOR, ...members } });
const min = (minAvailable: Json): Body => spec({ minAvailable });
const max = (maxUnavailable: Json): Body => spec({ maxUnavailable });
const selector = (of: Json): Body => ({ spec: { selector: of, minAvailable: 1 } });
const COUNTS: Body = { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, expectedPods: 1 };
const status = (of: Body): Body => ({ ...min(1), status: { ...COUNTS, ...of } });
const condition = (of: Body): Body =>
  status({
    conditions: [
      { type: 'DisruptionAllowed', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z', ...of },
    ],
  });

export const DISRUPTION_BUDGETS: KindCases = {
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  apiVersion: 'policy/v1',
  namespaced: true,
  base: min(1),
  bodies: {
    plain: min(1),
    'no spec': {},
    'an empty spec': { spec: {} },
    'a status': { ...min(1), status: { ...COUNTS, currentHealthy: -1 } },
    'name: with capitals and dots': { metadata: { name: 'A.b_' }, ...min(1) },
    'name: with a slash': { metadata: { name: 'a/b' }, ...min(1) },
    neither: spec({}),
    both: spec({ minAvailable: 1, maxUnavailable: 1 }),
    'both wrong': spec({ minAvailable: -1, maxUnavailable: -1 }),
    'min: zero': min(0),
    'min: negative': min(-1),
    'min: large': min(2147483647),
    'min: percent': min('50%'),
    'min: 0%': min('0%'),
    'min: 100%': min('100%'),
    'min: 101%': min('101%'),
    'min: 1000%': min('1000%'),
    'min: negative percent': min('-1%'),
    'min: text': min('x'),
    'min: number in text': min('5'),
    'min: empty': min(''),
    'min: fraction': min('1.5%'),
    'min: leading zeros': min('007%'),
    'min: plus': min('+5%'),
    'min: blank': min(' 5%'),
    'max: zero': max(0),
    'max: negative': max(-1),
    'max: percent': max('50%'),
    'max: 101%': max('101%'),
    'max: text': max('x'),
    'max: empty': max(''),
    'selector: null': selector(null),
    'selector: empty': selector({}),
    'selector: absent': { spec: { minAvailable: 1 } },
    'selector: expressions': selector({ matchExpressions: [{ key: 'a', operator: 'Exists' }] }),
    'selector: malformed labels': selector({ matchLabels: { 'a b': '-' } }),
    'selector: unknown operator': selector({ matchExpressions: [{ key: 'a', operator: 'x' }] }),
    'selector: malformed value of an expression': selector({ matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] }),
    'selector: malformed key of an expression': selector({ matchExpressions: [{ key: '_', operator: 'Exists', values: ['a'] }] }),
    'policy: IfHealthyBudget': spec({ minAvailable: 1, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }),
    'policy: AlwaysAllow': spec({ minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
    'policy: empty': spec({ minAvailable: 1, unhealthyPodEvictionPolicy: '' }),
    'policy: unknown': spec({ minAvailable: 1, unhealthyPodEvictionPolicy: 'x' }),
    'everything wrong at once': {
      metadata: { labels: { a: '-' } },
      spec: { minAvailable: -1, maxUnavailable: 'x', selector: { matchLabels: { a: '-' } }, unhealthyPodEvictionPolicy: 'x' },
    },
  },
  changes: {
    'nothing changes': [min(1), min(1)],
    'everything changes': [min(1), { spec: { maxUnavailable: '10%', selector: {} } }],
    'empty selector stays': [selector({}), selector({})],
    'a wrong expression stays': [
      selector({ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }),
      selector({ matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] }),
    ],
    'becomes wrong': [min(1), min(-1)],
    'with a status': [min(1), status({ currentHealthy: 5 })],
    'without a version': [min(1), { metadata: { resourceVersion: '' }, ...max(1) }],
  },
  statuses: {
    good: status({ observedGeneration: 1 }),
    'negative allowed': status({ disruptionsAllowed: -1 }),
    'negative current': status({ currentHealthy: -1 }),
    'negative wanted': status({ desiredHealthy: -1 }),
    'negative expected': status({ expectedPods: -1 }),
    'all negative': status({ disruptionsAllowed: -1, currentHealthy: -2, desiredHealthy: -3, expectedPods: -4 }),
    'negative generation': status({ observedGeneration: -1 }),
    'disrupted pods': status({ disruptedPods: { p: '2026-01-01T00:00:00Z' } }),
    'disrupted pods: malformed name': status({ disruptedPods: { 'a/b': '2026-01-01T00:00:00Z' } }),
    'condition: good': condition({}),
    'condition: no type': condition({ type: '' }),
    'condition: malformed type': condition({ type: 'a b' }),
    'condition: unknown status': condition({ status: 'x' }),
    'condition: empty status': condition({ status: '' }),
    'condition: negative generation': condition({ observedGeneration: -1 }),
    'condition: no time': condition({ lastTransitionTime: null }),
    'condition: no reason': condition({ reason: '' }),
    'condition: malformed reason': condition({ reason: 'a b' }),
    'condition: reason of a digit': condition({ reason: '1' }),
    'condition: reason with colon at its end': condition({ reason: 'a:b:' }),
    'condition: long reason': condition({ reason: { $text: 'a', $times: 1025 } }),
    'condition: long message': condition({ message: { $text: 'a', $times: 32769 } }),
    'condition: empty': status({ conditions: [{ type: '', status: '', reason: '', message: '', lastTransitionTime: null }] }),
    'condition: the same twice': status({
      conditions: ['a', 'a'].map((type) => ({
        type,
        status: 'True',
        reason: 'R',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      })),
    }),
    'condition: wrong twice': status({
      disruptionsAllowed: -1,
      conditions: [{ type: '-' }, { type: '-' }].map((of) => ({ status: 'x', reason: 'R', message: '', lastTransitionTime: null, ...of })),
    }),
    'spec as well': { ...min(-1), status: COUNTS },
    'no status': min(1),
  },
};
