/**
 * The exit codes of the programs, by which a supervisor decides about a restart: 64 (EX_USAGE of BSD) for an invalid
 * command line, 78 (EX_CONFIG) for any other error that a restart cannot repair, 1 for the rest. Codes 64 and 78 end
 * `npm start`; every other end of a process is followed by a restart.
 */
import { errorCode } from '../error-code';
import { errorMessage } from '../error-message';
import { USAGE_EXIT_CODE, UsageError } from '../../cli/flags';

/** `EX_CONFIG` of sysexits.h: a restart cannot help. */
export const PERMANENT_EXIT_CODE = 78;
const FAILURE_EXIT_CODE = 1;

/**
 * An error that lasts until the operator acts: a file that is missing or invalid, a damaged store, a port in use. The
 * message is one sentence for the operator.
 */
export class PermanentError extends Error {}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use by another program',
  EACCES: 'this user may not listen on the port',
  EADDRNOTAVAIL: 'this machine does not have the address',
};

/** Why a server cannot listen on a port, from the error of the attempt. */
export const listenErrorMessage = (error: unknown): string => LISTEN_ERRORS[errorCode(error) ?? ''] ?? errorMessage(error);

/** The exit code for an error that ends a program. Searches the causes of the error too. */
export function exitCodeOf(error: unknown): number {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof UsageError) return USAGE_EXIT_CODE;
    if (current instanceof PermanentError) return PERMANENT_EXIT_CODE;
  }
  return FAILURE_EXIT_CODE;
}

/** Whether a restart cannot help. `null`: a signal has ended the process. */
export const isPermanentExitCode = (code: number | null): boolean => code === USAGE_EXIT_CODE || code === PERMANENT_EXIT_CODE;
