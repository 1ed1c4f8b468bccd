/** The audit flags, under upstream's names. */
import { boolFlag, choiceFlag, durationFlag, intFlag, stringFlag } from '../../../shared/cli/flags';
import { AUDIT_FORMATS } from '../../audit/event-line';

const AUDIT = 'Audit';
const SECOND = 1000;

const count = (help: string, preset: number, min = 0): ReturnType<typeof intFlag> =>
  intFlag({ section: AUDIT, help, default: preset, min });
const time = (help: string, preset: number): ReturnType<typeof durationFlag> => durationFlag({ section: AUDIT, help, default: preset });
const truth = (help: string, preset: boolean): ReturnType<typeof boolFlag> => boolFlag({ section: AUDIT, help, default: preset });
const text = (help: string): ReturnType<typeof stringFlag> => stringFlag({ section: AUDIT, help, default: '' });

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

export const AUDIT_FLAGS = {
  'audit-policy-file': text(
    'File with the audit policy: which requests are recorded, at which level. Without it, none are. Reloaded when it changes.',
  ),
  'audit-log-path': text("File for audit events; '-' is standard output."),
  'audit-log-format': choiceFlag({ section: AUDIT, help: 'Format of audit events.', default: 'json', values: AUDIT_FORMATS }),
  'audit-log-maxsize': count('Size in megabytes at which the log file is rotated; 0 is 100.', 0),
  'audit-log-maxage': count('Maximum age of rotated log files in days; 0 is no limit.', 0),
  'audit-log-maxbackup': count('Maximum number of rotated log files; 0 is no limit.', 0),
  'audit-log-compress': truth('Compress rotated log files with gzip.', false),
  'audit-log-mode': choiceFlag({
    section: AUDIT,
    help: 'blocking: events are written in the event-loop turn in which they occur. blocking-strict: a request starts only after its first event was written.',
    default: 'blocking',
    values: ['batch', 'blocking', 'blocking-strict'],
  }),
  'audit-log-batch-buffer-size': count(BUFFER, 10_000, 1),
  'audit-log-batch-max-size': count(BATCH, 1, 1),
  'audit-log-batch-max-wait': time(WAIT, 0),
  'audit-log-batch-throttle-enable': truth(THROTTLED, false),
  'audit-log-batch-throttle-qps': count(RATE, 0),
  'audit-log-batch-throttle-burst': count(BURST, 0),
  'audit-log-truncate-enabled': truth(TRUNCATED, false),
  'audit-log-truncate-max-batch-size': count(BATCH_BYTES, 10 * 1024 * 1024, 1),
  'audit-log-truncate-max-event-size': count(EVENT_BYTES, 100 * 1024, 1),
  'audit-webhook-config-file': text('Kubeconfig of the server that receives audit events.'),
  'audit-webhook-mode': choiceFlag({
    section: AUDIT,
    help: 'batch: events are sent in batches. blocking: each event is sent as soon as possible. Requests never wait for the response.',
    default: 'batch',
    values: ['batch', 'blocking'],
  }),
  'audit-webhook-initial-backoff': time('Delay before the first retry of a batch; it grows with each further retry.', 10 * SECOND),
  'audit-webhook-batch-buffer-size': count(BUFFER, 10_000, 1),
  'audit-webhook-batch-max-size': count(BATCH, 400, 1),
  'audit-webhook-batch-max-wait': time(WAIT, 30 * SECOND),
  'audit-webhook-batch-throttle-enable': truth(THROTTLED, true),
  'audit-webhook-batch-throttle-qps': count(RATE, 10),
  'audit-webhook-batch-throttle-burst': count(BURST, 15),
  'audit-webhook-truncate-enabled': truth(TRUNCATED, false),
  'audit-webhook-truncate-max-batch-size': count(BATCH_BYTES, 10 * 1024 * 1024, 1),
  'audit-webhook-truncate-max-event-size': count(EVENT_BYTES, 100 * 1024, 1),
};
