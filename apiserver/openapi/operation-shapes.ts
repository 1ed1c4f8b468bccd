/** What each verb takes and answers, as data: its method, words, parameters, body and codes. Knows no kind and no path. Descriptions are few and ours. */
import type { Verb } from '../../shared/api/kinds';

export type OperationMethod = 'get' | 'put' | 'post' | 'delete' | 'patch';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

const query = (name: string, type: Parameter['type'], description: string): Parameter => ({ name, in: 'query', type, description });
const inPath = (name: string, description: string): Parameter => ({ name, in: 'path', type: 'string', description });

export const NAME = inPath('name', 'The name of the object.');
export const NAMESPACE = inPath('namespace', 'The namespace of the object.');
export const PRETTY = query('pretty', 'string', "'true' indents the answer.");
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

/** What a verb takes and answers. */
export interface OperationShape {
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
export const SHAPES: Readonly<Record<Exclude<Verb, 'watch'>, OperationShape>> = {
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
export const CUSTOM_SHAPES: typeof SHAPES = {
  ...SHAPES,
  get: { ...SHAPES.get, parameters: [RESOURCE_VERSION] },
  patch: { ...SHAPES.patch, codes: [200] },
  deletecollection: { ...withoutBody(SHAPES.deletecollection), parameters: LISTING },
};

function withoutBody({ body: _, ...shape }: OperationShape): OperationShape {
  return shape;
}

/** The older way to watch, with a path of its own. */
export const WATCHING: Readonly<Record<'one' | 'many', OperationShape>> = {
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
