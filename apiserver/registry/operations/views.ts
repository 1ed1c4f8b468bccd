/**
 * Views: kinds that can be read although nothing of them is stored. One function per kind, in a table, says what there is at the moment; this
 * file selects from it and makes entries of it. Nothing is kept: lists have no version, and there is nothing to watch.
 */
import { groupResourceText } from '../../../shared/api/identity/identity';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { encodeBody } from '../../../shared/api/types';
import type { StatusError } from '../../../shared/api/errors/status';
import type { Entry } from '../../cache/cache';
import type { ShownPage, Selection, VirtualResource } from '../verbs';

/** What a kind shows, whoever asks. */
export interface View {
  /** Everything that there is, in order. The objects are cluster-scoped and have no labels. */
  objects(): Promise<readonly JsonObject[]>;
  /** What is said of a name that is not among them. */
  missing(name: string): StatusError;
}

/** By resource: `componentstatuses`. */
export type ViewTable = Readonly<Record<string, View>>;

export interface Views {
  get(resource: VirtualResource, name: string): Promise<Entry>;
  list(resource: VirtualResource, selection: Selection): Promise<ShownPage>;
}

/** Throws when a kind of the rows has no view: a fault that shows at the start. */
export function createViews(table: ViewTable, rows: readonly KindRow[]): Views {
  const seen = rows.filter(({ virtual, verbs }) => virtual === true && (verbs.includes('get') || verbs.includes('list')));
  for (const row of seen) viewOf(table, row);
  const entriesOf = async ({ row }: VirtualResource): Promise<readonly Entry[]> =>
    (await viewOf(table, row).objects()).map((object) => entryOf(row, object));
  return {
    async get(resource, name) {
      const found = (await entriesOf(resource)).find(({ key }) => key === name);
      if (found === undefined) throw viewOf(table, resource.row).missing(name);
      return found;
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
  return { key, revision: 0, bytes: Buffer.from(encodeBody(row.type, object)), labels: {}, fields: {}, isDialectSensitive: false };
}
