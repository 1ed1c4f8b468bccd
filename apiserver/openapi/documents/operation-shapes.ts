/**
 * The operation of each verb as data: method, id, parameters, body and response codes. Independent of kinds and paths,
 * which operations.ts adds. Parameters and codes are those of upstream; the short descriptions are this repository's
 * own.
 */
import type { Verb } from '../../../shared/api/kinds';

/** The method in lower case, which is the operation's member in the object of its path. */
export type OperationMethod = 'get' | 'put' | 'post' | 'delete' | 'patch';

/** A parameter of an operation, in the terms that both versions of OpenAPI have. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

const queryParameter = (name: string, type: Parameter['type'], description: string): Parameter => ({
  name,
  in: 'query',
  type,
  description,
});
const pathParameter = (name: string, description: string): Parameter => ({ name, in: 'path', type: 'string', description });

/** The parameter of all paths to a single object. */
export const NAME = pathParameter('name', 'The name of the object.');
/** The parameter of all paths within a namespace. */
export const NAMESPACE = pathParameter('namespace', 'The namespace of the object.');
/** The parameter of all operations on resources. */
export const PRETTY = queryParameter('pretty', 'string', "'true' indents the response.");
const DRY_RUN = queryParameter('dryRun', 'string', "'All' processes the request through all stages without storing the object.");
const FIELD_MANAGER = queryParameter(
  'fieldManager',
  'string',
  'The field manager that is recorded for changed fields: at most 128 printable characters.',
);
const FIELD_VALIDATION = queryParameter(
  'fieldValidation',
  'string',
  'How unknown and duplicate fields of the body are handled: Ignore, Warn or Strict.',
);
const FORCE = queryParameter('force', 'boolean', 'Takes over fields that other managers own. Only for apply patches.');
const CONTINUE = queryParameter('continue', 'string', 'The token of the next page, from the previous response.');
const FIELD_SELECTOR = queryParameter('fieldSelector', 'string', 'Restricts the list of returned objects by their fields.');
const LABEL_SELECTOR = queryParameter('labelSelector', 'string', 'Restricts the list of returned objects by their labels.');
const LIMIT = queryParameter('limit', 'integer', 'The maximum number of objects in a page.');
const RESOURCE_VERSION = queryParameter('resourceVersion', 'string', 'The revision from which the response may be served.');
const RESOURCE_VERSION_MATCH = queryParameter(
  'resourceVersionMatch',
  'string',
  'How resourceVersion restricts a list: Exact or NotOlderThan.',
);
const SEND_INITIAL_EVENTS = queryParameter('sendInitialEvents', 'boolean', 'Starts a watch with events for the existing objects.');
const TIMEOUT_SECONDS = queryParameter('timeoutSeconds', 'integer', 'The time limit of a list or watch.');
const GRACE_PERIOD = queryParameter(
  'gracePeriodSeconds',
  'integer',
  'Grace period in seconds before the object is deleted; zero deletes it immediately.',
);
const ORPHAN = queryParameter('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy.');
const PROPAGATION = queryParameter('propagationPolicy', 'string', 'How dependents are handled: Orphan, Background or Foreground.');

const LIST_PARAMETERS: readonly Parameter[] = [
  queryParameter('allowWatchBookmarks', 'boolean', 'Allows bookmark events in a watch.'),
  CONTINUE,
  FIELD_SELECTOR,
  LABEL_SELECTOR,
  LIMIT,
  RESOURCE_VERSION,
  RESOURCE_VERSION_MATCH,
  SEND_INITIAL_EVENTS,
  TIMEOUT_SECONDS,
  queryParameter('watch', 'boolean', 'Watch for changes to the described resources, which are returned as a stream.'),
];
const WRITE_PARAMETERS: readonly Parameter[] = [DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];
const DELETE_PARAMETERS: readonly Parameter[] = [DRY_RUN, GRACE_PERIOD, ORPHAN, PROPAGATION];
const DELETE_COLLECTION_PARAMETERS: readonly Parameter[] = [
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

/** The operation of a verb. */
export interface OperationShape {
  readonly method: OperationMethod;
  /** The extension `x-kubernetes-action`. */
  readonly action: string;
  /** The verb at the start of the operation id. */
  readonly idVerb: string;
  /** `%` is replaced by the kind. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Whether the path names the collection or one object. */
  readonly scope: 'collection' | 'object';
  /** Absent for an operation without a body. */
  readonly body?: 'object' | 'patch' | 'deleteOptions';
  readonly response: 'object' | 'list' | 'status' | 'event';
  /** The status codes of success. */
  readonly codes: readonly (200 | 201 | 202)[];
}

/** One row per verb; `watch` is a form of `list`. */
export const OPERATION_SHAPES: Readonly<Record<Exclude<Verb, 'watch'>, OperationShape>> = {
  list: {
    method: 'get',
    action: 'list',
    idVerb: 'list',
    description: 'List or watch objects of kind %.',
    parameters: LIST_PARAMETERS,
    scope: 'collection',
    response: 'list',
    codes: [200],
  },
  create: {
    method: 'post',
    action: 'post',
    idVerb: 'create',
    description: 'Create %.',
    parameters: WRITE_PARAMETERS,
    scope: 'collection',
    body: 'object',
    response: 'object',
    codes: [200, 201, 202],
  },
  deletecollection: {
    method: 'delete',
    action: 'deletecollection',
    idVerb: 'deleteCollection',
    description: 'Delete all selected objects of kind %.',
    parameters: DELETE_COLLECTION_PARAMETERS,
    scope: 'collection',
    body: 'deleteOptions',
    response: 'status',
    codes: [200],
  },
  get: {
    method: 'get',
    action: 'get',
    idVerb: 'read',
    description: 'Read %.',
    parameters: [],
    scope: 'object',
    response: 'object',
    codes: [200],
  },
  update: {
    method: 'put',
    action: 'put',
    idVerb: 'replace',
    description: 'Replace %.',
    parameters: WRITE_PARAMETERS,
    scope: 'object',
    body: 'object',
    response: 'object',
    codes: [200, 201],
  },
  delete: {
    method: 'delete',
    action: 'delete',
    idVerb: 'delete',
    description: 'Delete %.',
    parameters: DELETE_PARAMETERS,
    scope: 'object',
    body: 'deleteOptions',
    response: 'status',
    codes: [200, 202],
  },
  patch: {
    method: 'patch',
    action: 'patch',
    idVerb: 'patch',
    description: 'Change part of %.',
    parameters: [...WRITE_PARAMETERS, FORCE],
    scope: 'object',
    body: 'patch',
    response: 'object',
    codes: [200, 201],
  },
};

/** The operations of custom kinds, as upstream describes them: three of them differ from those of built-in kinds. */
export const CUSTOM_OPERATION_SHAPES: typeof OPERATION_SHAPES = {
  ...OPERATION_SHAPES,
  get: { ...OPERATION_SHAPES.get, parameters: [RESOURCE_VERSION] },
  patch: { ...OPERATION_SHAPES.patch, codes: [200] },
  deletecollection: { ...withoutBody(OPERATION_SHAPES.deletecollection), parameters: LIST_PARAMETERS },
};

function withoutBody({ body: _, ...shape }: OperationShape): OperationShape {
  return shape;
}

/** The deprecated watch operations, which have their own paths. */
export const WATCH_SHAPES: Readonly<Record<OperationShape['scope'], OperationShape>> = {
  object: {
    method: 'get',
    action: 'watch',
    idVerb: 'watch',
    description: 'Watch an object of kind %. Deprecated: list with the parameters watch and fieldSelector.',
    parameters: LIST_PARAMETERS,
    scope: 'object',
    response: 'event',
    codes: [200],
  },
  collection: {
    method: 'get',
    action: 'watchlist',
    idVerb: 'watch',
    description: 'Watch objects of kind %. Deprecated: list with the parameter watch.',
    parameters: LIST_PARAMETERS,
    scope: 'collection',
    response: 'event',
    codes: [200],
  },
};
