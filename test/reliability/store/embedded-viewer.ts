/**
 * A process that opens an embedded store for reading, reads all keys and closes it, as fast as it can, until it is
 * killed; it prints the number of keys each time. It ends by itself only when it cannot read an existing store.
 * Argument: the folder.
 */
import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStoreView } from '../../../apiserver/storage/embedded/store-view';
import { prefixRange } from '../../../apiserver/storage/store';
import { errorMessage } from '../../../shared/runtime/error-message';

const STANDARD_OUTPUT = 1;

async function main(directory: string): Promise<never> {
  for (;;) {
    // The writer may not have created the store yet.
    if (!existsSync(join(directory, 'data.mdb'))) {
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    const view = await openStoreView(directory);
    let keys = 0;
    for await (const { value } of view.entries(prefixRange('/'))) if (value.length > 0) keys += 1;
    await view.close();
    writeSync(STANDARD_OUTPUT, `${keys}\n`);
  }
}

void main(process.argv[2] ?? '').catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
});
