/** Writes shared/api/types/generated/types.json from the installed packages: `npm run generate`. A development tool; nothing at run time uses it. */
import { writeFileSync } from 'node:fs';
import { readSources, readTypes } from './packages';
import { readRequired } from './required';
import { ROOTS } from './roots';
import { buildTables, printTables } from './tables';

const OUTPUT = 'shared/api/types/generated/types.json';

const sources = readSources();
if ('missing' in sources) {
  process.stderr.write(`generate: ${sources.missing}\n`);
  process.exitCode = 1;
} else {
  const rows = buildTables(readTypes(sources), readRequired(sources.declarations), ROOTS);
  writeFileSync(OUTPUT, printTables(rows));
  process.stdout.write(`${OUTPUT}: ${Object.keys(rows).length} types\n`);
}
