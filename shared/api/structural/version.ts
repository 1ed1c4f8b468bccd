/** What a definition says of one version of its kind, beside the names that every kind has. Holds no code. */
import type { JsonObject } from '../../values/json';
import type { SchemaNode } from './schema-node';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'boolean' | 'date' | 'integer' | 'number' | 'string';
  readonly format: string;
  readonly description: string;
  /** 0 = always shown. */
  readonly priority: number;
  /** A simple JSON path that begins with a dot. */
  readonly jsonPath: string;
}

/** Where an object keeps what its scale shows; paths in dots, which begin with one. */
export interface ScalePaths {
  readonly specReplicas: string;
  readonly statusReplicas: string;
  /** '' = none. */
  readonly labelSelector: string;
}

export type ConversionReviewVersion = 'v1' | 'v1beta1';

/** Who is asked how objects look in another version. */
export interface ConversionWebhook {
  /** As it stands in the definition. */
  readonly clientConfig: JsonObject;
  /** The first of those that the webhook understands that is known here; undefined = none is. */
  readonly reviewVersion: ConversionReviewVersion | undefined;
}

export interface CustomVersion {
  /** The definition's name. */
  readonly definition: string;
  /** May be made anew each time it is asked for: whoever needs it for one thing asks once, and nobody keeps it. */
  readonly schema: SchemaNode;
  /** The same as JSON, as it stands in the definition. */
  readonly schemaText: () => Buffer;
  /** Different for any two schemas: what an object was written with needs no pruning and no defaults to be read with. */
  readonly schemaId: string;
  /** Different for any two states of the version that show objects differently, be it in a table. */
  readonly shownId: string;
  /** All versions of the kind, served or not, by their name. */
  readonly versions: ReadonlyMap<string, CustomVersion>;
  /** The version that the definition says objects are stored in. */
  readonly storageVersion: string;
  /** Who puts objects into another version; undefined = they differ in nothing but what their schemas know. */
  readonly webhook: ConversionWebhook | undefined;
  readonly columns: readonly PrinterColumn[];
  readonly scale: ScalePaths | undefined;
}
