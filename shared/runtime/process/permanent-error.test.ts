import { UsageError } from '../../cli/flags';
import { exitCodeOf, isPermanentExitCode, listenErrorMessage, PermanentError } from './permanent-error';

it('exitCodeOf returns 64 for the command line, 78 for other permanent errors, also as a cause, and 1 for all other errors', () => {
  const errors = [new UsageError('x'), new PermanentError('x'), new Error('step', { cause: new PermanentError('x') }), new Error('x'), 'x'];
  expect(errors.map(exitCodeOf)).toEqual([64, 78, 78, 1, 1]);
});

it('isPermanentExitCode is true only for 64 and 78', () => {
  expect([0, 1, 64, 78, null].map(isPermanentExitCode)).toEqual([false, false, true, true, false]);
});

it('listenErrorMessage explains the codes of failed attempts to listen, and returns the message of other errors', () => {
  expect(listenErrorMessage(Object.assign(new Error('listen'), { code: 'EADDRINUSE' }))).toBe('the port is in use by another program');
  expect(listenErrorMessage(new Error('other'))).toBe('other');
});
