/** What conversion webhooks are asked, what they may answer, and what becomes of it: the cases of the recording. */
import type { Body } from '../reference';
import { CONVERSIONS } from './behaviours';
import {
  apply,
  changed,
  DEFINITION,
  DEFINITIONS,
  first,
  get,
  jsonPatch,
  merge,
  METADATA,
  METADATA_LIST,
  path,
  post,
  put,
  remove,
  second,
  TABLE,
  versions,
  widget,
  type ConversionCase,
  type Step,
} from './case';

const made = (name = 'a', address = 'h:1', more: Body = {}): Step => post(path('v1'), first(name, address, more), { silent: true });
const does = (what: string, step: Step): Step => ({ ...step, does: what });

/** Read, listed and written while the webhook answers so. */
const answers = (...names: string[]): readonly ConversionCase[] =>
  names.map((name) => ({
    title: `answer: ${name}`,
    steps: [
      made('a', 'h:1', { labels: { l: '1' }, annotations: { n: '1' } }),
      does(name, get(path('v2', 'a'))),
      post(path('v2'), second('b')),
      does('good', get(path('v1', 'b'))),
    ],
  }));

const READS: ConversionCase = {
  title: 'reads of the other version',
  steps: [
    made('a', 'h:1', { labels: { l: '1' } }),
    made('b', 'i:2'),
    made('c', 'h:3', { labels: { l: '1' } }),
    get(path('v2', 'a'), { calls: true }),
    get(path('v2', 'nobody')),
    get(path('v2')),
    get(path('v2', '', '?limit=2')),
    get(path('v2', '', '?labelSelector=l%3D1')),
    get(path('v2', '', '?fieldSelector=spec.host%3Dh')),
    get(path('v1', '', '?fieldSelector=spec.address%3Di:2')),
    get(path('v2', '', '?fieldSelector=spec.address%3Di:2')),
    get(path('v2', '', '?fieldSelector=metadata.name%3Da')),
    get(path('v2'), { accept: TABLE }),
    get(path('v1'), { accept: TABLE }),
    get(path('v2', 'a'), { accept: TABLE }),
    get(path('v2', 'a'), { accept: METADATA }),
    get(path('v2'), { accept: METADATA_LIST }),
    get(path('v2', 'a', '/status')),
    get(path('v2', '', '?watch=1&resourceVersion=0&timeoutSeconds=1')),
  ],
};

const WRITES: ConversionCase = {
  title: 'writes of the other version',
  steps: [
    post(path('v2'), second('a', 'h', 1, { labels: { l: '1' } }), { calls: true }),
    get(path('v1', 'a')),
    put(path('v2', 'a'), second('a', 'i', 2)),
    put(path('v2', 'a'), changed('v2', 'a', { host: 'i', port: 2 })),
    get(path('v1', 'a')),
    merge(path('v2', 'a'), { spec: { port: 3, onlySecond: 'x' } }),
    get(path('v1', 'a')),
    get(path('v2', 'a')),
    jsonPatch(path('v2', 'a'), [{ op: 'replace', path: '/spec/host', value: 'j' }]),
    merge(path('v1', 'a'), { spec: { onlyFirst: 'y' } }),
    get(path('v2', 'a')),
    merge(path('v2', 'a'), { spec: { port: 0 } }),
    put(path('v2', 'a'), changed('v2', 'a', { address: 'k:1' })),
    put(path('v2', 'a'), changed('v2', 'a', { host: 'h', port: 1, bySecond: 'x' })),
    put(path('v1', 'a'), changed('v1', 'a', { address: 'z:1' })),
    put(path('v2', 'a', '?fieldValidation=Strict'), widget('v2', 'a', { address: 'k:1' })),
    put(path('v2', 'a'), first('a', 'k:1')),
    put(path('v2', 'a', '/status'), changed('v2', 'a', {}, { status: { ready: 'yes', replicas: 2, ofV1: 'lost', ofV2: 'kept?' } })),
    get(path('v1', 'a')),
    merge(path('v2', 'a', '/status'), { status: { ready: 'no' } }),
    merge(path('v2', 'a'), { spec: { replicas: 4 } }),
    get(path('v2', 'a', '/scale')),
    merge(path('v2', 'a', '/scale'), { spec: { replicas: 5 } }),
    get(path('v1', 'a', '/scale')),
    put(path('v2', 'a', '?dryRun=All'), changed('v2', 'a', { host: 'dry', port: 9 })),
    post(path('v2', '', '?dryRun=All'), second('d', 'dry', 9)),
    merge(path('v2', 'a'), { metadata: { finalizers: ['example.com/f'] } }),
    remove(path('v2', 'a')),
    merge(path('v2', 'a'), { metadata: { finalizers: null } }),
    get(path('v1', 'a')),
    post(path('v2'), second('b', 'h', 1)),
    remove(path('v2', 'b')),
    post(path('v2'), second('c', 'h', 1)),
    post(path('v2'), second('d', 'h', 2)),
    remove(path('v2')),
  ],
};

const APPLIES: ConversionCase = {
  title: 'applied in both versions',
  steps: [
    apply(path('v1', 'a', '?fieldManager=one'), first('a', 'h:1')),
    get(path('v2', 'a')),
    apply(path('v2', 'a', '?fieldManager=two'), second('a', 'h', 1)),
    apply(path('v2', 'a', '?fieldManager=two'), second('a', 'i', 2)),
    apply(path('v2', 'a', '?fieldManager=two&force=true'), second('a', 'i', 2)),
    get(path('v1', 'a')),
    apply(path('v1', 'a', '?fieldManager=one'), first('a', 'j:3')),
    apply(path('v1', 'a', '?fieldManager=one'), widget('v1', 'a', { tags: { a: 'b' } })),
    apply(path('v2', 'a', '?fieldManager=three'), widget('v2', 'a', { tags: { a: 'c' } })),
    apply(path('v2', 'a', '?fieldManager=three'), widget('v2', 'a', { tags: { b: 'c' } })),
    apply(path('v2', 'a', '?fieldManager=one'), widget('v2', 'a', { tags: { c: 'd' } })),
    apply(path('v2', 'a', '?fieldManager=two'), widget('v2', 'a', { host: 'i' })),
    merge(path('v1', 'a', '?fieldManager=patcher'), { spec: { address: 'k:4' } }),
    merge(path('v2', 'a', '?fieldManager=patcher'), { spec: { host: 'l' } }),
    get(path('v1', 'a')),
    apply(path('v2', 'new', '?fieldManager=two'), second('new', 'h', 1)),
    put(path('v1', 'new', '?fieldManager=putter'), changed('v1', 'new', { address: 'g:2', tags: { a: 'b' } })),
    apply(path('v2', 'new', '?fieldManager=two'), second('new', 'h', 3)),
    apply(path('v2', 'new', '?fieldManager=two&force=true'), second('new', 'h', 3)),
    apply(path('v2', 'new', '?fieldManager=two'), widget('v2', 'new', { address: 'h:1' })),
  ],
};

const tell = (what: string): readonly Step[] => [
  does(what, get(path('v2', 'a'))),
  get(path('v1', 'a')),
  get(path('v2', 'nobody')),
  get(path('v2', 'a'), { accept: METADATA }),
  get(path('v2', 'a', '/scale')),
  post(path('v2'), second('n')),
  post(path('v2'), second('a')),
  post(path('v1'), first('a')),
  post(path('v2', '', '?dryRun=All'), second('n')),
  put(path('v2', 'a'), second('a', 'i', 2)),
  put(path('v2', 'nobody'), second('nobody', 'i', 2)),
  merge(path('v2', 'a'), { spec: { port: 3 } }),
  merge(path('v2', 'nobody'), { spec: { port: 3 } }),
  apply(path('v2', 'a', '?fieldManager=m'), second('a')),
  merge(path('v2', 'a', '/scale'), { spec: { replicas: 3 } }),
  merge(path('v2', 'a'), { spec: { port: 0 } }),
  remove(path('v2', 'a')),
  remove(path('v2', 'nobody')),
  merge(path('v1', 'a'), { spec: { address: 'i:9' } }),
  apply(path('v1', 'a', '?fieldManager=m&force=true'), first('a', 'h:2')),
  remove(path('v1', 'a')),
];

const FAILING: ConversionCase = { title: 'every request while it fails', steps: [made(), ...tell('failure')] };

/** From the beginning on: a server that has a view of the version shows that, as it was. */
const FAILING_LISTS: ConversionCase = {
  title: 'lists while it fails',
  webhook: { clientConfig: { url: 'https://127.0.0.1:1/convert' } },
  steps: [
    made(),
    get(path('v2', '', '?limit=500')),
    get(path('v2', '', '?limit=500'), { accept: METADATA_LIST }),
    get(path('v2', '', '?limit=500&labelSelector=no%3Dbody')),
    get(path('v1')),
    remove(path('v2', '', '?limit=500')),
    remove(path('v1')),
    get(path('v1')),
  ],
};

const MIXED: ConversionCase = {
  title: 'stored in both versions',
  steps: [
    made('a', 'h:1'),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { versions: versions('v2') } }, { silent: true }),
    get(`${DEFINITIONS}/${DEFINITION}`, { until: ['status.storedVersions.1', 'v2'] }),
    post(path('v2'), second('b', 'i', 2), { silent: true }),
    does('failure', get(path('v2', 'b'))),
    get(path('v2', 'a')),
    get(path('v1', 'a')),
    get(path('v1', 'b')),
    does('good', get(path('v1'))),
    get(path('v2')),
    does('good', merge(path('v1', 'a'), {})),
    does('failure', get(path('v2', 'a'))),
    get(path('v1', 'a')),
    does('good', merge(path('v1', 'b'), { spec: { onlyFirst: 'x' } })),
    get(path('v2', 'b')),
    merge(`${DEFINITIONS}/${DEFINITION}/status`, { status: { storedVersions: ['v2'] } }),
    merge(`${DEFINITIONS}/${DEFINITION}/status`, { status: { storedVersions: ['v1'] } }),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { versions: versions('v1') } }),
  ],
};

const OLD_REVIEWS: ConversionCase = {
  title: 'reviews of v1beta1',
  webhook: { conversionReviewVersions: ['v7', 'v1beta1', 'v1'] },
  steps: [
    made('a'),
    made('b'),
    made('c'),
    get(path('v2', 'a'), { calls: true }),
    does('no-review-uid', get(path('v2', 'b'))),
    does('failure', get(path('v2', 'c'))),
  ],
};

const place = (title: string, clientConfig: Body): ConversionCase => ({
  title: `place: ${title}`,
  webhook: { clientConfig },
  steps: [made(), get(path('v2', 'a')), post(path('v2'), second('b'))],
});

const PLACES: readonly ConversionCase[] = [
  place('a service that is not there', { service: { namespace: 'default', name: 'nobody', port: 443, path: '/x' } }),
  place('nobody listens', { url: 'https://127.0.0.1:1/good' }),
  place('an unknown authority', { url: 'https://127.0.0.1:<port>/good' }),
  place('another name', { url: 'https://localhost.example.invalid:<port>/good', caBundle: '<ca>' }),
  place('a path', { url: 'https://127.0.0.1:<port>/some/path', caBundle: '<ca>' }),
];

const UNSERVED: ConversionCase = {
  title: 'a stored version that is not served',
  steps: [
    post(path('v2'), second('a'), { silent: true }),
    merge(
      `${DEFINITIONS}/${DEFINITION}`,
      { spec: { versions: versions('v1').map((one) => ({ ...Object(one), served: JSON.stringify(one).includes('"name":"v2"') })) } },
      { silent: true },
    ),
    get(path('v1', 'a'), { until: ['', '404 page not found\n'] }),
    get(path('v2', 'a')),
    merge(path('v2', 'a'), { spec: { port: 7 } }),
  ],
};

const NONE: ConversionCase = {
  title: 'from None to Webhook',
  definition: { conversion: { strategy: 'None' } },
  steps: [
    made(),
    get(path('v2', 'a')),
    post(path('v2'), second('b')),
    get(path('v1', 'b')),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { conversion: '<conversion>' } }, { silent: true }),
    get(path('v2', 'a'), { until: ['spec.host', 'h'] }),
    get(path('v2', 'b')),
    get(path('v1', 'b')),
  ],
};

export const CASES: readonly ConversionCase[] = [
  READS,
  WRITES,
  APPLIES,
  ...answers(...Object.keys(CONVERSIONS)),
  FAILING,
  FAILING_LISTS,
  MIXED,
  OLD_REVIEWS,
  ...PLACES,
  UNSERVED,
  NONE,
];
