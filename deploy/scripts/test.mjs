/**
 * `npm test`: install, build, checks, all tests; the last line is `N passed, N failed`, with `, N skipped` when
 * something was skipped. The build and every check count as one test each. `--unit` (`npm run test:unit`) runs only
 * the unit tests, without build and checks; `--system` (`npm run test:system`) builds and runs only the tests of whole
 * programs. With paths (`npm test -- shared/runtime`) it builds and runs the matching tests. A title that starts with
 * SKIPPED marks a test that could not run here (a missing external program); it counts as skipped.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { runChecks } from './checks.mjs';
import { build, ensureBuilt, ensureInstalled } from './install-and-build.mjs';
import { runTool } from './programs.mjs';
import { projectOf, root } from './repository.mjs';
import { fileOfTest, groupArguments } from './test-groups.mjs';

const results = path.join(root, 'node_modules/.cache/jest-results.json');
const SLOWEST_FILES = 10;

const flags = process.argv.slice(2).filter((argument) => argument === '--unit' || argument === '--system');
const paths = process.argv.slice(2).filter((argument) => !flags.includes(argument));
const tiers = flags.length === 0 ? ['system', 'unit'] : flags.map((flag) => flag.slice(2));
const isWhole = paths.length === 0 && flags.length === 0;

const count = { passed: 0, failed: 0, skipped: 0 };
const failed = [];

await main();

async function main() {
  try {
    await ensureInstalled();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    recordStep('install', { passed: false });
    return finish();
  }
  if (await prepare()) await test();
  finish();
}

/** Builds what the tests need, and for a whole run checks it; true when the build succeeded. */
async function prepare() {
  const needsNoBuild = paths.length === 0 && !tiers.includes('system');
  if (needsNoBuild) return true;
  return isWhole ? buildAndCheck() : buildSelected();
}

async function buildAndCheck() {
  process.stdout.write('> build (tsc), checks\n');
  // The checks do not depend on the build, and the compiler mostly uses one processor.
  const [built] = await Promise.all([build('all'), check()]);
  recordStep('build', { passed: built });
  return built;
}

/** Counts only a failure, because the build is not always due. */
async function buildSelected() {
  try {
    await ensureBuilt(...projects());
    return true;
  } catch {
    recordStep('build', { passed: false });
    return false;
  }
}

/** The projects of the selected tests; all when a pattern is not the start of a path. */
function projects() {
  const isPath = (pattern) => /^(apiserver|controllers|shared|deploy|test\/\w+)\b[^|]*$/.test(pattern);
  return paths.length > 0 && paths.every(isPath) ? [...new Set(paths.map((pattern) => projectOf(pattern, { isTest: true })))] : ['all'];
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
  const selection = paths.length > 0 ? paths : groupArguments(tiers);
  const code = await runTool('jest/bin/jest.js', ['--json', `--outputFile=${results}`, ...selection]);
  if (!existsSync(results)) return recordStep('jest', { passed: code === 0 });
  const report = JSON.parse(readFileSync(results, 'utf8'));
  for (const suite of report.testResults) countSuite(suite);
  if (code !== 0 && count.failed === 0) recordStep('jest', { passed: false });
  if (paths.length === 0) printSlowest(report);
}

function countSuite(suite) {
  // A file that fails to load has no tests but counts as a failure.
  if (suite.status === 'failed' && suite.assertionResults.every(({ status }) => status !== 'failed')) count.failed += 1;
  for (const { status, title } of suite.assertionResults) {
    if (status === 'failed') count.failed += 1;
    else if (status === 'passed' && !title.startsWith('SKIPPED')) count.passed += 1;
    else count.skipped += 1;
  }
}

/** Measured from the start of the first test to the end of the last, without global set-up. */
function printSlowest(report) {
  const spans = new Map();
  for (const result of report.testResults.flatMap(({ assertionResults }) => assertionResults)) {
    const file = fileOfTest(result);
    const start = result.startAt ?? Infinity;
    const known = spans.get(file) ?? { start, end: start };
    spans.set(file, { start: Math.min(known.start, start), end: Math.max(known.end, start + (result.duration ?? 0)) });
  }
  const seconds = [...spans].map(([file, { start, end }]) => ({ file, time: (end - start) / 1000 })).filter(({ time }) => time > 0);
  const slowest = seconds.sort((a, b) => b.time - a.time).slice(0, SLOWEST_FILES);
  process.stdout.write(`\nslowest test files:\n${slowest.map(({ file, time }) => `${time.toFixed(1).padStart(7)} s  ${file}\n`).join('')}`);
}

/** Counts a step outside of the tests. */
function recordStep(name, { passed }) {
  if (passed) count.passed += 1;
  else {
    count.failed += 1;
    failed.push(name);
  }
}

function finish() {
  if (failed.length > 0) process.stdout.write(`\nfailed outside of the tests: ${failed.join(', ')}\n`);
  const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : '';
  process.stdout.write(`\n${count.passed} passed, ${count.failed} failed${skipped}\n`);
  process.exitCode = count.failed === 0 ? 0 : 1;
}
