/**
 * Conversion of custom objects between versions by a webhook. apiserver/conversion implements it; objects of kinds
 * without a conversion webhook are not passed to it.
 */
import type { KindRow } from '../../shared/api/kinds';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import type { EventLoopSlot } from '../../shared/scheduling/yielding';
import type { JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';

/** The request that needs the conversion. */
export interface ConversionContext extends Pick<EventLoopSlot, 'requeue'> {
  /** Latest time to wait for, in ms of Clock.monotonic. */
  readonly deadline: number;
}

/** Whether conversions of entries may be cached. */
export interface Freshness {
  /** The entries are not stored yet, so their conversions must not be cached by revision. */
  readonly isFresh: boolean;
}

/** The conversions of a server. */
export interface Conversions {
  /**
   * Converts stored objects to the version of the row and keeps their order; entries that are already in that version
   * are returned unchanged. Rejects with a StatusError.
   */
  convertEntries(row: KindRow, entries: readonly Entry[], context: ConversionContext, freshness?: Freshness): Promise<readonly Entry[]>;
  /** Converts an object between two versions of the row's kind. Rejects with a StatusError. */
  convertObject(row: KindRow, from: string, to: string, object: JsonObject, context: ConversionContext): Promise<JsonObject>;
}

/** Converts the object of one request to other versions of its kind. */
export interface VersionConverter {
  /** Returns a promise when a webhook has to be called; rejects with a StatusError. The result must not be changed. */
  convert(object: JsonObject, from: string, to: string): MaybePromise<JsonObject>;
}

/** For servers without conversion webhooks: every object is already in the required version. */
export const NO_CONVERSIONS: Conversions = {
  convertEntries: (_row, entries) => Promise.resolve(entries),
  convertObject: (_row, _from, _to, object) => Promise.resolve(object),
};
