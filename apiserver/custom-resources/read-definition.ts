/**
 * Reads a CustomResourceDefinition: the rows of its kind, one per served version, and everything else that this server
 * needs of it. The rows have the accepted names, not the requested ones. Serving them is left to definitions.ts.
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
  ownMember,
  stringAt,
  stringifyJson,
  stringsAt,
} from '../../shared/values/json';
import { compareApiVersions } from '../../shared/values/version-order';
import { SCALE, type KindRow, type SelectableField, type SubresourceRow, type Verb } from '../../shared/api/kinds';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import type { StoredType } from '../cache/cache';
import { customStoredType } from '../cache/store/key-space';
import type { Revision } from '../storage/store';
import { approvalCondition } from './approval-condition';
import { isConditionTrue, type DefinitionCondition } from './conditions';
import type { DefinitionOutline } from '../kinds/apiextensions/extract-schemas';
import type { SchemaCache } from './schema-cache';

/** A CustomResourceDefinition as this server uses it. */
export interface Definition {
  readonly name: string;
  /** The revision of the state that was read. */
  readonly revision: Revision;
  readonly group: string;
  readonly stored: StoredType;
  /** Marked for deletion. */
  readonly isTerminating: boolean;
  /** Whether clients may use it. */
  readonly isEstablished: boolean;
  /** Those of the metadata. The cleanup finalizer holds the definition until its objects are deleted. */
  readonly finalizers: readonly string[];
  readonly requestedNames: JsonObject;
  readonly status: JsonObject;
  /** The approval condition; `undefined` when the group requires no approval. */
  readonly approval: DefinitionCondition | undefined;
  /** One per served version. */
  readonly rows: readonly KindRow[];
  /** The row of the storage version, served or not. */
  readonly storageRow: KindRow;
  /** Equal for two states of a definition that serve the same resources. */
  readonly identity: string;
}

/**
 * The texts of the schemas of a definition, in buffers of its current entry. When a new state of the definition has the same
 * identity, and therefore the same texts, `texts` is replaced, so that the previous entry can be freed.
 */
export interface SchemaTexts {
  texts: readonly Buffer[];
}

/** In the order of discovery for custom resources (upstream behaviour). */
const CUSTOM_RESOURCE_VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const STATUS_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

/**
 * Reads the outline of a stored and thus validated definition. Schemas are parsed on first use, from the texts that `source`
 * has then.
 */
export function readDefinition(
  { object, schemas: texts }: DefinitionOutline,
  revision: Revision,
  source: SchemaTexts,
  schemas: SchemaCache,
): Definition {
  const metadata = readMetadata(object);
  const spec = objectAt(object, 'spec') ?? {};
  const status = objectAt(object, 'status') ?? {};
  const names = objectAt(status, 'acceptedNames') ?? {};
  const name = stringAt(metadata, 'name') ?? '';
  const group = stringAt(spec, 'group') ?? '';
  const namespaced = stringAt(spec, 'scope') === 'Namespaced';
  const plural = stringAt(objectAt(spec, 'names'), 'plural') ?? '';
  const versions = (arrayAt(spec, 'versions') ?? []).filter(isObject);
  const storage = versions.find((version) => ownMember(version, 'storage') === true);
  const context = {
    name,
    group,
    names,
    namespaced,
    plural,
    digests: texts.map((text) => createHash('sha256').update(text).digest('base64')),
    versions: new Map<string, CustomVersion>(),
    source,
    schemas,
    storageVersion: storage === undefined ? '' : nameOf(storage),
    preferredVersion: findPreferredVersion(versions),
    webhook: webhookOf(objectAt(spec, 'conversion') ?? {}),
  };
  for (const version of versions) context.versions.set(nameOf(version), versionOf(context, version));
  const isEstablished = isConditionTrue(status, 'Established');
  return {
    name,
    revision,
    group,
    stored: customStoredType(`${group}/${plural}`, { namespaced }),
    isTerminating: stringAt(metadata, 'deletionTimestamp') !== undefined,
    isEstablished,
    finalizers: stringsAt(metadata, 'finalizers'),
    requestedNames: objectAt(spec, 'names') ?? {},
    status,
    approval: approvalCondition(group, objectAt(metadata, 'annotations')),
    rows: versions.filter((version) => ownMember(version, 'served') === true).map((version) => rowOf(context, version)),
    storageRow: rowOf(context, storage ?? {}),
    // A terminating definition serves the same resources until the end, so that watchers see the deletion of its
    // objects.
    identity: digestOf([spec, context.digests, names, isEstablished]),
  };
}

/** The parts of a definition that its versions share. */
interface DefinitionContext {
  readonly name: string;
  readonly group: string;
  readonly names: JsonObject;
  readonly namespaced: boolean;
  readonly plural: string;
  /** Digests of the schema texts, by index. */
  readonly digests: readonly string[];
  /** All versions, by name. */
  readonly versions: Map<string, CustomVersion>;
  readonly source: SchemaTexts;
  readonly schemas: SchemaCache;
  readonly storageVersion: string;
  readonly webhook: ConversionWebhook | undefined;
  readonly preferredVersion: string | undefined;
}

const STATUS_SUBRESOURCE: SubresourceRow = { name: 'status', verbs: STATUS_VERBS };
const SCALE_SUBRESOURCE: SubresourceRow = { name: 'scale', verbs: STATUS_VERBS, kind: SCALE };

/** The row of one version. */
function rowOf(context: DefinitionContext, version: JsonObject): KindRow {
  const { group, names, namespaced, plural } = context;
  const versionName = nameOf(version);
  const kind = stringAt(names, 'kind') ?? '';
  const subresources = objectAt(version, 'subresources') ?? {};
  const scale = objectAt(subresources, 'scale');
  const hasStatus = isObject(ownMember(subresources, 'status'));
  const selectableFields = (arrayAt(version, 'selectableFields') ?? []).filter(isObject).map(readSelectableField);
  // The row of the storage version has no version in `versions` when no version is marked for storage.
  const custom = context.versions.get(versionName) ?? versionOf(context, version);
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
    verbs: CUSTOM_RESOURCE_VERBS,
    subresources: [...(hasStatus ? [STATUS_SUBRESOURCE] : []), ...(scale === undefined ? [] : [SCALE_SUBRESOURCE])],
    storageSegment: `${group}/${plural}`,
    nameFormat: 'dns-subdomain',
    generation: 'counted',
    statusUpdateKeeps: 'metadata',
    requiresResourceVersion: true,
    fieldLabelErrorForm: 'plain',
    ...(selectableFields.length === 0 ? {} : { selectableFields }),
    ...(ownMember(version, 'deprecated') === true ? { deprecationWarning: deprecationWarning(version, context, kind) } : {}),
  };
}

/** In place of the schema of a version without one. */
const NO_SCHEMA = Buffer.from('{}');

/** The schema and the other settings of one version. */
function versionOf(context: DefinitionContext, version: JsonObject): CustomVersion {
  const { name, digests, versions, source, schemas, storageVersion, webhook } = context;
  const schemaIndex = schemaIndexOf(version);
  const schemaDigest = digests[schemaIndex] ?? '';
  const scale = objectAt(objectAt(version, 'subresources'), 'scale');
  const textOf = (): Buffer => source.texts[schemaIndex] ?? NO_SCHEMA;
  return {
    definition: name,
    get schema(): SchemaNode {
      return schemas.get(this, textOf);
    },
    schemaText: textOf,
    // Differs with all that determines how stored objects of the version are read.
    schemaId: digestOf([schemaDigest, ownMember(version, 'selectableFields') ?? null]),
    // With the digests of all versions, because an object stored in another version is read with the schema of that one.
    displayId: digestOf([version, [...digests]]),
    versions,
    storageVersion,
    webhook,
    columns: (arrayAt(version, 'additionalPrinterColumns') ?? []).filter(isObject).map(readPrinterColumn),
    scale: scale === undefined ? undefined : readScalePaths(scale),
  };
}

const isReviewVersion = (name: string): name is ConversionReviewVersion => name === 'v1' || name === 'v1beta1';

/** `undefined` when the definition has no conversion webhook. */
function webhookOf(conversion: JsonObject): ConversionWebhook | undefined {
  if (stringAt(conversion, 'strategy') !== 'Webhook') return undefined;
  const webhook = objectAt(conversion, 'webhook') ?? {};
  const reviewVersion = stringsAt(webhook, 'conversionReviewVersions').find(isReviewVersion);
  return { clientConfig: objectAt(webhook, 'clientConfig') ?? {}, reviewVersion };
}

/** The outline has an index in place of each schema; -1 for a version without a schema. */
function schemaIndexOf(version: JsonObject): number {
  const index = ownMember(objectAt(version, 'schema') ?? {}, 'openAPIV3Schema');
  return typeof index === 'number' ? index : -1;
}

const nameOf = (version: JsonObject): string => stringAt(version, 'name') ?? '';

/** 16 characters of base64: 96 bits, enough that different values do not get the same digest by chance. */
function digestOf(value: JsonValue): string {
  return createHash('sha256').update(stringifyJson(value, 'sorted')).digest('base64').slice(0, 16);
}

/** The configured warning, or upstream's default. */
function deprecationWarning(version: JsonObject, { group, preferredVersion }: DefinitionContext, kind: string): string {
  const configured = stringAt(version, 'deprecationWarning');
  if (configured !== undefined) return configured;
  const name = nameOf(version);
  const warning = `${apiVersionOf({ group, version: name })} ${kind} is deprecated`;
  // Versions are sorted by priority, highest first.
  const hasSuccessor = preferredVersion !== undefined && compareApiVersions(preferredVersion, name) <= 0;
  return hasSuccessor ? `${warning}; use ${apiVersionOf({ group, version: preferredVersion })} ${kind}` : warning;
}

/** The version that deprecation warnings recommend: the one of the highest priority that is served and not deprecated. */
function findPreferredVersion(versions: readonly JsonObject[]): string | undefined {
  const candidates = versions.filter((version) => ownMember(version, 'served') === true && ownMember(version, 'deprecated') !== true);
  return candidates.map(nameOf).sort(compareApiVersions)[0];
}

function readSelectableField(field: JsonObject): SelectableField {
  // `.spec.color` selects by `spec.color`.
  const path = (stringAt(field, 'jsonPath') ?? '').replace(/^\./, '');
  return { name: path, path };
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'] as const;

function readPrinterColumn(column: JsonObject): PrinterColumn {
  return {
    name: stringAt(column, 'name') ?? '',
    type: COLUMN_TYPES.find((type) => type === stringAt(column, 'type')) ?? 'string',
    format: stringAt(column, 'format') ?? '',
    description: stringAt(column, 'description') ?? '',
    priority: Number(ownMember(column, 'priority') ?? 0),
    jsonPath: stringAt(column, 'jsonPath') ?? '',
  };
}

function readScalePaths(scale: JsonObject): ScalePaths {
  return {
    specReplicas: stringAt(scale, 'specReplicasPath') ?? '',
    statusReplicas: stringAt(scale, 'statusReplicasPath') ?? '',
    labelSelector: stringAt(scale, 'labelSelectorPath') ?? '',
  };
}
