/**
 * From a definition to the rows of its kind, one per version that it serves, and to what else is read from it. Names are those that were accepted.
 * Pure; decides nothing about who serves them when.
 */
import { createHash } from 'node:crypto';
import { readSchema } from '../../shared/api/structural/read-schema';
import { CUSTOM_TYPE } from '../../shared/api/types';
import type { SchemaNode } from '../../shared/api/structural/schema-node';
import type { CustomVersion, PrinterColumn, ScalePaths } from '../../shared/api/structural/version';
import { apiVersionOf } from '../../shared/api/identity/identity';
import {
  arrayAt,
  isObject,
  type JsonObject,
  type JsonValue,
  objectAt,
  own,
  stringAt,
  stringifyJson,
  stringsAt,
} from '../../shared/values/json';
import { compareVersions } from '../../shared/values/version-order';
import { SCALE, type KindRow, type SelectableField, type SubresourceRow, type Verb } from '../../shared/api/kinds';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { StoredType } from '../cache/cache';
import { customType } from '../cache/key-space';
import { conditionIsTrue } from './conditions';

/** What is known of one definition. */
export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly stored: StoredType;
  readonly terminating: boolean;
  /** Clients may use it. */
  readonly established: boolean;
  /** One per served version. */
  readonly rows: readonly KindRow[];
  /** Of the version that objects are stored in, served or not. */
  readonly storageRow: KindRow;
  /** The same for two states of a definition that serve alike. */
  readonly identity: string;
}

/** In the order in which discovery lists them for custom resources (upstream behaviour). */
const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const STATUS_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

/** `object` is a stored definition: it has been judged. */
export function readDefinition(object: JsonObject): Definition {
  const metadata = readMetadata(object);
  const spec = objectAt(object, 'spec') ?? {};
  const status = objectAt(object, 'status') ?? {};
  const names = objectAt(status, 'acceptedNames') ?? {};
  const name = stringAt(metadata, 'name') ?? '';
  const group = stringAt(spec, 'group') ?? '';
  const namespaced = stringAt(spec, 'scope') === 'Namespaced';
  const plural = stringAt(objectAt(spec, 'names'), 'plural') ?? '';
  const versions = (arrayAt(spec, 'versions') ?? []).filter(isObject);
  const schemas = new Map(versions.map((version): [string, SchemaNode] => [nameOf(version), readSchema(schemaOf(version))]));
  const storage = versions.find((version) => own(version, 'storage') === true);
  const shared = {
    name,
    group,
    names,
    namespaced,
    plural,
    schemas,
    storageVersion: storage === undefined ? '' : nameOf(storage),
    best: bestVersion(versions),
    webhook: stringAt(objectAt(spec, 'conversion'), 'strategy') === 'Webhook',
  };
  const terminating = stringAt(metadata, 'deletionTimestamp') !== undefined;
  const established = conditionIsTrue(status, 'Established');
  return {
    name,
    group,
    stored: customType(`${group}/${plural}`, namespaced),
    terminating,
    established,
    rows: versions.filter((version) => own(version, 'served') === true).map((version) => rowOf(shared, version)),
    storageRow: rowOf(shared, storage ?? {}),
    identity: stringifyJson([spec, names, terminating, established]),
  };
}

interface Shared {
  readonly name: string;
  readonly group: string;
  readonly names: JsonObject;
  readonly namespaced: boolean;
  readonly plural: string;
  readonly schemas: ReadonlyMap<string, SchemaNode>;
  readonly storageVersion: string;
  /** Versions differ in what only a webhook can tell. */
  readonly webhook: boolean;
  readonly best: string | undefined;
}

function rowOf(shared: Shared, version: JsonObject): KindRow {
  const { name, group, names, namespaced, plural, schemas, storageVersion, webhook } = shared;
  const versionName = nameOf(version);
  const kind = stringAt(names, 'kind') ?? '';
  const subresources = objectAt(version, 'subresources') ?? {};
  const scale = objectAt(subresources, 'scale');
  const hasStatus = isObject(own(subresources, 'status'));
  const selectable = (arrayAt(version, 'selectableFields') ?? []).filter(isObject).map(selectableField);
  const custom: CustomVersion = {
    definition: name,
    schema: schemas.get(versionName) ?? readSchema({}),
    schemaId: schemaId(version),
    shownId: digest(version),
    versions: schemas,
    storageVersion,
    needsWebhook: webhook && versionName !== storageVersion,
    columns: (arrayAt(version, 'additionalPrinterColumns') ?? []).filter(isObject).map(printerColumn),
    scale: scale === undefined ? undefined : scalePaths(scale),
  };
  return {
    group,
    version: versionName,
    kind,
    type: `${CUSTOM_TYPE}${[...group.split('.').reverse(), versionName, kind].join('.')}`,
    custom,
    resource: plural,
    singular: stringAt(names, 'singular') ?? '',
    shortNames: stringsAt(names, 'shortNames'),
    categories: stringsAt(names, 'categories'),
    namespaced,
    verbs: VERBS,
    subresources: [...(hasStatus ? [STATUS] : []), ...(scale === undefined ? [] : [SCALED])],
    segment: `${group}/${plural}`,
    nameFormat: 'dns-subdomain',
    generation: 'counted',
    statusKeeps: 'metadata',
    requiresResourceVersion: true,
    ownFieldLabels: 'plain',
    ...(selectable.length === 0 ? {} : { selectableFields: selectable }),
    ...(own(version, 'deprecated') === true ? { deprecationWarning: deprecationWarning(version, shared, kind) } : {}),
  };
}

const STATUS: SubresourceRow = { name: 'status', verbs: STATUS_VERBS };
const SCALED: SubresourceRow = { name: 'scale', verbs: STATUS_VERBS, kind: SCALE };

const nameOf = (version: JsonObject): string => stringAt(version, 'name') ?? '';

const schemaOf = (version: JsonObject): JsonObject => objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') ?? {};

/** What decides how an object of the version looks when it is read. */
function schemaId(version: JsonObject): string {
  return digest([schemaOf(version), own(version, 'selectableFields') ?? null]);
}

function digest(value: JsonValue): string {
  return createHash('sha256').update(stringifyJson(value, 'sorted')).digest('base64').slice(0, 16);
}

function deprecationWarning(version: JsonObject, { group, best }: Shared, kind: string): string {
  const own = stringAt(version, 'deprecationWarning');
  if (own !== undefined) return own;
  const name = nameOf(version);
  const successor = best === undefined || compareVersions(best, name) > 0 ? '' : `; use ${apiVersionOf({ group, version: best })} ${kind}`;
  return `${apiVersionOf({ group, version: name })} ${kind} is deprecated${successor}`;
}

/** What clients should rather use: the first version that is served and not deprecated. */
function bestVersion(versions: readonly JsonObject[]): string | undefined {
  const good = versions.filter((version) => own(version, 'served') === true && own(version, 'deprecated') !== true);
  return good.map(nameOf).sort(compareVersions)[0];
}

function selectableField(field: JsonObject): SelectableField {
  const path = (stringAt(field, 'jsonPath') ?? '').replace(/^\./, '');
  return { name: path, path };
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'] as const;

function printerColumn(column: JsonObject): PrinterColumn {
  return {
    name: stringAt(column, 'name') ?? '',
    type: COLUMN_TYPES.find((type) => type === stringAt(column, 'type')) ?? 'string',
    format: stringAt(column, 'format') ?? '',
    description: stringAt(column, 'description') ?? '',
    priority: Number(own(column, 'priority') ?? 0),
    jsonPath: stringAt(column, 'jsonPath') ?? '',
  };
}

function scalePaths(scale: JsonObject): ScalePaths {
  return {
    specReplicas: stringAt(scale, 'specReplicasPath') ?? '',
    statusReplicas: stringAt(scale, 'statusReplicasPath') ?? '',
    labelSelector: stringAt(scale, 'labelSelectorPath') ?? '',
  };
}
