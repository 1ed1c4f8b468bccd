/** What a file of cases says of its kind. Names are upstream's. */
import type { Body } from './reference';

export interface KindCases {
  readonly resource: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  /** A good object, which the bodies replace. */
  readonly base: Body;
  /** Each is created, and put in place of the base unless it has a name of its own. */
  readonly bodies: Readonly<Record<string, Body>>;
  /** No body is put in place of the base, because all of them would change what never changes. */
  readonly createsOnly?: true;
  /** What is stored, and what is put in its place. */
  readonly changes: Readonly<Record<string, readonly [old: Body, body: Body]>>;
  /** Put at the base's status endpoint. */
  readonly statuses?: Readonly<Record<string, Body>>;
  /** What is stored, with its status, and what is put at its status endpoint. */
  readonly statusChanges?: Readonly<Record<string, readonly [old: Body, body: Body]>>;
  /** What is stored, and what is put at its scale endpoint. */
  readonly scales?: Readonly<Record<string, readonly [old: Body, scale: Body]>>;
  /** What is stored, and what is put at its endpoint of ephemeral containers. */
  readonly ephemeral?: Readonly<Record<string, readonly [old: Body, body: Body]>>;
  /** The bodies are only created, and what was accepted is not recorded. */
  readonly brief?: true;
  /** The server itself changes what is stored. */
  readonly isRestless?: true;
  /** Members of `spec` that are left out of what was accepted, because they are large and the same everywhere. */
  readonly unrecorded?: readonly string[];
}
