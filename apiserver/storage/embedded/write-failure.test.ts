import { tmpdir } from 'node:os';
import { explainWriteFailure } from './write-failure';

describe('explainWriteFailure', () => {
  it.each([
    ['MDB_MAP_FULL: Environment mapsize limit reached', 'no-space', 'no space left on device: the write failed'],
    ['No space left on device', 'no-space', 'no space left on device: the write failed'],
    ['MDB_CORRUPTED: Located page was wrong type', 'damaged', 'are damaged (MDB_CORRUPTED'],
    ['MDB_PANIC: Update of meta page failed', 'damaged', 'restore a backup'],
    ['Permission denied', 'unavailable', 'the write failed: Permission denied'],
  ])('%s is the failure %s', (message, failure, text) => {
    expect(explainWriteFailure(new Error(message), tmpdir())).toMatchObject({ failure, message: expect.stringContaining(text) });
  });

  it('names the folder of damaged files', () => {
    expect(explainWriteFailure(new Error('MDB_CORRUPTED'), '/data').message).toContain('the embedded store in /data are damaged');
  });

  it('takes a short write for a full disk only where little space is free', () => {
    expect(explainWriteFailure(new Error('Input/output error'), tmpdir()).failure).toBe('unavailable');
    // A file system without blocks.
    expect(explainWriteFailure(new Error('Input/output error'), '/proc').failure).toBe('no-space');
    expect(explainWriteFailure(new Error('Input/output error'), '/no/such/folder').failure).toBe('unavailable');
  });
});
