/**
 * OpenAPI documents as values: one of version 2 for everything, one of version 3 per group version, and the pieces of them that each custom kind adds.
 * Derived from the kind table, the type tables and schemas; never kept here (openapi.ts decides how long), never knows about HTTP.
 */
import { compareBytes, type JsonObject } from '../../shared/values/json';
import { apiVersionOf, type GroupVersion } from '../../shared/api/identity/identity';
import type { KindRow } from '../../shared/api/kinds';
import { CUSTOM_TYPE_PREFIX, buildDefinitions, openApiName, type PublishedKind } from '../../shared/api/types';
import { type Dialect, DIALECTS, groupInDialect, OPENAPI_NAME_PREFIX, RELEASE } from '../../shared/names/dialect';
import { PublishedSchema } from './published-schema';
import { CUSTOM_REFERENCES, customSchemas } from './custom-schemas';
import type { Describe } from './descriptions';
import type { OpenApiVersion } from './response-form';
import {
  DELETE_OPTIONS_TYPE,
  PATCH_TYPE,
  pathsOf,
  RESOURCE_LIST_TYPE,
  rootPathOf,
  STATUS_TYPE,
  STRING_TYPE,
  WATCH_EVENT_TYPE,
  type PathEntry,
} from './operations';
import { OPENID_OVERVIEWS, OVERVIEWS, overviewsOf, RELEASE_TYPE, releaseSchema } from './overviews';
import { renderPathV2 } from './render-v2';
import { renderPathV3 } from './render-v3';
import { schemaValue } from './schema-json';

/** What a document says besides its paths and schemas. */
export const INFO = { title: 'Cluster control plane', version: `${RELEASE.major}.${RELEASE.minor}` };
const SECURITY = 'BearerToken';
export const SECURITY_SCHEMES = { [SECURITY]: { description: 'Bearer token', type: 'apiKey', name: 'authorization', in: 'header' } };
export const REQUIREMENTS = [{ [SECURITY]: [] }];

/** A part of a document: members of its paths and of its schemas. */
export interface Piece {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
}

/** What the paths of a version of a custom kind are made of. */
export type CustomRow = Omit<KindRow, 'custom'>;

/** Everything, with the groups in both spellings, so that a client finds the one that it knows. */
export function documentV2(rows: readonly KindRow[], naming: Dialect, describe?: Describe): JsonObject {
  const { paths, schemas } = pieceV2(rows, naming, describe);
  return {
    swagger: '2.0',
    info: INFO,
    paths,
    definitions: schemas,
    securityDefinitions: SECURITY_SCHEMES,
    security: REQUIREMENTS,
  };
}

export function pieceV2(rows: readonly KindRow[], naming: Dialect, describe?: Describe): Piece {
  const root = OPENAPI_NAME_PREFIX[naming];
  const ofGroups = DIALECTS.flatMap((dialect) => {
    const own = rows.filter((row) => belongs(row, dialect));
    return [...overviewsOf(own, dialect).values(), ...entriesOf(own, dialect, naming)];
  });
  const entries = [...OVERVIEWS.values(), ...ofGroups];
  const kinds = publishedKinds(rows, DIALECTS);
  const texts = describe === undefined ? {} : { describe };
  return {
    paths: renderPaths(entries, naming, 'v2'),
    schemas: schemas(entries, rows, { version: 2, root, kinds, texts }),
  };
}

/** The piece of the version 2 document that describes the OpenID discovery documents of service account tokens. */
export function openIdPieceV2(naming: Dialect): Piece {
  return { paths: renderPaths([...OPENID_OVERVIEWS.values()], naming, 'v2'), schemas: {} };
}

/** How the group of a custom kind is spelled in its paths: once where it is spelled alike in both. */
export function spellingsOf(row: CustomRow, naming: Dialect, version: OpenApiVersion): readonly Dialect[] {
  if (version === 'v3') return [naming];
  return DIALECTS.filter((dialect) => belongs(row, dialect)).map((dialect) => spelling(row, dialect, naming));
}

/** What one group version serves, in one spelling. `rows` = all kinds, as types may be kinds of other group versions. */
export function documentV3(rows: readonly KindRow[], version: GroupVersion, dialect: Dialect, describe?: Describe): JsonObject {
  const { paths, schemas } = pieceV3(rows, version, dialect, describe);
  return { openapi: '3.0.0', info: INFO, paths, components: { schemas, securitySchemes: SECURITY_SCHEMES } };
}

export function pieceV3(rows: readonly KindRow[], { group, version }: GroupVersion, dialect: Dialect, describe?: Describe): Piece {
  const root = OPENAPI_NAME_PREFIX[dialect];
  const own = rows.filter((row) => row.group === group && row.version === version);
  const entries = entriesOf(own, dialect, dialect);
  const kinds = publishedKinds(rows, [dialect]);
  const texts = describe === undefined ? {} : { describe };
  return {
    paths: renderPaths(entries, dialect, 'v3'),
    schemas: schemas(entries, own, { version: 3, root, kinds, texts }),
  };
}

/** What a document of version 3 is of that no definition has a part in. */
export interface BuiltInSubject extends GroupVersion {
  /** As in the index: `apis/<group>/<version>`. */
  readonly name: string;
  /** Of its names. */
  readonly dialect: Dialect;
  /** What it is about, if not a group version. */
  readonly overview?: PathEntry;
}

export function builtInPieceV3(rows: readonly KindRow[], subject: BuiltInSubject, describe?: Describe): Piece {
  const { dialect, overview } = subject;
  return overview === undefined ? pieceV3(rows, subject, dialect, describe) : overviewPiece(overview, dialect, describe);
}

/** What the document of an overview says. */
export function overviewPiece(entry: PathEntry, dialect: Dialect, describe?: Describe): Piece {
  const root = OPENAPI_NAME_PREFIX[dialect];
  const texts = describe === undefined ? {} : { describe };
  const types = entry.operations.flatMap(({ answers }) => answers.map(({ type }) => type)).filter((type) => type !== STRING_TYPE);
  return {
    paths: renderPaths([entry], dialect, 'v3'),
    schemas: builtInSchemas(types, false, { version: 3, root, kinds: publishedKinds([], []), texts }),
  };
}

/** What a group version of custom kinds has besides: the built-in types that its kinds refer to. `builtIn` = the kinds that these are. */
export function groupPieceV3(custom: readonly KindRow[], builtIn: readonly KindRow[], dialect: Dialect, describe?: Describe): Piece {
  const root = OPENAPI_NAME_PREFIX[dialect];
  const kinds = publishedKinds(builtIn, [dialect]);
  const types = typesOf(custom.flatMap((row) => pathsOf(row, dialect)));
  const texts = describe === undefined ? {} : { describe };
  return { paths: {}, schemas: withPatch(builtInSchemas(types, true, { version: 3, root, kinds, texts }), root) };
}

/** `naming` spells the kinds of other groups where the group of the path has one spelling only. */
function entriesOf(rows: readonly KindRow[], dialect: Dialect, naming: Dialect): PathEntry[] {
  return [...rootsOf(rows, dialect), ...rows.flatMap((row) => pathsOf(row, spelling(row, dialect, naming)))];
}

/** The paths of the group versions themselves; upstream describes none of custom ones. */
function rootsOf(rows: readonly KindRow[], dialect: Dialect): readonly PathEntry[] {
  const builtIn = rows.filter(({ custom }) => custom === undefined);
  return [...new Map(builtIn.map((row) => [apiVersionOf(row), rootPathOf(row, dialect)])).values()];
}

function spelling(row: CustomRow, dialect: Dialect, naming: Dialect): Dialect {
  return isSpelledAlike(row) ? naming : dialect;
}

function isSpelledAlike({ group }: CustomRow): boolean {
  return groupInDialect('kubernetes', group) === group;
}

/** Groups that are spelled alike in both dialects are listed once. */
function belongs(row: CustomRow, dialect: Dialect): boolean {
  return dialect === 'platform' || !isSpelledAlike(row);
}

/** By path; `naming` spells what stands there. */
export function renderPaths(entries: readonly PathEntry[], naming: Dialect, version: OpenApiVersion): JsonObject {
  const render = version === 'v2' ? renderPathV2 : renderPathV3;
  const sorted = [...entries].sort((a, b) => compareBytes(a.path, b.path));
  return Object.fromEntries(
    sorted.map((entry) => [entry.path, render(entry, naming, (type) => openApiName(type, OPENAPI_NAME_PREFIX[naming]))]),
  );
}

interface SchemaOptions {
  readonly version: 2 | 3;
  readonly root: string;
  readonly kinds: ReadonlyMap<string, readonly PublishedKind[]>;
  readonly texts: { readonly describe?: Describe };
}

/** Of everything that the operations refer to; `rows` = the kinds that have them. */
function schemas(entries: readonly PathEntry[], rows: readonly KindRow[], options: SchemaOptions): Record<string, JsonObject> {
  const { version, root } = options;
  const isCustom = rows.some(({ custom }) => custom !== undefined);
  const builtIn = builtInSchemas(typesOf(entries), isCustom, options);
  const custom = rows.flatMap((row) => Object.entries(customSchemas(row, { version, root })));
  return withPatch({ ...builtIn, ...Object.fromEntries(custom.map(([name, schema]) => [name, valueOf(schema)])) }, root);
}

const valueOf = (schema: JsonObject | PublishedSchema): JsonObject => (schema instanceof PublishedSchema ? schemaValue(schema) : schema);

function builtInSchemas(
  types: readonly string[],
  isCustom: boolean,
  { version, root, kinds, texts }: SchemaOptions,
): Record<string, JsonObject> {
  const wanted = [...types.filter((type) => !type.startsWith(CUSTOM_TYPE_PREFIX)), ...(isCustom ? CUSTOM_REFERENCES : [])];
  const ofTables = wanted.filter((type) => type !== RELEASE_TYPE);
  const schemas = buildDefinitions(ofTables, { version, namePrefix: root, kindsOf: (type) => kinds.get(type) ?? [], ...texts });
  return wanted.includes(RELEASE_TYPE) ? { ...schemas, [openApiName(RELEASE_TYPE, root)]: releaseSchema(version) } : schemas;
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
function withPatch(schemas: Record<string, JsonObject>, root: string): Record<string, JsonObject> {
  const patch = { description: 'What is to change of an object, in the form that the content type says.', type: 'object' };
  const all = Object.entries({ ...schemas, [openApiName(PATCH_TYPE, root)]: patch });
  return Object.fromEntries(all.sort(([a], [b]) => compareBytes(a, b)));
}

/** Kinds of the first version of the core group. */
const SHARED_TYPES = [
  STATUS_TYPE,
  RESOURCE_LIST_TYPE,
  DELETE_OPTIONS_TYPE,
  WATCH_EVENT_TYPE,
  'meta.v1.APIGroup',
  'meta.v1.APIGroupList',
  'meta.v1.APIVersions',
];

/** Under which kinds a type is known. Options and events are kinds of every group version but those of custom kinds. */
function publishedKinds(rows: readonly KindRow[], dialects: readonly Dialect[]): ReadonlyMap<string, readonly PublishedKind[]> {
  const kinds = new Map<string, PublishedKind[]>();
  const publish = (type: string, kind: PublishedKind): void => {
    const known = kinds.get(type) ?? [];
    if (!known.some((other) => other.group === kind.group && other.version === kind.version)) kinds.set(type, [...known, kind]);
  };
  for (const shared of SHARED_TYPES) {
    publish(shared, { group: '', version: 'v1', kind: shared.slice(shared.lastIndexOf('.') + 1) });
  }
  for (const dialect of dialects) {
    for (const row of rows.filter(({ custom }) => custom === undefined)) {
      const group = groupInDialect(dialect, row.group);
      const { version } = row;
      publish(row.type, { group, version, kind: row.kind });
      publish(`${row.type}List`, { group, version, kind: `${row.kind}List` });
      publish(DELETE_OPTIONS_TYPE, { group, version, kind: 'DeleteOptions' });
      publish(WATCH_EVENT_TYPE, { group, version, kind: 'WatchEvent' });
      for (const { kind: body, connects } of row.subresources ?? []) {
        if (body !== undefined && connects === undefined)
          publish(body.type, { group: groupInDialect(dialect, body.group), version: body.version, kind: body.kind });
      }
    }
  }
  return kinds;
}
