/**
 * Requests about updating and deleting, one after the other: what a client may get wrong, what options change, what goes and what stays. In canonical
 * spelling; `$NS` is the scenario's own namespace, `$RV` and `$UID` come from the last answer that was an object. Recorded by updates.ts.
 */
export interface RequestStep {
  readonly note: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the namespace (`configmaps/a`), or absolute. */
  readonly path: string;
  /** Content-Type, short for patches. */
  readonly type?: string;
  /** Text is sent as it is. */
  readonly body?: unknown;
  readonly agent?: string;
  readonly accept?: string;
}

type Body = Readonly<Record<string, unknown>>;

const step = (method: RequestStep['method'], note: string, path: string, body?: unknown, type?: string): RequestStep => ({
  note,
  method,
  path,
  ...(body === undefined ? {} : { body }),
  ...(type === undefined ? {} : { type }),
});
export const get = (path: string): RequestStep => step('GET', `see ${path}`, path);
export const post = (note: string, path: string, body: unknown, type?: string): RequestStep => step('POST', note, path, body, type);
export const put = (note: string, path: string, body: unknown, type?: string): RequestStep => step('PUT', note, path, body, type);
export const del = (note: string, path: string, body?: unknown, type?: string): RequestStep => step('DELETE', note, path, body, type);
export const json = (note: string, path: string, body: unknown): RequestStep => step('PATCH', note, path, body, 'json');
export const merge = (note: string, path: string, body: unknown): RequestStep => step('PATCH', note, path, body, 'merge');
export const strategic = (note: string, path: string, body: unknown): RequestStep => step('PATCH', note, path, body, 'strategic');
export const apply = (note: string, path: string, body: unknown): RequestStep =>
  step('PATCH', note, `${path}${path.includes('?') ? '&' : '?'}fieldManager=me`, body, 'apply');
const as = (agent: string, made: RequestStep): RequestStep => ({ ...made, agent });

export const cm = (name: string, metadata: Body = {}, rest: Body = {}): Body => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  ...rest,
});
const MODES = ['Ignore', 'Warn', 'Strict', ''];

/** Who a write is put down to. */
const AGENTS = ['one/1.2 (x)', 'no slash', 'a\tb/c', 'é\u0301ü/1', 'x'.repeat(200), '/only', `${'ü'.repeat(70)}/1`, ' sp /1', 'q"uote/1'];

const managers: readonly RequestStep[] = [
  ...AGENTS.map((agent, at) => as(agent, post(`agent ${at}`, `configmaps`, cm(`agent-${at}`, {}, { data: { a: '1' } })))),
  post('empty manager', 'configmaps?fieldManager=', cm('agent-empty', {}, { data: { a: '1' } })),
  post('manager too long', `configmaps?fieldManager=${'m'.repeat(129)}`, cm('agent-long')),
  post('manager with a control character', 'configmaps?fieldManager=a%07b', cm('agent-bell')),
  post('manager of 128', `configmaps?fieldManager=${'m'.repeat(128)}`, cm('agent-128', {}, { data: { a: '1' } })),
  step('PATCH', 'apply without manager', 'configmaps/agent-128', cm('agent-128'), 'apply'),
  step('PATCH', 'apply with an empty manager', 'configmaps/agent-128?fieldManager=', cm('agent-128'), 'apply'),
  merge('force on a merge patch', 'configmaps/agent-128?force=true', {}),
  merge('force=false on a merge patch', 'configmaps/agent-128?force=false', {}),
  json('manager, dry run and validation wrong', 'configmaps/agent-128?force=true&fieldManager=%07&dryRun=x&fieldValidation=y', []),
  put('wrong options of an update', 'configmaps/agent-128?fieldManager=%07&dryRun=x&fieldValidation=y', cm('agent-128')),
];

/** Unknown and duplicate members. */
const DUPLICATES = (name: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","bogus":1,"labels":{"l":"1","l":"2"}},"data":{"a":"1","a":"2"},"extra":{"x":1},"data":{"b":"3"}}`;
const YAML_DUPLICATES = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  bogus: 1\n  labels: {l: "1", l: "2"}\ndata:\n  a: "1"\n  a: "2"\nextra: {x: 1}\n`;

const validation: readonly RequestStep[] = [
  ...MODES.flatMap((mode): RequestStep[] => {
    const q = mode === '' ? '' : `?fieldValidation=${mode}`;
    const n = mode === '' ? 'default' : mode.toLowerCase();
    return [
      post(`JSON ${n}`, `configmaps${q}`, DUPLICATES(`json-${n}`)),
      post(`YAML ${n}`, `configmaps${q}`, YAML_DUPLICATES(`yaml-${n}`), 'application/yaml'),
      post(`plain ${n}`, 'configmaps', cm(`fv-${n}`, {}, { data: { k: 'v' } })),
      put(`PUT ${n}`, `configmaps/fv-${n}${q}`, DUPLICATES(`fv-${n}`)),
      put(`PUT YAML ${n}`, `configmaps/fv-${n}${q}`, YAML_DUPLICATES(`fv-${n}`), 'application/yaml'),
      merge(`merge ${n}`, `configmaps/fv-${n}${q}`, '{"data":{"x":"1","x":"2"},"more":1,"metadata":{"odd":{}},"data":{"y":"1"}}'),
      strategic(`strategic ${n}`, `configmaps/fv-${n}${q}`, '{"data":{"x":"1","x":"2"},"data":{"y":"2"}}'),
      strategic(`strategic unknown ${n}`, `configmaps/fv-${n}${q}`, '{"more":1,"metadata":{"odd":{},"even":1}}'),
      json(
        `JSON patch ${n}`,
        `configmaps/fv-${n}${q}`,
        '[{"op":"add","path":"/data/z","value":"1","value":"2","extra":1},{"op":"add","path":"/other","value":{}},{"op":"add","op":"add","path":"/data/w","value":"1"}]',
      ),
      apply(
        `apply duplicates ${n}`,
        `configmaps/ap-${n}${q}`,
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ap-${n}\ndata:\n  a: "1"\n  a: "2"\nkind: ConfigMap\n`,
      ),
      apply(
        `apply JSON duplicates ${n}`,
        `configmaps/aj-${n}${q}`,
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"aj-${n}"},"data":{"a":"1","a":"2"}}`,
      ),
      apply(`apply unknown ${n}`, `configmaps/ap-${n}${q}`, cm(`ap-${n}`, {}, { more: 1 })),
    ];
  }),
  post('nested', 'services?fieldValidation=Strict', {
    metadata: { name: 's' },
    spec: {
      type: 'ExternalName',
      externalName: 'a.b',
      ports: [
        { port: 80, foo: 1 },
        { port: 81, name: 'x', bar: {} },
      ],
      baz: [],
    },
  }),
  post('unknown and wrong', 'configmaps?fieldValidation=Strict', { ...cm('wrong'), extra: 1, data: { a: 1 } }),
  post('many unknown', 'configmaps?fieldValidation=Strict', {
    ...cm('many'),
    ...Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`m${i}`, i])),
  }),
];

/** Members that are said more than once. */
const repeated: readonly RequestStep[] = [
  post('data twice', 'configmaps?fieldValidation=Ignore', '{"metadata":{"name":"twice"},"data":{"a":"1"},"data":{"b":"2"}}'),
  post(
    'metadata twice',
    'configmaps?fieldValidation=Ignore',
    '{"metadata":{"name":"meta","labels":{"a":"1"}},"metadata":{"labels":{"b":"2"},"annotations":{"x":"y"}}}',
  ),
  post('name twice', 'configmaps?fieldValidation=Ignore', '{"metadata":{"name":"first"},"metadata":{"name":"second"}}'),
  post('null after', 'configmaps?fieldValidation=Ignore', '{"metadata":{"name":"null-after"},"data":{"a":"1"},"data":null}'),
  post('null before', 'configmaps?fieldValidation=Ignore', '{"metadata":{"name":"null-before"},"data":null,"data":{"a":"1"}}'),
  post('kind twice', 'configmaps?fieldValidation=Ignore', '{"kind":"Secret","kind":"ConfigMap","metadata":{"name":"kind-twice"}}'),
  post(
    'lists twice',
    'serviceaccounts?fieldValidation=Ignore',
    '{"metadata":{"name":"lists"},"secrets":[{"name":"a","namespace":"x"},{"name":"b"}],"secrets":[{"name":"c"}]}',
  ),
  post(
    'list of a list twice',
    'services?fieldValidation=Ignore',
    '{"metadata":{"name":"twice"},"spec":{"type":"ExternalName","externalName":"a.b"},"spec":{"ports":[{"port":1}]},"spec":{"ports":[{"name":"x"}]}}',
  ),
  post('labels twice, warned', 'configmaps', '{"metadata":{"name":"warned","labels":{"a":"1"},"labels":{"b":"2"}}}'),
  merge('patch twice', 'configmaps/warned?fieldValidation=Ignore', '{"metadata":{"labels":{"c":"1"}},"metadata":{"labels":{"d":"1"}}}'),
  strategic(
    'strategic twice',
    'configmaps/warned?fieldValidation=Ignore',
    '{"metadata":{"labels":{"e":"1"}},"metadata":{"labels":{"f":"1"}}}',
  ),
  json(
    'operation twice',
    'configmaps/warned?fieldValidation=Ignore',
    '[{"op":"remove","op":"add","path":"/metadata/labels/g","value":{"a":1},"value":"x"}]',
  ),
  put('PUT twice', 'configmaps/warned?fieldValidation=Ignore', '{"metadata":{"name":"warned"},"data":{"a":"1"},"data":{"b":"2"}}'),
  apply(
    'apply twice',
    'configmaps/warned?fieldValidation=Ignore&force=true',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"warned"},"data":{"a":"1"},"data":{"c":"2"}}',
  ),
];

const applying: readonly RequestStep[] = [
  apply('create', 'configmaps/a', cm('a', { labels: { l: '1' } }, { data: { a: '1' } })),
  apply('again', 'configmaps/a', cm('a', { labels: { l: '1' } }, { data: { a: '1' } })),
  get('configmaps/a'),
  apply('another name', 'configmaps/a', cm('b')),
  apply('another namespace', 'configmaps/a', cm('a', { namespace: 'elsewhere' })),
  apply('another name and namespace', 'configmaps/a', cm('b', { namespace: 'elsewhere' })),
  apply('another name of nothing', 'configmaps/none', cm('b', { namespace: 'elsewhere' })),
  apply('another namespace of nothing', 'configmaps/none', cm('none', { namespace: 'elsewhere' })),
  apply('no name', 'configmaps/a', { apiVersion: 'v1', kind: 'ConfigMap' }),
  apply('no name of nothing', 'configmaps/none', { apiVersion: 'v1', kind: 'ConfigMap' }),
  apply('no kind', 'configmaps/a', { apiVersion: 'v1', metadata: { name: 'a' } }),
  apply('no version', 'configmaps/a', { kind: 'ConfigMap', metadata: { name: 'a' } }),
  apply('another kind', 'configmaps/a', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }),
  apply('another version', 'configmaps/a', { apiVersion: 'v2', kind: 'ConfigMap', metadata: { name: 'a' } }),
  apply('kind is a number', 'configmaps/a', { apiVersion: 'v1', kind: 1, metadata: { name: 'a' } }),
  apply('metadata is a list', 'configmaps/a', { apiVersion: 'v1', kind: 'ConfigMap', metadata: [] }),
  apply('labels are a list', 'configmaps/a', cm('a', { labels: [] })),
  apply('label is a number', 'configmaps/a', cm('a', { labels: { a: 1 } })),
  apply('label is null', 'configmaps/a', cm('a', { labels: { a: null } })),
  apply('data is text', 'configmaps/a', cm('a', {}, { data: 'x' })),
  apply('empty', 'configmaps/a', ''),
  apply('null', 'configmaps/a', 'null'),
  apply('list', 'configmaps/a', '[]'),
  apply('text', 'configmaps/a', 'hello'),
  apply('number', 'configmaps/a', '7'),
  apply('claims managedFields', 'configmaps/a', cm('a', { managedFields: [{}] })),
  apply('claims no managedFields', 'configmaps/a', cm('a', { managedFields: [] })),
  apply('null managedFields', 'configmaps/a', cm('a', { managedFields: null })),
  apply('managedFields are text', 'configmaps/a', cm('a', { managedFields: 'x' })),
  apply('stale version', 'configmaps/a', cm('a', { resourceVersion: '1' })),
  apply('bad version', 'configmaps/a', cm('a', { resourceVersion: 'x' })),
  apply('version zero', 'configmaps/a', cm('a', { resourceVersion: '0' })),
  apply('another uid', 'configmaps/a', cm('a', { uid: 'x' })),
  apply('uid of nothing', 'configmaps/none', cm('none', { uid: 'x' })),
  apply('version of nothing', 'configmaps/of-nothing', cm('of-nothing', { resourceVersion: '7' })),
  apply('invalid result', 'configmaps/a', cm('a', { labels: { 'a b': 'c' } })),
  apply('unknown deep', 'services/x', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'x' },
    spec: { ports: [{ port: 80, foo: 1 }] },
  }),
  apply('port twice', 'services/x', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'x' },
    spec: { ports: [{ port: 80 }, { port: 80, protocol: 'TCP' }] },
  }),
  apply('port without key', 'services/x', { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec: { ports: [{ name: 'p' }] } }),
  apply('finalizer twice', 'configmaps/a', cm('a', { finalizers: ['a.b/c', 'a.b/c'] })),
  apply('null finalizer', 'configmaps/a', cm('a', { finalizers: [null] })),
  apply('owner without uid', 'configmaps/a', cm('a', { ownerReferences: [{ name: 'x' }] })),
  apply('dry run of a change', 'configmaps/a?dryRun=All', cm('a', {}, { data: { a: '2', b: '3' } })),
  get('configmaps/a'),
  apply('dry run of nothing', 'configmaps/dry?dryRun=All', cm('dry', {}, { data: { a: '2' } })),
  get('configmaps/dry'),
  merge('someone else', 'configmaps/a?fieldManager=other', { data: { a: '5', c: '6' }, metadata: { annotations: { n: '1' } } }),
  apply('one conflict', 'configmaps/a', cm('a', {}, { data: { a: '1' } })),
  apply('two conflicts', 'configmaps/a', cm('a', { annotations: { n: '2' } }, { data: { a: '1', c: '6' } })),
  step('PATCH', 'third applier shares', 'configmaps/a?fieldManager=third', cm('a', {}, { data: { a: '5' } }), 'apply'),
  apply('conflicts with two', 'configmaps/a', cm('a', { annotations: { n: '2' } }, { data: { a: '1', c: '7' } })),
  apply('forced', 'configmaps/a?force=true', cm('a', { annotations: { n: '2' } }, { data: { a: '1' } })),
  apply('given up', 'configmaps/a', cm('a')),
  get('configmaps/a'),
  post('never tracked', 'configmaps', cm('untracked', { labels: { a: '1' } }, { data: { a: '1' } })),
  json('reset with an empty entry', 'configmaps/untracked', [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
  merge('untracked stays', 'configmaps/untracked', { data: { b: '2' } }),
  apply('before first apply', 'configmaps/untracked', cm('untracked', {}, { data: { a: '2' } })),
  apply('before first apply, forced', 'configmaps/untracked?force=true', cm('untracked', {}, { data: { a: '2' } })),
  merge('reset what was applied', 'configmaps/untracked', { metadata: { managedFields: [{}] } }),
  merge('reset and change', 'configmaps/a', { metadata: { managedFields: [{}] }, data: { z: '1' } }),
  put('PUT with an empty list', 'configmaps/a', cm('a', { managedFields: [] }, { data: { z: '2' } })),
  put('PUT with null', 'configmaps/a', cm('a', { managedFields: null }, { data: { z: '2' } })),
  put(
    'PUT with an entry',
    'configmaps/a?fieldManager=put',
    cm(
      'a',
      {
        managedFields: [
          { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:z': {} } } },
        ],
      },
      { data: { z: '2', y: '1' } },
    ),
  ),
  put(
    'PUT with a bad entry',
    'configmaps/a?fieldManager=put',
    cm(
      'a',
      { managedFields: [{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'x:data': {} } }] },
      { data: { z: '2', y: '2' } },
    ),
  ),
  put(
    'PUT with another field type',
    'configmaps/a?fieldManager=put',
    cm(
      'a',
      { managedFields: [{ manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV2', fieldsV1: { 'f:data': {} } }] },
      { data: { z: '2', y: '3' } },
    ),
  ),
  put(
    'PUT with no version',
    'configmaps/a?fieldManager=put',
    cm(
      'a',
      { managedFields: [{ manager: 'x', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } }] },
      { data: { z: '2', y: '4' } },
    ),
  ),
  put(
    'PUT with a long manager',
    'configmaps/a?fieldManager=put',
    cm(
      'a',
      {
        managedFields: [
          {
            manager: 'x'.repeat(129),
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:z': {} } },
          },
        ],
      },
      { data: { z: '2', y: '6' } },
    ),
  ),
  put(
    'PUT with a long subresource',
    'configmaps/a?fieldManager=put',
    cm(
      'a',
      {
        managedFields: [
          {
            manager: 'x',
            operation: 'Update',
            subresource: 's'.repeat(257),
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:z': {} } },
          },
        ],
      },
      { data: { z: '2', y: '7' } },
    ),
  ),
  put('PUT with managedFields of text', 'configmaps/a?fieldManager=put', cm('a', { managedFields: 'x' }, { data: { z: '3' } })),
  post(
    'create with entries',
    'configmaps?fieldManager=put',
    cm(
      'entries',
      {
        managedFields: [
          { manager: 'x', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:z': {} } } },
        ],
      },
      { data: { z: '2' } },
    ),
  ),
  post('create with an empty entry', 'configmaps?fieldManager=put', cm('entries-2', { managedFields: [{}] }, { data: { z: '2' } })),
  post(
    'create with a bad entry',
    'configmaps?fieldManager=put',
    cm('entries-3', { managedFields: [{ manager: 'x', operation: 'Nothing' }] }, { data: { z: '2' } }),
  ),
];

const patching: readonly RequestStep[] = [
  post('object', 'configmaps', cm('p', { labels: { a: '1' }, finalizers: ['a.b/c', 'a.b/d'] }, { data: { a: '1' } })),
  json('test fails', 'configmaps/p', [{ op: 'test', path: '/data/a', value: '2' }]),
  json('test of missing against null', 'configmaps/p', [{ op: 'test', path: '/data/none', value: null }]),
  json('unknown operation', 'configmaps/p', [{ op: 'frobnicate', path: '/data/a' }]),
  json('remove of missing', 'configmaps/p', [{ op: 'remove', path: '/data/none' }]),
  json('no path', 'configmaps/p', [{ op: 'remove' }]),
  json('no list', 'configmaps/p', { op: 'remove' }),
  json('list of text', 'configmaps/p', ['x']),
  json('number as operation', 'configmaps/p', [{ op: 1 }]),
  json('number as path', 'configmaps/p', [{ op: 'add', path: 1 }]),
  json('null', 'configmaps/p', 'null'),
  json('empty', 'configmaps/p', ''),
  json('no JSON', 'configmaps/p', '[{"op":'),
  json('empty list', 'configmaps/p', []),
  json('prototype', 'configmaps/p', [{ op: 'add', path: '/__proto__/polluted', value: 'x' }]),
  json('constructor', 'configmaps/p', [{ op: 'add', path: '/constructor/prototype/polluted', value: 'x' }]),
  json('prototype as data', 'configmaps/p', '[{"op":"add","path":"/data/__proto__","value":"x"}]'),
  merge('prototype merged', 'configmaps/p', '{"__proto__":{"polluted":1},"data":{"__proto__":"x"}}'),
  json('index out of range', 'configmaps/p', [{ op: 'add', path: '/metadata/finalizers/7', value: 'a.b/e' }]),
  json('negative index', 'configmaps/p', [{ op: 'replace', path: '/metadata/finalizers/-1', value: 'a.b/e' }]),
  json('end', 'configmaps/p', [{ op: 'add', path: '/metadata/finalizers/-', value: 'a.b/f' }]),
  json('whole document', 'configmaps/p', [{ op: 'replace', path: '', value: cm('p', {}, { data: { w: '1' } }) }]),
  json('remove the name', 'configmaps/p', [{ op: 'remove', path: '/metadata/name' }]),
  json('another name', 'configmaps/p', [{ op: 'replace', path: '/metadata/name', value: 'q' }]),
  json('another namespace', 'configmaps/p', [{ op: 'replace', path: '/metadata/namespace', value: 'q' }]),
  json('another uid', 'configmaps/p', [{ op: 'replace', path: '/metadata/uid', value: 'q' }]),
  json('another kind', 'configmaps/p', [{ op: 'replace', path: '/kind', value: 'Secret' }]),
  json('remove the kind', 'configmaps/p', [{ op: 'remove', path: '/kind' }]),
  json('another version', 'configmaps/p', [{ op: 'replace', path: '/apiVersion', value: 'v2' }]),
  json('wrong type', 'configmaps/p', [{ op: 'add', path: '/data', value: 7 }]),
  json('invalid key', 'configmaps/p', [{ op: 'add', path: '/data', value: { 'a b': 'c' } }]),
  json('stale version', 'configmaps/p', [{ op: 'replace', path: '/metadata/resourceVersion', value: '1' }]),
  json('bad version', 'configmaps/p', [{ op: 'replace', path: '/metadata/resourceVersion', value: 'x' }]),
  json('version of zero', 'configmaps/p', [{ op: 'replace', path: '/metadata/resourceVersion', value: '0' }]),
  json('remove the version', 'configmaps/p', [{ op: 'remove', path: '/metadata/resourceVersion' }]),
  json('copy', 'configmaps/p', [{ op: 'copy', from: '/data', path: '/metadata/annotations' }]),
  json('move', 'configmaps/p', [{ op: 'move', from: '/metadata/annotations', path: '/metadata/labels' }]),
  json('move into itself', 'configmaps/p', [{ op: 'move', from: '/metadata', path: '/metadata/labels' }]),
  json('of nothing', 'configmaps/none', [{ op: 'add', path: '/data/a', value: '1' }]),
  merge('list', 'configmaps/p', '[]'),
  merge('text', 'configmaps/p', '"x"'),
  merge('null', 'configmaps/p', 'null'),
  merge('no JSON', 'configmaps/p', '{'),
  merge('empty', 'configmaps/p', ''),
  merge('nothing', 'configmaps/p', {}),
  merge('null name', 'configmaps/p', { metadata: { name: null } }),
  merge('null metadata', 'configmaps/p', { metadata: null }),
  merge('null data', 'configmaps/p', { data: null }),
  merge('data as a list', 'configmaps/p', { data: [] }),
  merge('data as text', 'configmaps/p', { data: 'x' }),
  merge('data of numbers', 'configmaps/p', { data: { a: 1 } }),
  merge('invalid labels', 'configmaps/p', { metadata: { labels: { 'a b': 'c' } } }),
  merge('stale version', 'configmaps/p', { metadata: { resourceVersion: '1' } }),
  merge('current version', 'configmaps/p', '{"metadata":{"resourceVersion":"$RV"},"data":{"n":"1"}}'),
  merge('creationTimestamp', 'configmaps/p', { metadata: { creationTimestamp: '2001-01-01T00:00:00Z' } }),
  merge('creationTimestamp of nonsense', 'configmaps/p', { metadata: { creationTimestamp: 'yesterday' } }),
  merge('deletionTimestamp', 'configmaps/p', { metadata: { deletionTimestamp: '2001-01-01T00:00:00Z' } }),
  merge('generation', 'configmaps/p', { metadata: { generation: 9 } }),
  merge('selfLink', 'configmaps/p', { metadata: { selfLink: '/x' } }),
  merge('grace period', 'configmaps/p', { metadata: { deletionGracePeriodSeconds: 9 } }),
  merge('another kind', 'configmaps/p', { kind: 'Secret' }),
  merge('dry run', 'configmaps/p?dryRun=All', { data: { dry: '1' } }),
  merge('dry run twice', 'configmaps/p?dryRun=All&dryRun=All', { data: { dry: '1' } }),
  get('configmaps/p'),
  step('PATCH', 'unsupported type', 'configmaps/p', '{}', 'application/json'),
  step('PATCH', 'type with a parameter', 'configmaps/p', '{}', 'application/merge-patch+json; charset=utf-8'),
  step('PATCH', 'type in capitals', 'configmaps/p', '{}', 'Application/Merge-Patch+JSON'),
  strategic('list', 'configmaps/p', '[]'),
  strategic('null', 'configmaps/p', 'null'),
  strategic('no JSON', 'configmaps/p', '{'),
  strategic('empty', 'configmaps/p', ''),
  strategic('number', 'configmaps/p', '7'),
  strategic('unknown directive', 'configmaps/p', { $patch: 'x' }),
  strategic('directive is a number', 'configmaps/p', { $patch: 1 }),
  strategic('replace without name', 'configmaps/p', { $patch: 'replace', data: { a: '1' } }),
  strategic('delete all', 'configmaps/p', { $patch: 'delete' }),
  strategic('delete data', 'configmaps/p', { data: { $patch: 'delete', b: '1' } }),
  strategic('replace data', 'configmaps/p', { data: { $patch: 'replace', r: '1' } }),
  strategic('merge directive', 'configmaps/p', { data: { $patch: 'merge', r: '1' } }),
  strategic('finalizer taken away', 'configmaps/p', { metadata: { '$deleteFromPrimitiveList/finalizers': ['a.b/e'] } }),
  strategic('finalizers united', 'configmaps/p', { metadata: { finalizers: ['a.b/c', 'a.b/g'] } }),
  strategic('finalizers ordered', 'configmaps/p', {
    metadata: { '$setElementOrder/finalizers': ['a.b/g', 'a.b/c'], finalizers: ['a.b/c'] },
  }),
  strategic('order that does not fit', 'configmaps/p', { metadata: { '$setElementOrder/finalizers': ['a.b/g'], finalizers: ['a.b/c'] } }),
  strategic('order is text', 'configmaps/p', { metadata: { '$setElementOrder/finalizers': 'x' } }),
  strategic('malformed delete', 'configmaps/p', { metadata: { $deleteFromPrimitiveList: ['x'] } }),
  strategic('malformed order', 'configmaps/p', { metadata: { $setElementOrder: ['x'] } }),
  strategic('retainKeys', 'configmaps/p', { data: { $retainKeys: ['k'], k: '1' } }),
  strategic('retainKeys that does not cover', 'configmaps/p', { data: { $retainKeys: ['k'], l: '1' } }),
  strategic('retainKeys is text', 'configmaps/p', { data: { $retainKeys: 'k' } }),
  strategic('owner without key', 'configmaps/p', { metadata: { ownerReferences: [{ name: 'x' }] } }),
  strategic('wrong type', 'configmaps/p', { data: 7 }),
  strategic('wrong type inside', 'configmaps/p', { data: { a: { b: 1 } } }),
  strategic('invalid', 'configmaps/p', { metadata: { labels: { 'a b': 'c' } } }),
  strategic('stale version', 'configmaps/p', { metadata: { resourceVersion: '1' } }),
  strategic('of nothing', 'configmaps/none', {}),
  put('empty', 'configmaps/p', ''),
  put('another name', 'configmaps/p', cm('q')),
  put('another namespace', 'configmaps/p', cm('p', { namespace: 'q' })),
  put('another kind', 'configmaps/p', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'p' } }),
  put('stale version', 'configmaps/p', cm('p', { resourceVersion: '1' })),
  put('bad version', 'configmaps/p', cm('p', { resourceVersion: 'x' })),
  put('another uid', 'configmaps/p', cm('p', { uid: 'x' })),
  put('dry run', 'configmaps/p?dryRun=All', cm('p', {}, { data: { dry: '1' } })),
  put('dry run of a stale version', 'configmaps/p?dryRun=All', cm('p', { resourceVersion: '1' })),
  put('of nothing', 'configmaps/none', cm('none')),
  put('creating a Role', '/apis/rbac.authorization.platform.io/v1/namespaces/$NS/roles/new', { metadata: { name: 'new' }, rules: [] }),
  put('creating a Lease', '/apis/coordination.platform.io/v1/namespaces/$NS/leases/new', { metadata: { name: 'new' } }),
  put('a Lease without version', '/apis/coordination.platform.io/v1/namespaces/$NS/leases/new', { metadata: { name: 'new' } }),
  put('creating with a uid', '/apis/rbac.authorization.platform.io/v1/namespaces/$NS/roles/newer', {
    metadata: { name: 'newer', uid: 'x' },
  }),
  put('creating with a version', '/apis/rbac.authorization.platform.io/v1/namespaces/$NS/roles/newer', {
    metadata: { name: 'newer', resourceVersion: '5' },
  }),
  put('creating in a dry run', '/apis/rbac.authorization.platform.io/v1/namespaces/$NS/roles/newest?dryRun=All', {
    metadata: { name: 'newest' },
  }),
];

export const UPDATE_STEPS: Readonly<Record<string, readonly RequestStep[]>> = { managers, validation, repeated, applying, patching };
