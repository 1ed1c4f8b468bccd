/**
 * `npm run build [-- product|unit|test/<folder>]`: installs when needed, then type-checks and compiles the project, by
 * default all, into dist/.
 */
import process from 'node:process';
import { build, ensureInstalled } from './install-and-build.mjs';

await ensureInstalled();
process.exitCode = (await build(process.argv[2] ?? 'all')) ? 0 : 1;
