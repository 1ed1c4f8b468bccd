/**
 * Writes the pages of docs/reference: `npm run reference`. A development tool, which no program of the product uses.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PAGES } from './pages';

const FOLDER = 'docs/reference';

mkdirSync(FOLDER, { recursive: true });
for (const [file, pageText] of Object.entries(PAGES)) writeFileSync(path.join(FOLDER, file), pageText());
process.stdout.write(`${FOLDER}: ${Object.keys(PAGES).join(', ')}\n`);
