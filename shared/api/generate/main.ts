/** Writes shared/api/generated/types.json from the installed packages: `npm run generate`. A development tool; nothing at run time uses it. */
import { writeFileSync } from 'node:fs';
import { readGoTypes } from './go-types';
import { readSources } from './packages';
import { readRequired } from './required';
import { ROOTS } from './roots';
import { buildTables, printTables } from './tables';

const OUTPUT = 'shared/api/generated/types.json';

const sources = readSources();
if ('missing' in sources) {
  process.stderr.write(`generate: ${sources.missing}\n`);
  process.exitCode = 1;
} else {
  const rows = buildTables(readGoTypes(sources.kubectl), readRequired(sources.declarations), ROOTS);
  writeFileSync(OUTPUT, printTables(rows));
  process.stdout.write(`${OUTPUT}: ${Object.keys(rows).length} types\n`);
}
