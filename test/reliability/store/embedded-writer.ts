/**
 * A process that writes to an embedded store as fast as it can, several writes at a time, and reports each acknowledged
 * one on standard output (`<key> <revision>`), until it is killed. Arguments: the folder, a prefix for its keys.
 */
import { writeSync } from 'node:fs';
import { openEmbeddedStore } from '../../../apiserver/storage/embedded/open';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { errorMessage } from '../../../shared/runtime/error-message';

/** Transactions in flight, so that a kill hits some in every phase. */
const WRITERS = 8;
/** Transactions of the first writer between two compactions, and the revisions that a compaction leaves. */
const COMPACTION_INTERVAL = 100;
const KEPT_REVISIONS = 50;
const STANDARD_OUTPUT = 1;

async function main(directory: string, prefix: string): Promise<void> {
  const store = await openEmbeddedStore({ directory, clock: systemClock, random: systemRandom });
  const write = async (writer: number): Promise<never> => {
    for (let serial = 1; ; serial++) {
      const key = `${prefix}${writer}/${serial}`;
      // The name of the key in the same transaction: a test sees whether a transaction is stored whole.
      const shared = `${prefix}shared`;
      const { revision } = await store.transact({
        compare: [{ key, modRevision: 0 }],
        operations: [
          // Values of all lengths, inside of a page and beyond it.
          { type: 'put', key, value: Buffer.from(`${key} ${'x'.repeat(serial % 3_000)}`) },
          { type: 'put', key: shared, value: Buffer.from(key) },
        ],
      });
      writeSync(STANDARD_OUTPUT, `${key} ${revision}\n`);
      if (writer === 0 && serial % COMPACTION_INTERVAL === 0) await store.compact(revision - KEPT_REVISIONS);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
}

const [directory, prefix] = process.argv.slice(2);
if (directory === undefined || prefix === undefined) throw new Error('usage: embedded-writer <folder> <prefix>');
void main(directory, prefix).catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
});
