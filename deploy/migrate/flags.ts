/** The flags of the commands that back up, restore and move data. Store flags have the names of the API server's. */
import path from 'node:path';
import { boolFlag, choiceFlag, intFlag, listFlag, stringFlag, type FlagTable, type FlagValues } from '../../shared/cli/flags';
import { dataDirFlag } from '../cluster/data-folder';

const STORE = 'Store';
const BACKUP = 'Backup';

/** The flags that select a store and its keys. */
const STORE_FLAGS = {
  'data-dir': dataDirFlag(STORE, 'Folder of the control plane, as given to start.'),
  'storage-dir': stringFlag({
    section: STORE,
    help: 'Folder of the embedded store; by default the folder store of --data-dir.',
    default: '',
    completes: 'folders',
  }),
  'etcd-servers': listFlag({ section: STORE, help: 'URLs of the etcd members. Without them, the embedded store is used.', default: [] }),
  'etcd-cafile': stringFlag({ section: STORE, help: 'PEM file with the certificate authority of etcd.', default: '', completes: 'files' }),
  'etcd-certfile': stringFlag({ section: STORE, help: 'PEM file with the client certificate for etcd.', default: '', completes: 'files' }),
  'etcd-keyfile': stringFlag({
    section: STORE,
    help: 'PEM file with the private key of the client certificate for etcd.',
    default: '',
    completes: 'files',
  }),
  'etcd-prefix': stringFlag({ section: STORE, help: 'Prefix of all keys in the store.', default: '/registry' }),
} satisfies FlagTable;

/** The flags of commands that fill a store. */
const FILLING_FLAGS = {
  'bump-revision': intFlag({
    section: STORE,
    help: 'Number by which the revisions of the restored store start above the revision of the backup. It must exceed the number of writes to the store since the backup; otherwise clients that saw these writes may miss changes.',
    default: 1_000_000_000,
    min: 1,
    max: 1_000_000_000_000,
  }),
  'discard-unfinished': boolFlag({ section: STORE, help: 'Delete the keys of an unfinished restore.', default: false }),
} satisfies FlagTable;

export const BACKUP_FLAGS = {
  file: stringFlag({
    section: BACKUP,
    help: 'Name of the new file; - is standard output. By default it contains the time.',
    default: '',
    completes: 'files',
  }),
  ...STORE_FLAGS,
} satisfies FlagTable;

export const VERIFY_FLAGS = {
  file: stringFlag({ section: BACKUP, help: 'Name of the file; - is standard input.', default: '', completes: 'files' }),
} satisfies FlagTable;

export const RESTORE_FLAGS = {
  file: stringFlag({ section: BACKUP, help: 'Name of the file; - is standard input.', default: '', completes: 'files' }),
  ...STORE_FLAGS,
  ...FILLING_FLAGS,
} satisfies FlagTable;

export const MIGRATE_FLAGS = {
  to: choiceFlag({
    section: STORE,
    help: 'Target of the copy: the store to which the data goes. The other one is the source.',
    default: 'etcd',
    values: ['etcd', 'embedded'],
  }),
  ...STORE_FLAGS,
  ...FILLING_FLAGS,
} satisfies FlagTable;

/** The folder of the embedded store. */
export const storageDirOf = (flags: StoreFlags): string => flags['storage-dir'] || path.join(flags['data-dir'], 'store');

export type StoreFlags = FlagValues<typeof STORE_FLAGS>;
export type BackupFlags = FlagValues<typeof BACKUP_FLAGS>;
export type VerifyFlags = FlagValues<typeof VERIFY_FLAGS>;
export type RestoreFlags = FlagValues<typeof RESTORE_FLAGS>;
export type MigrateFlags = FlagValues<typeof MIGRATE_FLAGS>;
