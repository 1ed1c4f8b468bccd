/**
 * Groups test files for runs of many files: jest loads and compiles the product again for each file, which takes
 * longer than most tests. A group is one file that loads the test files of a folder, each in a `describe` with its
 * path. Files that are selected by paths run without groups.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './repository.mjs';

/** Where the groups are written. */
const outputFolder = path.join(root, 'dist/test-groups');

/**
 * Folders and the number of files per group; a folder with its own row is excluded from its parent's row. Without timings
 * of an earlier run, jest starts the groups about in the order of the rows: those of the system tier first.
 *
 * - Tests of the system tier start programs or an etcd and mostly wait. Small groups let several run at a time while the
 *   unit tests use the processors.
 * - Each group loads what it tests: 6 s of processor time for the API server and the controllers, 2 s for clients and
 *   helpers (`test/reliability`). So groups of the unit tests are large, and those of `test/integration`.
 * - Files that share an API server (`test/e2e/clients`) or a packed package (`test/e2e/package`) are one group.
 */
const TIERS = {
  system: [
    { testFolder: 'test/reliability', size: 8 },
    { testFolder: 'test/e2e', size: 4 },
    { testFolder: 'test/e2e/clients', size: Infinity },
    { testFolder: 'test/e2e/package', size: Infinity },
    { testFolder: 'test/integration', size: 35 },
    { testFolder: 'apiserver/storage/contract', size: 4 },
    { testFolder: 'apiserver/backup/contract', size: 4 },
    { testFolder: 'apiserver/cache/contract', size: 4 },
  ],
  unit: [
    { testFolder: 'apiserver', size: 65 },
    { testFolder: 'controllers', size: 80 },
    { testFolder: 'shared', size: 60 },
    { testFolder: 'test/replay', size: 20 },
    { testFolder: 'deploy', size: 20 },
    { testFolder: 'test/support', size: 20 },
    { testFolder: 'test/node', size: 20 },
  ],
};
const ROWS = Object.values(TIERS).flat();

/** Padding of a group for each row from its own to the last: without timings, jest starts larger files first. */
const PADDING_BYTES_PER_ROW = 10_000;

/** Writes the groups of the tiers (`unit`, `system`); returns the arguments of jest that run them. */
export function groupArguments(tiers) {
  rmSync(outputFolder, { recursive: true, force: true });
  mkdirSync(outputFolder, { recursive: true });
  for (const tier of tiers) for (const { testFolder, size } of TIERS[tier]) writeGroups(testFolder, size);
  return [`--roots=${outputFolder}`, '--testMatch=**/*.test.cjs'];
}

/** Path of the test file in a group's `describe`, relative to the repository's root. */
export const fileOfTest = ({ ancestorTitles }) => ancestorTitles[0] ?? '';

function writeGroups(testFolder, size) {
  const files = testFiles(testFolder);
  const groups = Math.max(1, Math.ceil(files.length / size));
  for (let group = 0; group < groups; group++) {
    // Consecutive files of the sorted list.
    const members = files.slice(Math.floor((group * files.length) / groups), Math.floor(((group + 1) * files.length) / groups));
    const lines = members.map(
      (file) => `describe(${JSON.stringify(file)}, () => void require(${JSON.stringify(path.join(root, file))}));\n`,
    );
    const padding = ' '.repeat((ROWS.length - ROWS.findIndex((row) => row.testFolder === testFolder)) * PADDING_BYTES_PER_ROW);
    writeFileSync(path.join(outputFolder, `${testFolder.replaceAll('/', '-')}-${group + 1}.test.cjs`), `${lines.join('')}//${padding}\n`);
  }
}

/** The sorted paths of the test files of a row, without those of rows below it. */
function testFiles(testFolder) {
  const prefixes = ROWS.map((row) => `${row.testFolder}/`);
  const inner = prefixes.filter((prefix) => prefix !== `${testFolder}/` && prefix.startsWith(`${testFolder}/`));
  return readdirSync(path.join(root, testFolder), { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => path.join(testFolder, file))
    .filter((file) => !inner.some((prefix) => file.startsWith(prefix)))
    .sort();
}
