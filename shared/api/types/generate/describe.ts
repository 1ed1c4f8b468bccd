/**
 * Puts the descriptions of types and members into the build's output, for `kubectl explain`: `node dist/shared/api/types/generate/describe.js <file>`.
 * The build runs it; without the package there are no descriptions, and nothing else changes.
 */
import { writeFileSync } from 'node:fs';
import { readDescriptions } from './descriptions';
import { readDeclarations } from './packages';

function main(output: string | undefined): void {
  if (output === undefined) throw new Error('usage: describe <file>');
  const declarations = readDeclarations();
  if (declarations !== undefined) writeFileSync(output, JSON.stringify(readDescriptions(declarations)));
}

main(process.argv[2]);
