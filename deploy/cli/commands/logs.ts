/**
 * `platform logs`: prints the log files of a control plane, and follows them. First it reads the files whole, because their
 * size is bounded (deploy/local/log-file.ts). While it follows them it reads new text in chunks. After a rotation it reads
 * the rest of the previous file, and then the new one from its beginning.
 */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../shared/runtime/error-code';
import { previousLogFile } from '../../local/log-file';
import { layoutOf, type Layout } from '../../local/plan';
import { readRunState } from '../../local/run-state';
import type { LogsFlags } from './flags';
import { CommandError, type CommandHost } from '../terminal/host';

/** How often a followed log is inspected: new lines should seem to appear at once. */
const POLL_MS = 200;
const CHUNK_BYTES = 1 << 20;

/** How far a log was printed. Another inode means that the file was rotated. */
interface FollowedFile {
  readonly file: string;
  inode: number;
  offset: number;
}

/** Resolves to the exit code 0; with `--follow` only after SIGINT or SIGTERM. */
export async function logs(
  { 'data-dir': folder, follow, tail }: LogsFlags,
  [program]: readonly string[],
  host: CommandHost,
): Promise<number> {
  const layout = layoutOf(path.resolve(host.directory, folder));
  const files = logFiles(layout, program);
  let lastPrinted: string | undefined;
  const print = (file: string, text: string | Buffer): void => {
    if (text.length === 0) return;
    if (files.length > 1 && lastPrinted !== file) host.write(headingOf(file, lastPrinted === undefined));
    lastPrinted = file;
    host.write(text);
  };
  const followed = files.map((file) => {
    const { text, inode, offset } = readLog(file, tail);
    print(file, text);
    return { file, inode, offset };
  });
  if (follow) await followFiles(followed, print, host);
  return 0;
}

/** The heading that tail prints when it changes from one of several files to another. */
const headingOf = (file: string, isFirst: boolean): string => `${isFirst ? '' : '\n'}==> ${path.basename(file)} <==\n`;

/** The log files sorted by name. Throws a {@link CommandError} when there are none, as in the foreground. */
function logFiles(layout: Layout, program: string | undefined): readonly string[] {
  const running = readRunState(layout);
  const folder = running.kind === 'ready' ? running.state.logs : layout.logs;
  if (folder === '')
    throw new CommandError(
      'the control plane runs in the foreground: its logs are on its terminal (platform start --log-dir writes files)',
    );
  const names = readNames(folder).filter((name) => name.endsWith('.log'));
  // Several API servers are apiserver-0, apiserver-1 …
  const selected = names.filter((name) => program === undefined || new RegExp(`^${program}(-\\d+)?\\.log$`).test(name));
  if (selected.length === 0) throw new CommandError(`there are no logs in ${folder}; platform start --detach writes them`);
  return selected.sort().map((name) => path.join(folder, name));
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** The last `tail` lines of the previous and the current file together, or all when `tail` is negative. */
function readLog(file: string, tail: number): { readonly text: string; readonly inode: number; readonly offset: number } {
  const previous =
    statSync(previousLogFile(file), { throwIfNoEntry: false }) === undefined ? '' : readFileSync(previousLogFile(file), 'utf8');
  const inode = statSync(file).ino;
  const current = readFileSync(file);
  return { text: lastLines(previous + current.toString(), tail), inode, offset: current.length };
}

function lastLines(text: string, count: number): string {
  if (count < 0) return text;
  if (count === 0) return '';
  const lines = text.split('\n');
  // A text that ends with a line feed has no line after it.
  const end = lines.at(-1) === '' ? 1 : 0;
  return lines.slice(Math.max(0, lines.length - end - count)).join('\n');
}

/** Prints new text until SIGINT or SIGTERM. */
async function followFiles(files: readonly FollowedFile[], print: (file: string, text: Buffer) => void, host: CommandHost): Promise<void> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) host.process.on(signal, () => ending.abort());
  while (!ending.signal.aborted) {
    for (const followed of files) for (const text of newText(followed)) print(followed.file, text);
    await host.clock.sleep(POLL_MS, ending.signal);
  }
}

/** The text since the last call, from the rotated file first. */
function* newText(followed: FollowedFile): Generator<Buffer> {
  const inode = statSync(followed.file, { throwIfNoEntry: false })?.ino;
  if (inode === undefined) return;
  if (inode !== followed.inode) {
    // The rest of the file that was printed so far: the rotation has renamed it.
    yield* readFrom(previousLogFile(followed.file), followed);
    followed.inode = inode;
    followed.offset = 0;
  }
  yield* readFrom(followed.file, followed);
}

/** The bytes from the offset on, which advances. A file that became shorter is read from its start. */
function* readFrom(file: string, followed: FollowedFile): Generator<Buffer> {
  const handle = openSync(file, 'r');
  try {
    if (fstatSync(handle).size < followed.offset) followed.offset = 0;
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (;;) {
      const length = readSync(handle, chunk, 0, chunk.length, followed.offset);
      if (length === 0) return;
      followed.offset += length;
      yield Buffer.from(chunk.subarray(0, length));
    }
  } finally {
    closeSync(handle);
  }
}
