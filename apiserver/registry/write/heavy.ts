/**
 * Heavy writes: what they are made of has so many values, or rules take so long with it, that working them out here would hold up everyone else. They are
 * worked out in a thread, by the same steps (heavy-work.ts); what rests on what others hold is asked here (heavy-attempt.ts). In this file stands which
 * writes are heavy, and what the two sides tell each other.
 */
import type { StatusError } from '../../../shared/api/errors/status';
import type { KindRow } from '../../../shared/api/kinds';
import type { PrinterColumn, ScalePaths } from '../../../shared/api/structural/version';
import type { JsonObject } from '../../../shared/values/json';
import type { Held } from '../../allocation/claims';
import type { Entry, StoredType } from '../../cache/cache';
import type { DeleteOptions, PatchBody, SentBody, Subresource, UserInfo, WriteOptions } from '../verbs';

/** What is worked out where it is asked for. */
export interface HeavyLimits {
  /** Of JSON and protobuf: what is not longer has not many values. */
  readonly bytes: number;
  readonly yamlBytes: number;
  /** Of JSON. */
  readonly values: number;
}

/** Up to them everything is worked out in some 20 ms, whatever it is. YAML takes ten times as long as JSON. */
export const HEAVY_LIMITS: HeavyLimits = { bytes: 16 * 1024, yamlBytes: 4 * 1024, values: 6_000 };

const COMMA = 0x2c;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const ANCHOR = 0x26;

/** Whether JSON has many values. Texts may look as if they had; that costs nothing but a way to a thread. */
export function hasManyValues(bytes: Uint8Array, limits: HeavyLimits): boolean {
  const { length } = bytes;
  if (length <= limits.bytes) return false;
  let values = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at];
    if (byte !== COMMA && byte !== BRACE && byte !== BRACKET) continue;
    values += 1;
    if (values > limits.values) return true;
  }
  return false;
}

export function isHeavyBody({ bytes, format }: SentBody, limits: HeavyLimits): boolean {
  switch (format) {
    case 'json':
      return hasManyValues(bytes, limits);
    case 'yaml':
      return isHeavyYaml(bytes, limits);
    case 'protobuf':
      return bytes.length > limits.bytes;
  }
}

/** Of a few copies much may come. */
const COPIES = ['copy', '\\u'];

export function isHeavyPatch({ type, bytes }: PatchBody, limits: HeavyLimits): boolean {
  switch (type) {
    case 'apply':
      return isHeavyYaml(bytes, limits);
    case 'json':
      return hasManyValues(bytes, limits) || COPIES.some((text) => bytes.includes(text));
    case 'merge':
    case 'strategic':
      return hasManyValues(bytes, limits);
  }
}

/** An alias may stand for much. */
function isHeavyYaml(bytes: Buffer, limits: HeavyLimits): boolean {
  const isLong = bytes[0] === BRACE ? hasManyValues(bytes, limits) : bytes.length > limits.yamlBytes;
  return isLong || bytes.includes(ANCHOR);
}

/** A version of a custom kind without what only this process can have of it. */
export interface SentVersion {
  readonly name: string;
  /** JSON. */
  readonly schema: Uint8Array;
  readonly schemaId: string;
  readonly shownId: string;
  readonly columns: readonly PrinterColumn[];
  readonly scale: ScalePaths | undefined;
}

export type SentResource =
  | { readonly type: 'builtIn'; readonly group: string; readonly version: string; readonly resource: string }
  | {
      readonly type: 'custom';
      readonly row: Omit<KindRow, 'custom'>;
      readonly stored: StoredType;
      readonly definition: string;
      readonly storageVersion: string;
      readonly versions: readonly SentVersion[];
    };

/** An entry without its labels, which no step of a write asks for. */
export type SentEntry = Pick<Entry, 'dialectSensitive' | 'fields' | 'key' | 'revision'> & { readonly bytes: Uint8Array };

export type HeavyBody =
  | { readonly verb: 'create' | 'update'; readonly body: { readonly bytes: Uint8Array; readonly format: SentBody['format'] } }
  | { readonly verb: 'patch'; readonly patch: Omit<PatchBody, 'bytes'> & { readonly bytes: Uint8Array } };

interface HeavyPlace {
  readonly resource: SentResource;
  readonly namespace: string;
  /** Of a creation: '' = what the body says, or what is generated from it. */
  readonly name: string;
  readonly subresource: Subresource;
  readonly dryRun: boolean;
  readonly user: UserInfo;
}

/** What a thread is asked to work out: what becomes of an object. */
export interface HeavyWork extends HeavyPlace {
  readonly type: 'change';
  readonly what: HeavyBody;
  readonly options: WriteOptions & { readonly force?: boolean };
  /** The object as it is stored; undefined = it is not. */
  readonly entry: SentEntry | undefined;
  /** Whether all of the body is to be recorded. */
  readonly keepsSent: boolean;
}

/** What a thread cannot know the answer to: who gets there is asked here, in this order. */
export type Gate = 'creationRefusal' | 'mutate' | 'validate';

/** What a write comes to if all that it passes lets it. */
export type HeavyEnd =
  | { readonly type: 'refused'; readonly status: StatusError['status'] }
  | { readonly type: 'unchanged' }
  | {
      readonly type: 'store';
      readonly isBirth: boolean;
      /** Undefined = the object goes. */
      readonly value: Uint8Array | undefined;
      /** Undefined = what is stored is. */
      readonly shown: SentEntry | undefined;
    };

export type HeavySent =
  /** What the object says of its own place, and where that is asked for, all of it. */
  | { readonly type: 'object'; readonly metadata: JsonObject; readonly entry: SentEntry | undefined }
  /** As JSON; undefined = too long. */
  | { readonly type: 'patch'; readonly text: string | undefined };

export interface HeavyOutcome {
  /** Of a creation: the object's. */
  readonly name: string;
  /** Of a creation: what names are generated from, and whether this one was. */
  readonly generateName: string;
  readonly generates: boolean;
  readonly warnings: readonly string[];
  /** What was sent, for whoever records it; undefined = it could not be read. */
  readonly sent: HeavySent | undefined;
  readonly passed: readonly Gate[];
  readonly end: HeavyEnd;
}

/** The same of how an object goes. */
export interface HeavyRemoval extends HeavyPlace {
  readonly type: 'removal';
  /** What a DELETE asks for, or the uid of the object that it has marked to go at once. */
  readonly what: { readonly options: DeleteOptions } | { readonly marked: string };
  readonly entry: SentEntry;
}

/** What comes of it, if who may refuse it does not. */
export type HeavyRemovalEnd =
  | { readonly type: 'refused'; readonly status: StatusError['status'] }
  /** It stays as it is. */
  | { readonly type: 'kept'; readonly code: 200 | 202 }
  /** It has gone already. */
  | { readonly type: 'gone' }
  /** `held` = what it has of the cluster's ranges. */
  | { readonly type: 'goes'; readonly uid: string; readonly held: Held }
  /** `goes` = and it goes at once. */
  | { readonly type: 'marked'; readonly uid: string; readonly value: Uint8Array; readonly goes: boolean; readonly code: 200 | 202 };

export interface HeavyRemovalOutcome {
  readonly passed: readonly Gate[];
  readonly end: HeavyRemovalEnd;
}

/** Where heavy writes are worked out. */
export interface HeavyThreads {
  readonly limits: HeavyLimits;
  /** Rejects with a StatusError when there is no room, or when it takes too much. */
  run(work: HeavyWork): Promise<HeavyOutcome>;
  remove(work: HeavyRemoval): Promise<HeavyRemovalOutcome>;
}
