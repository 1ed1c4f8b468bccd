import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LogFile } from './log-file';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'log-'));
  file = path.join(folder, 'apiserver.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

const text = (name: string): string => readFileSync(name, 'utf8');

describe('LogFile', () => {
  it('appends to a file that only its owner reads', () => {
    new LogFile(file).write(Buffer.from('a\n'));
    new LogFile(file).write(Buffer.from('b\n'));
    expect(text(file)).toBe('a\nb\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps the file and one previous file within the limit', () => {
    writeFileSync(file, '0123');
    const log = new LogFile(file, 10);
    for (const line of ['456', '789ab', 'cdefg', 'hijkl']) log.write(Buffer.from(line));
    expect([text(`${file}.1`), text(file)]).toEqual(['789abcdefg', 'hijkl']);
  });

  it('goes on without the lines that it cannot write', () => {
    const log = new LogFile(file, 4);
    mkdirSync(`${file}.1`);
    log.write(Buffer.from('abcd'));
    log.write(Buffer.from('efgh'));
    rmSync(`${file}.1`, { recursive: true });
    log.write(Buffer.from('ijkl'));
    expect([text(`${file}.1`), text(file)]).toEqual(['abcd', 'ijkl']);
  });
});
