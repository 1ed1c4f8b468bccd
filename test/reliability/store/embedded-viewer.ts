/**
 * A process that opens an embedded store to read, reads and closes it again, as fast as it can, until it is killed; each time it says so on standard output. Ends by itself
 * only when there is a store that it could not read. Argument: the folder.
 */
import { existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStoreView } from '../../../apiserver/storage/embedded/store-view';
import { prefixRange } from '../../../apiserver/storage/store';
import { errorMessage } from '../../../shared/runtime/error-message';

const standardOutput = 1;

async function main(directory: string): Promise<never> {
  for (;;) {
    // The writer may not have begun.
    if (!existsSync(join(directory, 'data.mdb'))) {
      await new Promise((resolve) => setImmediate(resolve));
      continue;
    }
    const view = await openStoreView(directory);
    let keys = 0;
    for await (const { value } of view.entries(prefixRange('/'))) keys += value.length > 0 ? 1 : 0;
    await view.close();
    writeSync(standardOutput, `${keys}\n`);
  }
}

void main(process.argv[2] ?? '').catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
});
