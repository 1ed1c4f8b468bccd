import { parseServerFlags } from '../../test/support/server-flags';
import { auditFlagError } from './audit-flag-error';

const errorOf = (...argv: readonly string[]): string | undefined => auditFlagError(parseServerFlags(...argv));

it('auditFlagError accepts the default values of the audit flags', () => {
  expect(errorOf()).toBeUndefined();
});

describe.each(['log', 'webhook'])('auditFlagError of the flags of the %s backend', (backend) => {
  const flag = (name: string, value: string | number): string => `--audit-${backend}-${name}=${value}`;
  const throttled = [flag('mode', 'batch'), flag('batch-throttle-enable', 'true')];

  it.each<[string, readonly string[], string | undefined]>([
    [
      'accepts a throttle with a rate and a burst',
      [...throttled, flag('batch-throttle-qps', 1), flag('batch-throttle-burst', 1)],
      undefined,
    ],
    [
      'refuses a throttle with a rate of 0',
      [...throttled, flag('batch-throttle-qps', 0), flag('batch-throttle-burst', 1)],
      `--audit-${backend}-batch-throttle-qps must be greater than 0`,
    ],
    [
      'refuses a throttle with a burst of 0',
      [...throttled, flag('batch-throttle-qps', 1), flag('batch-throttle-burst', 0)],
      `--audit-${backend}-batch-throttle-burst must be greater than 0`,
    ],
    [
      'ignores the rate in blocking mode',
      [flag('mode', 'blocking'), flag('batch-throttle-enable', 'true'), flag('batch-throttle-qps', 0)],
      undefined,
    ],
    [
      'ignores the rate of a disabled throttle',
      [flag('mode', 'batch'), flag('batch-throttle-enable', 'false'), flag('batch-throttle-qps', 0)],
      undefined,
    ],
    [
      'refuses a batch that is larger than the buffer',
      [flag('batch-buffer-size', 10), flag('batch-max-size', 11)],
      `--audit-${backend}-batch-max-size must not be greater than --audit-${backend}-batch-buffer-size`,
    ],
    [
      'refuses an event that is larger than a batch',
      [flag('truncate-max-batch-size', 10), flag('truncate-max-event-size', 11)],
      `--audit-${backend}-truncate-max-event-size must not be greater than --audit-${backend}-truncate-max-batch-size`,
    ],
  ])('%s', (_title, argv, error) => {
    expect(errorOf(...argv)).toBe(error);
  });
});
