/** One version of a custom resource definition, besides the names that every kind has. */
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

/** The paths of the scale subresource: members with dots, beginning with a dot. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** Empty when there is none. */
  readonly labelSelector: string;
}

export type ConversionReviewVersion = 'v1' | 'v1beta1';

/** The conversion webhook of a definition. */
export interface ConversionWebhook {
  /** As in the definition. */
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
   * Differs between any two schemas. An object that was written with the same schema needs neither pruning nor
   * defaulting when it is read.
   */
  readonly schemaId: string;
  /** Differs between any two states of the version that present objects differently, including in tables. */
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
