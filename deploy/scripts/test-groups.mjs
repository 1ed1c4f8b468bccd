/**
 * Groups test files for runs of many files: jest loads and compiles the product again for each file, which takes
 * longer than most tests. A group is one file that loads the test files of a folder, each in a `describe` with its
 * path. Files that are selected by paths run without groups.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './repository.mjs';

/** Output folder of the groups. */
const folder = path.join(root, 'dist/test-groups');

/**
 * Folders and the number of files per group; a folder with its own row is excluded from its parent's row. Tests of the
 * system tier start programs or an etcd and mostly wait, so their groups are small and start first: several run at a
 * time while the unit tests use the processors. Each group loads what it tests: 6 s of processor time for the API server
 * and the controllers (`test/integration`), 2 s for clients and helpers (`test/reliability`). `test/e2e/clients` and
 * `test/e2e/package` are one group each: their files share an API server and a packed package.
 */
const TIERS = {
  system: [
    { folder: 'test/reliability', size: 8 },
    { folder: 'test/e2e', size: 4 },
    { folder: 'test/e2e/clients', size: 13 },
    { folder: 'test/e2e/package', size: 4 },
    { folder: 'test/integration', size: 35 },
    { folder: 'apiserver/storage/contract', size: 4 },
    { folder: 'apiserver/backup/contract', size: 4 },
    { folder: 'apiserver/cache/contract', size: 4 },
  ],
  unit: [
    { folder: 'apiserver', size: 65 },
    { folder: 'controllers', size: 80 },
    { folder: 'shared', size: 60 },
    { folder: 'test/replay', size: 20 },
    { folder: 'deploy', size: 20 },
    { folder: 'test/support', size: 20 },
    { folder: 'test/node', size: 20 },
  ],
};
const ROWS = Object.values(TIERS).flat();

/** Padding per row: jest starts larger files first. */
const LARGER = 10_000;

/** Writes the groups of the tiers (`unit`, `system`); returns the arguments of jest that run them. */
export function groupArguments(tiers) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const tier of tiers) for (const { folder: name, size } of TIERS[tier]) writeGroups(name, size);
  return [`--roots=${folder}`, '--testMatch=**/*.test.cjs'];
}

/** Path of the test file in a group's `describe`, relative to the repository's root. */
export const fileOfTest = ({ ancestorTitles }) => ancestorTitles[0] ?? '';

function writeGroups(name, size) {
  const files = testFiles(name);
  const groups = Math.ceil(files.length / size);
  for (let group = 0; group < groups; group++) {
    // Consecutive files of the sorted list.
    const members = files.slice(Math.floor((group * files.length) / groups), Math.floor(((group + 1) * files.length) / groups));
    const lines = members.map(
      (file) => `describe(${JSON.stringify(file)}, () => void require(${JSON.stringify(path.join(root, file))}));\n`,
    );
    // Jest starts with the largest files when it has no timings.
    const padding = ' '.repeat((ROWS.length - ROWS.findIndex((row) => row.folder === name)) * LARGER);
    writeFileSync(path.join(folder, `${name.replaceAll('/', '-')}-${group + 1}.test.cjs`), `${lines.join('')}//${padding}\n`);
  }
}

function testFiles(name) {
  const inner = ROWS.map((row) => `${row.folder}/`).filter((row) => row !== `${name}/` && row.startsWith(`${name}/`));
  return readdirSync(path.join(root, name), { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => path.join(name, file))
    .filter((file) => !inner.some((row) => file.startsWith(row)))
    .sort();
}
