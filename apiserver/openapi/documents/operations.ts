/**
 * The operations of every served resource by path, with parameters, bodies and responses, derived from the verbs
 * (operation-shapes.ts). render-v2.ts and render-v3.ts render them.
 */
import { capitalize } from '../../../shared/values/text/capitalize';
import { compareBytes } from '../../../shared/values/json';
import type { KindRow, SubresourceRow, Verb } from '../../../shared/api/kinds';
import { hasSchema } from '../../../shared/api/types';
import { groupInDialect, groupStem, type Dialect } from '../../../shared/names/dialect';
import {
  CUSTOM_OPERATION_SHAPES,
  NAME,
  NAMESPACE,
  PRETTY,
  OPERATION_SHAPES,
  WATCH_SHAPES,
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
  /** The action and the kind of its objects; absent when the operation has no kind. */
  readonly on?: { readonly action: string; readonly kind: GroupVersionKindNames };
  readonly parameters: readonly Parameter[];
  /** A type of the tables. */
  readonly body?: { readonly type: string; readonly required: boolean; readonly patch: boolean };
  readonly responses: readonly { readonly code: 200 | 201 | 202; readonly type: string }[];
  /** Whether the response may be a stream. True for every list, also for the one that cannot be watched. */
  readonly watchable: boolean;
}

export interface PathEntry {
  readonly path: string;
  /** Parameters of all its operations. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
  readonly tag: string;
  /** Set for a custom kind, which has fewer media types and patch types. */
  readonly custom?: true;
  /** Absent when the operation has the media types of resources. */
  readonly mediaTypes?: { readonly produces: readonly string[]; readonly consumes?: readonly string[] };
}

/** A response type that is described as a string and has no definition. */
export const STRING_TYPE = 'string';

export const PATCH_TYPE = 'meta.v1.Patch';
export const STATUS_TYPE = 'meta.v1.Status';
export const DELETE_OPTIONS_TYPE = 'meta.v1.DeleteOptions';
export const WATCH_EVENT_TYPE = 'meta.v1.WatchEvent';
export const RESOURCE_LIST_TYPE = 'meta.v1.APIResourceList';

export const RESPONSE_TEXT: Readonly<Record<200 | 201 | 202, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

const METHOD_ORDER: readonly OperationMethod[] = ['get', 'put', 'post', 'delete', 'patch'];

/** The names of a kind that its operations contain. */
export interface KindWords extends GroupVersionKindNames {
  /** The same names as values, which some encodings quote. */
  readonly on: GroupVersionKindNames;
  readonly resource: string;
  /** The kind at the start of an operation id. */
  readonly idKind: string;
  /** The type of its objects; the type of its lists has the suffix `List`. */
  readonly type: string;
  readonly tag: string;
  readonly idPrefix: string;
}

/** The properties that determine the operations, besides the names. */
export interface PathShape extends Pick<KindRow, 'namespaced' | 'verbs' | 'subresources' | 'returnsDeletedObject'> {
  readonly isCustom: boolean;
}

/** The paths of one resource, with group names in the dialect. */
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
  const groupVersionPath = groupVersionPathOf(words.group, words.version);
  const everywhere = `/${words.resource}`;
  const inside = `/namespaces/{namespace}/${words.resource}`;
  const collectionPath = namespaced ? inside : everywhere;
  const basePath = groupVersionPath + collectionPath;
  const scope = namespaced ? [NAMESPACE] : [];
  const scopeInfix = namespaced ? 'Namespaced' : '';
  const builder = new OperationBuilder(shape, words, dialect);
  const entries: PathEntry[] = [
    builder.path(basePath, [...scope, PRETTY], verbs, 'collection', scopeInfix),
    builder.path(`${basePath}/{name}`, [NAME, ...scope, PRETTY], verbs, 'object', scopeInfix),
    ...(shape.subresources ?? [])
      .filter(({ connects }) => connects === undefined)
      .map((sub) => builder.subresource(`${basePath}/{name}/${sub.name}`, [NAME, ...scope, PRETTY], sub, scopeInfix)),
  ];
  if (namespaced && verbs.includes('list'))
    entries.push(builder.path(groupVersionPath + everywhere, [PRETTY], ['list'], 'collection', '', 'ForAllNamespaces'));
  if (verbs.includes('watch') && !isCustom) {
    entries.push(builder.watchPath(`${groupVersionPath}/watch${collectionPath}`, [...scope, PRETTY], 'many', scopeInfix, 'List'));
    entries.push(builder.watchPath(`${groupVersionPath}/watch${collectionPath}/{name}`, [NAME, ...scope, PRETTY], 'one', scopeInfix));
    if (namespaced) entries.push(builder.watchPath(`${groupVersionPath}/watch${everywhere}`, [PRETTY], 'many', '', 'ListForAllNamespaces'));
  }
  return entries.filter(({ operations }) => operations.length > 0);
}

/** The discovery path of a group version. */
export function discoveryPathOf({ group, version }: Pick<KindRow, 'group' | 'version'>, dialect: Dialect): PathEntry {
  const { tag, idPrefix } = namesOf(group, version);
  const operation: Operation = {
    method: 'get',
    id: `get${idPrefix}APIResources`,
    description: 'List the resources of the group version.',
    parameters: [],
    responses: [{ code: 200, type: RESOURCE_LIST_TYPE }],
    watchable: false,
  };
  return { path: `${groupVersionPathOf(groupInDialect(dialect, group), version)}/`, parameters: [], operations: [operation], tag };
}

/** The identifier of a group in operation ids and tags. */
export function groupIdOf(group: string): { readonly tag: string; readonly prefix: string } {
  const tag = groupIdentifierOf(group);
  return { tag, prefix: capitalize(tag) };
}

function groupVersionPathOf(group: string, version: string): string {
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
    scope: OperationShape['scope'],
    scopeInfix: string,
    suffix = '',
  ): PathEntry {
    const operations = shapesOf(verbs, this.shape)
      .filter((shape) => shape.scope === scope)
      .map((shape) => this.operation(shape, this.words, scopeInfix, suffix));
    return this.entry(path, parameters, operations);
  }

  watchPath(path: string, parameters: readonly Parameter[], many: keyof typeof WATCH_SHAPES, scopeInfix: string, suffix = ''): PathEntry {
    return this.entry(path, parameters, [this.operation(WATCH_SHAPES[many], this.words, scopeInfix, suffix)]);
  }

  subresource(path: string, parameters: readonly Parameter[], { name, verbs, kind }: SubresourceRow, scopeInfix: string): PathEntry {
    const type = kind?.type ?? this.words.type;
    // Upstream describes the scale of a custom kind as that kind.
    const served = this.shape.isCustom || kind === undefined ? { ...this.words, type } : wordsOf(kind, this.dialect);
    const shapes = this.shape.isCustom || hasSchema(type) ? shapesOf(verbs, this.shape) : [];
    return this.entry(
      path,
      parameters,
      shapes.map((shape) => this.operation(shape, served, scopeInfix, capitalize(name))),
    );
  }

  /** The parameters of the only operation of a path are listed with the path, as upstream does. */
  private entry(path: string, parameters: readonly Parameter[], operations: readonly Operation[]): PathEntry {
    const [operation, second] = operations;
    const custom = this.shape.isCustom ? { custom: true as const } : {};
    const { tag } = this.words;
    if (operation === undefined || second !== undefined) return { path, parameters, operations, tag, ...custom };
    const sortedParameters = [...parameters, ...operation.parameters].sort((a, b) => compareBytes(a.name, b.name));
    return { path, parameters: sortedParameters, operations: [{ ...operation, parameters: [] }], tag, ...custom };
  }

  /** `suffix` follows the kind in the operation id. */
  private operation(
    shape: OperationShape,
    { type, kind, on }: Pick<KindWords, 'kind' | 'on' | 'type'>,
    scopeInfix: string,
    suffix: string,
  ): Operation {
    const { method, action, parameters, codes } = shape;
    const resultType = responseType(shape, type, this.shape);
    const body = bodyOf(shape, type);
    return {
      method,
      id: operationId(shape.idVerb, this.words, scopeInfix, suffix),
      description: shape.description.replace('%', kind),
      on: { action, kind: on },
      parameters,
      ...(body === undefined ? {} : { body }),
      responses: codes.map((code) => ({ code, type: resultType })),
      watchable: resultType === WATCH_EVENT_TYPE || shape.response === 'list',
    };
  }
}

function shapesOf(verbs: readonly Verb[], { isCustom }: PathShape): OperationShape[] {
  const known = isCustom ? CUSTOM_OPERATION_SHAPES : OPERATION_SHAPES;
  const shapes = verbs.filter((verb) => verb !== 'watch').map((verb) => known[verb]);
  return shapes.sort((a, b) => METHOD_ORDER.indexOf(a.method) - METHOD_ORDER.indexOf(b.method));
}

/**
 * `deleteCollection` is split by the group: `deleteCoreV1CollectionNamespacedPod`. A kind with a lower-case initial
 * keeps it only after another word.
 */
function operationId(word: string, { idPrefix, kind, idKind }: KindWords, scopeInfix: string, suffix: string): string {
  if (word === 'deleteCollection') return `delete${idPrefix}Collection${scopeInfix}${kind}${suffix}`;
  return `${word}${idPrefix}${scopeInfix}${scopeInfix === '' ? idKind : kind}${suffix}`;
}

function responseType({ response, scope }: OperationShape, type: string, { returnsDeletedObject }: PathShape): string {
  switch (response) {
    case 'object':
      return type;
    case 'list':
      return `${type}List`;
    case 'event':
      return WATCH_EVENT_TYPE;
    case 'status':
      return returnsDeletedObject === true && scope === 'object' ? type : STATUS_TYPE;
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

/**
 * `` → `core`, `rbac.authorization.platform.io` → `rbacAuthorization`, `acme.cert-manager.io` → `acmeCertManagerIo`.
 */
function groupIdentifierOf(group: string): string {
  if (group === '') return 'core';
  const [first = '', ...more] = groupStem(group).split(/[.-]+/);
  return first + more.map(capitalize).join('');
}
