/** Everything about a CustomResourceDefinition but its schemas: names, versions, columns, conversion. */
import type { Body } from '../reference';
import {
  client,
  column,
  conversion,
  definition,
  each,
  GROUP,
  grouped,
  NAMES,
  names,
  PLAIN,
  scale,
  second,
  SELECTABLE,
  selectable,
  STORAGE,
  stored,
  version,
  versions,
  webhook,
} from './cases';

const LONG = { $text: 'a', $times: 64 };
const BAD_NAMES = ['', 'A', 'a.b', 'a_b', '-a', 'a-', '1a', 'a b', 'ä'];

const METADATA: Record<string, Body> = {
  plain: definition(),
  'nothing at all': { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'x' } },
  'another name': definition({}, { name: 'x' }),
  'a name that is none': definition({}, { name: 'A_b' }),
  'another name and a bad label': definition({}, { name: 'x', labels: { 'a b': 'c' } }),
  'a bad label and a bad scope': definition({ scope: 'x' }, { labels: { 'a b': 'c' } }),
  'a name with a slash': definition({}, { name: 'things/x' }),
  'a generated name': definition({}, { name: '', generateName: 'things.' }),
  'a status is not taken': definition({}, {}, { status: { storedVersions: ['v9'], acceptedNames: NAMES, conditions: [] } }),
  'a finalizer without a slash': definition({}, { finalizers: ['x'] }),
};

const APPROVAL = 'api-approved.kubernetes.io';
const approved = (text: string): Body => grouped('a.k8s.io', { annotations: { [APPROVAL]: text } });
const GROUPS: Record<string, Body> = {
  ...each('group', ['', 'a', 'A.b', 'a_b.c', '-a.b', 'a..b', 'a.b.', 'example.com', 'xk8s.io', 'k8s.io.x'], (group) => grouped(group)),
  'group: too long': definition({ group: { $text: 'a.', $times: 130 } }),
  'group: another than the name’s': definition({ group: 'b.example.com' }),
  ...each('protected group', ['k8s.io', 'a.k8s.io', 'kubernetes.io', 'a.kubernetes.io', 'networking.k8s.io'], (group) => grouped(group)),
  ...each(
    'approval',
    [
      ...['', 'x', 'unapproved', 'unapproved, testing', 'Unapproved', 'https://github.com/kubernetes/kubernetes/pull/1'],
      ...['http://x', 'ftp://x', '/a', 'https://', 'https:', ' https://a.b', 'a.b/c', 'https://a b', '//a.b/c'],
    ],
    (text) => approved(text),
  ),
  'approval where none is needed': definition({}, { annotations: { [APPROVAL]: 'x' } }),
  'approval and unknown members that are kept': definition(
    { group: 'a.k8s.io', preserveUnknownFields: true, versions: [] },
    { name: 'things.a.k8s.io' },
  ),
  'approval and other faults': definition({ group: 'a.k8s.io', scope: '', names: {} }, { name: 'x', annotations: { [APPROVAL]: 'x' } }),
};

const NAME_CASES: Record<string, Body> = {
  ...each('plural', [...BAD_NAMES, 'things1'], (plural) => definition({ names: { ...NAMES, plural } }, { name: `${plural}.${GROUP}` })),
  ...each('singular', [...BAD_NAMES, 'things', 'other'], (singular) => names({ singular })),
  ...each('kind', [...BAD_NAMES, 'Thing1', 'THING', 'thing-x', 'ThingList'], (kind) => names({ kind })),
  ...each('list kind', [...BAD_NAMES, 'Thing', 'Things'], (listKind) => names({ listKind })),
  ...each('short names', [[''], ['A'], ['a.b'], ['t', 't'], ['things'], ['ok', 'a_b', 'B'], []], (shortNames) => names({ shortNames })),
  ...each('categories', [[''], ['A'], ['a.b'], ['all', 'all'], ['ok', 'a_b']], (categories) => names({ categories })),
  'names too long': definition({
    names: { plural: LONG, singular: LONG, kind: LONG, listKind: { $text: 'b', $times: 64 }, shortNames: [LONG], categories: [LONG] },
  }),
  'no names': definition({ names: {} }),
  'names null': definition({ names: null }),
};

const SCOPES: Record<string, Body> = each('scope', ['', 'Namespaced', 'Cluster', 'namespaced', 'x'], (scope) => definition({ scope }));

const VERSIONS: Record<string, Body> = {
  'versions: none': versions(),
  'versions: null': definition({ versions: null }),
  'versions: an empty one': versions({}),
  'versions: two': versions(STORAGE, version('v2')),
  'versions: none is stored': versions(version('v1')),
  'versions: none of two is stored': versions(version('v1'), version('v2', { deprecated: true })),
  'versions: both are stored': versions(STORAGE, { ...STORAGE, name: 'v2' }),
  'versions: the same twice': versions(STORAGE, version('v1')),
  'versions: the same three times': versions(STORAGE, version('v1'), version('v1'), version('v2'), version('v2')),
  'versions: none is served': versions({ ...STORAGE, served: false }),
  ...each('version name', [...BAD_NAMES, 'v1beta1', 'other'], (name) => versions({ ...STORAGE, name })),
  'version name: too long': versions({ ...STORAGE, name: LONG }),
  'version name: bad, the second': versions(STORAGE, version('V2')),
  'schema: none': versions({ ...STORAGE, schema: null }),
  'schema: empty': versions({ ...STORAGE, schema: {} }),
  'schema: null': versions({ ...STORAGE, schema: { openAPIV3Schema: null } }),
  'schema: {}': versions({ ...STORAGE, schema: { openAPIV3Schema: {} } }),
  'schema: none of two': versions({ ...STORAGE, schema: null }, version('v2', { schema: null })),
  'schema: none in the second': second({ schema: null }),
  'schema: empty in the second': second({ schema: {} }),
  'schema: not served and none': second({ schema: null, served: false }),
  'deprecated: with a text': stored({ deprecated: true, deprecationWarning: 'go away' }),
  'deprecated: without': stored({ deprecated: true }),
  'deprecated: a text without it': stored({ deprecationWarning: 'go away' }),
  ...each('deprecation warning', ['', 'a\nb', 'a\tb', 'ä', '"q"', ' a'], (deprecationWarning) =>
    stored({ deprecated: true, deprecationWarning }),
  ),
  'deprecation warning: long': stored({ deprecated: true, deprecationWarning: { $text: 'a', $times: 256 } }),
  'deprecation warning: long in bytes': stored({ deprecated: true, deprecationWarning: { $text: 'ä', $times: 200 } }),
  'deprecation warning: umlauts before a tab': stored({ deprecated: true, deprecationWarning: 'ää\t\u00a0' }),
  ...each('deprecation warning with', ['a\u00a0b', 'a\u200bb', 'a😀b', 'a\u0000b', 'a\u0301', 'a\u2028b'], (deprecationWarning) =>
    stored({ deprecated: true, deprecationWarning }),
  ),
  'deprecation warning: too long': stored({ deprecated: true, deprecationWarning: { $text: 'a', $times: 257 } }),
  'deprecation warning: of the second': second({ deprecationWarning: '' }),
  'preserveUnknownFields: true': definition({ preserveUnknownFields: true }),
  'preserveUnknownFields: false': definition({ preserveUnknownFields: false }),
};

const PATHS = [
  ...['', '.', 'spec.a', '.spec.a', '..a', '.spec.', '.spec[0]', '.spec.a[*]', ".spec['a']", ".metadata.labels['a\\.b/c']", '.spec.a\\.b'],
  ...[
    '.status.conditions[?(@.type=="Ready")].status',
    '.spec.a,.spec.b',
    '{.spec.a}',
    '.spec .a',
    '.spec..a',
    '.spec.a[',
    '.spec.a]',
    '.spec.$x',
  ],
  ...['.spec.a-b', '.spec.1', '.metadata.name', '$.spec', '.spec.a[1:2]', '.spec.*', "['spec']", '.spec["a"]', '.spec.a[?(@.b)]', '.[0]'],
];
const COLUMNS: Record<string, Body> = {
  'columns: good': column({}),
  'columns: all members': column({ format: 'int32', type: 'integer', description: 'd', priority: 1 }),
  'columns: an empty one': stored({ additionalPrinterColumns: [{}] }),
  'columns: none': stored({ additionalPrinterColumns: [] }),
  'columns: the same twice': stored({
    additionalPrinterColumns: [
      { name: 'A', type: 'string', jsonPath: '.a' },
      { name: 'A', type: 'string', jsonPath: '.a' },
    ],
  }),
  'columns: two bad ones': stored({
    additionalPrinterColumns: [
      { name: 'A', type: 'x', jsonPath: 'a', format: 'y' },
      { name: '', jsonPath: '.b' },
    ],
  }),
  'columns: of both versions, alike': versions(
    { ...STORAGE, additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.a' }] },
    version('v2', { additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.a' }] }),
  ),
  'columns: of both versions, different': versions(
    { ...STORAGE, additionalPrinterColumns: [{ name: 'A', type: 'x', jsonPath: '.a' }] },
    version('v2', { additionalPrinterColumns: [{ name: 'B', type: 'x', jsonPath: '.a' }] }),
  ),
  'columns: of the second only': second({ additionalPrinterColumns: [{ name: 'B', type: 'x', jsonPath: 'a' }] }),
  ...each('column type', ['', 'integer', 'number', 'boolean', 'date', 'String', 'object', 'array'], (type) => column({ type })),
  ...each(
    'column format',
    ['', 'int32', 'int64', 'float', 'double', 'byte', 'date', 'date-time', 'password', 'binary', 'name', 'x'],
    (format) => column({ format }),
  ),
  ...each('column priority', [-1, 0, 5], (priority) => column({ priority })),
  ...each('column path', PATHS, (jsonPath) => column({ jsonPath })),
};

const SUBRESOURCES: Record<string, Body> = {
  'subresources: none': stored({ subresources: {} }),
  'subresources: status': stored({ subresources: { status: {} } }),
  'subresources: null': stored({ subresources: { status: null, scale: null } }),
  'scale: empty': scale({}),
  'scale: good': scale({ specReplicasPath: '.spec.a', statusReplicasPath: '.status.a', labelSelectorPath: '.status.s' }),
  'scale: everything wrong': scale({ specReplicasPath: '.status.a', statusReplicasPath: '.spec.a', labelSelectorPath: '.metadata.a' }),
  'scale: of the second version': second({ subresources: { scale: {} } }),
  'scale: the same in both': versions(
    { ...STORAGE, subresources: { scale: { specReplicasPath: 'x', statusReplicasPath: '.status.a' } } },
    version('v2', { subresources: { scale: { specReplicasPath: 'x', statusReplicasPath: '.status.a' } } }),
  ),
  'scale: different in both': versions(
    { ...STORAGE, subresources: { scale: { specReplicasPath: 'x', statusReplicasPath: '.status.a' } } },
    version('v2', { subresources: { scale: { specReplicasPath: 'y', statusReplicasPath: '.status.a' } } }),
  ),
  ...each(
    'scale of',
    ['', '.', 'spec.a', '.spec', '.spec.', '.spec.a[0]', '.spec.a.b', '.specs.a', '.status.a', '..spec.a', '.spec.a b', '.spec.a-b'],
    (path) => scale({ specReplicasPath: path, statusReplicasPath: '.status.a' }),
  ),
  ...each('scale found', ['', 'status.a', '.status', '.status.', '.status.a[0]', '.spec.a', '.status.a.b'], (path) =>
    scale({ specReplicasPath: '.spec.a', statusReplicasPath: path }),
  ),
  ...each(
    'scale selector',
    ['', 'status.a', '.status', '.status.a', '.spec.a', '.spec', '.metadata.labels', '.status.a[0]', '.x'],
    (path) => scale({ specReplicasPath: '.spec.a', statusReplicasPath: '.status.a', labelSelectorPath: path }),
  ),
};

const SELECTABLES: Record<string, Body> = {
  ...each(
    'selectable',
    [
      ...[
        '',
        '.',
        'spec.a',
        '.spec.a',
        '.spec.b',
        '.spec.c',
        '.spec.d',
        '.spec',
        '.spec.list',
        '.spec.list[0]',
        '.spec.map',
        '.spec.map.x',
      ],
      ...[
        '.spec.free',
        '.spec.free.x',
        '.spec.either',
        '.spec.none',
        '.metadata.name',
        '.metadata.labels',
        '.status.a',
        '..spec.a',
        '{.spec.a}',
      ],
      ...['.kind', '.apiVersion', '.metadata.namespace', '.spec.a.b', '.spec[?(@.a)]', ".spec['a']", '.spec.a[*]'],
    ],
    (path) => selectable(path),
  ),
  ...each(
    'selectable, odd',
    ['.none[0]', '.spec.', '.spec.a.', '[0]', "['spec']", '.spec.a]', ".spec.a'", '.spec..', '..', ' .spec.a', '.spec.a]x', '.spec.a[0]'],
    (path) => selectable(path),
  ),
  'selectable: two': selectable('.spec.a', '.spec.b'),
  'selectable: the same twice': selectable('.spec.a', '.spec.a'),
  'selectable: eight': selectable(...Array.from({ length: 8 }, (_, index) => `.spec.s${index}`)),
  'selectable: nine': stored({
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: Object.fromEntries(Array.from('abcdefghi', (name) => [name, { type: 'string' }])) },
        },
      },
    },
    selectableFields: Array.from('abcdefghi', (name) => ({ jsonPath: `.spec.${name}` })),
  }),
  'selectable: without a schema for it': stored({ schema: { openAPIV3Schema: PLAIN }, selectableFields: [{ jsonPath: '.spec.a' }] }),
  'selectable: in what keeps unknown members': stored({
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    selectableFields: [{ jsonPath: '.spec.a' }],
  }),
  'selectable: empty': stored({ selectableFields: [{}] }),
  'selectable: in both versions': versions(
    { ...STORAGE, schema: { openAPIV3Schema: SELECTABLE }, selectableFields: [{ jsonPath: '.spec.x' }] },
    version('v2', { schema: { openAPIV3Schema: SELECTABLE }, selectableFields: [{ jsonPath: '.spec.x' }] }),
  ),
  'selectable: in the second version': second({ schema: { openAPIV3Schema: SELECTABLE }, selectableFields: [{ jsonPath: '.spec.x' }] }),
  'selectable: with an enumeration': stored({
    schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', enum: ['x'], nullable: true } } } },
    selectableFields: [{ jsonPath: '.a' }],
  }),
  'selectable: below an embedded resource': stored({
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          e: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            properties: { metadata: { type: 'object' }, a: { type: 'string' } },
          },
        },
      },
    },
    selectableFields: [{ jsonPath: '.e.a' }, { jsonPath: '.e.metadata.name' }, { jsonPath: '.e.kind' }],
  }),
};

const SERVICE: Body = { namespace: 'n', name: 's' };
const CONVERSIONS: Record<string, Body> = {
  'conversion: none': conversion({ strategy: 'None' }),
  'conversion: {}': conversion({}),
  ...each('strategy', ['', 'none', 'webhook', 'x'], (strategy) => conversion({ strategy })),
  'conversion: None with a webhook': conversion({
    strategy: 'None',
    webhook: { clientConfig: { url: 'https://a.b' }, conversionReviewVersions: ['v1'] },
  }),
  'conversion: None with a client only': conversion({
    strategy: 'None',
    webhook: { clientConfig: { url: 'https://a.b' }, conversionReviewVersions: [] },
  }),
  'conversion: None with an empty webhook': conversion({ strategy: 'None', webhook: {} }),
  'conversion: Webhook without one': conversion({ strategy: 'Webhook' }),
  'conversion: Webhook with an empty one': conversion({ strategy: 'Webhook', webhook: {} }),
  'client: none': webhook({}),
  'client: empty': client({}),
  'client: a service': client({ service: SERVICE }),
  'client: both': client({ service: SERVICE, url: 'https://a.b' }),
  'client: a bundle': client({ url: 'https://a.b', caBundle: 'eA==' }),
  ...each(
    'client url',
    [
      ...[
        '',
        'https://a.b',
        'http://a.b',
        'a.b',
        '/a',
        'https://',
        'https://a.b/c?d=e',
        'https://a.b/c#d',
        'https://u:p@a.b',
        'https://u@a.b',
      ],
      ...['ftp://a.b', 'HTTPS://a.b', 'https:a.b', 'https://a.b:70000/', 'https://a b', 'https://[::1]/', 'https://a.b/%zz', '://'],
    ],
    (url) => client({ url }),
  ),
  'service: empty': client({ service: {} }),
  'service: no namespace': client({ service: { name: 's' } }),
  'service: no name': client({ service: { namespace: 'n', path: 'a', port: 0 } }),
  'service: names that are none': client({ service: { namespace: 'N_', name: 'S_' } }),
  ...each('service port', [0, 1, 65_535, 65_536, -1], (port) => client({ service: { ...SERVICE, port } })),
  ...each('service path', ['', '/', 'a', '/a', '/a/', '/a//b', '/a/b', '//', '/a_b', '/A', '/.', '/a b', '/a?b', '/a/../b', '/ä'], (path) =>
    client({ service: { ...SERVICE, path } }),
  ),
  ...each(
    'review versions',
    [[], ['v1'], ['v1beta1'], ['v2'], ['v1', 'v1'], ['v2', 'v1'], ['V1'], [''], ['a.b', 'v1'], ['v1', 'a_b', 'c.d']],
    (conversionReviewVersions) => webhook({ clientConfig: { service: SERVICE }, conversionReviewVersions }),
  ),
  'conversion: everything wrong': definition({
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'x', service: {} }, conversionReviewVersions: ['A'] } },
    preserveUnknownFields: true,
    scope: '',
  }),
};

const TOGETHER: Record<string, Body> = {
  'everything wrong': definition(
    {
      group: 'a',
      scope: 'x',
      names: { plural: 'A', singular: 'B', kind: 'c_d', listKind: 'c_d', shortNames: ['E'], categories: ['F'] },
      versions: [
        { name: 'V1', served: true, storage: true, deprecationWarning: '', additionalPrinterColumns: [{}], subresources: { scale: {} } },
        { name: 'V1', served: true, storage: true, selectableFields: [{ jsonPath: 'x' }] },
      ],
      conversion: { strategy: 'x' },
      preserveUnknownFields: true,
    },
    { labels: { 'a b': 'c' } },
  ),
  'everything wrong with one version': definition({
    names: { plural: 'A', singular: 'B', kind: 'c_d', listKind: 'c_d', shortNames: ['E'], categories: ['F'] },
    versions: [
      {
        name: 'V1',
        served: true,
        storage: true,
        deprecationWarning: '',
        additionalPrinterColumns: [{}],
        subresources: { scale: {} },
        selectableFields: [{ jsonPath: 'x' }],
        schema: { openAPIV3Schema: { type: 'string', properties: { a: { items: {} } } } },
      },
    ],
    conversion: { strategy: 'Webhook' },
  }),
  'everything wrong in the second version': second({
    deprecationWarning: '',
    additionalPrinterColumns: [{}],
    subresources: { scale: {} },
    selectableFields: [{ jsonPath: 'x' }],
    schema: { openAPIV3Schema: { type: 'string', properties: { a: { items: {} } } } },
  }),
};

export const OUTLINES: Readonly<Record<string, Body>> = {
  ...METADATA,
  ...GROUPS,
  ...NAME_CASES,
  ...SCOPES,
  ...VERSIONS,
  ...COLUMNS,
  ...SUBRESOURCES,
  ...SELECTABLES,
  ...CONVERSIONS,
  ...TOGETHER,
};
