/**
 * Writes the descriptions of types and fields into the build output, for `kubectl explain`: `node
 * dist/shared/api/types/generate/describe.js <file>`. Called by the build.
 *
 * Without the package cdk8s-plus-31 it writes no file, and `kubectl explain` shows no descriptions. Without
 * `@kubernetes/client-node` only the descriptions of that package are missing.
 */
import { writeFileSync } from 'node:fs';
import { readAllDescriptions } from './all-descriptions';

function main(output: string | undefined): void {
  if (output === undefined) throw new Error('usage: describe <file>');
  const texts = readAllDescriptions();
  if (texts !== undefined) writeFileSync(output, JSON.stringify(texts));
}

main(process.argv[2]);
