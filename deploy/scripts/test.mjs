/**
 * `npm test`: install, build, checks, tests; the last line is `N passed, N failed`, with `, N skipped` when something was skipped.
 * The build and every check count as one test each. With arguments (`npm test -- shared/runtime`) only the build and the matching tests run.
 * A test whose title starts with SKIPPED stands for what could not run here (a missing external program) and is counted as skipped.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { runChecks } from './checks.mjs';
import { build, ensureInstalled, root, runTool } from './steps.mjs';

const results = path.join(root, 'node_modules/.cache/jest-results.json');
const only = process.argv.slice(2);
const count = { passed: 0, failed: 0, skipped: 0 };
const failed = [];

await main();

async function main() {
  try {
    await ensureInstalled();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    note('install', false);
    return finish();
  }
  process.stdout.write('> build (tsc), checks\n');
  // No check looks at what is built, and most of the time the compiler needs one processor only.
  const [built] = await Promise.all([build(), only.length === 0 ? check() : undefined]);
  note('build', built);
  if (built) await test();
  finish();
}

async function check() {
  const outcome = await runChecks();
  count.passed += outcome.total - outcome.failed.length;
  count.failed += outcome.failed.length;
  failed.push(...outcome.failed);
}

async function test() {
  process.stdout.write('\n> tests (jest)\n');
  mkdirSync(path.dirname(results), { recursive: true });
  rmSync(results, { force: true });
  const code = await runTool('jest/bin/jest.js', ['--json', `--outputFile=${results}`, ...only]);
  if (!existsSync(results)) return note('jest', code === 0);
  const report = JSON.parse(readFileSync(results, 'utf8'));
  for (const suite of report.testResults) countSuite(suite);
  if (code !== 0 && count.failed === 0) note('jest', false);
}

function countSuite(suite) {
  // A file that does not even load has no tests but is a failure.
  if (suite.status === 'failed' && suite.assertionResults.every(({ status }) => status !== 'failed')) count.failed += 1;
  for (const { status, title } of suite.assertionResults) {
    if (status === 'failed') count.failed += 1;
    else if (status === 'passed' && !title.startsWith('SKIPPED')) count.passed += 1;
    else count.skipped += 1;
  }
}

function note(name, good) {
  if (good) count.passed += 1;
  else {
    count.failed += 1;
    failed.push(name);
  }
}

function finish() {
  if (failed.length > 0) process.stdout.write(`\nfailed before or beside the tests: ${failed.join(', ')}\n`);
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`);
  process.exitCode = count.failed === 0 ? 0 : 1;
}
