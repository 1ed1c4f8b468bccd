/**
 * The commands backup, verify, restore and migrate: open files and stores, and print progress and results. They reject
 * with errors that the user can understand. The exit code is left to the callers, and the format of a backup and the
 * order of writes to apiserver/backup.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupFormatError, decodeBackup, encodeBackup, type BackupHeader, type DecodedBackup } from '../../apiserver/backup/backup-format';
import {
  checkEmpty,
  discardUnfinished,
  restore,
  type RestoreResult,
  type RestoreOptions,
  type RestoreTarget,
} from '../../apiserver/backup/restore';
import type { Clock } from '../../shared/runtime/clock';
import { UsageError } from '../../shared/cli/flags';
import type { Random } from '../../shared/runtime/random';
import { readChunks, writeAtomically } from './files';
import { storageDirOf, type BackupFlags, type MigrateFlags, type RestoreFlags, type VerifyFlags } from './flags';
import { storeKindOf, openSource, openTarget } from './stores';

/** The dependencies of the commands. */
export interface Host {
  readonly clock: Clock;
  readonly random: Random;
  /** Prints a line for the user. */
  readonly print: (line: string) => void;
}

/** The least time between two lines of progress. */
const PROGRESS_MS = 5_000;

/**
 * Writes a backup to `--file`; `-` is the standard output, and without the flag the name states the time of the backup.
 * Servers may run meanwhile.
 */
export async function backup(flags: BackupFlags, host: Host): Promise<void> {
  const { source, close } = await openSource(storeKindOf(flags), 'shared', { flags, ...host });
  try {
    const { header } = source;
    const progress = createProgress('backed up', host);
    const chunks = encodeBackup(header, source.records(), progress.record);
    if (flags.file === '-') {
      await pipeline(Readable.from(chunks), process.stdout);
    } else {
      const file = flags.file === '' ? `platform-${compactTime(header.time)}.backup` : flags.file;
      const bytes = await writeAtomically(file, chunks);
      host.print(`${file}: ${progress.total()} keys, ${bytes} bytes`);
    }
    host.print(`backed up ${progress.total()} keys of revision ${header.revision}`);
  } finally {
    await close();
  }
}

/** `2024-05-01T10:20:30.500Z` → `20240501T102030Z`. */
const compactTime = (time: string): string => time.replace(/[-:]|[.]\d+/g, '');

/** Reads the whole file. Rejects when it is damaged or incomplete. */
export async function verify(flags: VerifyFlags, host: Host): Promise<void> {
  const file = fileOf(flags);
  const { header, records } = await readBackup(file);
  host.print(`${file}: complete; ${records} keys, ${describeHeader(header)}`);
}

/**
 * Restores `--file` into an empty store. Verifies the whole file before it writes, except `-`, the standard input,
 * which is verified while it is restored.
 */
export async function restoreFile(flags: RestoreFlags, host: Host): Promise<void> {
  const file = fileOf(flags);
  // A pipe can be read only once.
  if (file !== '-') await readBackup(file);
  const { target, close } = await openTarget(storeKindOf(flags), { flags, ...host });
  try {
    await prepareTarget(target, flags, host);
    const opened = await withFileName(file, () => decodeBackup(readChunks(file)));
    const records = recordsWithFileName(file, opened);
    const result = await restoreRecords(target, { header: opened.header, records, name: displayName(file), ...flags }, host);
    printResult(host, result, opened.header);
  } finally {
    await close();
  }
}

/** Copies from the store that `--to` does not name, and rejects when that store changes meanwhile. */
export async function migrate(flags: MigrateFlags, host: Host): Promise<void> {
  if (flags['etcd-servers'].length === 0) throw new UsageError('--etcd-servers is required: etcd is one of the two stores');
  const from = flags.to === 'etcd' ? 'embedded' : 'etcd';
  const { source, close } = await openSource(from, 'alone', { flags, ...host });
  try {
    const opened = await openTarget(flags.to, { flags, ...host });
    try {
      await prepareTarget(opened.target, flags, host);
      const confirm = (): Promise<void> => source.confirmUnchanged();
      const name = `the data of ${from === 'etcd' ? 'etcd' : storageDirOf(flags)}`;
      const { header } = source;
      const result = await restoreRecords(opened.target, { header, records: source.records(), name, confirm, ...flags }, host);
      printResult(host, result, header);
    } finally {
      await opened.close();
    }
  } finally {
    await close();
  }
}

/** Deletes the data of an unfinished restore if the flag is set. Rejects when the store is not empty. */
async function prepareTarget(target: RestoreTarget, flags: Pick<RestoreFlags, 'discard-unfinished'>, { print }: Host): Promise<void> {
  if (flags['discard-unfinished']) {
    const count = await discardUnfinished(target);
    if (count > 0) print(`deleted ${count} keys of an unfinished restore`);
  }
  await checkEmpty(target);
}

/** What is restored, and how. */
interface RestoreInput extends Pick<RestoreOptions, 'name' | 'confirm'>, Pick<RestoreFlags, 'bump-revision'> {
  readonly header: BackupHeader;
  readonly records: ReturnType<DecodedBackup['records']>;
}

function restoreRecords(
  target: RestoreTarget,
  { header, records, name, confirm, 'bump-revision': bumpRevision }: RestoreInput,
  host: Host,
): Promise<RestoreResult> {
  const progress = createProgress('restored', host);
  return restore(header, records, {
    ...target,
    name,
    bumpRevision,
    onProgress: progress.record,
    ...(confirm !== undefined && { confirm }),
  });
}

function printResult(host: Host, { records, firstRevision }: RestoreResult, header: BackupHeader): void {
  host.print(`restored ${records} keys, ${describeHeader(header)}; revisions continue at ${firstRevision}`);
  host.print(`start the API servers with --naming=${header.naming}`);
}

function describeHeader({ source, revision, naming, time }: BackupHeader): string {
  return `revision ${revision} of the ${source} store at ${time}, --naming=${naming}`;
}

function fileOf({ file }: { readonly file: string }): string {
  if (file === '') throw new UsageError('--file is required');
  return file;
}

/** The name of a file in messages. */
const displayName = (file: string): string => (file === '-' ? 'standard input' : file);

/** Reads and verifies the whole file. */
async function readBackup(file: string): Promise<{ readonly header: BackupHeader; readonly records: number }> {
  const opened = await withFileName(file, () => decodeBackup(readChunks(file)));
  let records = 0;
  for await (const _record of recordsWithFileName(file, opened)) records += 1;
  return { header: opened.header, records };
}

/** The records of a backup, with the name of the file in errors. */
async function* recordsWithFileName(file: string, opened: DecodedBackup): ReturnType<DecodedBackup['records']> {
  const records = opened.records();
  for (;;) {
    const next = await withFileName(file, () => records.next());
    if (next.done === true) return;
    yield next.value;
  }
}

/** Adds the name of the file to a `BackupFormatError`. */
async function withFileName<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof BackupFormatError)) throw error;
    throw new BackupFormatError(`${displayName(file)} ${error.message}`);
  }
}

/** Takes the number of records so far, and prints it at most every {@link PROGRESS_MS}. */
function createProgress(verb: string, { clock, print }: Host): { readonly record: (count: number) => void; readonly total: () => number } {
  let lastPrintedAt = clock.monotonic();
  let total = 0;
  return {
    record: (count) => {
      total = count;
      const now = clock.monotonic();
      if (now - lastPrintedAt < PROGRESS_MS) return;
      lastPrintedAt = now;
      print(`${verb} ${count} keys so far`);
    },
    total: () => total,
  };
}
