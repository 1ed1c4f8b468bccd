/**
 * Requests about custom resources, one after the other: a few definitions, and what clients get right and wrong about their objects. In upstream's
 * spelling; `$NS` is a namespace, `$RV` and `$UID` come from the last answer that was an object. Recorded by custom-requests.ts.
 */
import type { RequestStep } from './update-steps';

type Body = Readonly<Record<string, unknown>>;

export const GROUP = 'steps.example.com';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function definition(plural: string, kind: string, scope: string, versions: readonly Body[], names: Body = {}): Body {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope, names: { plural, kind, ...names }, versions },
  };
}

const STATUS = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const WIDGET_SPEC = {
  type: 'object',
  required: ['size'],
  properties: {
    size: { type: 'integer', minimum: 1 },
    color: { type: 'string', default: 'red', enum: ['red', 'green'] },
    replicas: { type: 'integer' },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } } },
    },
    free: STATUS,
    port: { 'x-kubernetes-int-or-string': true },
    note: { type: 'string', nullable: true },
  },
};

/** Made before the steps; each is established before the first of them. */
export const CUSTOM_DEFINITIONS: readonly Body[] = [
  definition(
    'widgets',
    'Widget',
    'Namespaced',
    [
      {
        name: 'v1',
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1, description: 'Which one' },
        ],
        selectableFields: [{ jsonPath: '.spec.color' }],
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
        },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: WIDGET_SPEC, status: STATUS } } },
      },
      {
        name: 'v1beta1',
        served: true,
        storage: false,
        deprecated: true,
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } },
        },
      },
      {
        name: 'v1alpha1',
        served: false,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
    { singular: 'widget', shortNames: ['wd'], categories: ['all'] },
  ),
  definition('ranges', 'Range', 'Namespaced', [
    {
      name: 'v3',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: { low: { type: 'integer' }, high: { type: 'integer' }, mode: { type: 'string' } },
              'x-kubernetes-validations': [
                { rule: 'self.low <= self.high', message: 'low must not be above high', fieldPath: '.low' },
                { rule: '!has(oldSelf.mode) || self.mode == oldSelf.mode', reason: 'FieldValueForbidden' },
              ],
            },
          },
        },
      },
    },
  ]),
  definition('gadgets', 'Gadget', 'Cluster', [
    {
      name: 'v2',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    },
  ]),
];

const WIDGETS = `/apis/${GROUP}/v1/namespaces/$NS/widgets`;
const OLD_WIDGETS = `/apis/${GROUP}/v1beta1/namespaces/$NS/widgets`;
const GADGETS = `/apis/${GROUP}/v2/gadgets`;
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

const widget = (name: string, spec: unknown, more: Body = {}, metadata: Body = {}): Body => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Widget',
  metadata: { name, ...metadata },
  ...(spec === undefined ? {} : { spec }),
  ...more,
});
const gadget = (name: string, more: Body = {}): Body => ({ apiVersion: `${GROUP}/v2`, kind: 'Gadget', metadata: { name }, ...more });

const step = (method: RequestStep['method'], path: string, body?: unknown, type?: string): RequestStep => ({
  note: body === undefined ? '' : JSON.stringify(body).slice(0, 80),
  method,
  path,
  ...(body === undefined ? {} : { body }),
  ...(type === undefined ? {} : { type }),
});
const get = (path: string, accept?: string): RequestStep => ({
  ...step('GET', path),
  ...(accept === undefined ? {} : { accept, note: accept }),
});
const post = (path: string, body: unknown): RequestStep => step('POST', path, body);
const put = (path: string, body: unknown): RequestStep => step('PUT', path, body);
const merge = (path: string, body: unknown): RequestStep => step('PATCH', path, body, 'merge');
const json = (path: string, body: unknown): RequestStep => step('PATCH', path, body, 'json');
const apply = (path: string, body: unknown, manager = 'me'): RequestStep => step('PATCH', `${path}?fieldManager=${manager}`, body, 'apply');
const del = (path: string, body?: unknown): RequestStep => step('DELETE', path, body);

const bodies: readonly RequestStep[] = [
  post(WIDGETS, { metadata: { name: 'a' } }),
  post(WIDGETS, { kind: 'Widget', metadata: { name: 'a' }, spec: { size: 1 } }),
  post(WIDGETS, { apiVersion: `${GROUP}/v1`, metadata: { name: 'a' }, spec: { size: 1 } }),
  post(WIDGETS, { ...widget('a', { size: 1 }), apiVersion: 'v1' }),
  post(WIDGETS, { ...widget('a', { size: 1 }), apiVersion: `${GROUP}/v1beta1` }),
  post(WIDGETS, { ...widget('a', { size: 1 }), apiVersion: 'a/b/c' }),
  post(WIDGETS, { ...widget('a', { size: 1 }), kind: 'Gadget' }),
  post(WIDGETS, { ...widget('a', { size: 1 }), kind: 'Nothing' }),
  post(WIDGETS, { ...widget('a', { size: 1 }), kind: 7 }),
  post(WIDGETS, []),
  post(WIDGETS, 'null'),
  post(WIDGETS, '{"a"'),
  post(WIDGETS, widget('a', undefined)),
  post(WIDGETS, widget('a', {})),
  post(WIDGETS, widget('a', { size: 'x', tags: ['a', 'a'] })),
  post(WIDGETS, widget('a', { size: 0 })),
  post(WIDGETS, widget('a', { size: 1, color: 'blue' })),
  post(WIDGETS, widget('a', { size: 1, parts: [{ name: 'x' }, { name: 'x' }] })),
  post(WIDGETS, widget('a', 'x')),
  post(WIDGETS, widget('a', { size: 1, replicas: -1 })),
  post(WIDGETS, widget('a', { size: 1, replicas: 2147483648 }, {}, { finalizers: ['x', 'example.com/y'] })),
  post(WIDGETS, widget('a', { size: 1, replicas: 'x' })),
  post(WIDGETS, widget('A_b', { size: 1 })),
  post(WIDGETS, widget('a', { size: 1 }, {}, { namespace: 'other' })),
  post(WIDGETS, widget('a', { size: 1 }, {}, { labels: { a: 1 } })),
  post(WIDGETS, widget('a', { size: 1 }, {}, { labels: { 'a b': 'x' } })),
  post(WIDGETS, widget('a', { size: 1 }, {}, { resourceVersion: '5' })),
  post(WIDGETS, { ...widget('a', { size: 1 }), metadata: 'x' }),
  post(WIDGETS, { ...widget('a', { size: 1 }), metadata: {} }),
  post(`${WIDGETS}?fieldValidation=Strict`, widget('a', { size: 1, nope: 1, parts: [{ name: 'x', no: 1 }] }, { extra: 1 }, { foo: 1 })),
  post(
    `${WIDGETS}?fieldValidation=Strict`,
    `{"apiVersion":"${GROUP}/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":1,"size":2}}`,
  ),
  post(`${WIDGETS}?dryRun=All`, widget('dry', { size: 1 })),
  post(`${WIDGETS}?fieldValidation=Warn`, widget('warned', { size: 1, nope: 1 }, { extra: 1 }, { foo: 1 })),
  post(`${WIDGETS}?fieldValidation=Ignore`, widget('pruned', { size: 1, nope: 1, free: { b: [1, null], a: {} } })),
  post(WIDGETS, widget('a', { size: 1, parts: [{ name: 'x' }], note: null, tags: null, port: 'http' }, { status: { replicas: 1 } })),
  post(WIDGETS, widget('a', { size: 1 })),
];

const changes: readonly RequestStep[] = [
  get(`${WIDGETS}/a`),
  put(`${WIDGETS}/a`, widget('a', { size: 2 })),
  put(`${WIDGETS}/a`, widget('a', { size: 2 }, {}, { resourceVersion: '1' })),
  put(`${WIDGETS}/a`, widget('b', { size: 2 }, {}, { resourceVersion: '$RV' })),
  put(`${WIDGETS}/a`, widget('a', { size: 'x' }, {}, { resourceVersion: '$RV' })),
  put(`${WIDGETS}/a`, widget('a', { size: 2, port: 80 }, { status: { replicas: 9 } }, { resourceVersion: '$RV' })),
  put(`${WIDGETS}/none`, widget('none', { size: 2 })),
  merge(`${WIDGETS}/a`, { spec: { color: null, note: 'n' } }),
  merge(`${WIDGETS}/a`, { spec: { size: 'x' } }),
  merge(`${WIDGETS}/a`, { kind: 'Gadget' }),
  merge(`${WIDGETS}/a`, { apiVersion: 'v1' }),
  merge(`${WIDGETS}/a`, { metadata: { labels: { l: '1' } } }),
  merge(`${WIDGETS}/none`, { spec: { size: 2 } }),
  json(`${WIDGETS}/a`, [{ op: 'replace', path: '/spec/size', value: 7 }]),
  json(`${WIDGETS}/a`, [{ op: 'test', path: '/spec/size', value: 8 }]),
  step('PATCH', `${WIDGETS}/a`, {}, 'strategic'),
  step('PATCH', `${WIDGETS}/a`, {}, 'application/json'),
  step('PATCH', WIDGETS, {}, 'merge'),
  put(WIDGETS, {}),
  merge(`${WIDGETS}/a/status`, {
    status: { replicas: 3, selector: 'a=b', extra: { x: 1 } },
    spec: { size: 9 },
    metadata: { labels: { m: '2' } },
  }),
  put(`${WIDGETS}/a/status`, widget('a', { size: 5 }, { status: { replicas: 4, selector: 'a=b' } }, { resourceVersion: '$RV' })),
  get(`${WIDGETS}/a/status`),
  merge(`${WIDGETS}/a/status`, { status: { replicas: -1 } }),
  merge(`${WIDGETS}/a/status`, { status: { replicas: 'x', selector: 7 } }),
  get(`${WIDGETS}/a/scale`),
  merge(`${WIDGETS}/a`, { spec: { replicas: 2 } }),
  get(`${WIDGETS}/a/scale`),
  merge(`${WIDGETS}/a/scale`, { spec: { replicas: 5 } }),
  merge(`${WIDGETS}/a/scale`, { spec: { replicas: -5 } }),
  merge(`${WIDGETS}/a`, { spec: { replicas: -5 } }),
  get(`${WIDGETS}/a`),
  apply(`${WIDGETS}/s`, widget('s', { size: 3, nope: 1 })),
  apply(`${WIDGETS}/s`, { ...widget('s', { size: 3 }), kind: 'Gadget' }),
  apply(`${WIDGETS}/s`, widget('s', { size: 3, tags: ['x', 'y'], parts: [{ name: 'p', count: 2 }], free: { a: { b: 1 } } })),
  apply(`${WIDGETS}/s`, widget('s', { size: 3, tags: ['y'], parts: [{ name: 'q' }], free: { a: { c: 1 } } })),
  apply(`${WIDGETS}/s`, widget('s', { size: 4, tags: ['z'] }), 'other'),
  apply(`${WIDGETS}/s`, widget('s', { tags: ['z'], parts: [{ name: 'q', count: 4 }] }), 'other'),
  apply(`${WIDGETS}/s`, widget('s', { tags: ['z'], parts: [{ name: 'r' }] }), 'other'),
  apply(`${WIDGETS}/s/status`, widget('s', undefined, { status: { ready: true } }), 'operator'),
  merge(`${WIDGETS}/s`, { metadata: { finalizers: ['x'] } }),
  merge(`${WIDGETS}/s`, { metadata: { finalizers: ['example.com/x'] } }),
];

const versions: readonly RequestStep[] = [
  get(`${OLD_WIDGETS}/a`),
  merge(`${OLD_WIDGETS}/a`, { spec: { size: 11 } }),
  get(`${WIDGETS}/a`),
  get(OLD_WIDGETS),
  get(`/apis/${GROUP}/v1alpha1/namespaces/$NS/widgets`),
  get(`/apis/${GROUP}/v1alpha1`),
  get(`/apis/${GROUP}`),
  get(`/apis/${GROUP}/v1`),
  get(`/apis/${GROUP}/v1beta1`),
];

const reads: readonly RequestStep[] = [
  get(WIDGETS),
  get(`${WIDGETS}?limit=1`),
  get(`${WIDGETS}?labelSelector=l%3D1`),
  get(`${WIDGETS}?fieldSelector=spec.color%3Dred`),
  get(`${WIDGETS}?fieldSelector=spec.color%3Dgreen`),
  get(`${WIDGETS}?fieldSelector=metadata.name%3Da`),
  get(`${WIDGETS}?fieldSelector=spec.size%3D1`),
  get(`${WIDGETS}?resourceVersion=x`),
  get(`/apis/${GROUP}/v1/widgets?fieldSelector=metadata.namespace%3D$NS,metadata.name%3Da`),
  get(WIDGETS, TABLE),
  get(`${WIDGETS}/a`, TABLE),
  get(`${WIDGETS}/a`, PARTIAL),
  get(WIDGETS, PARTIAL_LIST),
  get(`${WIDGETS}/none`),
  get(`${WIDGETS}/a/nothing`),
  get(`${WIDGETS}/a/status/more`),
  get(`/apis/${GROUP}/v1/widgets/a`),
  get(`/apis/${GROUP}/v1/nothings`),
  get(`/apis/${GROUP}/v9/widgets`),
  get('/apis/none.example.com/v1/things'),
  step('DELETE', `${WIDGETS}/a/status`),
  post(`${WIDGETS}/a/status`, widget('a', { size: 1 })),
  put(`${WIDGETS}/a/nothing`, widget('a', { size: 1 })),
];

const clusterWide: readonly RequestStep[] = [
  post(GADGETS, gadget('g', { aaa: [3, 2.5, -0.0, 1e21, 12345678901234567890], zzz: { b: null, a: 'x' }, spec: 'text' })),
  get(`${GADGETS}/g`),
  get(GADGETS),
  get(`${GADGETS}?fieldSelector=metadata.namespace%3Dx`),
  put(`${GADGETS}/g`, { ...gadget('g', { status: { x: 1 } }), metadata: { name: 'g', resourceVersion: '$RV' } }),
  put(`${GADGETS}/g`, { ...gadget('g', { status: { x: 1 } }), metadata: { name: 'g', resourceVersion: '$RV' } }),
  put(`${GADGETS}/g`, { ...gadget('g', { status: { x: 2 } }), metadata: { name: 'g', resourceVersion: '$RV' } }),
  get(`${GADGETS}/g/status`),
  // What is null, empty or absent is different, and counts as a change.
  post(GADGETS, gadget('e', { a: 1, b: null })),
  ...[[], {}, null].map((b) => put(`${GADGETS}/e`, { ...gadget('e', { a: 1, b }), metadata: { name: 'e', resourceVersion: '$RV' } })),
  put(`${GADGETS}/e`, { ...gadget('e', { a: 1 }), metadata: { name: 'e', resourceVersion: '$RV' } }),
  put(`${GADGETS}/e`, { ...gadget('e', { a: 1, b: [] }), metadata: { name: 'e', resourceVersion: '$RV' } }),
  del(`${GADGETS}/e`),
  get(`/apis/${GROUP}/v2/namespaces/$NS/gadgets`),
  del(`${GADGETS}/g`, { propagationPolicy: 'Nonsense' }),
  del(`${GADGETS}/g`, { preconditions: { uid: 'x' } }),
  del(`${GADGETS}/g?dryRun=All`),
  del(`${GADGETS}/g`),
];

const RANGES = `/apis/${GROUP}/v3/namespaces/$NS/ranges`;
const range = (spec: unknown): Body => ({ apiVersion: `${GROUP}/v3`, kind: 'Range', metadata: { name: 'r' }, spec });

const ruled = (rule: unknown, member: Body = { type: 'integer' }): Body =>
  definition('faulty', 'Faulty', 'Namespaced', [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { a: member }, 'x-kubernetes-validations': [rule] } },
        },
      },
    },
  ]);

const rules: readonly RequestStep[] = [
  post(`${DEFINITIONS}?dryRun=All`, ruled({ rule: 'self.b > 1' })),
  post(`${DEFINITIONS}?dryRun=All`, ruled({ rule: 'self.a' })),
  post(`${DEFINITIONS}?dryRun=All`, ruled({ rule: 'self.a > 1', reason: 'Nonsense' })),
  post(`${DEFINITIONS}?dryRun=All`, ruled({ rule: 'self.a.all(x, self.a.all(y, x == y))' }, { type: 'array', items: { type: 'string' } })),
  post(RANGES, range({ low: 3, high: 2 })),
  post(RANGES, range({ low: 'x', high: 2 })),
  post(RANGES, range({ low: 3 })),
  post(RANGES, range({ low: 1, high: 2, mode: 'a' })),
  merge(`${RANGES}/r`, { spec: { low: 5 } }),
  merge(`${RANGES}/r`, { spec: { mode: 'b' } }),
  merge(`${RANGES}/r`, { spec: { low: 2 } }),
  apply(`${RANGES}/r`, range({ high: 0 }), 'kubectl'),
];

const deletions: readonly RequestStep[] = [
  del(`${WIDGETS}/none`),
  del(`${WIDGETS}/warned`),
  del(`${WIDGETS}/pruned`, { propagationPolicy: 'Foreground' }),
  merge(`${WIDGETS}/pruned`, { metadata: { finalizers: null } }),
  del(`${DEFINITIONS}/widgets.${GROUP}`),
  post(WIDGETS, widget('late', { size: 1 })),
];

export const CUSTOM_STEPS: Readonly<Record<string, readonly RequestStep[]>> = {
  bodies,
  changes,
  versions,
  reads,
  'cluster-wide': clusterWide,
  rules,
  deletions,
};
