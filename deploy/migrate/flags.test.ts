import { FLAGS } from '../../apiserver/options/flags';
import { parseFlags, type FlagTable } from '../../shared/cli/flags';
import { BACKUP_FLAGS, MOVE_FLAGS, RESTORE_FLAGS, VERIFY_FLAGS } from './flags';

const TABLES: Readonly<Record<string, FlagTable>> = { backup: BACKUP_FLAGS, restore: RESTORE_FLAGS, move: MOVE_FLAGS };
const program = { name: 'platform-migrate', description: '' };

describe('where a store is', () => {
  it.each(Object.entries(TABLES))('is said to `%s` as to a server, and is the same where nothing is said', (_name, table) => {
    const server: FlagTable = FLAGS;
    for (const name of ['etcd-servers', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'etcd-prefix']) {
      expect([name, table[name]?.default]).toEqual([name, server[name]?.default]);
    }
    expect(Object.keys(server)).toContain('storage-dir');
    expect(Object.keys(table)).toContain('storage-dir');
  });

  it('is nothing to whoever only looks at a file', () => {
    expect(Object.keys(VERIFY_FLAGS)).toEqual(['file']);
  });
});

describe('how far revisions are raised', () => {
  it.each(['0', '-1', '1000000000001', 'x'])('is not %s', (value) => {
    expect(parseFlags(program, RESTORE_FLAGS, [`--bump-revision=${value}`])).toMatchObject({ kind: 'error' });
  });

  it('is far, where nothing is said', () => {
    expect(parseFlags(program, RESTORE_FLAGS, [])).toMatchObject({ kind: 'values', values: { 'bump-revision': 1_000_000_000 } });
  });
});
