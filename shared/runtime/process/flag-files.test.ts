import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readFlagFiles, readFlagFilesSync } from './flag-files';
import { UsageError } from '../../cli/flags';
import { PermanentError } from './permanent-error';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'flag-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NONE = { cert: '', key: '', keys: [] as readonly string[] };
const at = (name: string): string => path.join(folder, name);

function messageOf(values: Partial<typeof NONE>, read: () => unknown): string {
  try {
    readFlagFilesSync({ ...NONE, ...values }, ['cert', 'key', 'keys'], read);
  } catch (error) {
    expect(error).toBeInstanceOf(PermanentError);
    return error instanceof Error ? error.message : '';
  }
  return 'no error';
}

describe('readFlagFiles', () => {
  it('names the flag of the file that does not exist', () => {
    const cert = at('a.crt');
    const key = at('a.key');
    expect(messageOf({ cert, key }, () => readFileSync(key))).toBe(`--key=${key}: the file does not exist`);
    expect(messageOf({ cert, keys: ['/x', key] }, () => readFileSync(key))).toBe(`--keys=${key}: the file does not exist`);
  });

  it('names the flag and the path of a missing file that a configuration refers to', () => {
    const cert = at('config.yaml');
    expect(messageOf({ cert }, () => readFileSync(at('token')))).toBe(`--cert=${cert}: ${at('token')}: the file does not exist`);
  });

  it('rejects a folder with a message that names it', () => {
    expect(messageOf({ cert: folder }, () => readFileSync(folder))).toBe(`--cert=${folder}: it is a folder, not a file`);
  });

  it('finds the cause of a wrapped error', () => {
    const cert = at('none');
    const read = (): never => {
      try {
        readFileSync(cert);
        throw new Error('read');
      } catch (cause) {
        throw new Error('cannot read it', { cause });
      }
    };
    expect(messageOf({ cert }, read)).toBe(`--cert=${cert}: the file does not exist`);
  });

  it.each([
    ['a.yaml: rules: is required', '--cert=a.yaml: rules: is required'],
    ['a.yaml and b.key do not match', '--cert=a.yaml, --key=b.key: a.yaml and b.key do not match'],
    ['unreadable PEM', '--cert=a.yaml, --key=b.key: unreadable PEM'],
  ])('names the flags of the files in the message %j, or else all', (message, expected) => {
    const fail = (): never => {
      throw new Error(message);
    };
    expect(messageOf({ cert: 'a.yaml', key: 'b.key' }, fail)).toBe(expected);
  });

  it('returns the value, and passes errors about flags unchanged', async () => {
    expect(await readFlagFiles(NONE, ['cert'], async () => 7)).toBe(7);
    const error = new UsageError('--cert and --key go together');
    await expect(readFlagFiles(NONE, ['cert'], () => Promise.reject(error))).rejects.toBe(error);
  });
});
