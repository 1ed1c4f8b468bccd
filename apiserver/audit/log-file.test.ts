import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { LogFile, type LogFileOptions } from './log-file';

let folder: string;
let file: string;
let clock: ManualClock;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'audit-log-'));
  file = path.join(folder, 'deep', 'audit.log');
  clock = new ManualClock(Date.UTC(2026, 0, 31, 12));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (changes: Partial<LogFileOptions> = {}): LogFile =>
  new LogFile({ path: file, maxBytes: 10, maxAgeMs: 0, maxBackups: 0, compress: false, ...changes }, clock, (error) => {
    throw error;
  });
const names = (): readonly string[] => readdirSync(path.dirname(file)).sort();

describe('LogFile', () => {
  it('appends to an existing file and rotates it before it exceeds the size limit', async () => {
    await open().close();
    appendFileSync(file, 'one\n');
    const log = open();
    log.append(Buffer.from('two\n'));
    log.append(Buffer.from('three\n'));
    await log.close();
    expect(names()).toEqual(['audit-2026-01-31T12-00-00.000.log', 'audit.log']);
    expect(readFileSync(path.join(folder, 'deep', 'audit-2026-01-31T12-00-00.000.log'), 'utf8')).toBe('one\ntwo\n');
    expect(readFileSync(file, 'utf8')).toBe('three\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('writes a line that is longer than the size limit', async () => {
    const log = open();
    log.append(Buffer.from('a line of more than ten characters\n'));
    await log.close();
    expect(names()).toEqual(['audit.log']);
  });

  it('compresses rotated files, deletes those beyond the number and age limits, and keeps unrelated files', async () => {
    await open().close();
    writeFileSync(path.join(folder, 'deep', 'audit-of-another.log'), '');
    const log = open({ maxBackups: 2, maxAgeMs: 3000, compress: true });
    for (let count = 0; count < 4; count += 1) {
      log.append(Buffer.from('123456789\n'));
      clock.advance(1000);
    }
    await log.close();
    expect(names()).toEqual([
      'audit-2026-01-31T12-00-02.000.log.gz',
      'audit-2026-01-31T12-00-03.000.log.gz',
      'audit-of-another.log',
      'audit.log',
    ]);
    expect(gunzipSync(readFileSync(path.join(folder, 'deep', 'audit-2026-01-31T12-00-03.000.log.gz'))).toString()).toBe('123456789\n');
    clock.advance(1500);
    await open({ maxAgeMs: 3000 }).close();
    expect(names()).toEqual(['audit-2026-01-31T12-00-03.000.log.gz', 'audit-of-another.log', 'audit.log']);
  });

  it('does not rotate a device', async () => {
    mkdirSync(path.dirname(file));
    // A link, so that a failing test renames the link and not the device.
    symlinkSync('/dev/null', file);
    const log = open();
    for (let count = 0; count < 3; count += 1) log.append(Buffer.from('123456789\n'));
    await log.close();
    expect(names()).toEqual(['audit.log']);
  });

  it('throws ENOSPC when the disk is full', () => {
    const full = new LogFile({ path: '/dev/full', maxBytes: 1000, maxAgeMs: 0, maxBackups: 0, compress: false }, clock, () => undefined);
    expect(() => full.append(Buffer.from('x\n'))).toThrow('ENOSPC');
  });
});
