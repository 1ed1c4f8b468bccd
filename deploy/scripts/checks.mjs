/**
 * The static checks, one per row. `npm run lint` runs them all; `npm test` runs them beside the build. Each uses one
 * processor, so they run in two lanes.
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './install-and-build.mjs';
import { captureScript, captureTool } from './programs.mjs';

const folders = ['apiserver', 'controllers', 'shared', 'deploy', 'test'];

/** Each row has the executable of a package (`tool`) or a file of this folder (`script`). */
const checks = [
  { name: 'lint (oxlint)', tool: 'oxlint/bin/oxlint', args: ['--type-aware', '--quiet'] },
  {
    name: 'lint (eslint)',
    tool: 'eslint/bin/eslint.js',
    args: ['--max-warnings=0', '--cache', '--cache-strategy=content', '--cache-location=node_modules/.cache/eslint/', '.'],
  },
  { name: 'format (oxfmt)', tool: 'oxfmt/bin/oxfmt', args: ['--check', '.'] },
  {
    name: 'layers and cycles (dependency-cruiser)',
    tool: 'dependency-cruiser/bin/dependency-cruise.mjs',
    args: ['--config', '.dependency-cruiser.mjs', ...folders],
  },
  { name: 'dead code (knip)', tool: 'knip/bin/knip.js', args: ['--no-config-hints'] },
  { name: 'documents', script: 'documents.mjs', args: [] },
  { name: 'vocabulary', script: 'vocabulary.mjs', args: [] },
];

/** The first lane has the two slowest checks, which together take about as long as all others. */
const lanes = [checks.slice(0, 2), checks.slice(2)];

/** Runs every check, also after failures; resolves to the names of the failed ones and the total. */
export async function runChecks() {
  const failed = await Promise.all(lanes.map(runLane));
  return { failed: failed.flat(), total: checks.length };
}

/** Runs the checks in sequence; prints the output of a check when it has finished, so that outputs do not mix. */
async function runLane(lane) {
  const failed = [];
  for (const { name, tool, script, args } of lane) {
    const { code, output } = await (script === undefined ? captureTool(tool, args) : captureScript(script, args));
    process.stdout.write(`\n> ${name}\n${output}`);
    if (code !== 0) failed.push(name);
  }
  return failed;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await ensureInstalled();
  const { failed } = await runChecks();
  process.stdout.write(failed.length === 0 ? '\nall checks passed\n' : `\nfailed: ${failed.join(', ')}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
