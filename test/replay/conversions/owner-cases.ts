/** Who owns which fields of an object that is written in several versions, also through its status and its scale: the cases of the recording. */
import type { Body, Json } from '../reference';
import {
  apply,
  changed,
  DEFINITION,
  DEFINITIONS,
  first,
  get,
  merge,
  path,
  post,
  put,
  second,
  versions,
  widget,
  type ConversionCase,
} from './case';

const by = (manager: string, more = ''): string => `?fieldManager=${manager}${more}`;
const scale = (replicas: number): Body => ({ apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas } });

const APPLIED_AND_UPDATED: ConversionCase = {
  title: 'owners: applied and updated in turn',
  steps: [
    apply(path('v1', 'a', by('one')), widget('v1', 'a', { address: 'h:1', onlyFirst: 'x', tags: { a: '1' } })),
    put(path('v2', 'a', by('two')), changed('v2', 'a', { host: 'h', port: 2, tags: { a: '1' } })),
    apply(path('v2', 'a', by('one')), widget('v2', 'a', { host: 'h', tags: { a: '1' } })),
    apply(path('v1', 'a', by('one')), widget('v1', 'a', { address: 'h:1', tags: { a: '1' } })),
    apply(path('v1', 'a', by('one', '&force=true')), widget('v1', 'a', { address: 'i:1', tags: { a: '1', b: '2' } })),
    merge(path('v2', 'a', by('two')), { spec: { tags: { b: '3' } } }),
    merge(path('v1', 'a', by('two')), { spec: { tags: { c: '4' } } }),
    apply(path('v2', 'a', by('three')), widget('v2', 'a', { host: 'i', port: 1, onlySecond: 'y' })),
    apply(path('v1', 'a', by('one')), widget('v1', 'a', { tags: { a: '1' } })),
    apply(path('v2', 'a', by('three')), widget('v2', 'a', { port: 1 })),
    apply(path('v2', 'a', by('three')), widget('v2', 'a', { tags: { c: '4' } })),
    apply(path('v1', 'a', by('three')), widget('v1', 'a', { tags: { d: '5' } })),
    put(path('v1', 'a', by('four')), changed('v1', 'a', {})),
    get(path('v2', 'a')),
  ],
};

const BEFORE_APPLY: ConversionCase = {
  title: 'owners: created, then applied in the other version',
  steps: [
    post(path('v1', '', by('one')), first('a', 'h:1', { labels: { l: '1' } })),
    apply(path('v2', 'a', by('two')), second('a', 'h', 1)),
    apply(path('v2', 'a', by('two')), second('a', 'h', 2)),
    apply(path('v2', 'a', by('two', '&force=true')), second('a', 'h', 2)),
    merge(path('v1', 'a'), { metadata: { managedFields: [{}] } }),
    apply(path('v2', 'a', by('two')), second('a', 'i', 2)),
    apply(path('v1', 'a', by('three')), first('a', 'i:2')),
    apply(path('v1', 'a', by('three', '&force=true')), first('a', 'j:2')),
  ],
};

/** What an endpoint leaves as it is, and who owns it in other versions. */
const inStatus = (title: string, more: Partial<ConversionCase> = {}): ConversionCase => ({
  title,
  ...more,
  steps: [
    post(path('v1', '', by('one')), widget('v1', 'a', { address: 'h:1', tags: { a: '1' }, replicas: 1 })),
    merge(path('v1', 'a', `/status${by('one')}`), { status: { ready: 'no', replicas: 1, ofV1: 'x' } }),
    merge(path('v2', 'a', `/status${by('two')}`), { status: { ready: 'yes' } }),
    put(path('v2', 'a', `/status${by('two')}`), changed('v2', 'a', {}, { status: { ready: 'perhaps', ofV2: 'y' } })),
    put(path('v2', 'a', by('two')), changed('v2', 'a', { tags: { a: '1' } })),
    put(path('v1', 'a', by('one')), changed('v1', 'a', { address: 'h:1', tags: { a: '2' } })),
    apply(path('v2', 'a', `/status${by('three')}`), widget('v2', 'a', {}, {}, { status: { ready: 'perhaps' } })),
    apply(path('v1', 'a', `/status${by('four')}`), { ...widget('v1', 'a', {}), spec: { tags: { z: '1' } }, status: { ready: 'no' } }),
    apply(path('v1', 'a', `/status${by('four', '&force=true')}`), { ...widget('v1', 'a', {}), status: { ready: 'no', ofV1: 'z' } }),
    apply(path('v2', 'a', `/status${by('three')}`), { ...widget('v2', 'a', {}), status: {} }),
    apply(path('v2', 'a', `/status${by('four')}`), { ...widget('v2', 'a', {}), status: { replicas: 3 } }),
    get(path('v1', 'a')),
  ],
});

const inScale = (title: string, definition: Body = {}): ConversionCase => ({
  title,
  definition,
  steps: [
    apply(path('v1', 'a', by('one')), widget('v1', 'a', { address: 'h:1', replicas: 1, tags: { a: '1' } })),
    apply(path('v2', 'a', by('two')), widget('v2', 'a', { replicas: 1, tags: { b: '1' } })),
    get(path('v2', 'a', '/scale')),
    get(path('v1', 'a', '/scale')),
    apply(path('v2', 'a', `/scale${by('three')}`), scale(2)),
    merge(path('v2', 'a', `/scale${by('three')}`), { spec: { replicas: 2 } }),
    get(path('v1', 'a')),
    merge(path('v1', 'a', `/scale${by('four')}`), { spec: { replicas: 3 } }),
    get(path('v1', 'a')),
    apply(path('v1', 'a', by('one')), widget('v1', 'a', { address: 'h:1', replicas: 4, tags: { a: '1' } })),
    put(path('v2', 'a', by('five')), changed('v2', 'a', { replicas: 5, tags: { b: '2' } })),
    put(path('v1', 'a', `/scale${by('six')}`), scale(6)),
    get(path('v2', 'a')),
    apply(path('v1', 'a', `/scale${by('three')}`), scale(7)),
    merge(path('v2', 'a', `/scale${by('six')}`), { spec: { replicas: 8 } }),
    get(path('v1', 'a')),
    merge(path('v1', 'a', `/scale${by('four')}`), { spec: { replicas: 8 } }),
    get(path('v1', 'a')),
  ],
});

const altered = (change: (text: string, name: string) => string): Json[] =>
  versions('v1').map((one): Json => JSON.parse(change(JSON.stringify(one), JSON.stringify(one).includes('"name":"v2"') ? 'v2' : 'v1')));

/** Both have the fields of the first: nobody has to convert. */
const ALIKE: Body = {
  conversion: { strategy: 'None' },
  versions: versions('v1')
    .slice(0, 1)
    .flatMap((one): Json[] => [
      one,
      JSON.parse(JSON.stringify(one).replace('"name":"v1"', '"name":"v2"').replace('"storage":true', '"storage":false')),
    ]),
};

/** In v2 the number is another member. */
const OTHER_PLACE: Body = {
  versions: altered((text, name) =>
    (name === 'v2' ? text.replace('.spec.replicas', '.spec.size') : text).replace(
      '"replicas":{"type":"integer"}',
      '"replicas":{"type":"integer"},"size":{"type":"integer"}',
    ),
  ),
};
const NO_SCALE: Body = {
  versions: altered((text, name) => (name === 'v1' ? text.replace(/,"scale":\{[^}]*\}/, '') : text)),
};

/** A version goes once nothing is stored in it. */
const MIGRATED: ConversionCase = {
  title: 'owners: a version goes',
  steps: [
    apply(path('v1', 'a', by('one')), widget('v1', 'a', { address: 'h:1', tags: { a: '1' } })),
    merge(path('v2', 'a', by('two')), { spec: { tags: { b: '2' } } }),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { versions: versions('v2') } }, { silent: true }),
    get(`${DEFINITIONS}/${DEFINITION}`, { until: ['status.storedVersions.1', 'v2'] }),
    merge(path('v2', 'a', by('three')), {}),
    merge(path('v2', 'a', by('three')), { metadata: { annotations: { rewritten: 'yes' } } }),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { versions: versions('v2').slice(1) } }),
    merge(`${DEFINITIONS}/${DEFINITION}/status`, { status: { storedVersions: ['v2'] } }),
    merge(`${DEFINITIONS}/${DEFINITION}`, { spec: { versions: versions('v2').slice(1) } }),
    get(path('v1', 'a'), { until: ['', '404 page not found\n'] }),
    get(path('v2', 'a')),
  ],
};

const STORED_SECOND: ConversionCase = {
  title: 'owners: stored in the second version',
  definition: { versions: versions('v2') },
  steps: APPLIED_AND_UPDATED.steps,
};

export const OWNER_CASES: readonly ConversionCase[] = [
  APPLIED_AND_UPDATED,
  STORED_SECOND,
  BEFORE_APPLY,
  inStatus('owners: status in both versions'),
  inStatus('owners: status in both versions, stored in the second', { definition: { versions: versions('v2') } }),
  inStatus('owners: status in both versions that are alike', { definition: ALIKE }),
  inScale('owners: scale in both versions'),
  inScale('owners: scale in other places', OTHER_PLACE),
  inScale('owners: scale in one version', NO_SCALE),
  inScale('owners: scale in both versions that are alike', ALIKE),
  MIGRATED,
];
