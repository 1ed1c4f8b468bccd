import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useFolder } from '../../test/support/use-resource';
import { LogFile } from './log-file';

const folder = useFolder('log-file');
const newFile = (): string => path.join(mkdtempSync(path.join(folder, 'logs-')), 'apiserver.log');

const text = (name: string): string => readFileSync(name, 'utf8');

describe('LogFile', () => {
  it('appends to a file that only its owner reads', () => {
    const file = newFile();
    new LogFile(file).write(Buffer.from('a\n'));
    new LogFile(file).write(Buffer.from('b\n'));
    expect(text(file)).toBe('a\nb\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps the file and one previous file within the limit', () => {
    const file = newFile();
    writeFileSync(file, '0123');
    const log = new LogFile(file, 10);
    for (const line of ['456', '789ab', 'cdefg', 'hijkl']) log.write(Buffer.from(line));
    expect(text(`${file}.1`)).toBe('789abcdefg');
    expect(text(file)).toBe('hijkl');
  });

  it('goes on without the lines that it cannot write', () => {
    const file = newFile();
    const log = new LogFile(file, 4);
    mkdirSync(`${file}.1`);
    log.write(Buffer.from('abcd'));
    log.write(Buffer.from('efgh'));
    rmSync(`${file}.1`, { recursive: true });
    log.write(Buffer.from('ijkl'));
    expect(text(`${file}.1`)).toBe('abcd');
    expect(text(file)).toBe('ijkl');
  });
});
