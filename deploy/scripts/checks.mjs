/** The checks that are no tests: each is one row. `npm run lint` runs them all; `npm test` runs them before the tests. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureInstalled, runTool } from './steps.mjs';

const folders = ['apiserver', 'controllers', 'shared', 'deploy', 'test'];

const checks = [
  { name: 'format (prettier)', tool: 'prettier/bin/prettier.cjs', args: ['--check', '--log-level=warn', '--cache', '.'] },
  {
    name: 'layers and cycles (dependency-cruiser)',
    tool: 'dependency-cruiser/bin/dependency-cruise.mjs',
    args: ['--config', '.dependency-cruiser.mjs', ...folders],
  },
  { name: 'dead code (knip)', tool: 'knip/bin/knip.js', args: ['--no-config-hints'] },
  {
    name: 'lint (eslint)',
    tool: 'eslint/bin/eslint.js',
    args: ['--max-warnings=0', '--cache', '--cache-strategy=content', '--cache-location=node_modules/.cache/eslint/', '.'],
  },
];

/** Runs every check, whatever the earlier ones say; resolves to the names of those that failed and how many there are. */
export async function runChecks() {
  const failed = [];
  for (const { name, tool, args } of checks) {
    process.stdout.write(`\n> ${name}\n`);
    if ((await runTool(tool, args)) !== 0) failed.push(name);
  }
  return { failed, total: checks.length };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await ensureInstalled();
  const { failed } = await runChecks();
  process.stdout.write(failed.length === 0 ? '\nall checks passed\n' : `\nfailed: ${failed.join(', ')}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
