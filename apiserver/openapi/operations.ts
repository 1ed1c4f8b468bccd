/**
 * What can be done under which path, as data: the operations of every served resource with their parameters, bodies and answers. Both
 * versions of OpenAPI are rendered from it (render-v2.ts, render-v3.ts). Descriptions are few and ours.
 */
import { capitalised } from '../../shared/values/capitalised';
import { compareBytes } from '../../shared/values/json';
import type { KindRow, SubresourceRow, Verb } from '../../shared/api/kinds';
import { hasSchema } from '../../shared/api/types';
import { groupIn, groupStem, type Dialect } from '../../shared/names/dialect';

export type OperationMethod = 'get' | 'put' | 'post' | 'delete' | 'patch';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

export interface GroupVersionKindNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Operation {
  readonly method: OperationMethod;
  readonly id: string;
  readonly description: string;
  /** What is done to objects of which kind; absent where there are none. */
  readonly on?: { readonly action: string; readonly kind: GroupVersionKindNames };
  readonly parameters: readonly Parameter[];
  /** A type of the tables. */
  readonly body?: { readonly type: string; readonly required: boolean; readonly patch: boolean };
  readonly answers: readonly { readonly code: 200 | 201 | 202; readonly type: string }[];
  /** Its answer may be a stream: said of every list, also of the one that cannot be watched. */
  readonly watchable: boolean;
}

export interface PathEntry {
  readonly path: string;
  /** Of all its operations. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
  readonly tag: string;
  /** Of a custom kind, which has fewer representations and patches. */
  readonly custom?: true;
  /** Answered in no other representation. */
  readonly onlyJson?: true;
}

export const PATCH_TYPE = 'meta.v1.Patch';
export const STATUS_TYPE = 'meta.v1.Status';
export const DELETE_OPTIONS_TYPE = 'meta.v1.DeleteOptions';
export const WATCH_EVENT_TYPE = 'meta.v1.WatchEvent';
export const RESOURCE_LIST_TYPE = 'meta.v1.APIResourceList';

export const RESPONSE_TEXT: Readonly<Record<200 | 201 | 202, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

const query = (name: string, type: Parameter['type'], description: string): Parameter => ({ name, in: 'query', type, description });
const inPath = (name: string, description: string): Parameter => ({ name, in: 'path', type: 'string', description });

const NAME = inPath('name', 'The name of the object.');
const NAMESPACE = inPath('namespace', 'The namespace of the object.');
const PRETTY = query('pretty', 'string', "'true' indents the answer.");
const DRY_RUN = query('dryRun', 'string', "'All' goes through every step of the request but does not store anything.");
const FIELD_MANAGER = query(
  'fieldManager',
  'string',
  'The name under which changed fields are recorded: at most 128 printable characters.',
);
const FIELD_VALIDATION = query(
  'fieldValidation',
  'string',
  'What unknown and duplicate fields of the body lead to: Ignore, Warn or Strict.',
);
const FORCE = query('force', 'boolean', 'Takes over fields that others own. Only for apply patches.');
const CONTINUE = query('continue', 'string', 'The token of the page before.');
const FIELD_SELECTOR = query('fieldSelector', 'string', 'Restricts the list of returned objects by their fields.');
const LABEL_SELECTOR = query('labelSelector', 'string', 'Restricts the list of returned objects by their labels.');
const LIMIT = query('limit', 'integer', 'The most objects in one page.');
const RESOURCE_VERSION = query('resourceVersion', 'string', 'The state that the answer may come from.');
const RESOURCE_VERSION_MATCH = query('resourceVersionMatch', 'string', 'How resourceVersion restricts a list: Exact or NotOlderThan.');
const SEND_INITIAL_EVENTS = query('sendInitialEvents', 'boolean', 'Begins a watch with the present state.');
const TIMEOUT_SECONDS = query('timeoutSeconds', 'integer', 'How long a list or watch may take.');
const GRACE_PERIOD = query('gracePeriodSeconds', 'integer', 'Seconds that the object is given to end; zero ends it at once.');
const ORPHAN = query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy.');
const PROPAGATION = query('propagationPolicy', 'string', 'What happens to dependents: Orphan, Background or Foreground.');

const LISTING: readonly Parameter[] = [
  query('allowWatchBookmarks', 'boolean', 'Lets a watch send bookmarks.'),
  CONTINUE,
  FIELD_SELECTOR,
  LABEL_SELECTOR,
  LIMIT,
  RESOURCE_VERSION,
  RESOURCE_VERSION_MATCH,
  SEND_INITIAL_EVENTS,
  TIMEOUT_SECONDS,
  query('watch', 'boolean', 'Watch for changes to the described resources, which come as a stream.'),
];
const WRITING: readonly Parameter[] = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];
const DELETING: readonly Parameter[] = [DRY_RUN, GRACE_PERIOD, ORPHAN, PROPAGATION];
const DELETING_MANY: readonly Parameter[] = [
  CONTINUE,
  DRY_RUN,
  FIELD_SELECTOR,
  GRACE_PERIOD,
  LABEL_SELECTOR,
  LIMIT,
  ORPHAN,
  PROPAGATION,
  RESOURCE_VERSION,
  RESOURCE_VERSION_MATCH,
  SEND_INITIAL_EVENTS,
  TIMEOUT_SECONDS,
];

interface Shape {
  readonly method: OperationMethod;
  readonly action: string;
  readonly word: string;
  /** `%` stands for the kind. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly place: 'collection' | 'object';
  readonly body?: 'object' | 'patch' | 'deleteOptions';
  readonly answer: 'object' | 'list' | 'status' | 'event';
  readonly codes: readonly (200 | 201 | 202)[];
}

/** One row per verb; `watch` is a way to list. */
const SHAPES: Readonly<Record<Exclude<Verb, 'watch'>, Shape>> = {
  list: {
    method: 'get',
    action: 'list',
    word: 'list',
    description: 'List or watch objects of kind %.',
    parameters: LISTING,
    place: 'collection',
    answer: 'list',
    codes: [200],
  },
  create: {
    method: 'post',
    action: 'post',
    word: 'create',
    description: 'Create %.',
    parameters: WRITING,
    place: 'collection',
    body: 'object',
    answer: 'object',
    codes: [200, 201, 202],
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    word: 'deleteCollection',
    description: 'Delete all selected objects of kind %.',
    parameters: DELETING_MANY,
    place: 'collection',
    body: 'deleteOptions',
    answer: 'status',
    codes: [200],
  },
  get: {
    method: 'get',
    action: 'get',
    word: 'read',
    description: 'Read %.',
    parameters: [],
    place: 'object',
    answer: 'object',
    codes: [200],
  },
  update: {
    method: 'put',
    action: 'put',
    word: 'replace',
    description: 'Replace %.',
    parameters: WRITING,
    place: 'object',
    body: 'object',
    answer: 'object',
    codes: [200, 201],
  },
  delete: {
    method: 'delete',
    action: 'delete',
    word: 'delete',
    description: 'Delete %.',
    parameters: DELETING,
    place: 'object',
    body: 'deleteOptions',
    answer: 'status',
    codes: [200, 202],
  },
  patch: {
    method: 'patch',
    action: 'patch',
    word: 'patch',
    description: 'Change part of %.',
    parameters: [...WRITING, FORCE],
    place: 'object',
    body: 'patch',
    answer: 'object',
    codes: [200, 201],
  },
};

/** Of custom kinds upstream says less of some and more of others. */
const CUSTOM_SHAPES: typeof SHAPES = {
  ...SHAPES,
  get: { ...SHAPES.get, parameters: [RESOURCE_VERSION] },
  patch: { ...SHAPES.patch, codes: [200] },
  deletecollection: { ...withoutBody(SHAPES.deletecollection), parameters: LISTING },
};

function withoutBody({ body: _, ...shape }: Shape): Shape {
  return shape;
}

/** The older way to watch, with a path of its own. */
const WATCHING: Readonly<Record<'one' | 'many', Shape>> = {
  one: {
    method: 'get',
    action: 'watch',
    word: 'watch',
    description: 'Watch an object of kind %. Deprecated: list with the parameters watch and fieldSelector.',
    parameters: LISTING,
    place: 'object',
    answer: 'event',
    codes: [200],
  },
  many: {
    method: 'get',
    action: 'watchlist',
    word: 'watch',
    description: 'Watch objects of kind %. Deprecated: list with the parameter watch.',
    parameters: LISTING,
    place: 'collection',
    answer: 'event',
    codes: [200],
  },
};

const METHOD_ORDER: readonly OperationMethod[] = ['get', 'put', 'post', 'delete', 'patch'];

/** The words of a kind, of which the texts of its operations are made. */
export interface KindWords extends GroupVersionKindNames {
  /** The same where they stand as values, which some encodings put into quotation marks. */
  readonly on: GroupVersionKindNames;
  readonly resource: string;
  /** The kind where an id begins with it. */
  readonly idKind: string;
  /** Of its objects; that of its lists is called so with `List` behind. */
  readonly type: string;
  readonly tag: string;
  readonly idPrefix: string;
}

/** What there is besides words: kinds of the same shape have the same operations. */
export interface PathShape extends Pick<KindRow, 'namespaced' | 'verbs' | 'subresources' | 'returnsDeletedObject'> {
  readonly isCustom: boolean;
}

/** The paths of one resource, group names in the dialect's spelling. */
export function pathsOf(row: KindRow, dialect: Dialect): readonly PathEntry[] {
  return pathsOfShape({ ...row, isCustom: row.custom !== undefined }, wordsOf(row, dialect), dialect);
}

export function wordsOf(row: Omit<KindRow, 'custom'>, dialect: Dialect): KindWords {
  const { version, kind, resource, type } = row;
  const on = { group: groupIn(dialect, row.group), version, kind };
  return { ...on, on, resource, type, idKind: capitalised(kind), ...namesOf(row.group, version) };
}

export function pathsOfShape(shape: PathShape, words: KindWords, dialect: Dialect): readonly PathEntry[] {
  const { namespaced, verbs, isCustom } = shape;
  const root = rootOf(words.group, words.version);
  const [everywhere, inside] = [`/${words.resource}`, `/namespaces/{namespace}/${words.resource}`];
  const own = namespaced ? inside : everywhere;
  const place = root + own;
  const scope = namespaced ? [NAMESPACE] : [];
  const within = namespaced ? 'Namespaced' : '';
  const builder = new OperationBuilder(shape, words, dialect);
  const entries: PathEntry[] = [
    builder.path(place, [...scope, PRETTY], verbs, 'collection', within),
    builder.path(`${place}/{name}`, [NAME, ...scope, PRETTY], verbs, 'object', within),
    ...(shape.subresources ?? [])
      .filter(({ connects }) => connects === undefined)
      .map((sub) => builder.subresource(`${place}/{name}/${sub.name}`, [NAME, ...scope, PRETTY], sub, within)),
  ];
  if (namespaced && verbs.includes('list'))
    entries.push(builder.path(root + everywhere, [PRETTY], ['list'], 'collection', '', 'ForAllNamespaces'));
  if (verbs.includes('watch') && !isCustom) {
    entries.push(builder.watchPath(`${root}/watch${own}`, [...scope, PRETTY], 'many', within, 'List'));
    entries.push(builder.watchPath(`${root}/watch${own}/{name}`, [NAME, ...scope, PRETTY], 'one', within));
    if (namespaced) entries.push(builder.watchPath(`${root}/watch${everywhere}`, [PRETTY], 'many', '', 'ListForAllNamespaces'));
  }
  return entries.filter(({ operations }) => operations.length > 0);
}

/** The path that tells what a group version has. */
export function rootPathOf({ group, version }: Pick<KindRow, 'group' | 'version'>, dialect: Dialect): PathEntry {
  const { tag, idPrefix } = namesOf(group, version);
  const operation: Operation = {
    method: 'get',
    id: `get${idPrefix}APIResources`,
    description: 'List the resources of the group version.',
    parameters: [],
    answers: [{ code: 200, type: RESOURCE_LIST_TYPE }],
    watchable: false,
  };
  return { path: `${rootOf(groupIn(dialect, group), version)}/`, parameters: [], operations: [operation], tag };
}

/** How a group is called in ids and tags. */
export function groupIdOf(group: string): { readonly tag: string; readonly prefix: string } {
  const tag = stemOf(group);
  return { tag, prefix: capitalised(tag) };
}

function rootOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

function namesOf(group: string, version: string): { readonly tag: string; readonly idPrefix: string } {
  const { tag, prefix } = groupIdOf(group);
  return { tag: `${tag}_${version}`, idPrefix: prefix + capitalised(version) };
}

class OperationBuilder {
  constructor(
    private readonly shape: PathShape,
    private readonly words: KindWords,
    private readonly dialect: Dialect,
  ) {}

  path(
    path: string,
    parameters: readonly Parameter[],
    verbs: readonly Verb[],
    place: Shape['place'],
    within: string,
    suffix = '',
  ): PathEntry {
    const operations = shapesOf(verbs, this.shape)
      .filter((shape) => shape.place === place)
      .map((shape) => this.operation(shape, this.words, within, suffix));
    return this.entry(path, parameters, operations);
  }

  watchPath(path: string, parameters: readonly Parameter[], many: keyof typeof WATCHING, within: string, suffix = ''): PathEntry {
    return this.entry(path, parameters, [this.operation(WATCHING[many], this.words, within, suffix)]);
  }

  subresource(path: string, parameters: readonly Parameter[], { name, verbs, kind }: SubresourceRow, within: string): PathEntry {
    const type = kind?.type ?? this.words.type;
    // The scale of a custom kind is said to be of that kind.
    const served = this.shape.isCustom || kind === undefined ? { ...this.words, type } : wordsOf(kind, this.dialect);
    const shapes = this.shape.isCustom || hasSchema(type) ? shapesOf(verbs, this.shape) : [];
    return this.entry(
      path,
      parameters,
      shapes.map((shape) => this.operation(shape, served, within, capitalised(name))),
    );
  }

  /** What the only operation of a path takes stands with the path, as upstream writes it. */
  private entry(path: string, parameters: readonly Parameter[], operations: readonly Operation[]): PathEntry {
    const [only, second] = operations;
    const custom = this.shape.isCustom ? { custom: true as const } : {};
    const { tag } = this.words;
    if (only === undefined || second !== undefined) return { path, parameters, operations, tag, ...custom };
    const all = [...parameters, ...only.parameters].sort((a, b) => compareBytes(a.name, b.name));
    return { path, parameters: all, operations: [{ ...only, parameters: [] }], tag, ...custom };
  }

  /** @param suffix what stands behind the kind in its id */
  private operation(shape: Shape, { type, kind, on }: Pick<KindWords, 'kind' | 'on' | 'type'>, within: string, suffix: string): Operation {
    const { method, action, parameters, codes } = shape;
    const answer = answerType(shape, type, this.shape);
    const body = bodyOf(shape, type);
    return {
      method,
      id: operationId(shape.word, this.words, within, suffix),
      description: shape.description.replace('%', kind),
      on: { action, kind: on },
      parameters,
      ...(body === undefined ? {} : { body }),
      answers: codes.map((code) => ({ code, type: answer })),
      watchable: answer === WATCH_EVENT_TYPE || shape.answer === 'list',
    };
  }
}

function shapesOf(verbs: readonly Verb[], { isCustom }: PathShape): Shape[] {
  const known = isCustom ? CUSTOM_SHAPES : SHAPES;
  const shapes = verbs.filter((verb) => verb !== 'watch').map((verb) => known[verb]);
  return shapes.sort((a, b) => METHOD_ORDER.indexOf(a.method) - METHOD_ORDER.indexOf(b.method));
}

/** `deleteCollection` is divided by the group: `deleteCoreV1CollectionNamespacedPod`. Kinds that begin small do so only behind another word. */
function operationId(word: string, { idPrefix, kind, idKind }: KindWords, within: string, suffix: string): string {
  if (word === 'deleteCollection') return `delete${idPrefix}Collection${within}${kind}${suffix}`;
  return `${word}${idPrefix}${within}${within === '' ? idKind : kind}${suffix}`;
}

function answerType({ answer, place }: Shape, type: string, { returnsDeletedObject }: PathShape): string {
  switch (answer) {
    case 'object':
      return type;
    case 'list':
      return `${type}List`;
    case 'event':
      return WATCH_EVENT_TYPE;
    case 'status':
      return returnsDeletedObject === true && place === 'object' ? type : STATUS_TYPE;
  }
}

function bodyOf({ body }: Shape, type: string): Operation['body'] {
  if (body === undefined) return undefined;
  switch (body) {
    case 'object':
      return { type, required: true, patch: false };
    case 'patch':
      return { type: PATCH_TYPE, required: true, patch: true };
    case 'deleteOptions':
      return { type: DELETE_OPTIONS_TYPE, required: false, patch: false };
  }
}

/** `` → `core`, `rbac.authorization.platform.io` → `rbacAuthorization`, `acme.cert-manager.io` → `acmeCertManagerIo`. */
function stemOf(group: string): string {
  if (group === '') return 'core';
  const [first = '', ...more] = groupStem(group).split(/[.-]+/);
  return first + more.map(capitalised).join('');
}
