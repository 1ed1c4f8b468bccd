import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startMigrate } from '../../test/support/migrate';

/** Runs the compiled program as a separate process. */
const folder = mkdtempSync(path.join(tmpdir(), 'migrate-main-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function runMigrate(...args: readonly string[]): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const { child, ended } = startMigrate(args);
  child.stdin?.end();
  return ended;
}

describe('platform-migrate', () => {
  it.each([
    ['no command', []],
    ['an unknown command', ['copy']],
  ])('prints its usage for %s', async (_title, args) => {
    const { code, stderr } = await runMigrate(...args);
    expect(code).toBe(64);
    for (const verb of ['backup', 'verify', 'restore', 'move']) expect(stderr).toContain(`  ${verb} `);
  });

  it.each([
    ['an unknown flag', ['backup', '--folder=x'], '--folder'],
    ['an invalid flag value', ['restore', '--bump-revision=0'], '--bump-revision'],
    ['a missing flag', ['verify'], '--file is required'],
    ['a move without a target store', ['move', '--to=etcd'], '--etcd-servers is required'],
  ])('rejects %s with exit code 64', async (_title, args, message) => {
    const { code, stderr } = await runMigrate(...args);
    expect(code).toBe(64);
    expect(stderr).toContain(message);
  });

  it('prints one line for a failure and creates no file', async () => {
    const file = path.join(folder, 'a.backup');
    const { code, stderr } = await runMigrate('backup', `--file=${file}`, `--storage-dir=${folder}/none`);
    expect(code).toBe(1);
    expect(stderr).toBe(`platform-migrate: there is no embedded store in ${folder}/none\n`);
    expect(existsSync(file)).toBe(false);
  });
});
