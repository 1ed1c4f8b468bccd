/**
 * Writes shared/api/types/generated/types.json and members.ts from the installed packages (`npm run generate`). A
 * development tool, not used at run time.
 */
import { writeFileSync } from 'node:fs';
import { OPTIONAL_KINDS, SERVED_KINDS } from '../../kinds';
import { readTables } from '../tables';
import { printMembers } from './members';
import { readSources, readTypes } from './packages';
import { readRequired } from './required';
import { ROOTS } from './roots';
import { buildTables, printTables } from './tables';

const FOLDER = 'shared/api/types/generated';

const sources = readSources();
if ('missing' in sources) {
  process.stderr.write(`generate: ${sources.missing}\n`);
  process.exitCode = 1;
} else {
  const rows = buildTables(readTypes(sources), readRequired(sources.declarations), ROOTS);
  writeFileSync(`${FOLDER}/types.json`, printTables(rows));
  writeFileSync(`${FOLDER}/members.ts`, printMembers(readTables(rows), [...SERVED_KINDS, ...OPTIONAL_KINDS]));
  process.stdout.write(`${FOLDER}: ${Object.keys(rows).length} types\n`);
}
