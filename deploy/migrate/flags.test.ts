import { FLAGS } from '../../apiserver/options/flags/flags';
import { parseFlags, type FlagTable } from '../../shared/cli/flags';
import { BACKUP_FLAGS, MIGRATE_FLAGS, RESTORE_FLAGS, VERIFY_FLAGS } from './flags';

const TABLES: Readonly<Record<string, FlagTable>> = { backup: BACKUP_FLAGS, restore: RESTORE_FLAGS, migrate: MIGRATE_FLAGS };

describe('the store flags of backups', () => {
  it.each(Object.entries(TABLES))('have the names and defaults of the API server for the command %s', (_name, table) => {
    const server: FlagTable = FLAGS;
    for (const name of ['etcd-servers', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'etcd-prefix']) {
      expect(Object.keys(table)).toContain(name);
      expect({ name, default: table[name]?.default }).toEqual({ name, default: server[name]?.default });
    }
    // Only its name is that of the API server: here the default depends on --data-dir, which the API server lacks.
    expect(Object.keys(server)).toContain('storage-dir');
    expect(Object.keys(table)).toContain('storage-dir');
  });

  it('are absent for verify', () => {
    expect(Object.keys(VERIFY_FLAGS)).toEqual(['file']);
  });
});

describe('the flag --bump-revision', () => {
  const program = { name: 'platform restore', description: '' };

  it.each(['0', '-1', '1000000000001', 'x'])('rejects the value %s', (value) => {
    expect(parseFlags(program, RESTORE_FLAGS, [`--bump-revision=${value}`])).toMatchObject({ kind: 'error' });
  });

  it('defaults to one billion', () => {
    expect(parseFlags(program, RESTORE_FLAGS, [])).toMatchObject({ kind: 'values', values: { 'bump-revision': 1_000_000_000 } });
  });
});
