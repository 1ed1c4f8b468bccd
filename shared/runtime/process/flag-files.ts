/**
 * Reads the files that flags name at the start of a program. An error becomes a {@link PermanentError} that names the
 * flag, the path and the reason in one sentence:
 *
 *     --key=/pki/a.key: the file does not exist
 *     --config=/a.yaml: /pki/token: the file does not exist      (the file of the flag refers to another one)
 *     --cert=/a.crt, --key=/a.key: /a.crt and /a.key do not match
 *
 * Which files are read, and how, is up to the caller.
 */
import { errorCode } from '../error-code';
import { errorMessage } from '../error-message';
import { UsageError } from '../../cli/flags';
import { PermanentError } from './permanent-error';

type FlagsWithFiles<Name extends string> = Readonly<Record<Name, string | readonly string[]>>;

interface GivenFile {
  readonly flag: string;
  readonly path: string;
}

/**
 * Calls `read` and returns its result. Rejects with {@link PermanentError}; a {@link UsageError} of `read` passes
 * unchanged.
 *
 * @param names the flags with the paths of the files that `read` reads
 */
export async function readFlagFiles<Name extends string, T>(
  values: FlagsWithFiles<Name>,
  names: readonly Name[],
  read: () => T | Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw flagFileError(values, names, error);
  }
}

/** As {@link readFlagFiles}, for a synchronous reader. */
export function readFlagFilesSync<Name extends string, T>(values: FlagsWithFiles<Name>, names: readonly Name[], read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw flagFileError(values, names, error);
  }
}

function flagFileError<Name extends string>(values: FlagsWithFiles<Name>, names: readonly Name[], error: unknown): Error {
  if (error instanceof UsageError || error instanceof PermanentError) return error;
  const given = givenFiles(values, names);
  const { message, path } = systemError(error) ?? { message: firstLine(errorMessage(error)), path: undefined };
  const text = path === undefined ? describeByMessage(message, given) : describeByPath(message, path, given);
  return new PermanentError(text, { cause: error });
}

/** Names the flags of the files that the message mentions, or else of all files. */
function describeByMessage(message: string, given: readonly GivenFile[]): string {
  const mentioned = given.filter((file) => message.includes(file.path));
  const files = mentioned.length > 0 ? mentioned : given;
  return withFlags(files, withoutPath(message, files));
}

/** Names the flag of the file at `path`. When no flag names that file, one of the given files refers to it. */
function describeByPath(message: string, path: string, given: readonly GivenFile[]): string {
  const files = given.filter((file) => file.path === path);
  return files.length > 0 ? withFlags(files, message) : withFlags(given, `${path}: ${message}`);
}

function withFlags(files: readonly GivenFile[], reason: string): string {
  const flags = files.map(({ flag, path }) => `${flag}=${path}`).join(', ');
  return flags === '' ? reason : `${flags}: ${reason}`;
}

/** A flag that is not given has the value `''`. */
function givenFiles<Name extends string>(values: FlagsWithFiles<Name>, names: readonly Name[]): readonly GivenFile[] {
  return names.flatMap((name) => {
    const paths = [values[name]].flat().filter((path) => path !== '');
    return paths.map((path) => ({ flag: `--${name}`, path }));
  });
}

/** Leaves out the lines below, in which parsers quote the invalid text. */
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Reasons for the codes of the file system; the file is the subject. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  ENOTDIR: 'the file does not exist: its path leads through a file',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'this user may not read the file',
  EPERM: 'this user may not read the file',
};

/**
 * The first error of the file system among an error and its causes; `undefined` when there is none. Its `path` is
 * `undefined` when the error has none.
 */
function systemError(error: unknown): { readonly message: string; readonly path: string | undefined } | undefined {
  for (let current = error; typeof current === 'object' && current !== null; current = 'cause' in current ? current.cause : undefined) {
    const message = REASONS[errorCode(current) ?? ''];
    // Reading a folder fails after it was opened, and the error then has no path.
    if (message !== undefined) return { message, path: 'path' in current && typeof current.path === 'string' ? current.path : undefined };
  }
  return undefined;
}

/** Removes the path with which errors of configuration files begin, because the flag shows it already. */
function withoutPath(message: string, files: readonly GivenFile[]): string {
  const prefix = files.map(({ path }) => `${path}: `).find((text) => message.startsWith(text));
  return prefix === undefined ? message : message.slice(prefix.length);
}
