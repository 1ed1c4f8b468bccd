/**
 * Puts the descriptions of types and members into the build's output, for `kubectl explain`: `node dist/shared/api/types/generate/describe.js <file>`.
 * The build runs it; without the packages there are no descriptions, and nothing else changes.
 */
import { writeFileSync } from 'node:fs';
import { readTexts } from './texts';

function main(output: string | undefined): void {
  if (output === undefined) throw new Error('usage: describe <file>');
  const texts = readTexts();
  if (texts !== undefined) writeFileSync(output, JSON.stringify(texts));
}

main(process.argv[2]);
