/** The types of what a custom resource definition states about one of its versions, besides the names of the kind. */
import type { JsonObject } from '../../values/json';
import type { SchemaNode } from './schema-node';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string';
  readonly format: string;
  readonly description: string;
  /** Columns with a priority above 0 are shown only with `-o wide`. */
  readonly priority: number;
  /** A simple JSON path that begins with a dot. */
  readonly jsonPath: string;
}

/** The paths of the scale subresource, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Empty when there is none. */
  readonly labelSelector: string;
}

export type ConversionReviewVersion = 'v1' | 'v1beta1';

/** The conversion webhook of a definition. */
export interface ConversionWebhook {
  /** `spec.conversion.webhook.clientConfig` of the definition. */
  readonly clientConfig: JsonObject;
  /**
   * The first of the webhook's `conversionReviewVersions` that this server supports; `undefined` when there is none.
   */
  readonly reviewVersion: ConversionReviewVersion | undefined;
}

/** What a definition states about one of its versions. */
export interface CustomVersion {
  /** The name of the definition. */
  readonly definition: string;
  /** May be rebuilt on each access: read it once per use and do not keep it. */
  readonly schema: SchemaNode;
  /** The JSON of the schema, as in the definition. */
  readonly schemaText: () => Buffer;
  /**
   * Equal for two versions only when their schemas and selectable fields are equal. An object that was written with the
   * same id needs neither pruning nor defaulting when it is read.
   */
  readonly schemaId: string;
  /**
   * Equal for two states of the version only when they present objects alike, in tables too. Part of the keys of cached
   * responses.
   */
  readonly displayId: string;
  /** All versions of the kind, served or not, by name. */
  readonly versions: ReadonlyMap<string, CustomVersion>;
  /** The version with `storage: true`. */
  readonly storageVersion: string;
  /**
   * The webhook that converts objects between versions; `undefined` with conversion strategy None, where versions
   * differ only in their schemas.
   */
  readonly webhook: ConversionWebhook | undefined;
  readonly columns: readonly PrinterColumn[];
  readonly scale: ScalePaths | undefined;
}
