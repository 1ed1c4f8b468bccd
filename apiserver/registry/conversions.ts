/**
 * How objects of custom kinds get into another version where only a webhook can tell how they look there. Who asks it is told when the server is put together; what
 * needs no webhook never comes here.
 */
import type { KindRow } from '../../shared/api/kinds';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import type { EventLoopSlot } from '../../shared/scheduling/yielding';
import type { JsonObject } from '../../shared/values/json';
import type { Entry } from '../cache/cache';

/** On whose behalf. */
export interface ConversionContext extends Pick<EventLoopSlot, 'requeue'> {
  /** In ms of Clock.monotonic: nobody waits longer. */
  readonly deadline: number;
}

export interface Conversions {
  /**
   * Stored objects as the row's version has them, in their order; those that are stored so are handed on. Rejects with a StatusError. `isFresh`: they are not what
   * the store has at their revision.
   */
  entries(row: KindRow, entries: readonly Entry[], context: ConversionContext, isFresh?: boolean): Promise<readonly Entry[]>;
  /** An object between two versions of the row's kind, by their names. Rejects with a StatusError. */
  object(row: KindRow, from: string, to: string, object: JsonObject, context: ConversionContext): Promise<JsonObject>;
}

/** What one request knows of its object in other versions. */
export interface OtherVersions {
  /** A promise when a webhook has to be asked; rejects with a StatusError. The result is not to be changed. */
  convert(object: JsonObject, from: string, to: string): MaybePromise<JsonObject>;
}

/** Where there are no webhooks to ask: all is as it is stored. */
export const NO_CONVERSIONS: Conversions = {
  entries: (_row, entries) => Promise.resolve(entries),
  object: (_row, _from, _to, object) => Promise.resolve(object),
};
