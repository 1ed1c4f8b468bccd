/** What happens while a conversion webhook fails or does not answer: watches that are open, collections, namespaces that go. The cases of the recording. */
import {
  DEFINITION,
  DEFINITIONS,
  first,
  get,
  GROUP,
  merge,
  path,
  post,
  remove,
  second,
  versions,
  widget,
  type ConversionCase,
  type Step,
} from './case';

const after = (does: string, step: Step): Step => ({ ...step, does });
const silent = { silent: true } as const;

const HANGING: ConversionCase = {
  title: 'it hangs, and the client does not wait',
  steps: [
    post(path('v1'), first('a'), silent),
    after('hang', get(path('v2', 'a', '?timeout=1s'))),
    post(path('v2', '', '?timeout=1s'), second('b')),
    merge(path('v2', 'a', '?timeout=1s'), { spec: { port: 3 } }),
    remove(path('v2', 'a', '?timeout=1s')),
    merge(path('v1', 'a', '?timeout=1s'), { spec: { address: 'i:1' } }),
    after('good', get(path('v1', 'a'))),
  ],
};

const watch = (apiVersion: string, query: string, ...during: Step[]): Step =>
  get(path(apiVersion, '', `?watch=1&timeoutSeconds=2${query}`), { during });

const WATCHING: ConversionCase = {
  title: 'a watch while it fails',
  steps: [
    post(path('v1'), first('a')),
    get(path('v2'), silent),
    watch('v2', '&resourceVersion=0', merge(path('v1', 'a'), { spec: { address: 'i:2' } }, silent)),
    watch(
      'v2',
      '&resourceVersion=0',
      merge(path('v1', 'a'), { spec: { address: 'j:3' } }, silent),
      get(path('v2', 'a'), { until: ['spec.host', 'j'], ...silent }),
      after('failure', merge(path('v1', 'a'), { spec: { address: 'k:4' } }, silent)),
    ),
    after('good', get(path('v2', 'a'))),
  ],
};

const STORED_WATCHED: ConversionCase = {
  title: 'a watch of the stored version while it fails',
  steps: [
    post(path('v1'), first('a')),
    watch('v1', '&resourceVersion=0', after('failure', merge(path('v1', 'a'), { spec: { address: 'k:4' } }, silent))),
    after('good', get(path('v2', 'a'))),
  ],
};

const OWNER = '<uid>';
const NAMESPACES = '/api/v1/namespaces';
const GOING = 'converted-going';
const inGoing = (apiVersion: string, name = ''): string =>
  `/apis/${GROUP}/${apiVersion}/namespaces/${GOING}/widgets${name === '' ? '' : `/${name}`}`;

/** Needs controllers. */
const NAMESPACE_GOES: ConversionCase = {
  title: 'a namespace goes while it fails',
  definition: { versions: versions('v1') },
  steps: [
    post(NAMESPACES, { metadata: { name: GOING } }, silent),
    post(inGoing('v1'), first('a'), silent),
    after('failure', remove(`${NAMESPACES}/${GOING}`, silent)),
    get(`${NAMESPACES}/${GOING}`, { until: ['status.conditions.2.status', 'True'] }),
    get(inGoing('v1', 'a')),
    after('good', get(`${NAMESPACES}/${GOING}`, { until: ['code', 404] })),
  ],
};

const COLLECTED: ConversionCase = {
  title: 'an owner goes while it fails',
  steps: [
    post('/api/v1/namespaces/converted/configmaps', { metadata: { name: 'owner' } }, silent),
    get('/api/v1/namespaces/converted/configmaps/owner', silent),
    post(
      path('v1'),
      widget('v1', 'a', { address: 'h:1' }, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: OWNER }] }),
      silent,
    ),
    after('failure', remove('/api/v1/namespaces/converted/configmaps/owner', silent)),
    get(path('v1', 'a')),
    after('good', get(path('v1', 'a'), { until: ['code', 404] })),
  ],
};

const MIGRATION: ConversionCase = {
  title: 'objects move to another version',
  steps: [
    post(path('v1'), first('a'), silent),
    post(path('v1'), first('b', 'i:2'), silent),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { versions: versions('v2') } }, silent),
    get(`${DEFINITIONS}/${DEFINITION}`, { until: ['status.storedVersions.1', 'v2'] }),
    after('failure', merge(path('v1', 'a'), {})),
    merge(path('v2', 'a'), {}),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { versions: versions('v2').slice(1) } }),
    after('good', merge(path('v1', 'a'), {})),
    merge(path('v2', 'b'), {}),
    after('failure', get(path('v2'))),
    merge(`${DEFINITIONS}/${DEFINITION}/status`, { status: { storedVersions: ['v2'] } }),
    after(
      'good',
      merge(`${DEFINITIONS}/${DEFINITION}`, {
        spec: { versions: versions('v2').slice(1), conversion: { strategy: 'None', webhook: null } },
      }),
    ),
    get(path('v1', 'a'), { until: ['', '404 page not found\n'] }),
    get(path('v2'), { until: ['kind', 'WidgetList'] }),
  ],
};

export const FAILURE_CASES: readonly ConversionCase[] = [HANGING, WATCHING, STORED_WATCHED, MIGRATION];
/** The reference runs its controllers for them. */
export const CONTROLLER_CASES: readonly ConversionCase[] = [NAMESPACE_GOES, COLLECTED];
