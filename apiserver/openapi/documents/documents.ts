/**
 * Builds OpenAPI documents as values: one v2 document of everything, one v3 document per group version, and the pieces
 * that each custom kind adds. Derived from the kind table, the type tables and schemas. Caching and HTTP are in
 * openapi.ts.
 */
import { compareBytes, type JsonObject } from '../../../shared/values/json';
import { apiVersionOf, type GroupVersion } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import { CUSTOM_TYPE_PREFIX, buildDefinitions, openApiName, type PublishedKind } from '../../../shared/api/types';
import { type Dialect, DIALECTS, groupInDialect, OPENAPI_NAME_PREFIX, RELEASE } from '../../../shared/names/dialect';
import { PublishedSchema } from './published-schema';
import { CUSTOM_REFERENCES, customSchemas } from './custom-schemas';
import type { Describe } from './descriptions';
import type { OpenApiVersion } from './response-form';
import { PATCH_TYPE, pathsOf, discoveryPathOf, STRING_TYPE, WATCH_EVENT_TYPE, type PathEntry } from './operations';
import { OPENID_OVERVIEWS, OVERVIEWS, overviewsOf, RELEASE_TYPE, releaseSchema } from './overviews';
import { publishedKinds } from './published-kinds';
import { renderPathV2 } from './render-v2';
import { renderPathV3 } from './render-v3';
import { schemaValue } from './schema-json';

/** Members of every document besides its paths and schemas. */
export const INFO = { title: 'Cluster control plane', version: `${RELEASE.major}.${RELEASE.minor}` };
/** The name of the security scheme. */
const SECURITY = 'BearerToken';
/** The only scheme that the documents name: a token in the header `authorization`. */
export const SECURITY_SCHEMES = { [SECURITY]: { description: 'Bearer token', type: 'apiKey', name: 'authorization', in: 'header' } };
/** All operations require the scheme. */
export const REQUIREMENTS = [{ [SECURITY]: [] }];

/** A part of a document: members of its paths and of its schemas. */
export interface DocumentPiece {
  readonly paths: JsonObject;
  readonly schemas: JsonObject;
}

/** The properties of a version of a custom kind that its paths depend on. */
export type CustomRow = Omit<KindRow, 'custom'>;

/**
 * The v2 document of all kinds, with groups in both spellings, so that each client finds the one that it uses. `naming` is
 * the dialect of the names of types.
 */
export function buildDocumentV2(rows: readonly KindRow[], naming: Dialect, describe?: Describe): JsonObject {
  const { paths, schemas } = buildPieceV2(rows, naming, describe);
  return {
    swagger: '2.0',
    info: INFO,
    paths,
    definitions: schemas,
    securityDefinitions: SECURITY_SCHEMES,
    security: REQUIREMENTS,
  };
}

/** The paths and schemas of the v2 document. */
export function buildPieceV2(rows: readonly KindRow[], naming: Dialect, describe?: Describe): DocumentPiece {
  const namePrefix = OPENAPI_NAME_PREFIX[naming];
  const groupEntries = DIALECTS.flatMap((dialect) => {
    const servedRows = rows.filter((row) => isListedIn(row, dialect));
    return [...overviewsOf(servedRows, dialect).values(), ...entriesOf(servedRows, dialect, naming)];
  });
  const entries = [...OVERVIEWS.values(), ...groupEntries];
  const kinds = publishedKinds(rows, DIALECTS);
  return {
    paths: renderPaths(entries, naming, 'v2'),
    schemas: buildSchemas(entries, rows, { version: 2, namePrefix, kinds, describe }),
  };
}

/** The part of the v2 document that describes the OpenID discovery documents of service account tokens. */
export function buildOpenIdPieceV2(naming: Dialect): DocumentPiece {
  return { paths: renderPaths([...OPENID_OVERVIEWS.values()], naming, 'v2'), schemas: {} };
}

/** The dialects of a custom kind's paths: one in v3, and in v2 when its group is spelled alike in both dialects. */
export function pathDialectsOf(row: CustomRow, naming: Dialect, version: OpenApiVersion): readonly Dialect[] {
  if (version === 'v3') return [naming];
  return DIALECTS.filter((dialect) => isListedIn(row, dialect)).map((dialect) => dialectOfPath(row, dialect, naming));
}

/**
 * The v3 document of one group version in one dialect. `rows` are all kinds, because types may be kinds of other group
 * versions.
 */
export function buildDocumentV3(rows: readonly KindRow[], version: GroupVersion, dialect: Dialect, describe?: Describe): JsonObject {
  const { paths, schemas } = buildPieceV3(rows, version, dialect, describe);
  return { openapi: '3.0.0', info: INFO, paths, components: { schemas, securitySchemes: SECURITY_SCHEMES } };
}

/** The paths and schemas of a v3 document. */
export function buildPieceV3(
  rows: readonly KindRow[],
  { group, version }: GroupVersion,
  dialect: Dialect,
  describe?: Describe,
): DocumentPiece {
  const namePrefix = OPENAPI_NAME_PREFIX[dialect];
  const servedRows = rows.filter((row) => row.group === group && row.version === version);
  const entries = entriesOf(servedRows, dialect, dialect);
  const kinds = publishedKinds(rows, [dialect]);
  return {
    paths: renderPaths(entries, dialect, 'v3'),
    schemas: buildSchemas(entries, servedRows, { version: 3, namePrefix, kinds, describe }),
  };
}

/** A v3 document without custom kinds. */
export interface BuiltInSubject extends GroupVersion {
  /** The name in the index: `apis/<group>/<version>`. */
  readonly name: string;
  /** The dialect of its names. */
  readonly dialect: Dialect;
  /** The discovery path of the document, when it is not about a group version. */
  readonly overview?: PathEntry;
}

/** The paths and schemas of a v3 document without custom kinds. */
export function buildBuiltInPieceV3(rows: readonly KindRow[], subject: BuiltInSubject, describe?: Describe): DocumentPiece {
  const { dialect, overview } = subject;
  return overview === undefined ? buildPieceV3(rows, subject, dialect, describe) : buildOverviewPiece(overview, dialect, describe);
}

/** The piece of a document about a discovery path. */
export function buildOverviewPiece(entry: PathEntry, dialect: Dialect, describe?: Describe): DocumentPiece {
  const namePrefix = OPENAPI_NAME_PREFIX[dialect];
  const responseTypes = entry.operations.flatMap(({ responses }) => responses.map(({ type }) => type));
  const types = responseTypes.filter((type) => type !== STRING_TYPE);
  return {
    paths: renderPaths([entry], dialect, 'v3'),
    schemas: builtInSchemas(types, { version: 3, namePrefix, kinds: publishedKinds([], []), describe }),
  };
}

/**
 * The additional piece of a group version of custom kinds: the built-in types that its kinds refer to. Their own paths
 * and schemas are pieces of their own. `builtIn` are the built-in kinds.
 */
export function buildGroupPieceV3(
  custom: readonly KindRow[],
  builtIn: readonly KindRow[],
  dialect: Dialect,
  describe?: Describe,
): DocumentPiece {
  const namePrefix = OPENAPI_NAME_PREFIX[dialect];
  const kinds = publishedKinds(builtIn, [dialect]);
  const types = [...typesOf(custom.flatMap((row) => pathsOf(row, dialect))), ...CUSTOM_REFERENCES];
  return { paths: {}, schemas: withPatch(builtInSchemas(types, { version: 3, namePrefix, kinds, describe }), namePrefix) };
}

/**
 * The paths of the rows in one dialect. Kinds of a group that is spelled alike in both dialects refer to other groups;
 * the names of those are then in the dialect `naming`.
 */
function entriesOf(rows: readonly KindRow[], dialect: Dialect, naming: Dialect): PathEntry[] {
  return [...discoveryPathsOf(rows, dialect), ...rows.flatMap((row) => pathsOf(row, dialectOfPath(row, dialect, naming)))];
}

/** The discovery paths of group versions; upstream does not describe those of custom groups. */
function discoveryPathsOf(rows: readonly KindRow[], dialect: Dialect): readonly PathEntry[] {
  const builtIn = rows.filter(({ custom }) => custom === undefined);
  const pathByVersion = new Map(builtIn.map((row) => [apiVersionOf(row), discoveryPathOf(row, dialect)]));
  return [...pathByVersion.values()];
}

/** The dialect of a row's paths: `naming` for a group that is spelled alike in both dialects, else `dialect`. */
function dialectOfPath(row: CustomRow, dialect: Dialect, naming: Dialect): Dialect {
  return isSpelledAlike(row) ? naming : dialect;
}

function isSpelledAlike({ group }: CustomRow): boolean {
  return groupInDialect('kubernetes', group) === group;
}

/** Groups that are spelled alike in both dialects are listed once. */
function isListedIn(row: CustomRow, dialect: Dialect): boolean {
  return dialect === 'platform' || !isSpelledAlike(row);
}

/** The members of `paths`, sorted by path; `naming` is the dialect of the contents. */
export function renderPaths(entries: readonly PathEntry[], naming: Dialect, version: OpenApiVersion): JsonObject {
  const render = version === 'v2' ? renderPathV2 : renderPathV3;
  const nameOfType = (type: string): string => openApiName(type, OPENAPI_NAME_PREFIX[naming]);
  const sorted = [...entries].sort((a, b) => compareBytes(a.path, b.path));
  return Object.fromEntries(sorted.map((entry) => [entry.path, render(entry, naming, nameOfType)]));
}

/** How the schemas of built-in types are published. */
interface SchemaOptions {
  readonly version: 2 | 3;
  /** Prefix of the published names of built-in types. */
  readonly namePrefix: string;
  /** The kinds as which each type is published. */
  readonly kinds: ReadonlyMap<string, readonly PublishedKind[]>;
  /** `undefined` when the schemas have no descriptions. */
  readonly describe: Describe | undefined;
}

/** The schemas of all types that the operations refer to; `rows` are the kinds of the operations. */
function buildSchemas(entries: readonly PathEntry[], rows: readonly KindRow[], options: SchemaOptions): Record<string, JsonObject> {
  const { version, namePrefix } = options;
  const references = rows.some(({ custom }) => custom !== undefined) ? CUSTOM_REFERENCES : [];
  const builtIn = builtInSchemas([...typesOf(entries), ...references], options);
  const custom: Record<string, JsonObject> = {};
  for (const row of rows) {
    for (const [name, schema] of Object.entries(customSchemas(row, { version, namePrefix }))) custom[name] = valueOf(schema);
  }
  return withPatch({ ...builtIn, ...custom }, namePrefix);
}

const valueOf = (schema: JsonObject | PublishedSchema): JsonObject => (schema instanceof PublishedSchema ? schemaValue(schema) : schema);

/** The schemas of the types, by published name; types of custom kinds are skipped. */
function builtInSchemas(types: readonly string[], { version, namePrefix, kinds, describe }: SchemaOptions): Record<string, JsonObject> {
  const requestedTypes = types.filter((type) => !type.startsWith(CUSTOM_TYPE_PREFIX));
  const typesOfTables = requestedTypes.filter((type) => type !== RELEASE_TYPE);
  const schemas = buildDefinitions(typesOfTables, {
    version,
    namePrefix,
    kindsOf: (type) => kinds.get(type) ?? [],
    ...(describe !== undefined && { describe }),
  });
  if (!requestedTypes.includes(RELEASE_TYPE)) return schemas;
  return { ...schemas, [openApiName(RELEASE_TYPE, namePrefix)]: releaseSchema(version) };
}

/** The types that the operations refer to, and those that clients expect unconditionally. */
function typesOf(entries: readonly PathEntry[]): string[] {
  const types = new Set([WATCH_EVENT_TYPE]);
  for (const { operations } of entries) {
    for (const { body, responses } of operations) {
      if (body !== undefined && !body.isPatch) types.add(body.type);
      for (const { type } of responses) types.add(type);
    }
  }
  return [...types];
}

/** Adds the schema of patches, which have no type in the tables, and sorts all schemas by name. */
function withPatch(schemas: Record<string, JsonObject>, namePrefix: string): Record<string, JsonObject> {
  const patch = { description: 'The changes of an object, in the format of the content type.', type: 'object' };
  const schemasAndPatch = Object.entries({ ...schemas, [openApiName(PATCH_TYPE, namePrefix)]: patch });
  return Object.fromEntries(schemasAndPatch.sort(([a], [b]) => compareBytes(a, b)));
}
