/** `npm run build`: installs when needed, then type-checks and compiles everything into dist/. */
import process from 'node:process';
import { build, ensureInstalled } from './steps.mjs';

await ensureInstalled();
process.exitCode = (await build()) ? 0 : 1;
