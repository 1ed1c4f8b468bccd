/** The commands for backups of the compiled program `platform`, run as separate processes: arguments, exit codes, messages. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startMigrate } from '../../test/support/migrate';

const folder = mkdtempSync(path.join(tmpdir(), 'migrate-main-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function runMigrate(...args: readonly string[]): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const { child, ended } = startMigrate(args);
  child.stdin?.end();
  return ended;
}

describe('the commands for backups', () => {
  it.each([
    ['an unknown flag', ['backup', '--folder=x'], '--folder'],
    ['an invalid flag value', ['restore', '--bump-revision=0'], '--bump-revision'],
    ['a missing flag', ['verify'], '--file is required'],
    ['a migration without a target store', ['migrate', '--to=etcd'], '--etcd-servers is required'],
  ])('rejects %s with exit code 64', async (_title, args, message) => {
    const { code, stderr } = await runMigrate(...args);
    expect(code).toBe(64);
    expect(stderr).toContain(message);
  });

  it('prints one line for a failure and creates no file', async () => {
    const file = path.join(folder, 'a.backup');
    const { code, stderr } = await runMigrate('backup', `--file=${file}`, `--storage-dir=${folder}/none`);
    expect(code).toBe(1);
    expect(stderr).toBe(`platform backup: there is no embedded store in ${folder}/none\n`);
    expect(existsSync(file)).toBe(false);
  });
});
