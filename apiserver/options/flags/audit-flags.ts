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

const BUFFER = 'Events that may wait; what comes then is lost and counted. In batch mode only.';
const BATCH = 'Events of a batch. In batch mode only.';
const WAIT = 'How long the first event of a batch waits for others. In batch mode only.';
const THROTTLED = 'Whether only so many batches a second are sent. In batch mode only.';
const RATE = 'Batches a second, where they are throttled.';
const BURST = 'Batches that are sent at once when none were before, where they are throttled.';
const TRUNCATED = 'Whether events and batches have a greatest length.';
const BATCH_BYTES = 'Bytes of a batch, where its length is limited.';
const EVENT_BYTES = 'Bytes of an event, where its length is limited: a longer one loses its objects, and if that is not enough it is lost.';

export const AUDIT_FLAGS = {
  'audit-policy-file': text('Which requests are recorded, and how much of them; none when not given. Read again when it changes.'),
  'audit-log-path': text("File that audit events are written to; '-' = standard output."),
  'audit-log-format': choiceFlag({ section: AUDIT, help: 'How events are written.', default: 'json', values: AUDIT_FORMATS }),
  'audit-log-maxsize': count('Megabytes after which the file is put aside; 0 = 100.', 0),
  'audit-log-maxage': count('Days that old files are kept; 0 = any time.', 0),
  'audit-log-maxbackup': count('Old files that are kept; 0 = any number.', 0),
  'audit-log-compress': truth('Whether old files are packed with gzip.', false),
  'audit-log-mode': choiceFlag({
    section: AUDIT,
    help: 'blocking = events are written with the turn in which they happen, blocking-strict = a request begins when its first event is written.',
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
  'audit-webhook-config-file': text('Kubeconfig that names the server which audit events are sent to.'),
  'audit-webhook-mode': choiceFlag({
    section: AUDIT,
    help: 'batch = events are sent together, blocking = each as soon as may be; no request waits for the answer.',
    default: 'batch',
    values: ['batch', 'blocking'],
  }),
  'audit-webhook-initial-backoff': time('How long to wait before a batch is sent for the second time; longer each time.', 10 * SECOND),
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
