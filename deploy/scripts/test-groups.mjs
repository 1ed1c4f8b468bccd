/**
 * Groups the files of tests for a run of many of them: jest loads and compiles the product anew for each file that it runs, which takes longer than most tests do. A group
 * is one file for jest that loads the files of a folder, each in a `describe` with the file's path. Single files run without groups.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './steps.mjs';

/** Where the groups are written. */
const folder = path.join(root, 'dist/test-groups');

/**
 * Folders and the number of files in one group; a folder with a row of its own is no part of the row above it. Tests of the system tier start programs or an etcd and mostly
 * wait, so their groups are small and start first: several run at a time, and the unit tests use the processors meanwhile.
 */
const TIERS = {
  system: [
    { folder: 'test/reliability', size: 4 },
    { folder: 'test/e2e', size: 4 },
    { folder: 'test/integration', size: 20 },
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
  ],
};
const ROWS = Object.values(TIERS).flat();

/** Bytes by which the groups of a row are larger than those of the next one. */
const LARGER = 10_000;

/** Writes the groups of some tiers (`unit`, `system`); returns jest's arguments that run them. */
export function groupArguments(tiers) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const tier of tiers) for (const { folder: name, size } of TIERS[tier]) writeGroups(name, size);
  return [`--roots=${folder}`, '--testMatch=**/*.test.cjs'];
}

/** The path of the file of tests in a group's `describe`, from the repository's root. */
export const fileOfTest = ({ ancestorTitles }) => ancestorTitles[0] ?? '';

function writeGroups(name, size) {
  const files = testFiles(name);
  const groups = Math.ceil(files.length / size);
  for (let group = 0; group < groups; group++) {
    // Neighbours in the tree, in order.
    const members = files.slice(Math.floor((group * files.length) / groups), Math.floor(((group + 1) * files.length) / groups));
    const lines = members.map(
      (file) => `describe(${JSON.stringify(file)}, () => void require(${JSON.stringify(path.join(root, file))}));\n`,
    );
    // Jest starts with the largest files where it does not know yet how long each takes.
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
