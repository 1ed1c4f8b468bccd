/**
 * Puts the descriptions of types and members into the build's output, for `kubectl explain`: `node dist/shared/api/types/generate/describe.js <file>`.
 * The build runs it; without the package there are no descriptions, and nothing else changes.
 */
import { writeFileSync } from 'node:fs';
import { readDescriptions } from './descriptions';
import { readDeclarations } from './packages';

const [output] = process.argv.slice(2);
const declarations = readDeclarations();
if (output === undefined) throw new Error('usage: describe <file>');
if (declarations !== undefined) writeFileSync(output, JSON.stringify(readDescriptions(declarations)));
