/**
 * Whole OpenAPI documents: one of version 2 for everything, one of version 3 per group version. Derived from the kind table and the type
 * tables; never kept here (openapi.ts decides how long), never knows about HTTP.
 */
import { compareBytes, type JsonObject } from '../../shared/values/json';
import { apiVersionOf, type GroupVersion } from '../../shared/api/identity/identity';
import type { KindRow } from '../../shared/api/kinds';
import { CUSTOM_TYPE, definitions, openApiName, type PublishedKind } from '../../shared/api/types';
import { groupIn, OPENAPI_ROOT, RELEASE, type Dialect } from '../../shared/names/dialect';
import { CUSTOM_REFERENCES, customSchemas } from './custom-schemas';
import type { Describe } from './descriptions';
import {
  DELETE_OPTIONS_TYPE,
  PATCH_TYPE,
  pathsOf,
  RESOURCE_LIST_TYPE,
  rootPathOf,
  STATUS_TYPE,
  WATCH_EVENT_TYPE,
  type PathEntry,
} from './operations';
import { renderPathV2 } from './render-v2';
import { renderPathV3 } from './render-v3';

const DIALECTS: readonly Dialect[] = ['platform', 'kubernetes'];
const INFO = { title: 'Cluster control plane', version: `${RELEASE.major}.${RELEASE.minor}` };
const BEARER = { description: 'Bearer token', type: 'apiKey', name: 'authorization', in: 'header' };
const SECURITY = 'BearerToken';

/** Everything, with the groups in both spellings, so that a client finds the one that it knows. */
export function documentV2(rows: readonly KindRow[], naming: Dialect, describe?: Describe): JsonObject {
  const root = OPENAPI_ROOT[naming];
  const entries = DIALECTS.flatMap((dialect) =>
    entriesOf(
      rows.filter((row) => belongs(row, dialect)),
      dialect,
      naming,
    ),
  );
  const kinds = publishedKinds(rows, DIALECTS);
  const texts = describe === undefined ? {} : { describe };
  return {
    swagger: '2.0',
    info: INFO,
    paths: sortedPaths(entries, (entry) => renderPathV2(entry, naming, (type) => openApiName(type, root))),
    definitions: schemas(entries, rows, { version: 2, root, kinds, texts }),
    securityDefinitions: { [SECURITY]: BEARER },
    security: [{ [SECURITY]: [] }],
  };
}

/** What one group version serves, in one spelling. `rows` = all kinds, as types may be kinds of other group versions. */
export function documentV3(rows: readonly KindRow[], { group, version }: GroupVersion, dialect: Dialect, describe?: Describe): JsonObject {
  const root = OPENAPI_ROOT[dialect];
  const own = rows.filter((row) => row.group === group && row.version === version);
  const entries = entriesOf(own, dialect, dialect);
  const kinds = publishedKinds(rows, [dialect]);
  const texts = describe === undefined ? {} : { describe };
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: sortedPaths(entries, (entry) => renderPathV3(entry, dialect, (type) => openApiName(type, root))),
    components: {
      schemas: schemas(entries, own, { version: 3, root, kinds, texts }),
      securitySchemes: { [SECURITY]: BEARER },
    },
  };
}

/** `naming` spells the kinds of other groups where the group of the path has one spelling only. */
function entriesOf(rows: readonly KindRow[], dialect: Dialect, naming: Dialect): PathEntry[] {
  const roots = new Map(rows.map((row) => [apiVersionOf(row), rootPathOf(row, dialect)]));
  return [...roots.values(), ...rows.flatMap((row) => pathsOf(row, isSpelledAlike(row) ? naming : dialect))];
}

function isSpelledAlike({ group }: KindRow): boolean {
  return groupIn('kubernetes', group) === group;
}

/** Groups that are spelled alike in both dialects are listed once. */
function belongs(row: KindRow, dialect: Dialect): boolean {
  return dialect === 'platform' || !isSpelledAlike(row);
}

function sortedPaths(entries: readonly PathEntry[], render: (entry: PathEntry) => JsonObject): JsonObject {
  const sorted = [...entries].sort((a, b) => compareBytes(a.path, b.path));
  return Object.fromEntries(sorted.map((entry) => [entry.path, render(entry)]));
}

interface SchemaOptions {
  readonly version: 2 | 3;
  readonly root: string;
  readonly kinds: ReadonlyMap<string, readonly PublishedKind[]>;
  readonly texts: { readonly describe?: Describe };
}

/** Of everything that the operations refer to; `rows` = the kinds that have them. */
function schemas(entries: readonly PathEntry[], rows: readonly KindRow[], { version, root, kinds, texts }: SchemaOptions): JsonObject {
  const isCustom = rows.some(({ custom }) => custom !== undefined);
  const types = [...typesOf(entries).filter((type) => !type.startsWith(CUSTOM_TYPE)), ...(isCustom ? CUSTOM_REFERENCES : [])];
  const builtIn = definitions(types, { version, root, kindsOf: (type) => kinds.get(type) ?? [], ...texts });
  return withPatch({ ...builtIn, ...customSchemas(rows, { version, root, ...texts }) }, root);
}

/** The types that the operations refer to, and those that clients look for without being told. */
function typesOf(entries: readonly PathEntry[]): string[] {
  const types = new Set([WATCH_EVENT_TYPE]);
  for (const { operations } of entries) {
    for (const { body, answers } of operations) {
      if (body !== undefined && !body.patch) types.add(body.type);
      for (const { type } of answers) types.add(type);
    }
  }
  return [...types];
}

/** A patch may be anything, so no table describes it. */
function withPatch(schemas: Record<string, JsonObject>, root: string): JsonObject {
  const all = Object.entries({ ...schemas, [openApiName(PATCH_TYPE, root)]: { type: 'object' } });
  return Object.fromEntries(all.sort(([a], [b]) => compareBytes(a, b)));
}

/** Under which kinds a type is known. Options and events are kinds of every group version. */
function publishedKinds(rows: readonly KindRow[], dialects: readonly Dialect[]): ReadonlyMap<string, readonly PublishedKind[]> {
  const kinds = new Map<string, PublishedKind[]>();
  const publish = (type: string, kind: PublishedKind): void => {
    const known = kinds.get(type) ?? [];
    if (!known.some((other) => other.group === kind.group && other.version === kind.version)) kinds.set(type, [...known, kind]);
  };
  for (const shared of [STATUS_TYPE, RESOURCE_LIST_TYPE, DELETE_OPTIONS_TYPE, WATCH_EVENT_TYPE]) {
    publish(shared, { group: '', version: 'v1', kind: shared.slice(shared.lastIndexOf('.') + 1) });
  }
  for (const dialect of dialects) {
    for (const row of rows) {
      const group = groupIn(dialect, row.group);
      const { version } = row;
      publish(row.type, { group, version, kind: row.kind });
      publish(`${row.type}List`, { group, version, kind: `${row.kind}List` });
      publish(DELETE_OPTIONS_TYPE, { group, version, kind: 'DeleteOptions' });
      publish(WATCH_EVENT_TYPE, { group, version, kind: 'WatchEvent' });
      for (const { kind: body, connects } of row.subresources ?? []) {
        if (body !== undefined && connects === undefined)
          publish(body.type, { group: groupIn(dialect, body.group), version: body.version, kind: body.kind });
      }
    }
  }
  return kinds;
}
