/**
 * The operations of every served resource by path, with parameters, bodies and responses, derived from the verbs
 * (operation-shapes.ts). render-v2.ts and render-v3.ts render them.
 */
import { capitalize } from '../../../shared/values/text/capitalize';
import { compareBytes } from '../../../shared/values/json';
import type { KindRow, SubresourceRow, Verb } from '../../../shared/api/kinds';
import { hasSchema } from '../../../shared/api/types';
import { groupInDialect, type Dialect } from '../../../shared/names/dialect';
import { groupVersionNames, groupVersionPathOf, operationNames, type GroupVersionKindNames, type OperationNames } from './operation-names';
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

/** One method of a path, independent of the version of OpenAPI. */
export interface Operation {
  readonly method: OperationMethod;
  readonly id: string;
  readonly description: string;
  /** The action and the kind of its objects; absent when the operation has no kind. */
  readonly target?: { readonly action: string; readonly kind: GroupVersionKindNames };
  readonly parameters: readonly Parameter[];
  /** The type is one of the tables, except for a patch. Absent for an operation without a body. */
  readonly body?: { readonly type: string; readonly isRequired: boolean; readonly isPatch: boolean };
  readonly responses: readonly { readonly code: 200 | 201 | 202; readonly type: string }[];
  /** Whether the response may be a stream. True for every list, also of a resource that cannot be watched. */
  readonly mayStream: boolean;
}

/** A path with its operations. */
export interface PathEntry {
  readonly path: string;
  /** Parameters of all its operations. */
  readonly parameters: readonly Parameter[];
  readonly operations: readonly Operation[];
  readonly tag: string;
  /** Whether the kind is custom; such a kind has fewer media types and patch types. */
  readonly isCustom: boolean;
  /** Absent when the operations have the media types of resources. */
  readonly mediaTypes?: { readonly produces: readonly string[]; readonly consumes?: readonly string[] };
}

/** A response type that is described as a string and has no definition. */
export const STRING_TYPE = 'string';

/** The types that operations of all kinds refer to, by their names in the protobuf tables. */
export const PATCH_TYPE = 'meta.v1.Patch';
export const STATUS_TYPE = 'meta.v1.Status';
export const DELETE_OPTIONS_TYPE = 'meta.v1.DeleteOptions';
export const WATCH_EVENT_TYPE = 'meta.v1.WatchEvent';
export const RESOURCE_LIST_TYPE = 'meta.v1.APIResourceList';

/** The descriptions of responses, by status code. */
export const RESPONSE_TEXT: Readonly<Record<200 | 201 | 202, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

/** The order in which upstream lists the methods of a path. */
const METHOD_ORDER: readonly OperationMethod[] = ['get', 'put', 'post', 'delete', 'patch'];

/** The properties that determine the operations, besides the names. */
export interface PathShape extends Pick<KindRow, 'namespaced' | 'verbs' | 'subresources' | 'returnsDeletedObject'> {
  readonly isCustom: boolean;
}

/** The paths of one resource, with group names in the dialect. */
export function pathsOf(row: KindRow, dialect: Dialect): readonly PathEntry[] {
  return pathsOfShape({ ...row, isCustom: row.custom !== undefined }, operationNames(row, dialect), dialect);
}

/** The paths of one resource with these names; paths without operations are left out. */
export function pathsOfShape(shape: PathShape, names: OperationNames, dialect: Dialect): readonly PathEntry[] {
  const builder = new OperationBuilder(shape, names, dialect);
  const groupVersionPath = groupVersionPathOf(names.group, names.version);
  const locations = locationsOf(shape, names.resource);
  const entries = [
    ...resourceEntries(builder, shape, groupVersionPath, locations),
    ...(shape.verbs.includes('watch') && !shape.isCustom ? watchEntries(builder, `${groupVersionPath}/watch`, locations) : []),
  ];
  return entries.filter(({ operations }) => operations.length > 0);
}

/** The locations of a resource below the path of its group version. */
interface Locations {
  readonly collection: ResourceLocation;
  readonly object: ResourceLocation;
  /** The collection of all namespaces; absent for a resource without namespaces. */
  readonly allNamespaces?: ResourceLocation;
}

function locationsOf({ namespaced }: PathShape, resource: string): Locations {
  const wholePath = `/${resource}`;
  const path = namespaced ? `/namespaces/{namespace}${wholePath}` : wholePath;
  const parameters = [...(namespaced ? [NAMESPACE] : []), PRETTY];
  const scopeInfix = namespaced ? 'Namespaced' : '';
  return {
    collection: { path, parameters, scopeInfix },
    object: { path: `${path}/{name}`, parameters: [NAME, ...parameters], scopeInfix },
    ...(namespaced && { allNamespaces: { path: wholePath, parameters: [PRETTY], scopeInfix: '' } }),
  };
}

/** The paths of the collection, the object and its subresources, and of the list of all namespaces. */
function resourceEntries(
  builder: OperationBuilder,
  { verbs, subresources = [] }: PathShape,
  prefix: string,
  { collection, object, allNamespaces }: Locations,
): PathEntry[] {
  const entries = [
    builder.verbPath(below(prefix, collection), verbs, 'collection'),
    builder.verbPath(below(prefix, object), verbs, 'object'),
  ];
  for (const subresource of subresources) {
    if (subresource.connects !== undefined) continue;
    entries.push(builder.subresourcePath(below(prefix, { ...object, path: `${object.path}/${subresource.name}` }), subresource));
  }
  if (allNamespaces !== undefined && verbs.includes('list')) {
    entries.push(builder.verbPath({ ...below(prefix, allNamespaces), suffix: 'ForAllNamespaces' }, ['list'], 'collection'));
  }
  return entries;
}

/** The deprecated paths of watches. */
function watchEntries(builder: OperationBuilder, prefix: string, { collection, object, allNamespaces }: Locations): PathEntry[] {
  const entries = [
    builder.watchPath({ ...below(prefix, collection), suffix: 'List' }, 'collection'),
    builder.watchPath(below(prefix, object), 'object'),
  ];
  if (allNamespaces !== undefined) {
    entries.push(builder.watchPath({ ...below(prefix, allNamespaces), suffix: 'ListForAllNamespaces' }, 'collection'));
  }
  return entries;
}

function below(prefix: string, location: ResourceLocation): ResourceLocation {
  return { ...location, path: prefix + location.path };
}

/** The discovery path of a group version. */
export function discoveryPathOf({ group, version }: Pick<KindRow, 'group' | 'version'>, dialect: Dialect): PathEntry {
  const { tag, idPrefix } = groupVersionNames(group, version);
  const operation: Operation = {
    method: 'get',
    id: `get${idPrefix}APIResources`,
    description: 'List the resources of the group version.',
    parameters: [],
    responses: [{ code: 200, type: RESOURCE_LIST_TYPE }],
    mayStream: false,
  };
  const path = `${groupVersionPathOf(groupInDialect(dialect, group), version)}/`;
  return { path, parameters: [], operations: [operation], tag, isCustom: false };
}

/** A path of a resource, and the text around the kind in the ids of its operations. */
interface ResourceLocation {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** `Namespaced` precedes the kind when the path contains a namespace. */
  readonly scopeInfix: string;
  /** The text after the kind, such as `ForAllNamespaces`, if any. */
  readonly suffix?: string;
}

/** Builds the entries of the paths of one resource. */
class OperationBuilder {
  constructor(
    private readonly shape: PathShape,
    private readonly names: OperationNames,
    private readonly dialect: Dialect,
  ) {}

  /** The verbs of the scope that the path has. */
  verbPath(location: ResourceLocation, verbs: readonly Verb[], scope: OperationShape['scope']): PathEntry {
    const operations = shapesOf(verbs, this.shape)
      .filter((shape) => shape.scope === scope)
      .map((shape) => this.operation(shape, this.names, location));
    return this.entry(location, operations);
  }

  watchPath(location: ResourceLocation, scope: OperationShape['scope']): PathEntry {
    return this.entry(location, [this.operation(WATCH_SHAPES[scope], this.names, location)]);
  }

  subresourcePath(location: ResourceLocation, { name, verbs, kind }: SubresourceRow): PathEntry {
    const type = kind?.type ?? this.names.type;
    // Upstream describes the scale of a custom kind as that kind.
    const servedKind = this.shape.isCustom || kind === undefined ? { ...this.names, type } : operationNames(kind, this.dialect);
    const shapes = this.shape.isCustom || hasSchema(type) ? shapesOf(verbs, this.shape) : [];
    const operations = shapes.map((shape) => this.operation(shape, servedKind, { ...location, suffix: capitalize(name) }));
    return this.entry(location, operations);
  }

  /** The parameters of the only operation of a path are listed with the path, as upstream does. */
  private entry({ path, parameters }: ResourceLocation, operations: readonly Operation[]): PathEntry {
    const [operation, second] = operations;
    const { isCustom } = this.shape;
    const { tag } = this.names;
    if (operation === undefined || second !== undefined) return { path, parameters, operations, tag, isCustom };
    const sortedParameters = [...parameters, ...operation.parameters].sort((a, b) => compareBytes(a.name, b.name));
    return { path, parameters: sortedParameters, operations: [{ ...operation, parameters: [] }], tag, isCustom };
  }

  /** The operation on objects of a kind, which is another one than that of the resource for some subresources. */
  private operation(
    shape: OperationShape,
    { type, kind, valueNames }: Pick<OperationNames, 'kind' | 'type' | 'valueNames'>,
    location: ResourceLocation,
  ): Operation {
    const { method, action, parameters, codes } = shape;
    const resultType = responseType(shape, type, this.shape);
    const body = bodyOf(shape, type);
    return {
      method,
      id: operationId(shape.idVerb, this.names, location),
      description: shape.description.replace('%', kind),
      target: { action, kind: valueNames },
      parameters,
      ...(body === undefined ? {} : { body }),
      responses: codes.map((code) => ({ code, type: resultType })),
      mayStream: resultType === WATCH_EVENT_TYPE || shape.response === 'list',
    };
  }
}

/** The operations of the verbs, in the order of their methods. */
function shapesOf(verbs: readonly Verb[], { isCustom }: PathShape): OperationShape[] {
  const shapesByVerb = isCustom ? CUSTOM_OPERATION_SHAPES : OPERATION_SHAPES;
  const shapes = verbs.filter((verb) => verb !== 'watch').map((verb) => shapesByVerb[verb]);
  return shapes.sort((a, b) => METHOD_ORDER.indexOf(a.method) - METHOD_ORDER.indexOf(b.method));
}

/**
 * `deleteCollection` is split by the group: `deleteCoreV1CollectionNamespacedPod`. A kind with a lower-case initial
 * keeps it only after another word.
 */
function operationId(idVerb: string, { idPrefix, kind, idKind }: OperationNames, { scopeInfix, suffix = '' }: ResourceLocation): string {
  if (idVerb === 'deleteCollection') return `delete${idPrefix}Collection${scopeInfix}${kind}${suffix}`;
  return `${idVerb}${idPrefix}${scopeInfix}${scopeInfix === '' ? idKind : kind}${suffix}`;
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
      return { type, isRequired: true, isPatch: false };
    case 'patch':
      return { type: PATCH_TYPE, isRequired: true, isPatch: true };
    case 'deleteOptions':
      return { type: DELETE_OPTIONS_TYPE, isRequired: false, isPatch: false };
  }
}
