/**
 * The embedded store on a disk that fills up and has free space again later: a tmpfs of a few megabytes. The tests run in
 * this order: the first one fills the disk.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { prefixRange } from '../../../apiserver/storage/store';
import { systemRandom } from '../../../shared/runtime/random';
import { failureIn, put, valueOf } from '../../support/store/store-helpers';
import { ManualClock } from '../../support/clock/manual-clock';
import { reportSkipped } from '../../support/report-skipped';
import { useClosable } from '../../support/use-resource';

const disk = mkdtempSync(join(tmpdir(), 'embedded-disk-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});
if (isMounted) describe('the embedded store on a full disk', describeFullDisk);
else reportSkipped('the embedded store on a full disk', 'no disk of its own can be mounted here');

function describeFullDisk(): void {
  const clock = new ManualClock();
  const store = useClosable(() => openEmbeddedStore({ directory: join(disk, 'data'), clock, random: systemRandom }));
  /** A file that fills the disk. */
  const ballast = join(disk, 'ballast');
  /** Rejections that nothing handled. */
  const rejections: unknown[] = [];
  const recordRejection = (reason: unknown): void => void rejections.push(reason);

  beforeAll(() => void process.on('unhandledRejection', recordRejection));
  afterAll(() => void process.off('unhandledRejection', recordRejection));

  /** Fills the disk with the ballast, and then the free pages of the store. Returns the keys that were written. */
  async function fillDisk(): Promise<string[]> {
    const block = Buffer.alloc(64 * 1024);
    for (let isFull = false; !isFull;) {
      try {
        appendFileSync(ballast, block);
      } catch {
        isFull = true;
      }
    }
    const written: string[] = [];
    for (;;) {
      const key = `/full/${written.length}`;
      const failure = await put(store(), key, 'x'.repeat(10_000)).then(() => undefined, failureIn);
      if (failure !== undefined) {
        expect(failure).toBe('no-space');
        return written;
      }
      written.push(key);
    }
  }

  /** The keys that the first test has written. */
  const keysOnFullDisk: string[] = [];

  it('reports in health checks that writes fail', async () => {
    await put(store(), '/before', '1');
    await store().health();
    keysOnFullDisk.push(...(await fillDisk()));
    await expect(store().health()).rejects.toMatchObject({ message: expect.stringMatching('no space left on device') });
    // Each later check tries a write.
    for (let round = 0; round < 5; round++) {
      await clock.advanceAsync(5_000);
      await expect(store().health()).rejects.toMatchObject({
        message: expect.stringContaining('no space left on device: the write failed'),
      });
    }
  });

  it('rejects the creation of another store', async () => {
    await expect(openEmbeddedStore({ directory: join(disk, 'other'), clock, random: systemRandom })).rejects.toThrow(/no space left/i);
  });

  it('serves reads', async () => {
    expect(await valueOf(store(), '/before')).toBe('1');
    expect((await store().range(prefixRange('/full/'))).count).toBe(keysOnFullDisk.length);
  });

  it('accepts writes again when the disk has space, without an unhandled rejection before', async () => {
    rmSync(ballast);
    await clock.advanceAsync(5_000);
    await store().health();
    await put(store(), '/after', '1');
    // Also `/before` and `/after`.
    expect((await store().range({ ...prefixRange('/'), keysOnly: true })).count).toBe(keysOnFullDisk.length + 2);
    expect(rejections).toEqual([]);
  });

  it('keeps its revision and size at health checks', async () => {
    const revision = await store().revision();
    await clock.advanceAsync(60_000);
    await store().health();
    const { size } = await store().status();
    for (let count = 0; count < 200; count++) await store().health();
    expect(await store().revision()).toBe(revision);
    expect((await store().status()).size).toBe(size);
  });
}
