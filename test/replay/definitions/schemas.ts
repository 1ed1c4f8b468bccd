/** The schemas of a CustomResourceDefinition: what may stand where, and which defaults are good. */
import type { Body, Json } from '../reference';
import { definition, each, PLAIN, properties, property, schema, secondSchema, STORAGE, stored, version, versions } from './cases';

const STRING: Body = { type: 'string' };
const OBJECT: Body = { type: 'object' };
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const EITHER = 'x-kubernetes-int-or-string';
const EMBEDDED = 'x-kubernetes-embedded-resource';
const LIST = 'x-kubernetes-list-type';
const KEYS = 'x-kubernetes-list-map-keys';
const MAP = 'x-kubernetes-map-type';

const ROOTS: Record<string, Body> = {
  'root: a string': schema(STRING),
  'root: no type': schema({ properties: { a: STRING } }),
  'root: nullable': schema({ type: 'object', nullable: true }),
  'root: keeps unknown members': schema({ type: 'object', [PRESERVE]: true }),
  'root: keeps them, without a type': schema({ [PRESERVE]: true }),
  'root: does not keep them': schema({ type: 'object', [PRESERVE]: false }),
  'root: an embedded resource': schema({ type: 'object', [EMBEDDED]: true }),
  'root: integer or string': schema({ [EITHER]: true }),
  'root: a default': schema({ type: 'object', default: {} }),
  'root: a default of a member': schema({ type: 'object', properties: { a: STRING }, default: { a: 'x' } }),
  'root: additional properties': schema({ type: 'object', additionalProperties: STRING }),
  'root: any additional property': schema({ type: 'object', additionalProperties: true }),
  'root: a list': schema({ type: 'array', items: STRING }),
  'root: a reference': schema({ type: 'object', $ref: '#/x' }),
  'root: a title and such': schema({
    type: 'object',
    title: 't',
    description: 'd',
    $schema: 's',
    externalDocs: { url: 'x' },
    example: { a: 1 },
  }),
  'root: list type': schema({ type: 'object', [LIST]: 'set' }),
  'root: map type atomic': schema({ type: 'object', [MAP]: 'atomic' }),
};

const STATUS: Body = { subresources: { status: {} } };
const withStatus = (root: Body): Body => stored({ schema: { openAPIV3Schema: root }, ...STATUS });
const SMALL: Body = { type: 'object', maxProperties: 1 };

/** Beside a status endpoint. */
const STATUS_ROOTS: Record<string, Body> = {
  'root with status: all that it may have': withStatus({
    type: 'object',
    description: 'd',
    title: 't',
    format: 'x',
    maximum: 1,
    minimum: 0,
    multipleOf: 1,
    maxLength: 1,
    minLength: 0,
    pattern: 'a',
    maxItems: 1,
    minItems: 0,
    uniqueItems: false,
    required: ['a'],
    properties: { a: STRING },
    externalDocs: { url: 'x' },
    example: { a: 'x' },
    [PRESERVE]: true,
  }),
  ...each(
    'root with status',
    [
      SMALL,
      { type: 'object', minProperties: 0 },
      { type: 'object', enum: [{}] },
      { type: 'object', allOf: [{ required: ['a'] }] },
      { type: 'object', anyOf: [{ required: ['a'] }] },
      { type: 'object', not: {} },
      { type: 'object', default: {} },
      { type: 'object', nullable: false },
      { type: 'object', nullable: true },
      { type: 'object', nullable: true, maxProperties: 1 },
      { type: 'object', additionalProperties: true },
      { type: 'object', [MAP]: 'atomic' },
      { type: 'object', [LIST]: 'atomic' },
      { type: 'object', [EMBEDDED]: false },
      { type: 'object', [EMBEDDED]: true },
      { type: 'object', [EITHER]: true },
      { type: 'object', $schema: 's' },
      { type: 'object', $ref: '#/x', maxProperties: 1 },
      { type: 'string' },
      { type: 'string', maxProperties: 1 },
      { maxProperties: 1 },
    ],
    withStatus,
  ),
  'root with status: null': stored({ schema: { openAPIV3Schema: SMALL }, subresources: { status: null } }),
  'root with status: alike in two, of the first': versions(
    { ...STORAGE, schema: { openAPIV3Schema: SMALL }, ...STATUS },
    version('v2', { schema: { openAPIV3Schema: SMALL } }),
  ),
  'root with status: alike in two, of the second': versions(
    { ...STORAGE, schema: { openAPIV3Schema: SMALL } },
    version('v2', { schema: { openAPIV3Schema: SMALL }, ...STATUS }),
  ),
  'root with status: of the second alone': versions(STORAGE, version('v2', { schema: { openAPIV3Schema: SMALL }, ...STATUS })),
  'root with status: of the first, and the second says it': versions(
    { ...STORAGE, ...STATUS },
    version('v2', { schema: { openAPIV3Schema: SMALL } }),
  ),
};

const TYPES: Record<string, Body> = {
  ...each('type', ['string', 'integer', 'number', 'boolean', 'object', 'null', 'any', 'String', '', 'file'], (type) => property({ type })),
  'type: array': property({ type: 'array', items: STRING }),
  'type: array without items': property({ type: 'array' }),
  'type: none in a list': property({ type: 'array', items: {} }),
  'type: none in a map': property({ type: 'object', additionalProperties: {} }),
  'type: none deep down': property({
    type: 'object',
    properties: { b: { type: 'array', items: { type: 'object', additionalProperties: { properties: { c: {} } } } } },
  }),
  'type: items of what is no list': property({ type: 'string', items: STRING }),
  'type: members of what is no object': property({ type: 'string', properties: { b: STRING } }),
  'type: map of what is no object': property({ type: 'integer', additionalProperties: STRING }),
  'type: several without': properties({ a: {}, b: {}, 'c.d/e': {}, '': {} }),
  ...each('format', ['', 'int32', 'int64', 'date-time', 'x', 'byte', 'ipv4', 'bsonobjectid'], (format) =>
    property({ type: 'string', format }),
  ),
  'null member': property(null),
};

const ALL_KEYWORDS: Record<string, Json> = {
  $ref: '#/definitions/x',
  definitions: { x: STRING },
  dependencies: { a: ['b'] },
  id: 'x',
  patternProperties: { '^a': STRING },
  additionalItems: false,
  uniqueItems: true,
  $schema: 'http://json-schema.org/schema#',
};
const KEYWORDS: Record<string, Body> = {
  ...Object.fromEntries(
    Object.entries(ALL_KEYWORDS).map(([name, value]) => [`keyword: ${name}`, property({ type: 'object', [name]: value })]),
  ),
  ...Object.fromEntries(
    Object.entries(ALL_KEYWORDS).map(([name, value]) => [
      `keyword below allOf: ${name}`,
      property({ type: 'object', allOf: [{ [name]: value }] }),
    ]),
  ),
  'keyword: all': property({ type: 'object', ...ALL_KEYWORDS }),
  'keyword: all, at the root': schema({ type: 'object', ...ALL_KEYWORDS }),
  'keyword: additional items as a schema': property({ type: 'array', items: STRING, additionalItems: STRING }),
  'keyword: no unique items': property({ type: 'array', items: STRING, uniqueItems: false }),
  'keyword: unique items': property({ type: 'array', items: STRING, uniqueItems: true }),
  'keyword: a list of items': property({ type: 'array', items: [STRING, OBJECT] }),
  'keyword: a list of one': property({ type: 'array', items: [STRING] }),
  'keyword: an empty reference': property({ type: 'string', $ref: '' }),
  'keyword: members and other members': property({ type: 'object', properties: { b: STRING }, additionalProperties: STRING }),
  'keyword: members and any others': property({ type: 'object', properties: { b: STRING }, additionalProperties: true }),
  'keyword: members and no others': property({ type: 'object', properties: { b: STRING }, additionalProperties: false }),
  'keyword: no others': property({ type: 'object', additionalProperties: false }),
  'keyword: any others': property({ type: 'object', additionalProperties: true }),
  'keyword: no others, at the root': schema({ type: 'object', additionalProperties: false }),
  'keyword: numbers that contradict': property({ type: 'integer', minimum: 5, maximum: 1, multipleOf: 0, minLength: -1, maxItems: -2 }),
  'keyword: multipleOf': property({ type: 'integer', multipleOf: -1 }),
  ...each(
    'pattern',
    ['^a', '(', '[a', '(?=a)', '(?<n>a)', '(?P<n>a)', '\\d', '\\p{L}', '\\pL', 'a{1001}', '*', '(?i)a', '\\1', '[[:alpha:]]', 'a**'],
    (pattern) => property({ type: 'string', pattern }),
  ),
  'pattern: on a number': property({ type: 'integer', pattern: '(' }),
  'pattern: below allOf': property({ type: 'string', allOf: [{ pattern: '(' }] }),
  'required: what is not there': property({ type: 'object', required: ['x', 'x', ''] }),
  'enum: empty': property({ type: 'string', enum: [] }),
  'enum: of another type': property({ type: 'string', enum: [1, null, {}] }),
  'enum: the same twice': property({ type: 'string', enum: ['a', 'a'] }),
  'minimum: exclusive without': property({ type: 'integer', exclusiveMinimum: true, exclusiveMaximum: true }),
};

const JUNCTORS = ['allOf', 'anyOf', 'oneOf', 'not'] as const;
const below = (junctor: string, inner: Body): Json => (junctor === 'not' ? inner : [inner]);
const FORBIDDEN: Record<string, Json> = {
  type: 'string',
  default: 'x',
  nullable: true,
  description: 'd',
  title: 't',
  format: 'int32',
  example: 1,
  externalDocs: { url: 'x' },
  additionalProperties: STRING,
  [PRESERVE]: true,
  [EITHER]: true,
  [EMBEDDED]: true,
  [LIST]: 'set',
  [KEYS]: ['a'],
  [MAP]: 'atomic',
  'x-kubernetes-validations': [{ rule: 'true' }],
};
const LOGIC: Record<string, Body> = {
  ...Object.fromEntries(
    JUNCTORS.flatMap((junctor) =>
      Object.entries(FORBIDDEN).map(([name, value]) => [
        `${junctor}: ${name}`,
        property({ type: 'object', [junctor]: below(junctor, { [name]: value }) }),
      ]),
    ),
  ),
  ...Object.fromEntries(
    JUNCTORS.map((junctor) => [
      `${junctor}: of members that are there`,
      property({
        type: 'object',
        properties: { b: STRING },
        [junctor]: below(junctor, { properties: { b: { minLength: 1 } }, required: ['b'] }),
      }),
    ]),
  ),
  ...Object.fromEntries(
    JUNCTORS.map((junctor) => [
      `${junctor}: of members that are not there`,
      property({
        type: 'object',
        properties: { b: STRING },
        [junctor]: below(junctor, { properties: { c: { minLength: 1 }, b: { properties: { d: {} } } } }),
      }),
    ]),
  ),
  ...Object.fromEntries(
    JUNCTORS.map((junctor) => [
      `${junctor}: in items`,
      property({ type: 'array', items: STRING, [junctor]: below(junctor, { items: { minLength: 1 } }) }),
    ]),
  ),
  ...Object.fromEntries(
    JUNCTORS.map((junctor) => [
      `${junctor}: in items that are none`,
      property({ type: 'object', [junctor]: below(junctor, { items: { minLength: 1 } }) }),
    ]),
  ),
  ...Object.fromEntries(
    JUNCTORS.map((junctor) => [
      `${junctor}: in a map`,
      property({ type: 'object', additionalProperties: STRING, [junctor]: below(junctor, { additionalProperties: { minLength: 1 } }) }),
    ]),
  ),
  ...Object.fromEntries(
    JUNCTORS.map((junctor) => [`${junctor}: at the root`, schema({ type: 'object', [junctor]: below(junctor, { required: ['spec'] }) })]),
  ),
  ...Object.fromEntries(
    JUNCTORS.map((junctor) => [
      `${junctor}: of metadata`,
      schema({ type: 'object', [junctor]: below(junctor, { properties: { metadata: { properties: { name: { pattern: 'x' } } } } }) }),
    ]),
  ),
  'allOf: empty': property({ type: 'string', allOf: [] }),
  'allOf: within anyOf within not': property({ type: 'string', not: { anyOf: [{ allOf: [{ type: 'string', default: 'a' }] }] } }),
  'allOf: any additional property': property({ type: 'object', allOf: [{ additionalProperties: true }] }),
  'oneOf: of a map, deep down': property({
    type: 'object',
    oneOf: [{ properties: { b: { additionalProperties: { properties: { c: STRING } } } } }],
  }),
  'anyOf: items as a list': property({ type: 'array', items: STRING, anyOf: [{ items: [STRING] }] }),
};

const either = (members: Body): Body => property({ [EITHER]: true, ...members });
const BOTH: Json = [{ type: 'integer' }, { type: 'string' }];
const EITHERS: Record<string, Body> = {
  'either: plain': either({}),
  'either: with a type': either({ type: 'string' }),
  'either: with both types': either({ anyOf: BOTH }),
  'either: the other way round': either({ anyOf: [{ type: 'string' }, { type: 'integer' }] }),
  'either: with both types and more': either({ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'string' }] }),
  'either: with three types': either({ anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'boolean' }] }),
  'either: below allOf': either({ allOf: [{ anyOf: BOTH }] }),
  'either: below allOf, with more': either({ allOf: [{ anyOf: BOTH }, { pattern: 'x' }] }),
  'either: below allOf, second': either({ allOf: [{ pattern: 'x' }, { anyOf: BOTH }] }),
  'either: oneOf': either({ oneOf: BOTH }),
  'either: keeps unknown members': either({ [PRESERVE]: true }),
  'either: members': either({ properties: { b: STRING } }),
  'either: a default': either({ default: 1 }),
  'either: a default of another type': either({ default: true }),
  'either: false': property({ type: 'string', [EITHER]: false }),
  'either: both types without the mark': property({ anyOf: BOTH }),
};

const RESOURCE: Body = { type: 'object', [EMBEDDED]: true };
const EXTENSIONS: Record<string, Body> = {
  'preserve: true': property({ type: 'object', [PRESERVE]: true }),
  'preserve: without a type': property({ [PRESERVE]: true }),
  'preserve: false': property({ type: 'object', [PRESERVE]: false }),
  'preserve: a string': property({ type: 'string', [PRESERVE]: true }),
  'preserve: a list': property({ type: 'array', items: STRING, [PRESERVE]: true }),
  'preserve: without a type, with members': property({ [PRESERVE]: true, properties: { b: STRING } }),
  'preserve: a map': property({ type: 'object', [PRESERVE]: true, additionalProperties: STRING }),
  'preserve: in items': property({ type: 'array', items: { [PRESERVE]: true } }),
  'embedded: nothing else': property(RESOURCE),
  'embedded: keeps unknown members': property({ ...RESOURCE, [PRESERVE]: true }),
  'embedded: members': property({ ...RESOURCE, properties: { spec: OBJECT } }),
  'embedded: its own members': property({ ...RESOURCE, properties: { kind: STRING, apiVersion: STRING, metadata: OBJECT } }),
  'embedded: its own members of other types': property({
    ...RESOURCE,
    properties: { kind: OBJECT, apiVersion: { type: 'integer' }, metadata: STRING },
  }),
  'embedded: a map': property({ ...RESOURCE, additionalProperties: STRING }),
  'embedded: no object': property({ type: 'string', [EMBEDDED]: true }),
  'embedded: no type': property({ [EMBEDDED]: true, [PRESERVE]: true }),
  'embedded: false': property({ type: 'object', [EMBEDDED]: false }),
  'embedded: in items': property({ type: 'array', items: { ...RESOURCE, [PRESERVE]: true } }),
  'list type: atomic': property({ type: 'array', items: STRING, [LIST]: 'atomic' }),
  'list type: set': property({ type: 'array', items: STRING, [LIST]: 'set' }),
  ...each('list type', ['x', '', 'Set', 'granular'], (type) => property({ type: 'array', items: STRING, [LIST]: type })),
  'list type: of an object': property({ type: 'object', [LIST]: 'atomic' }),
  'list type: of nothing': property({ [PRESERVE]: true, [LIST]: 'atomic' }),
  'set: of objects': property({ type: 'array', items: OBJECT, [LIST]: 'set' }),
  'set: of atomic objects': property({ type: 'array', items: { type: 'object', [MAP]: 'atomic' }, [LIST]: 'set' }),
  'set: of granular objects': property({ type: 'array', items: { type: 'object', [MAP]: 'granular' }, [LIST]: 'set' }),
  'set: of lists': property({ type: 'array', items: { type: 'array', items: STRING }, [LIST]: 'set' }),
  'set: of atomic lists': property({ type: 'array', items: { type: 'array', items: STRING, [LIST]: 'atomic' }, [LIST]: 'set' }),
  'set: of sets': property({ type: 'array', items: { type: 'array', items: STRING, [LIST]: 'set' }, [LIST]: 'set' }),
  'set: of either': property({ type: 'array', items: { [EITHER]: true }, [LIST]: 'set' }),
  'set: of anything': property({ type: 'array', items: { [PRESERVE]: true }, [LIST]: 'set' }),
  'set: of what may be null': property({ type: 'array', items: { type: 'string', nullable: true }, [LIST]: 'set' }),
  'set: with keys': property({ type: 'array', items: STRING, [LIST]: 'set', [KEYS]: ['a'] }),
  'keys: without a list type': property({ type: 'array', items: OBJECT, [KEYS]: ['a'] }),
  'keys: of an atomic list': property({ type: 'array', items: OBJECT, [LIST]: 'atomic', [KEYS]: ['a'] }),
  ...each('map type', ['atomic', 'granular', 'x', '', 'set'], (type) => property({ type: 'object', [MAP]: type })),
  'map type: of a list': property({ type: 'array', items: STRING, [MAP]: 'atomic' }),
  'map type: of a string': property({ type: 'string', [MAP]: 'granular' }),
  'map type: of anything': property({ [PRESERVE]: true, [MAP]: 'atomic' }),
  'everything at once': property({
    type: 'string',
    [PRESERVE]: false,
    [EITHER]: true,
    [EMBEDDED]: true,
    [LIST]: 'x',
    [KEYS]: [''],
    [MAP]: 'y',
    properties: { b: STRING },
    items: {},
  }),
};

const keyed = (keys: Json, item: Body): Body => property({ type: 'array', items: item, [LIST]: 'map', [KEYS]: keys });
const item = (of: Body, more: Body = {}): Body => ({ type: 'object', properties: of, ...more });
const NEEDED = item({ k: STRING }, { required: ['k'] });
const KEYED: Record<string, Body> = {
  'keyed: good': keyed(['k'], NEEDED),
  'keyed: a default instead': keyed(['k'], item({ k: { type: 'string', default: 'x' } })),
  'keyed: neither': keyed(['k'], item({ k: STRING })),
  'keyed: both': keyed(['k'], item({ k: { type: 'string', default: 'x' } }, { required: ['k'] })),
  'keyed: no keys': keyed([], NEEDED),
  'keyed: keys null': keyed(null, NEEDED),
  'keyed: an empty key': keyed([''], NEEDED),
  'keyed: an unknown key': keyed(['x'], NEEDED),
  'keyed: the same key twice': keyed(['k', 'k'], NEEDED),
  'keyed: two keys': keyed(['k', 'l'], item({ k: STRING, l: { type: 'integer', default: 1 } }, { required: ['k'] })),
  'keyed: an object as key': keyed(['k'], item({ k: OBJECT }, { required: ['k'] })),
  'keyed: a list as key': keyed(['k'], item({ k: { type: 'array', items: STRING } }, { required: ['k'] })),
  'keyed: either as key': keyed(['k'], item({ k: { [EITHER]: true } }, { required: ['k'] })),
  'keyed: anything as key': keyed(['k'], item({ k: { [PRESERVE]: true } }, { required: ['k'] })),
  'keyed: a key that may be null': keyed(['k'], item({ k: { type: 'string', nullable: true } }, { required: ['k'] })),
  'keyed: number and boolean': keyed(['k', 'l'], item({ k: { type: 'number' }, l: { type: 'boolean' } }, { required: ['k', 'l'] })),
  'keyed: items may be null': keyed(['k'], { ...NEEDED, nullable: true }),
  'keyed: of strings': keyed(['k'], STRING),
  'keyed: of maps': keyed(['k'], { type: 'object', additionalProperties: STRING }),
  'keyed: of anything': keyed(['k'], { type: 'object', [PRESERVE]: true }),
  'keyed: no items': property({ type: 'array', [LIST]: 'map', [KEYS]: ['k'] }),
  'keyed: of an object': property({ type: 'object', [LIST]: 'map', [KEYS]: ['k'] }),
  'keyed: in items': property({ type: 'array', items: { type: 'array', items: item({}), [LIST]: 'map', [KEYS]: ['k'] } }),
  'keyed: metadata': keyed(['k'], { ...NEEDED, [EMBEDDED]: true }),
};

const metadata = (of: Json): Body => properties({ metadata: of });
const METADATA: Record<string, Body> = {
  'metadata: plain': metadata(OBJECT),
  'metadata: no type': metadata({}),
  'metadata: a string': metadata(STRING),
  'metadata: name and generateName': metadata({
    type: 'object',
    properties: { name: { type: 'string', pattern: 'x' }, generateName: { type: 'string', maxLength: 5 } },
  }),
  'metadata: labels': metadata({ type: 'object', properties: { labels: { type: 'object', additionalProperties: STRING } } }),
  'metadata: name and labels': metadata({ type: 'object', properties: { name: STRING, labels: OBJECT, annotations: OBJECT } }),
  'metadata: required': metadata({ type: 'object', required: ['name'] }),
  'metadata: minProperties': metadata({ type: 'object', minProperties: 1 }),
  'metadata: a description': metadata({ type: 'object', description: 'd', title: 't' }),
  'metadata: additional properties': metadata({ type: 'object', additionalProperties: STRING }),
  'metadata: keeps unknown members': metadata({ type: 'object', [PRESERVE]: true }),
  'metadata: a default': metadata({ type: 'object', default: { name: 'x' } }),
  'metadata: a default of its name': metadata({ type: 'object', properties: { name: { type: 'string', default: 'x' } } }),
  'metadata: nullable': metadata({ type: 'object', nullable: true }),
  'metadata: atomic': metadata({ type: 'object', [MAP]: 'atomic' }),
  'metadata: name with a type of its own': metadata({ type: 'object', properties: { name: { type: 'integer' } } }),
  'metadata: name with more': metadata({
    type: 'object',
    properties: { name: { type: 'string', description: 'd', enum: ['a'], format: 'x', allOf: [{ pattern: 'x' }] } },
  }),
  'metadata: below, it is like others': property({
    type: 'object',
    properties: { metadata: { type: 'object', properties: { labels: OBJECT } } },
  }),
  'metadata: of an embedded resource': property({
    ...RESOURCE,
    properties: { metadata: { type: 'object', properties: { labels: OBJECT, name: { type: 'string', pattern: 'x' } } } },
  }),
  'apiVersion and kind': properties({ apiVersion: STRING, kind: STRING }),
  'apiVersion and kind of other types': properties({ apiVersion: { type: 'integer' }, kind: OBJECT }),
  'apiVersion and kind without types': properties({ apiVersion: {}, kind: {} }),
  'apiVersion and kind with patterns': properties({
    apiVersion: { type: 'string', pattern: 'x' },
    kind: { type: 'string', enum: ['Thing'] },
  }),
  'apiVersion and kind with defaults': properties({ apiVersion: { type: 'string', default: 'x' }, kind: { type: 'string', default: 'y' } }),
  'allOf of apiVersion': schema({
    type: 'object',
    allOf: [{ properties: { apiVersion: { pattern: 'x' }, kind: { enum: ['x'] }, metadata: { maxProperties: 1 } } }],
  }),
};

const fallback = (of: Body, value: Json): Body => property({ ...of, default: value });
const DEFAULTS: Record<string, Body> = {
  'default: good': fallback(STRING, 'x'),
  'default: of another type': fallback(STRING, 1),
  'default: null': fallback(STRING, null),
  'default: null where it may be': fallback({ type: 'string', nullable: true }, null),
  'default: an integer for a number': fallback({ type: 'number' }, 1),
  'default: a number for an integer': fallback({ type: 'integer' }, 1.5),
  'default: a whole number for an integer': fallback({ type: 'integer' }, 1.0),
  'default: too long': fallback({ type: 'string', maxLength: 2 }, 'abc'),
  'default: not in the enumeration': fallback({ type: 'string', enum: ['a'] }, 'b'),
  'default: against the pattern': fallback({ type: 'string', pattern: '^a' }, 'b'),
  'default: against the format': fallback({ type: 'string', format: 'ipv4' }, 'b'),
  'default: too small': fallback({ type: 'integer', minimum: 5 }, 1),
  'default: object': fallback({ type: 'object', properties: { b: STRING } }, { b: 'x' }),
  'default: an unknown member': fallback({ type: 'object', properties: { b: STRING } }, { b: 'x', c: 1 }),
  'default: several unknown members': fallback({ type: 'object', properties: { b: OBJECT } }, { b: { d: 1 }, c: 1 }),
  'default: unknown and wrong': fallback({ type: 'object', properties: { b: STRING } }, { b: 2, c: 1 }),
  'default: an unknown member that is kept': fallback({ type: 'object', [PRESERVE]: true, properties: { b: STRING } }, { b: 'x', c: 1 }),
  'default: lacks what is required': fallback({ type: 'object', properties: { b: STRING }, required: ['b'] }, {}),
  'default: lacks what has a default': fallback(
    { type: 'object', properties: { b: { type: 'string', default: 'x' } }, required: ['b'] },
    {},
  ),
  'default: in a list': property({ type: 'array', items: { type: 'string', default: 'x' } }),
  'default: bad in a list': property({ type: 'array', items: { type: 'string', default: 1 } }),
  'default: of a list': fallback({ type: 'array', items: STRING }, ['a', 'b']),
  'default: of a list, bad': fallback({ type: 'array', items: STRING }, ['a', 1, null]),
  'default: twice in a set': fallback({ type: 'array', items: STRING, [LIST]: 'set' }, ['a', 'a']),
  'default: twice in a keyed list': fallback({ type: 'array', items: NEEDED, [LIST]: 'map', [KEYS]: ['k'] }, [{ k: 'a' }, { k: 'a' }]),
  'default: of a map': fallback({ type: 'object', additionalProperties: { type: 'integer' } }, { x: 1 }),
  'default: of a map, bad': fallback({ type: 'object', additionalProperties: { type: 'integer' } }, { x: 'a' }),
  'default: in a map': property({ type: 'object', additionalProperties: { type: 'string', default: 5 } }),
  'default: integer or string': fallback({ [EITHER]: true }, '50%'),
  'default: an embedded resource': fallback({ ...RESOURCE, [PRESERVE]: true }, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }),
  'default: an embedded resource with bad metadata': fallback(
    { ...RESOURCE, [PRESERVE]: true },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 1, x: 2 } },
  ),
  'default: an embedded resource with unknown metadata': fallback(
    { ...RESOURCE, [PRESERVE]: true },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', x: 2 } },
  ),
  'default: an embedded resource without a kind': fallback({ ...RESOURCE, [PRESERVE]: true }, { apiVersion: 'v1' }),
  'default: an embedded resource with a bad label': fallback(
    { ...RESOURCE, [PRESERVE]: true },
    { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { 'a b': 'c' } } },
  ),
  'default: within a default': property({ type: 'object', default: {}, properties: { b: { type: 'string', default: 1 } } }),
  'default: of a map within a map': fallback(
    { type: 'object', additionalProperties: { type: 'object', additionalProperties: STRING } },
    { k: { j: 1 } },
  ),
  'default: null inside': fallback({ type: 'object', properties: { b: STRING } }, { b: null }),
  'default: an object for integer or string': fallback({ [EITHER]: true }, { x: 1 }),
  'default: below a key that is not named': property({
    type: 'object',
    additionalProperties: { type: 'object', properties: { x: { type: 'string', default: 1 } } },
  }),
  'default: with rules': fallback({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 5' }] }, 6),
  'default: several bad': properties({
    a: { type: 'string', default: 1 },
    b: { type: 'integer', default: 'x' },
    c: { type: 'array', items: STRING, default: {} },
  }),
  'default: oneOf': fallback({ type: 'string', oneOf: [{ enum: ['a'] }, { enum: ['b'] }] }, 'c'),
  'default: bad and a fault of structure': properties({ a: { type: 'string', default: 1 }, b: {} }),
  'default: bad and a bad pattern': properties({ a: { type: 'string', default: 1 }, b: { type: 'string', pattern: '(' } }),
  'default: at the root of metadata': schema({ type: 'object', default: { metadata: { name: 'x' } } }),
};

const kindDefault = (of: Json, name = 'kind'): Body => property({ ...RESOURCE, properties: { [name]: of } });
const INSIDE: Record<string, Body> = {
  'inside kind: a good default': kindDefault({ type: 'string', default: 'Pod' }),
  'inside kind: a bad default': kindDefault({ type: 'string', default: 'a b' }),
  'inside kind: a default of another type': kindDefault({ type: 'string', default: 5 }),
  'inside metadata: good defaults': kindDefault({ type: 'object', properties: { name: { type: 'string', default: 'x' } } }, 'metadata'),
  'inside metadata: a default of another type': kindDefault(
    { type: 'object', properties: { name: { type: 'integer', default: 5 } } },
    'metadata',
  ),
  'inside metadata: a bad finalizer': kindDefault(
    { type: 'object', properties: { finalizers: { type: 'array', items: { type: 'string', default: 'a b' } } } },
    'metadata',
  ),
  'inside metadata: unknown members': kindDefault(
    { type: 'object', default: { name: 'x', foo: 1 }, properties: { name: STRING } },
    'metadata',
  ),
  'inside metadata: a default of any key': kindDefault(
    { type: 'object', properties: { labels: { type: 'object', additionalProperties: { type: 'string', default: 'x' } } } },
    'metadata',
  ),
  'inside metadata: another object': kindDefault({ type: 'object', properties: { z: { ...RESOURCE, [PRESERVE]: true } } }, 'metadata'),
  'inside metadata of the resource: another object': metadata({ ...RESOURCE, [PRESERVE]: true }),
  'inside metadata of the resource: a default of an item': metadata({
    type: 'object',
    properties: { name: { type: 'array', items: { type: 'string', default: 'x' } } },
  }),
};

const ruled = (rule: Body, of: Body = STRING): Body => ({ ...of, 'x-kubernetes-validations': [rule] });
/** Faults of one stage each, to be put beside those of another. */
const RULE_FAULTS: Record<string, Body> = {
  empty: ruled({ rule: '' }),
  'bad message': ruled({ rule: 'true', message: 'a\nb' }),
  'bad reason': ruled({ rule: 'true', reason: 'x' }),
  'an empty reason': ruled({ rule: 'true', reason: '' }),
  'bad path': ruled({ rule: 'true', fieldPath: '.b' }, { type: 'object', properties: { a: STRING } }),
  'does not compile': ruled({ rule: 'self == 5' }),
};
const OTHER_FAULTS: Record<string, Body> = {
  'a reference': { type: 'string', $ref: 'x' },
  'unique items': { type: 'array', items: STRING, uniqueItems: true },
  'a list type': { type: 'array', items: STRING, [LIST]: 'x' },
  'no type': {},
  'an unknown type': { type: 'x' },
  'a bad default': { type: 'string', default: 1 },
  $schema: { type: 'string', $schema: 'x' },
};
const RULES: Record<string, Body> = {
  ...Object.fromEntries(
    Object.entries(RULE_FAULTS).flatMap(([title, fault]) => [
      [`rule ${title}`, property(fault)],
      ...Object.entries(OTHER_FAULTS).map(([beside, other]): [string, Body] => [
        `rule ${title}, and ${beside}`,
        properties({ a: fault, b: other }),
      ]),
    ]),
  ),
  'default: against its rule': fallback(ruled({ rule: 'self > 5' }, { type: 'integer' }), 3),
  'default: against a rule with a message': fallback(
    ruled({ rule: "self.b == 'x'", message: 'm' }, { type: 'object', properties: { b: STRING } }),
    { b: 'y' },
  ),
  'default: against a rule of its part': fallback({ type: 'object', properties: { b: ruled({ rule: "self == 'x'" }) } }, { b: 'y' }),
  'default: in the way of its rule': fallback(
    ruled({ rule: 'self.b > 5', message: 'm' }, { type: 'object', properties: { b: { type: 'integer' } } }),
    {},
  ),
};

const BAD: Body = { type: 'object', properties: { a: {} } };
const PLACES: Record<string, Body> = {
  'place: one version': schema(BAD),
  'place: the second': secondSchema(BAD),
  'place: both alike': versions({ ...STORAGE, schema: { openAPIV3Schema: BAD } }, version('v2', { schema: { openAPIV3Schema: BAD } })),
  'place: both, not alike': versions(
    { ...STORAGE, schema: { openAPIV3Schema: BAD } },
    version('v2', { schema: { openAPIV3Schema: { ...BAD, title: 't' } } }),
  ),
  'place: alike but for what is dropped': versions(
    { ...STORAGE, schema: { openAPIV3Schema: BAD } },
    version('v2', { schema: { openAPIV3Schema: { ...BAD, required: [] } } }),
  ),
  'place: bad default in the second': secondSchema({ type: 'object', properties: { a: { type: 'string', default: 1 } } }),
  'place: names with dots and quotes': properties({ 'a.b': {}, "c'd": {}, 'e/f': { type: 'object', properties: { 'g"h': {} } } }),
  'place: deep': property({
    type: 'array',
    items: { type: 'array', items: { type: 'object', additionalProperties: { type: 'object', properties: { z: {} } } } },
  }),
  'place: a dozen': properties(Object.fromEntries(Array.from('abcdefghijkl', (name) => [name, {}]))),
  'place: schema and outline': definition({
    scope: 'x',
    versions: [{ ...STORAGE, schema: { openAPIV3Schema: BAD } }, version('v2', { schema: { openAPIV3Schema: PLAIN } })],
  }),
};

export const SCHEMAS: Readonly<Record<string, Body>> = {
  ...ROOTS,
  ...STATUS_ROOTS,
  ...TYPES,
  ...KEYWORDS,
  ...LOGIC,
  ...EITHERS,
  ...EXTENSIONS,
  ...KEYED,
  ...METADATA,
  ...DEFAULTS,
  ...INSIDE,
  ...RULES,
  ...PLACES,
};
