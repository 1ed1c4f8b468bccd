/**
 * Virtual kinds that can be read although no object of them is stored. A view per kind computes the current objects;
 * this file selects from them and encodes them. Lists have no resourceVersion, and watches are not supported.
 */
import { groupResourceText } from '../../../shared/api/identity/identity';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { encodeBody } from '../../../shared/api/types';
import { componentNotFound, type StatusError } from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import { transientEntry } from '../object/stored-object';
import type { ResponsePage, Selection, VirtualResource } from '../verbs';

/** The objects of a virtual kind. */
export interface View {
  /** All objects, in order. They are cluster-scoped and have no labels. */
  objects(): Promise<readonly JsonObject[]>;
  /** The error for a name that does not exist. */
  notFound(name: string): StatusError;
}

/** Keys are resources: `componentstatuses`. */
export type ViewTable = Readonly<Record<string, View>>;

/** The readable virtual kinds of a server, for the endpoints. */
export interface Views {
  /** Rejects with the view's error when no object has the name. */
  get(resource: VirtualResource, name: string): Promise<Entry>;
  /** All objects that the selection matches, in one page without a revision. */
  list(resource: VirtualResource, selection: Selection): Promise<ResponsePage>;
}

/** Throws at start when a readable virtual kind has no view. */
export function createViews(table: ViewTable, rows: readonly KindRow[]): Views {
  const readable = rows.filter(({ virtual, verbs }) => virtual === true && (verbs.includes('get') || verbs.includes('list')));
  for (const row of readable) viewOf(table, row);
  const entriesOf = async ({ row }: VirtualResource): Promise<readonly Entry[]> =>
    (await viewOf(table, row).objects()).map((object) => entryOf(row, object));
  return {
    async get(resource, name) {
      const match = (await entriesOf(resource)).find(({ key }) => key === name);
      if (match === undefined) throw viewOf(table, resource.row).notFound(name);
      return match;
    },
    async list(resource, selection) {
      return { revision: undefined, entries: (await entriesOf(resource)).filter((entry) => selection.matches(entry)) };
    },
  };
}

function viewOf(table: ViewTable, row: KindRow): View {
  const view = table[groupResourceText(row)];
  if (view === undefined) throw new Error(`no view for ${groupResourceText(row)}`);
  return view;
}

function entryOf(row: KindRow, object: JsonObject): Entry {
  const key = stringAt(readMetadata(object), 'name') ?? '';
  return transientEntry(key, 0, Buffer.from(encodeBody(row.type, object)));
}

/**
 * ComponentStatus `etcd-0`: whether the store answers. Upstream also lists the scheduler and the controller manager,
 * which are separate programs here. `checkStore` resolves with the error message of the store, or `undefined` when it
 * answers.
 */
export function componentStatusView(checkStore: () => Promise<string | undefined>): View {
  return {
    objects: async () => [componentStatusObject('etcd-0', await checkStore())],
    notFound: componentNotFound,
  };
}

function componentStatusObject(name: string, error: string | undefined): JsonObject {
  const condition: JsonObject =
    error === undefined ? { type: 'Healthy', status: 'True', message: 'ok' } : { type: 'Healthy', status: 'False', message: error };
  return { metadata: { name, creationTimestamp: null }, conditions: [condition] };
}
