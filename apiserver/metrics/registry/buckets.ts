/**
 * Upper bounds of histogram buckets, as upstream's, that several metrics share or that belong to metrics outside the
 * catalogue.
 */

/** Seconds; the latencies of requests. */
export const DURATION_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** Seconds; the latencies of requests without the time in queues and webhooks. */
export const SLI_BUCKETS = DURATION_BUCKETS.slice(2);
/** Bytes; the sizes of responses. */
export const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
/** Bytes; the sizes of watch events. */
export const EVENT_SIZE_BUCKETS = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072];
