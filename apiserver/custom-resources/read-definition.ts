/**
 * From a definition to the rows of its kind, one per version that it serves, and to what else is read from it. Names are those that were accepted.
 * Pure; decides nothing about who serves them when.
 */
import { createHash } from 'node:crypto';
import { CUSTOM_TYPE_PREFIX } from '../../shared/api/types';
import type { SchemaNode } from '../../shared/api/structural/schema-node';
import type {
  ConversionWebhook,
  CustomVersion,
  PrinterColumn,
  ConversionReviewVersion,
  ScalePaths,
} from '../../shared/api/structural/version';
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
import { compareApiVersions } from '../../shared/values/version-order';
import { SCALE, type KindRow, type SelectableField, type SubresourceRow, type Verb } from '../../shared/api/kinds';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { StoredType } from '../cache/cache';
import { customType } from '../cache/store/key-space';
import type { Revision } from '../storage/store';
import { approvalCondition } from './approval-condition';
import { conditionIsTrue, type Condition } from './conditions';
import type { Outline } from '../kinds/apiextensions/outline';
import type { Schemas } from './schema-cache';

/** What is known of one definition. */
export interface Definition {
  readonly name: string;
  /** Of the state that was read. */
  readonly revision: Revision;
  readonly group: string;
  readonly stored: StoredType;
  readonly terminating: boolean;
  /** Clients may use it. */
  readonly established: boolean;
  /** What is said of its end holds it until its objects are gone. */
  readonly finalizers: readonly string[];
  /** The names that it asks for. */
  readonly requested: JsonObject;
  readonly status: JsonObject;
  /** What its status is to say of who agreed to it. */
  readonly approval: Condition | undefined;
  /** One per served version. */
  readonly rows: readonly KindRow[];
  /** Of the version that objects are stored in, served or not. */
  readonly storageRow: KindRow;
  /** The same for two states of a definition that serve alike. */
  readonly identity: string;
}

/** Where the texts of a definition's schemas lie at present: they are the same in every state of it with the same identity. */
export interface SchemaTexts {
  texts: readonly Buffer[];
}

/** In the order in which discovery lists them for custom resources (upstream behaviour). */
const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const STATUS_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

/** `outline` is of a stored definition: it has been judged. Schemas are made of `source` when they are asked for. */
export function readDefinition({ object, schemas: texts }: Outline, revision: Revision, source: SchemaTexts, schemas: Schemas): Definition {
  const metadata = readMetadata(object);
  const spec = objectAt(object, 'spec') ?? {};
  const status = objectAt(object, 'status') ?? {};
  const names = objectAt(status, 'acceptedNames') ?? {};
  const name = stringAt(metadata, 'name') ?? '';
  const group = stringAt(spec, 'group') ?? '';
  const namespaced = stringAt(spec, 'scope') === 'Namespaced';
  const plural = stringAt(objectAt(spec, 'names'), 'plural') ?? '';
  const versions = (arrayAt(spec, 'versions') ?? []).filter(isObject);
  const storage = versions.find((version) => own(version, 'storage') === true);
  const shared = {
    name,
    group,
    names,
    namespaced,
    plural,
    digests: texts.map((text) => createHash('sha256').update(text).digest('base64')),
    known: new Map<string, CustomVersion>(),
    source,
    schemas,
    storageVersion: storage === undefined ? '' : nameOf(storage),
    best: bestVersion(versions),
    webhook: webhookOf(objectAt(spec, 'conversion') ?? {}),
  };
  for (const version of versions) shared.known.set(nameOf(version), versionOf(shared, version));
  const terminating = stringAt(metadata, 'deletionTimestamp') !== undefined;
  const established = conditionIsTrue(status, 'Established');
  return {
    name,
    revision,
    group,
    stored: customType(`${group}/${plural}`, namespaced),
    terminating,
    established,
    finalizers: stringsAt(metadata, 'finalizers'),
    requested: objectAt(spec, 'names') ?? {},
    status,
    approval: approvalCondition(group, objectAt(metadata, 'annotations')),
    rows: versions.filter((version) => own(version, 'served') === true).map((version) => rowOf(shared, version)),
    storageRow: rowOf(shared, storage ?? {}),
    // One that is going serves what it has served: whoever watches its objects is to see them go.
    identity: digest([spec, shared.digests, names, established]),
  };
}

interface Shared {
  readonly name: string;
  readonly group: string;
  readonly names: JsonObject;
  readonly namespaced: boolean;
  readonly plural: string;
  /** Of the schemas' texts, by their numbers. */
  readonly digests: readonly string[];
  /** All versions, by name. */
  readonly known: Map<string, CustomVersion>;
  readonly source: SchemaTexts;
  readonly schemas: Schemas;
  readonly storageVersion: string;
  readonly webhook: ConversionWebhook | undefined;
  readonly best: string | undefined;
}

function rowOf(shared: Shared, version: JsonObject): KindRow {
  const { group, names, namespaced, plural } = shared;
  const versionName = nameOf(version);
  const kind = stringAt(names, 'kind') ?? '';
  const subresources = objectAt(version, 'subresources') ?? {};
  const scale = objectAt(subresources, 'scale');
  const hasStatus = isObject(own(subresources, 'status'));
  const selectable = (arrayAt(version, 'selectableFields') ?? []).filter(isObject).map(selectableField);
  const custom = shared.known.get(versionName) ?? versionOf(shared, version);
  return {
    group,
    version: versionName,
    kind,
    type: `${CUSTOM_TYPE_PREFIX}${[...group.split('.').reverse(), versionName, kind].join('.')}`,
    custom,
    resource: plural,
    singular: stringAt(names, 'singular') ?? '',
    shortNames: stringsAt(names, 'shortNames'),
    categories: stringsAt(names, 'categories'),
    namespaced,
    verbs: VERBS,
    subresources: [...(hasStatus ? [STATUS] : []), ...(scale === undefined ? [] : [SCALED])],
    storageSegment: `${group}/${plural}`,
    nameFormat: 'dns-subdomain',
    generation: 'counted',
    statusUpdateKeeps: 'metadata',
    requiresResourceVersion: true,
    fieldLabelErrorForm: 'plain',
    ...(selectable.length === 0 ? {} : { selectableFields: selectable }),
    ...(own(version, 'deprecated') === true ? { deprecationWarning: deprecationWarning(version, shared, kind) } : {}),
  };
}

function versionOf(shared: Shared, version: JsonObject): CustomVersion {
  const { name, digests, known, source, schemas, storageVersion, webhook } = shared;
  const number = schemaNumber(version);
  const schemaDigest = digests[number] ?? '';
  const scale = objectAt(objectAt(version, 'subresources'), 'scale');
  const textOf = (): Buffer => source.texts[number] ?? NO_SCHEMA;
  return {
    definition: name,
    get schema(): SchemaNode {
      return schemas.of(this, textOf);
    },
    schemaText: textOf,
    // What decides how an object of the version looks when it is read.
    schemaId: digest([schemaDigest, own(version, 'selectableFields') ?? null]),
    // Objects that are stored in another version look as its schema has them, too.
    displayId: digest([version, [...digests]]),
    versions: known,
    storageVersion,
    webhook,
    columns: (arrayAt(version, 'additionalPrinterColumns') ?? []).filter(isObject).map(printerColumn),
    scale: scale === undefined ? undefined : scalePaths(scale),
  };
}

const REVIEW_VERSIONS: readonly ConversionReviewVersion[] = ['v1', 'v1beta1'];

function webhookOf(conversion: JsonObject): ConversionWebhook | undefined {
  if (stringAt(conversion, 'strategy') !== 'Webhook') return undefined;
  const webhook = objectAt(conversion, 'webhook') ?? {};
  const [reviewVersion] = stringsAt(webhook, 'conversionReviewVersions').flatMap((name) =>
    REVIEW_VERSIONS.filter((known) => known === name),
  );
  return { clientConfig: objectAt(webhook, 'clientConfig') ?? {}, reviewVersion };
}

const NO_SCHEMA = Buffer.from('{}');

/** Where its schema stands in the outline; -1 = it has none. */
function schemaNumber(version: JsonObject): number {
  const number = own(objectAt(version, 'schema') ?? {}, 'openAPIV3Schema');
  return typeof number === 'number' ? number : -1;
}

const STATUS: SubresourceRow = { name: 'status', verbs: STATUS_VERBS };
const SCALED: SubresourceRow = { name: 'scale', verbs: STATUS_VERBS, kind: SCALE };

const nameOf = (version: JsonObject): string => stringAt(version, 'name') ?? '';

function digest(value: JsonValue): string {
  return createHash('sha256').update(stringifyJson(value, 'sorted')).digest('base64').slice(0, 16);
}

function deprecationWarning(version: JsonObject, { group, best }: Shared, kind: string): string {
  const own = stringAt(version, 'deprecationWarning');
  if (own !== undefined) return own;
  const name = nameOf(version);
  const successor =
    best === undefined || compareApiVersions(best, name) > 0 ? '' : `; use ${apiVersionOf({ group, version: best })} ${kind}`;
  return `${apiVersionOf({ group, version: name })} ${kind} is deprecated${successor}`;
}

/** What clients should rather use: the first version that is served and not deprecated. */
function bestVersion(versions: readonly JsonObject[]): string | undefined {
  const good = versions.filter((version) => own(version, 'served') === true && own(version, 'deprecated') !== true);
  return good.map(nameOf).sort(compareApiVersions)[0];
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
