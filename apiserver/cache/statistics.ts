/** What the cache counts about itself, as plain numbers for whoever publishes them. Counters only grow; gauges say so. */

export class CacheStatistics {
  /** Changes received per type name. */
  readonly eventsReceived = new Map<string, number>();
  /** Events with which watches began, per type name. */
  readonly initialEvents = new Map<string, number>();
  /** Stored values that could not be read, per type name. */
  readonly refused = new Map<string, number>();
  /** How often all objects were read from the store, per type name. */
  readonly loads = new Map<string, number>();
  /** Gauge: open watches per type name. */
  readonly watchers = new Map<string, number>();
  watchesStarted = 0;
  /** Watches that the cache ended, by reason. */
  watchesExpired = 0;
  watchesFailed = 0;
  /** Resumes older than the window, replayed from the store. */
  replays = 0;
  bookmarks = 0;
  /** Full comparisons with the store after a compaction cut the stream off. */
  gaps = 0;
  /** Types that were set right because they differed from the store (after a gap, or found by the checker). */
  resyncs = 0;
  /** Keys that the consistency checker found different. */
  differences = 0;
  checks = 0;
  consistentReads = 0;
  /** Consistent reads that the cache could not serve in time. */
  consistentReadFallbacks = 0;
  revisionLookups = 0;
  /** Most lookups that were ever in flight at once. */
  revisionLookupsInFlight = 0;
  progressRequests = 0;
  ticks = 0;
  reopened = 0;
  /** Snapshots of the past read from the store because memory did not hold them. */
  storeSnapshots = 0;
  compactions = 0;
  /** Times that the store's stream was paused because too much waited. */
  pauses = 0;
  /** Gauges of the recent-event window. */
  windowBytes = 0;
  windowEvents = 0;
  windowCapacityBytes = 0;
}
