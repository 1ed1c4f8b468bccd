/**
 * Requests about custom kinds with defaults in their status, with several versions, in protected groups, and with a conversion that is not done here:
 * what is shown of what was stored under another schema. Spelled and recorded as custom-steps.ts.
 */
import { DEFINITIONS } from './custom-steps';
import type { RequestStep } from './update-steps';

type Body = Readonly<Record<string, unknown>>;

const GROUP = 'versions.example.com';
const PROTECTED = 'answers.k8s.io';
const ALSO_PROTECTED = 'answers.kubernetes.io';

const STRING: Body = { type: 'string' };
const object = (properties: Body, more: Body = {}): Body => ({ type: 'object', properties, ...more });

const version = (name: string, storage: boolean, schema: Body, more: Body = {}): Body => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: schema },
  ...more,
});

const definition = (plural: string, kind: string, versions: readonly Body[], spec: Body = {}, metadata: Body = {}): Body => {
  const group = typeof spec['group'] === 'string' ? spec['group'] : GROUP;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, ...metadata },
    spec: { group, scope: 'Namespaced', names: { plural, kind }, versions, ...spec },
  };
};

const waiting = (message: string): Body => ({ conditions: [{ type: 'Accepted', status: 'Unknown', message }] });
const routeVersion = (message: string, more: Body = {}): Body =>
  version(
    'v1',
    true,
    object({
      spec: object({ host: STRING, weight: { type: 'integer', default: 1 } }),
      status: object(
        {
          phase: { type: 'string', default: 'Pending' },
          conditions: {
            type: 'array',
            items: object({ type: STRING, status: STRING, message: STRING, reason: { type: 'string', default: 'None' } }),
          },
        },
        { default: waiting(message) },
      ),
    }),
    {
      additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
      selectableFields: [{ jsonPath: '.status.phase' }],
      ...more,
    },
  );

const SUBRESOURCES: Body = {
  subresources: { status: {}, scale: { specReplicasPath: '.spec.weight', statusReplicasPath: '.status.count' } },
};
const routes = (message: string): Body => definition('routes', 'Route', [routeVersion(message, SUBRESOURCES)]);

const FIRST = object({
  spec: object({
    both: STRING,
    first: STRING,
    byFirst: { type: 'string', default: 'of the first' },
    maybe: { type: 'string', nullable: true },
    list: { type: 'array', items: object({ a: STRING, b: STRING }) },
  }),
  extra: STRING,
});
const SECOND = object({
  spec: object({
    both: STRING,
    second: STRING,
    bySecond: { type: 'string', default: 'of the second' },
    maybe: STRING,
    list: { type: 'array', items: object({ a: STRING, c: STRING }) },
  }),
  more: STRING,
});
const WITHOUT = object({ spec: object({ both: STRING, bySecond: { type: 'string', default: 'changed' } }) });
const things = (storage: string, second: Body = SECOND): Body =>
  definition('things', 'Thing', [version('v1', storage === 'v1', FIRST), version('v2', storage === 'v2', second)]);

const twin = object({ spec: object({ a: STRING, b: { type: 'string', default: 'b' } }) });
const FREE: Body = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const webhook: Body = {
  conversion: {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { service: { namespace: 'default', name: 'nobody' } } },
  },
};

const APPROVAL = 'api-approved.kubernetes.io';
const guarded = (plural: string, kind: string, group: string, approval: string): Body =>
  definition(plural, kind, [version('v1', true, FREE)], { group }, { annotations: { [APPROVAL]: approval } });

/** Made before the steps; each is established before the first of them. */
export const VERSION_DEFINITIONS: readonly Body[] = [
  routes('Waiting for controller'),
  definition('plains', 'Plain', [routeVersion('Waiting')]),
  things('v1'),
  definition('twins', 'Twin', [version('v1', true, twin), version('v2', false, twin)]),
  definition('hooked', 'Hooked', [version('v1', true, twin), version('v2', false, twin)], webhook),
  guarded('approved', 'Approved', PROTECTED, 'https://github.com/kubernetes/kubernetes/pull/1'),
  guarded('unapproved', 'Unapproved', PROTECTED, 'unapproved, experimental only'),
  guarded('others', 'Other', ALSO_PROTECTED, 'http://example.com/why'),
];

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
const apply = (path: string, body: unknown): RequestStep => step('PATCH', `${path}?fieldManager=me`, body, 'apply');

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const pathOf = (plural: string, name = 'v1'): string => `/apis/${GROUP}/${name}/namespaces/$NS/${plural}`;
const made = (kind: string, name: string, members: Body = {}, of = 'v1', metadata: Body = {}): Body => ({
  apiVersion: `${GROUP}/${of}`,
  kind,
  metadata: { name, ...metadata },
  ...members,
});
/** Puts another schema in the place of a definition's. */
const redefined = (plural: string, { spec }: Body): RequestStep => merge(`${DEFINITIONS}/${plural}.${GROUP}`, { spec });

const ROUTES = pathOf('routes');
const PLAINS = pathOf('plains');

const statuses: readonly RequestStep[] = [
  post(`${ROUTES}?dryRun=All`, made('Route', 'dry')),
  post(ROUTES, made('Route', 'a')),
  post(ROUTES, made('Route', 'b', { spec: { host: 'h' }, status: { phase: 'Sent', conditions: [] } })),
  get(`${ROUTES}/a`),
  get(ROUTES),
  get(ROUTES, TABLE),
  get(`${ROUTES}?fieldSelector=status.phase%3DPending`),
  get(`${ROUTES}?fieldSelector=status.phase%3DSent`),
  get(`${ROUTES}/a/status`),
  get(`${ROUTES}/a/scale`),
  merge(`${ROUTES}/a?dryRun=All`, { spec: { host: 'x' } }),
  merge(`${ROUTES}/a`, { spec: { host: 'x' } }),
  put(`${ROUTES}/a`, made('Route', 'a', { spec: { host: 'y' }, status: {} }, 'v1', { resourceVersion: '$RV' })),
  merge(`${ROUTES}/a/status`, { status: { phase: null, conditions: null } }),
  merge(`${ROUTES}/a/status`, { status: { conditions: [{ type: 'Ready' }] } }),
  merge(`${ROUTES}/a/status`, { status: null }),
  json(`${ROUTES}/b/status`, [{ op: 'test', path: '/status/phase', value: 'Pending' }]),
  json(`${ROUTES}/b/status`, [{ op: 'replace', path: '/status', value: {} }]),
  apply(`${ROUTES}/c`, made('Route', 'c', { spec: { host: 'h' } })),
  apply(`${ROUTES}/c/status`, made('Route', 'c', { status: { phase: 'Applied' } })),
  post(ROUTES, made('Route', 'untouched', { spec: {} })),
  merge(`${ROUTES}/untouched/scale`, { spec: { replicas: 3 } }),
  post(ROUTES, made('Route', 'later')),
  redefined('routes', routes('Still waiting')),
  get(`${ROUTES}/later`),
  get(`${ROUTES}/untouched`),
  get(`${ROUTES}/a`),
  merge(`${ROUTES}/later`, { metadata: { labels: { l: '1' } } }),
  post(PLAINS, made('Plain', 'p')),
  post(PLAINS, made('Plain', 'q', { status: {} })),
  get(`${PLAINS}/p`),
  merge(`${PLAINS}/p`, { status: null }),
];

const [ONES, TWOS] = [pathOf('things', 'v1'), pathOf('things', 'v2')];
const FULL: Body = {
  spec: {
    both: 'b',
    first: 'f',
    second: 's',
    maybe: null,
    list: [{ a: 'a', b: 'b', c: 'c' }],
  },
  extra: 'e',
  more: 'm',
};
const seeAll: readonly RequestStep[] = ['one', 'two', 'patched', 'applied'].flatMap((name) => [
  get(`${ONES}/${name}`),
  get(`${TWOS}/${name}`),
]);

const several: readonly RequestStep[] = [
  post(`${TWOS}?dryRun=All&fieldValidation=Strict`, made('Thing', 'dry', { spec: { both: 'b', second: 's' } }, 'v2')),
  post(`${TWOS}?dryRun=All`, made('Thing', 'dry', FULL, 'v2')),
  post(ONES, made('Thing', 'one', FULL, 'v1')),
  post(TWOS, made('Thing', 'two', FULL, 'v2')),
  post(ONES, made('Thing', 'patched', FULL, 'v1')),
  merge(`${TWOS}/patched`, { spec: { second: 'p', both: 'c' }, more: 'x' }),
  merge(`${TWOS}/patched`, { spec: { second: 'q' } }),
  merge(`${TWOS}/patched`, { spec: { maybe: 'x' } }),
  apply(`${TWOS}/applied`, made('Thing', 'applied', { spec: { both: 'b', second: 's' } }, 'v2')),
  apply(`${TWOS}/applied`, made('Thing', 'applied', { spec: { both: 'c' } }, 'v2')),
  ...seeAll,
  get(ONES),
  get(TWOS),
  redefined('things', things('v2')),
  ...seeAll,
  merge(`${ONES}/one`, { spec: { both: 'again' } }),
  get(`${TWOS}/one`),
  put(`${TWOS}/two`, made('Thing', 'two', { spec: { both: 'b', second: 'new' } }, 'v2', { resourceVersion: '' })),
  post(TWOS, made('Thing', 'three', FULL, 'v2')),
  get(`${ONES}/three`),
  get(`${TWOS}/three`),
  redefined('things', things('v2', WITHOUT)),
  ...seeAll,
  get(`${ONES}/three`),
  get(`${TWOS}/three`),
  redefined('things', things('v1', WITHOUT)),
  ...seeAll,
  post(pathOf('twins', 'v2'), made('Twin', 't', { spec: { a: 'a' } }, 'v2')),
  get(`${pathOf('twins', 'v1')}/t`),
  get(`${pathOf('twins', 'v2')}/t`),
];

const hooks: readonly RequestStep[] = [
  get(pathOf('hooked', 'v2')),
  get(`/apis/${GROUP}/v2/hooked`),
  get(pathOf('hooked', 'v2'), TABLE),
  get(`${pathOf('hooked', 'v2')}/none`),
  get(pathOf('hooked', 'v1')),
];

const approvalOf = (plural: string, group: string, approval: string | null): RequestStep =>
  merge(`${DEFINITIONS}/${plural}.${group}`, { metadata: { annotations: { [APPROVAL]: approval } } });
const judged = (plural: string, group: string): RequestStep => get(`${DEFINITIONS}/${plural}.${group}`);

const approvals: readonly RequestStep[] = [
  judged('approved', PROTECTED),
  judged('unapproved', PROTECTED),
  judged('others', ALSO_PROTECTED),
  judged('plains', GROUP),
  approvalOf('approved', PROTECTED, 'unapproved'),
  judged('approved', PROTECTED),
  approvalOf('unapproved', PROTECTED, 'https://example.com/x'),
  judged('unapproved', PROTECTED),
  approvalOf('unapproved', PROTECTED, 'https://example.com/y'),
  judged('unapproved', PROTECTED),
  approvalOf('others', ALSO_PROTECTED, 'nonsense'),
  approvalOf('others', ALSO_PROTECTED, ''),
  approvalOf('others', ALSO_PROTECTED, null),
  approvalOf('others', ALSO_PROTECTED, 'unapprovedness'),
  judged('others', ALSO_PROTECTED),
  approvalOf('plains', GROUP, 'unapproved'),
  judged('plains', GROUP),
];

export const VERSION_STEPS: Readonly<Record<string, readonly RequestStep[]>> = { statuses, several, hooks, approvals };
