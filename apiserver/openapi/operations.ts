/**
 * What can be done under which path: the operations of every served resource with their parameters, bodies and answers, made of what its verbs take
 * (operation-shapes.ts). Both versions of OpenAPI are rendered from it (render-v2.ts, render-v3.ts).
 */
import { capitalize } from '../../shared/values/capitalize';
import { compareBytes } from '../../shared/values/json';
import type { KindRow, SubresourceRow, Verb } from '../../shared/api/kinds';
import { hasSchema } from '../../shared/api/types';
import { groupInDialect, groupStem, type Dialect } from '../../shared/names/dialect';
import {
  CUSTOM_SHAPES,
  NAME,
  NAMESPACE,
  PRETTY,
  SHAPES,
  WATCHING,
  type OperationMethod,
  type OperationShape,
  type Parameter,
} from './operation-shapes';

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
  /** Absent when the operation has the media types of resources. */
  readonly mediaTypes?: { readonly produces: readonly string[]; readonly consumes?: readonly string[] };
}

/** The response type that is described as a string and has no definition. */
export const STRING_TYPE = 'string';

export const PATCH_TYPE = 'meta.v1.Patch';
export const STATUS_TYPE = 'meta.v1.Status';
export const DELETE_OPTIONS_TYPE = 'meta.v1.DeleteOptions';
export const WATCH_EVENT_TYPE = 'meta.v1.WatchEvent';
export const RESOURCE_LIST_TYPE = 'meta.v1.APIResourceList';

export const RESPONSE_TEXT: Readonly<Record<200 | 201 | 202, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

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
  const on = { group: groupInDialect(dialect, row.group), version, kind };
  return { ...on, on, resource, type, idKind: capitalize(kind), ...namesOf(row.group, version) };
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
  return { path: `${rootOf(groupInDialect(dialect, group), version)}/`, parameters: [], operations: [operation], tag };
}

/** How a group is called in ids and tags. */
export function groupIdOf(group: string): { readonly tag: string; readonly prefix: string } {
  const tag = stemOf(group);
  return { tag, prefix: capitalize(tag) };
}

function rootOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

function namesOf(group: string, version: string): { readonly tag: string; readonly idPrefix: string } {
  const { tag, prefix } = groupIdOf(group);
  return { tag: `${tag}_${version}`, idPrefix: prefix + capitalize(version) };
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
    place: OperationShape['place'],
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
      shapes.map((shape) => this.operation(shape, served, within, capitalize(name))),
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
  private operation(
    shape: OperationShape,
    { type, kind, on }: Pick<KindWords, 'kind' | 'on' | 'type'>,
    within: string,
    suffix: string,
  ): Operation {
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

function shapesOf(verbs: readonly Verb[], { isCustom }: PathShape): OperationShape[] {
  const known = isCustom ? CUSTOM_SHAPES : SHAPES;
  const shapes = verbs.filter((verb) => verb !== 'watch').map((verb) => known[verb]);
  return shapes.sort((a, b) => METHOD_ORDER.indexOf(a.method) - METHOD_ORDER.indexOf(b.method));
}

/** `deleteCollection` is divided by the group: `deleteCoreV1CollectionNamespacedPod`. Kinds that begin small do so only behind another word. */
function operationId(word: string, { idPrefix, kind, idKind }: KindWords, within: string, suffix: string): string {
  if (word === 'deleteCollection') return `delete${idPrefix}Collection${within}${kind}${suffix}`;
  return `${word}${idPrefix}${within}${within === '' ? idKind : kind}${suffix}`;
}

function answerType({ answer, place }: OperationShape, type: string, { returnsDeletedObject }: PathShape): string {
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

function bodyOf({ body }: OperationShape, type: string): Operation['body'] {
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
  return first + more.map(capitalize).join('');
}
