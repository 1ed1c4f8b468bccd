/** Rotation and limits of log files, with real files and a manual clock. */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { removeFolder, temporaryFolder } from '../../test/support/programs';
import { useForEachTest } from '../../test/support/use-resource';
import { LogFile, type LogFileOptions } from './log-file';

const folder = useForEachTest(() => temporaryFolder('audit-log'), removeFolder);
const clock = useForEachTest(() => new ManualClock(Date.UTC(2026, 0, 31, 12)));

/** The log file is in a folder that does not exist at first. */
const pathOf = (name: string): string => path.join(folder(), 'deep', name);

/** Opens the log file with space for two short lines, without compression and without limits for old files. */
const open = (changes: Partial<LogFileOptions> = {}): LogFile =>
  new LogFile({ path: pathOf('audit.log'), maxBytes: 10, maxAgeMs: 0, maxBackups: 0, compress: false, ...changes }, clock(), (error) => {
    throw error;
  });

/** Creates the folder and an empty log file. */
const createEmptyLog = (): Promise<void> => open().close();
const fileNames = (): readonly string[] => readdirSync(pathOf('')).sort();

describe('LogFile', () => {
  it('appends to an existing file and rotates it before it exceeds the size limit', async () => {
    await createEmptyLog();
    appendFileSync(pathOf('audit.log'), 'one\n');
    const log = open();
    log.append(Buffer.from('two\n'));
    log.append(Buffer.from('three\n'));
    await log.close();
    expect(fileNames()).toEqual(['audit-2026-01-31T12-00-00.000.log', 'audit.log']);
    expect(readFileSync(pathOf('audit-2026-01-31T12-00-00.000.log'), 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(pathOf('audit.log'), 'utf8')).toBe('three\n');
  });

  it('creates the file so that only its owner may read it', async () => {
    await createEmptyLog();
    expect(statSync(pathOf('audit.log')).mode & 0o777).toBe(0o600);
  });

  it('writes a line that is longer than the size limit', async () => {
    const log = open();
    log.append(Buffer.from('a line of more than ten characters\n'));
    await log.close();
    expect(fileNames()).toEqual(['audit.log']);
  });

  it('compresses rotated files, removes those beyond the limits of number and age, and preserves unrelated files', async () => {
    await createEmptyLog();
    writeFileSync(pathOf('audit-of-another.log'), '');
    const log = open({ maxBackups: 2, maxAgeMs: 3000, compress: true });
    // Each line fills the file, so the second, third and fourth rotate it, after 1, 2 and 3 seconds.
    for (let count = 0; count < 4; count += 1) {
      log.append(Buffer.from('123456789\n'));
      clock().advance(1000);
    }
    await log.close();
    expect(fileNames()).toEqual([
      'audit-2026-01-31T12-00-02.000.log.gz',
      'audit-2026-01-31T12-00-03.000.log.gz',
      'audit-of-another.log',
      'audit.log',
    ]);
    expect(gunzipSync(readFileSync(pathOf('audit-2026-01-31T12-00-03.000.log.gz'))).toString()).toBe('123456789\n');
    // The older of the two files is 3.5 seconds old when the log is opened again.
    clock().advance(1500);
    await open({ maxAgeMs: 3000 }).close();
    expect(fileNames()).toEqual(['audit-2026-01-31T12-00-03.000.log.gz', 'audit-of-another.log', 'audit.log']);
  });

  it('does not rotate a device', async () => {
    mkdirSync(pathOf(''));
    // A link, so that a failing test renames the link and not the device.
    symlinkSync('/dev/null', pathOf('audit.log'));
    const log = open();
    for (let count = 0; count < 3; count += 1) log.append(Buffer.from('123456789\n'));
    await log.close();
    expect(fileNames()).toEqual(['audit.log']);
  });

  it('throws ENOSPC when the disk is full', () => {
    const full = new LogFile({ path: '/dev/full', maxBytes: 1000, maxAgeMs: 0, maxBackups: 0, compress: false }, clock(), () => undefined);
    expect(() => full.append(Buffer.from('x\n'))).toThrow('ENOSPC');
  });
});
