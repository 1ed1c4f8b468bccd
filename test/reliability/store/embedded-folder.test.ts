/**
 * Two processes that open one data folder: the file lock, and detection of a second writer when the lock file was
 * deleted.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prefixRange } from '../../../apiserver/storage/store';
import { openEmbedded } from '../../support/store/open-stores';
import { failureOf, put, valueOf } from '../../support/store/store-helpers';
import { StoreEventRecorder } from '../../support/store/store-recorder';
import { reportSkipped } from '../../support/report-skipped';
import { acknowledgedWrites, useEmbeddedFolder } from './use-embedded-folder';

/** Runs a process in a PID namespace of its own, which is killed with its parent. */
const IN_NAMESPACE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

const folder = useEmbeddedFolder('embedded-folder');

describe('the data folder of the embedded store,', () => {
  describe.each([
    { opener: 'a plain process', commandPrefix: [] },
    { opener: 'a process in a PID namespace of its own', commandPrefix: IN_NAMESPACE },
  ])('opened by $opener,', ({ opener, commandPrefix }) => {
    const [command, ...args] = commandPrefix;
    if (command !== undefined && spawnSync(command, [...args, 'true']).status !== 0) {
      reportSkipped(opener, 'no PID namespaces can be created here');
      return;
    }

    it('is locked for others while that process holds it, and available when it is killed', async () => {
      const writer = folder().startWriter('/a/', commandPrefix);
      await writer.waitForLines(5);
      await expect(folder().open()).rejects.toMatchObject({
        failure: 'unavailable',
        message: expect.stringMatching(/is in use by process \d+ on /),
      });
      await writer.kill();
      const store = await folder().open();
      for (const [key, revision] of acknowledgedWrites(writer)) expect((await store.get(key)).kv?.modRevision).toBe(revision);
    }, 30_000);

    it('is locked for that process while another one holds it', async () => {
      const store = await folder().open();
      await put(store, '/mine', '1');
      expect(await folder().startWriter('/a/', commandPrefix).ended).toContain(`is in use by process ${process.pid} on `);
      expect(await put(store, '/mine', '2')).toBe(3);
    }, 30_000);
  });

  it('opened twice, stays with the process that wrote last; the other one closes its store and loses no acknowledged write', async () => {
    const store = await folder().open();
    const recorder = new StoreEventRecorder();
    store.watch(prefixRange('/'), 1, recorder);
    await put(store, '/mine', '1');
    await recorder.count(1);
    rmSync(join(folder().directory, 'lock'));
    const writer = folder().startWriter('/other/');
    await writer.waitForLines(50);
    expect(await failureOf(put(store, '/mine', '2'))).toMatchObject({ failure: 'unavailable' });
    const message = /another process has written to the data in .* \(its last revision is \d+, and the last one known here is 2\)/;
    const calls: (() => Promise<unknown>)[] = [
      () => put(store, '/mine', '3'),
      () => store.get('/mine'),
      () => store.range(prefixRange('/')),
      () => store.revision(),
      () => store.grantLease(10),
      () => store.compact(2),
      () => store.health(),
    ];
    for (const call of calls) {
      expect(await call().catch((error: unknown) => error)).toMatchObject({
        failure: 'closed',
        message: expect.stringMatching(message),
      });
    }
    expect(recorder.connections).toEqual(['connected', 'disconnected']);
    await writer.waitForLines(200);
    await writer.kill();
    const after = await folder().open();
    for (const [key, revision] of acknowledgedWrites(writer)) expect((await after.get(key)).kv?.modRevision).toBe(revision);
    expect(await valueOf(after, '/mine')).toBe('1');
  }, 30_000);

  it('opened twice, stays with the first store when the second one has not seen its last write', async () => {
    const store = await folder().open();
    rmSync(join(folder().directory, 'lock'));
    const second = await folder().open();
    // A write of which the second store does not know.
    const lease = await store.grantLease(60);
    expect(await failureOf(put(second, '/a', '1'))).toMatchObject({ failure: 'unavailable' });
    expect(await failureOf(second.health())).toMatchObject({ failure: 'closed' });
    await store.keepLeaseAlive(lease);
    expect(await put(store, '/a', '2')).toBe(2);
  });

  it('is accessible to its owner only, even when it was created for everyone', async () => {
    const data = join(folder().directory, 'data');
    mkdirSync(data);
    chmodSync(data, 0o755);
    for (let round = 0; round < 2; round++) {
      const store = await openEmbedded(data);
      await put(store, '/a', '1');
      await store.close();
      const modes = Object.fromEntries(readdirSync(data).map((file) => [file, statSync(join(data, file)).mode & 0o777]));
      expect(modes).toEqual({ 'data.mdb': 0o600, 'lock.mdb': 0o600, lock: 0o600, opening: 0o600 });
      expect(statSync(data).mode & 0o777).toBe(0o700);
      // The modes that older versions set.
      for (const file of readdirSync(data)) chmodSync(join(data, file), 0o664);
    }
  });
});
