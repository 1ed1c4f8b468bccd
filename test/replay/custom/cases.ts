/** What is asked of the reference server about custom resources, by definition. */
import type { Body } from '../reference';

export interface Definition {
  /** `openAPIV3Schema`. */
  readonly schema: Body;
  /** Further members of the version (`additionalPrinterColumns`). */
  readonly version?: Body;
  /** Bodies without apiVersion, kind and name; abbreviated (expandBody). */
  readonly creates?: readonly Body[];
  /** What was stored under a schema that allowed everything, and what is put in its place. */
  readonly updates?: readonly (readonly [old: Body, body: Body])[];
  readonly sequences?: readonly Sequence[];
  /** Each is the only column of a version of its own. */
  readonly paths?: readonly string[];
  /** What the OpenAPI documents say of it. */
  readonly documents?: true;
  /** Objects to show as rows. */
  readonly tables?: readonly Body[];
}

/** What several managers do to one object, one after the other. */
export type Sequence = readonly {
  readonly by: string;
  readonly apply?: Body;
  /** A PUT. */
  readonly update?: Body;
  readonly force?: true;
}[];

export type Topic = Readonly<Record<string, Definition>>;

export const object = (properties: Body, more: Body = {}): Body => ({ type: 'object', properties, ...more });
export const list = (items: Body, more: Body = {}): Body => ({ type: 'array', items, ...more });
export const map = (additionalProperties: Body, more: Body = {}): Body => ({ type: 'object', additionalProperties, ...more });
export const STRING: Body = { type: 'string' };
export const INTEGER: Body = { type: 'integer' };
export const FREE: Body = { 'x-kubernetes-preserve-unknown-fields': true };
