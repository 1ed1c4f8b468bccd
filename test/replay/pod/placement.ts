/** Where a Pod wants to run: affinity, spreading and tolerations; what is asked of the reference server. */
import type { Body, Json } from '../reference';
import { each, long, pod, type Bodies } from './bodies';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const node = (members: Body): Body => pod({ affinity: { nodeAffinity: members } });
const terms = (...nodeSelectorTerms: Json[]): Body => node({ [REQUIRED]: { nodeSelectorTerms } });
const expression = (value: Json): Body => terms({ matchExpressions: [value] });
const field = (value: Json): Body => terms({ matchFields: [value] });
const preferred = (...all: Json[]): Body => node({ [PREFERRED]: all });

const EXPRESSIONS = [
  null,
  {},
  { key: 'a' },
  { operator: 'Exists' },
  { key: 'a', operator: 'x' },
  { key: 'a', operator: 'In' },
  { key: 'a', operator: 'In', values: [] },
  { key: 'a', operator: 'In', values: ['b', 'b'] },
  { key: 'a', operator: 'In', values: ['-'] },
  { key: 'a', operator: 'In', values: [''] },
  { key: 'a', operator: 'In', values: [long(64)] },
  { key: 'a', operator: 'NotIn' },
  { key: 'a', operator: 'NotIn', values: ['-'] },
  { key: 'a', operator: 'Exists', values: ['b'] },
  { key: 'a', operator: 'DoesNotExist', values: ['b'] },
  { key: 'a', operator: 'DoesNotExist' },
  { key: 'a', operator: 'Gt' },
  { key: 'a', operator: 'Gt', values: ['1'] },
  { key: 'a', operator: 'Gt', values: ['x'] },
  { key: 'a', operator: 'Gt', values: ['1', '2'] },
  { key: 'a', operator: 'Lt', values: [] },
  { key: 'a', operator: 'Lt', values: ['-1'] },
  { key: '_', operator: 'Exists' },
  { key: 'A/b', operator: 'Exists' },
  { key: '_', operator: 'x', values: ['-'] },
];

const NODE: Bodies = {
  'affinity: empty': pod({ affinity: {} }),
  'node affinity: empty': node({}),
  'node affinity: required null': node({ [REQUIRED]: null }),
  'node affinity: required empty': node({ [REQUIRED]: {} }),
  'node affinity: no terms': terms(),
  'node affinity: empty term': terms({}),
  'node affinity: null term': terms(null),
  'node affinity: two terms': terms({}, { matchExpressions: [{}] }),
  ...each('node expression', expression, EXPRESSIONS),
  ...each('node field', field, [
    null,
    {},
    { key: 'metadata.name' },
    { key: 'metadata.name', operator: 'In' },
    { key: 'metadata.name', operator: 'In', values: ['a'] },
    { key: 'metadata.name', operator: 'NotIn', values: ['a'] },
    { key: 'metadata.name', operator: 'In', values: ['a', 'b'] },
    { key: 'metadata.name', operator: 'In', values: ['_'] },
    { key: 'metadata.name', operator: 'In', values: [''] },
    { key: 'metadata.name', operator: 'Exists' },
    { key: 'metadata.name', operator: 'Gt', values: ['1'] },
    { key: 'metadata.uid', operator: 'In', values: ['a'] },
    { key: 'x', operator: 'x', values: [] },
  ]),
  'node expressions and fields wrong': terms({ matchExpressions: [{}, {}], matchFields: [{}] }),
  ...each('node weight', (weight) => preferred({ weight, preference: {} }), [0, 1, 100, 101, -1]),
  'node preference: empty': preferred({}),
  'node preference: null': preferred(null),
  'node preference: wrong': preferred({ weight: 1, preference: { matchExpressions: [{}] } }, { preference: { matchFields: [{}] } }),
  'node affinity: both wrong': node({ [REQUIRED]: {}, [PREFERRED]: [{}] }),
};

const GOOD_TERM: Body = { topologyKey: 'k', labelSelector: { matchLabels: { a: 'b' } } };
const term = (members: Body): Body => pod({ affinity: { podAffinity: { [REQUIRED]: [{ ...GOOD_TERM, ...members }] } } });
const others = (members: Body): Body => pod({ affinity: { podAffinity: members } });
const apart = (members: Body): Body => pod({ affinity: { podAntiAffinity: members } });
const SELECTORS = [
  null,
  {},
  { matchLabels: { _: '-' } },
  { matchExpressions: [{}] },
  { matchExpressions: [{ key: 'a', operator: 'In' }] },
  { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] },
  { matchExpressions: [{ key: '_', operator: 'Exists', values: ['b'] }] },
];
const KEYS = [[], ['x'], ['_'], ['a'], ['x', 'x'], ['']];

const PODS: Bodies = {
  'pod affinity: empty': others({}),
  'pod affinity: empty term': others({ [REQUIRED]: [{}] }),
  'pod affinity: null term': others({ [REQUIRED]: [null] }),
  'pod affinity: good term': term({}),
  ...each('topology key', (topologyKey) => term({ topologyKey }), ['', '_', 'A/b', 'a b', 'kubernetes.io/hostname']),
  ...each('affinity selector', (labelSelector) => term({ labelSelector }), SELECTORS),
  ...each('affinity namespaces', (namespaces) => term({ namespaces }), [[], [''], ['a'], ['A', 'a.b'], ['a', 'a']]),
  ...each('affinity namespace selector', (namespaceSelector) => term({ namespaceSelector }), SELECTORS),
  ...each('matchLabelKeys', (matchLabelKeys) => term({ matchLabelKeys }), KEYS),
  ...each('mismatchLabelKeys', (mismatchLabelKeys) => term({ mismatchLabelKeys }), KEYS),
  'match and mismatch': term({ matchLabelKeys: ['x'], mismatchLabelKeys: ['x'] }),
  'match and mismatch, several': term({ matchLabelKeys: ['x', 'y', 'z'], mismatchLabelKeys: ['y', 'x'] }),
  'matchLabelKeys without selector': others({ [REQUIRED]: [{ topologyKey: 'k', matchLabelKeys: ['x'] }] }),
  'mismatchLabelKeys without selector': others({ [REQUIRED]: [{ topologyKey: 'k', mismatchLabelKeys: ['x'] }] }),
  'matchLabelKeys of the selector': term({
    labelSelector: { matchLabels: { x: 'b' }, matchExpressions: [{ key: 'y', operator: 'Exists' }] },
    matchLabelKeys: ['x', 'y'],
  }),
  'mismatchLabelKeys of the selector': term({
    labelSelector: { matchLabels: { x: 'b' }, matchExpressions: [{ key: 'y', operator: 'Exists' }] },
    mismatchLabelKeys: ['x', 'y'],
  }),
  'matchLabelKeys of a label of the pod': {
    metadata: { labels: { x: 'y' } },
    ...term({ matchLabelKeys: ['x'], mismatchLabelKeys: ['x'] }),
  },
  'matchLabelKeys, twice in the selector': {
    metadata: { labels: { x: 'y' } },
    ...term({ matchLabelKeys: ['x'], labelSelector: { matchExpressions: [{ key: 'x', operator: 'In', values: ['y'] }] } }),
  },
  ...each('pod weight', (weight) => others({ [PREFERRED]: [{ weight, podAffinityTerm: GOOD_TERM }] }), [0, 1, 100, 101, -1]),
  'pod preference: empty': others({ [PREFERRED]: [{}] }),
  'pod preference: null': others({ [PREFERRED]: [null] }),
  'pod affinity: everything wrong': others({
    [REQUIRED]: [
      {
        topologyKey: '_',
        labelSelector: { matchLabels: { _: '-' } },
        namespaces: ['_'],
        namespaceSelector: { matchLabels: { _: '-' } },
        matchLabelKeys: ['_'],
      },
    ],
    [PREFERRED]: [{ podAffinityTerm: { namespaces: ['_'] } }],
  }),
  'anti-affinity: everything wrong': apart({ [REQUIRED]: [{}], [PREFERRED]: [{}] }),
  'anti-affinity: good': apart({ [REQUIRED]: [GOOD_TERM], [PREFERRED]: [{ weight: 5, podAffinityTerm: GOOD_TERM }] }),
};

const spread = (...topologySpreadConstraints: Json[]): Body => pod({ topologySpreadConstraints });
const GOOD_SPREAD: Body = { maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { a: 'b' } } };
const spreading = (members: Body): Body => spread({ ...GOOD_SPREAD, ...members });
const SPREAD: Bodies = {
  'spread: empty': spread({}),
  'spread: null': spread(null),
  'spread: good': spreading({}),
  ...each('maxSkew', (maxSkew) => spreading({ maxSkew }), [0, -1, 5]),
  ...each('spread key', (topologyKey) => spreading({ topologyKey }), ['', '_', 'a b']),
  ...each('whenUnsatisfiable', (whenUnsatisfiable) => spreading({ whenUnsatisfiable }), ['', 'ScheduleAnyway', 'x']),
  ...each('minDomains', (minDomains) => spreading({ minDomains }), [0, -1, 1]),
  'minDomains: schedule anyway': spreading({ minDomains: 1, whenUnsatisfiable: 'ScheduleAnyway' }),
  ...each('nodeAffinityPolicy', (nodeAffinityPolicy) => spreading({ nodeAffinityPolicy }), ['', 'Honor', 'Ignore', 'x']),
  ...each('nodeTaintsPolicy', (nodeTaintsPolicy) => spreading({ nodeTaintsPolicy }), ['', 'Honor', 'x']),
  ...each('spread matchLabelKeys', (matchLabelKeys) => spreading({ matchLabelKeys }), [...KEYS, ['a', 'x']]),
  'spread: keys without selector': spread({ maxSkew: 1, topologyKey: 'k', whenUnsatisfiable: 'DoNotSchedule', matchLabelKeys: ['x'] }),
  ...each('spread selector', (labelSelector) => spreading({ labelSelector }), SELECTORS),
  'spread: twice': spread(GOOD_SPREAD, GOOD_SPREAD),
  'spread: twice, another action': spread(GOOD_SPREAD, { ...GOOD_SPREAD, whenUnsatisfiable: 'ScheduleAnyway' }),
  'spread: twice, wrong action': spread({ ...GOOD_SPREAD, whenUnsatisfiable: 'x' }, { ...GOOD_SPREAD, whenUnsatisfiable: 'x' }),
  'spread: everything wrong': spread({
    maxSkew: -1,
    minDomains: -1,
    topologyKey: '_',
    whenUnsatisfiable: 'x',
    nodeAffinityPolicy: 'x',
    nodeTaintsPolicy: 'x',
    matchLabelKeys: ['_'],
    labelSelector: { matchLabels: { _: '-' } },
  }),
};

const toleration = (value: Json): Body => pod({ tolerations: [value] });
const TOLERATIONS: Bodies = each('toleration', toleration, [
  null,
  {},
  { operator: 'Exists' },
  { operator: 'Equal' },
  { operator: 'x' },
  { key: 'a' },
  { key: '_' },
  { key: 'A/b', operator: 'Exists' },
  { key: 'a', operator: 'Exists', value: 'b' },
  { operator: 'Exists', value: 'b' },
  { key: 'a', operator: 'x', value: '-' },
  { key: 'a', value: '-' },
  { key: 'a', value: long(64) },
  { key: 'a', operator: 'Equal', value: '' },
  { key: 'a', effect: 'x' },
  { key: 'a', effect: 'NoSchedule' },
  { key: 'a', effect: 'NoExecute', tolerationSeconds: 5 },
  { key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 },
  { key: 'a', tolerationSeconds: 5 },
  { key: 'a', effect: 'NoExecute', tolerationSeconds: -5 },
  { key: 'a', effect: 'x', tolerationSeconds: 5 },
  { operator: 'Gt', key: '_', value: '-', effect: 'x', tolerationSeconds: 1 },
  { value: '-', effect: 'x', tolerationSeconds: 1 },
]);

export const PLACEMENT: Bodies = {
  ...NODE,
  ...PODS,
  ...SPREAD,
  ...TOLERATIONS,
  'tolerations twice': pod({
    tolerations: [
      { key: 'a', operator: 'Exists' },
      { key: 'a', operator: 'Exists' },
    ],
  }),
  'affinity: all wrong': pod({
    affinity: {
      nodeAffinity: { [REQUIRED]: {} },
      podAffinity: { [REQUIRED]: [{}] },
      podAntiAffinity: { [REQUIRED]: [{}] },
    },
  }),
};
