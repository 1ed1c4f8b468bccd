/**
 * Reads the files that flags name at the start of a program: an error becomes a {@link PermanentError} that names the
 * flag, the path and the reason in one sentence. Which files are read, and how, is up to the caller.
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

/** Rejects with {@link PermanentError}; {@link UsageError} passes unchanged. */
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
  const given = names.flatMap((name) => [values[name]].flat().flatMap((path) => (path === '' ? [] : [{ flag: `--${name}`, path }])));
  const { message, path } = systemFault(error) ?? { message: firstLine(errorMessage(error)), path: undefined };
  const mentioned = given.filter((file) => (path === undefined ? message.includes(file.path) : file.path === path));
  const blamed = mentioned.length > 0 ? mentioned : given;
  const isFileItself = path !== undefined && mentioned.length > 0;
  const reason = path === undefined ? withoutPath(message, blamed) : isFileItself ? message : `${path}: ${message}`;
  const flags = blamed.map((file) => `${file.flag}=${file.path}`).join(', ');
  return new PermanentError(flags === '' ? reason : `${flags}: ${reason}`, { cause: error });
}

/** Parsers quote the text below their message. */
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

/** Reasons for the codes of the file system; the file is the subject. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  ENOTDIR: 'the file does not exist: its path leads through a file',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'this user may not read the file',
  EPERM: 'this user may not read the file',
};

/** The path and reason of the first error of the file system among the causes; `undefined` when there is none. */
function systemFault(error: unknown): { readonly message: string; readonly path: string | undefined } | undefined {
  for (let current = error; typeof current === 'object' && current !== null; current = 'cause' in current ? current.cause : undefined) {
    const message = REASONS[errorCode(current) ?? ''];
    // Reading a folder fails after it was opened, and the error then has no path.
    if (message !== undefined) return { message, path: 'path' in current && typeof current.path === 'string' ? current.path : undefined };
  }
  return undefined;
}

/** Errors of configuration files begin with the path. */
function withoutPath(message: string, files: readonly GivenFile[]): string {
  const prefix = files.map(({ path }) => `${path}: `).find((text) => message.startsWith(text));
  return prefix === undefined ? message : message.slice(prefix.length);
}
