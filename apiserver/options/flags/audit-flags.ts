/**
 * The audit flags, under upstream's names. Both backends have the flags of batches and truncation, with defaults of
 * their own. Combinations are validated by audit-flag-error.ts.
 */
import { boolFlag, choiceFlag, durationFlag, intFlag, stringFlag } from '../../../shared/cli/flags';
import { AUDIT_FORMATS } from '../../audit/event-line';

const AUDIT = 'Audit';
/** In milliseconds, as all durations. */
const SECOND = 1000;

const countFlag = (help: string, range: { readonly default: number; readonly min?: number }): ReturnType<typeof intFlag> =>
  intFlag({ section: AUDIT, help, min: 0, ...range });
const timeFlag = (help: string, defaultMs: number): ReturnType<typeof durationFlag> =>
  durationFlag({ section: AUDIT, help, default: defaultMs });
const switchFlag = (help: string, state: 'off' | 'on'): ReturnType<typeof boolFlag> =>
  boolFlag({ section: AUDIT, help, default: state === 'on' });
const textFlag = (help: string): ReturnType<typeof stringFlag> => stringFlag({ section: AUDIT, help, default: '' });

/** Help texts that the flags of both backends share. */
const BUFFER = 'Maximum number of events that wait to be sent; further events are dropped and counted. In batch mode only.';
const BATCH = 'Maximum number of events in a batch. In batch mode only.';
const WAIT = 'Time after which an incomplete batch is sent. In batch mode only.';
const THROTTLED = 'Limit the number of batches per second. In batch mode only.';
const RATE = 'Maximum average number of batches per second, with throttling.';
const BURST = 'Maximum number of batches sent at once after idle time, with throttling.';
const TRUNCATED = 'Truncate events and batches that are too large.';
const BATCH_BYTES = 'Maximum size of a batch in bytes, with truncation.';
const EVENT_BYTES =
  'Maximum size of an event in bytes, with truncation: a larger event loses its request and response objects, and is dropped if it is still too large.';

/** By name; part of the flags of the server. */
export const AUDIT_FLAGS = {
  'audit-policy-file': textFlag(
    'File with the audit policy: which requests are recorded, at which level. Without it, none are. Reloaded when it changes.',
  ),
  'audit-log-path': textFlag("File for audit events; '-' is standard output."),
  'audit-log-format': choiceFlag({ section: AUDIT, help: 'Format of audit events.', default: 'json', values: AUDIT_FORMATS }),
  'audit-log-maxsize': countFlag('Size in megabytes at which the log file is rotated; 0 is 100.', { default: 0 }),
  'audit-log-maxage': countFlag('Maximum age of rotated log files in days; 0 is no limit.', { default: 0 }),
  'audit-log-maxbackup': countFlag('Maximum number of rotated log files; 0 is no limit.', { default: 0 }),
  'audit-log-compress': switchFlag('Compress rotated log files with gzip.', 'off'),
  'audit-log-mode': choiceFlag({
    section: AUDIT,
    help: 'blocking: events are written in the event-loop turn in which they occur. blocking-strict: a request starts only after its first event was written.',
    default: 'blocking',
    values: ['batch', 'blocking', 'blocking-strict'],
  }),
  'audit-log-batch-buffer-size': countFlag(BUFFER, { default: 10_000, min: 1 }),
  'audit-log-batch-max-size': countFlag(BATCH, { default: 1, min: 1 }),
  'audit-log-batch-max-wait': timeFlag(WAIT, 0),
  'audit-log-batch-throttle-enable': switchFlag(THROTTLED, 'off'),
  'audit-log-batch-throttle-qps': countFlag(RATE, { default: 0 }),
  'audit-log-batch-throttle-burst': countFlag(BURST, { default: 0 }),
  'audit-log-truncate-enabled': switchFlag(TRUNCATED, 'off'),
  'audit-log-truncate-max-batch-size': countFlag(BATCH_BYTES, { default: 10 * 1024 * 1024, min: 1 }),
  'audit-log-truncate-max-event-size': countFlag(EVENT_BYTES, { default: 100 * 1024, min: 1 }),
  'audit-webhook-config-file': textFlag('Kubeconfig of the server that receives audit events.'),
  'audit-webhook-mode': choiceFlag({
    section: AUDIT,
    help: 'batch: events are sent in batches. blocking: each event is sent as soon as possible. Requests never wait for the response.',
    default: 'batch',
    values: ['batch', 'blocking'],
  }),
  'audit-webhook-initial-backoff': timeFlag('Delay before the first retry of a batch; it grows with each further retry.', 10 * SECOND),
  'audit-webhook-batch-buffer-size': countFlag(BUFFER, { default: 10_000, min: 1 }),
  'audit-webhook-batch-max-size': countFlag(BATCH, { default: 400, min: 1 }),
  'audit-webhook-batch-max-wait': timeFlag(WAIT, 30 * SECOND),
  'audit-webhook-batch-throttle-enable': switchFlag(THROTTLED, 'on'),
  'audit-webhook-batch-throttle-qps': countFlag(RATE, { default: 10 }),
  'audit-webhook-batch-throttle-burst': countFlag(BURST, { default: 15 }),
  'audit-webhook-truncate-enabled': switchFlag(TRUNCATED, 'off'),
  'audit-webhook-truncate-max-batch-size': countFlag(BATCH_BYTES, { default: 10 * 1024 * 1024, min: 1 }),
  'audit-webhook-truncate-max-event-size': countFlag(EVENT_BYTES, { default: 100 * 1024, min: 1 }),
};
