/**
 * Writes the descriptions of types and fields into the build output, for `kubectl explain`: `node
 * dist/shared/api/types/generate/describe.js <file>`. Called by the build; without the packages it writes nothing, and
 * only the descriptions are missing.
 */
import { writeFileSync } from 'node:fs';
import { readAllDescriptions } from './all-descriptions';

function main(output: string | undefined): void {
  if (output === undefined) throw new Error('usage: describe <file>');
  const texts = readAllDescriptions();
  if (texts !== undefined) writeFileSync(output, JSON.stringify(texts));
}

main(process.argv[2]);
