/**
 * Counters and gauges of the cache as plain numbers, for the metrics and for tests. A member is a counter, which only
 * grows, unless its comment calls it a gauge.
 */

/** One object per cache, for its whole life. */
export class CacheStatistics {
  /** Store events per type name. */
  readonly eventsReceived = new Map<string, number>();
  /** Initial events of watches, per type name. */
  readonly initialEvents = new Map<string, number>();
  /** Stored values that could not be read, per type name. */
  readonly unreadableValues = new Map<string, number>();
  /** Number of full loads from the store, per type name. */
  readonly loads = new Map<string, number>();
  /** Gauge: open watches per type name. */
  readonly watchers = new Map<string, number>();
  watchesStarted = 0;
  /** Watches that ended because the history needed to resume them was compacted or is unknown. */
  watchesExpired = 0;
  /** Watches that ended with an error: a stored value cannot be read, delivering the backlog failed, or the sink threw. */
  watchesFailed = 0;
  /** Watches that started before the window and were replayed from the store. */
  replays = 0;
  bookmarks = 0;
  /** Interruptions of the stream during which the store was compacted; after each, all types are compared with the store. */
  gaps = 0;
  /**
   * Types that were resynced because they differed from the store (after a gap, or found by the consistency checker).
   */
  resyncs = 0;
  /** Keys that the consistency checker found different. */
  differences = 0;
  /** Passes of the consistency checker. */
  checks = 0;
  consistentReads = 0;
  /** Consistent reads that failed, most of them at their time limit. The request then reads from the store. */
  consistentReadFallbacks = 0;
  /** Requests for the revision of the store, each shared by concurrent consistent reads. */
  revisionLookups = 0;
  /** Requests for progress of a stalled stream. */
  progressRequests = 0;
  /** Writes of the tick key, to advance a stalled stream or to end a replay. */
  ticks = 0;
  /** Stalled streams that were opened again. */
  streamReopens = 0;
  /** Past snapshots that were read from the store because memory did not hold them. */
  storeSnapshots = 0;
  /** Compactions by this replica. */
  compactions = 0;
  /** Number of times that the store's stream was paused because of queued bytes. */
  streamPauses = 0;
  /** Gauge: bytes in the event window. */
  windowBytes = 0;
  /** Gauge: changes in the event window. */
  windowEvents = 0;
  /** Gauge: the limit of `windowBytes`. */
  windowCapacityBytes = 0;
}
