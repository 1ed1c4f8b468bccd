/**
 * The package as its users install it: packed, in empty projects outside the repository, under jest, vitest and
 * node:test without configuration files. The ES module projects run the example of docs/guide/testing.md.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from '../../support/installed-package';
import { readRepositoryFile } from '../../support/repository';
import { removeFolder, temporaryFolder } from '../../support/programs';

/** Packages that the projects themselves install, besides this one. */
const INSTALLED = ['jest', 'vitest', '@kubernetes/client-node'];

const folder = temporaryFolder('package');
const modules = path.join(folder, 'node_modules');

/**
 * Excludes the variables that jest sets for its own process. Control planes create their temporary folders below the
 * folder of the test.
 */
const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: folder, NO_COLOR: '1' };

beforeAll(() => void installPackage(folder, INSTALLED));
afterAll(() => removeFolder(folder));

/** The first JavaScript example of the guide's page on testing. */
function guideExample(): string {
  const [, example] = /^```js\n(.*?)^```$/ms.exec(readRepositoryFile('docs/guide/testing.md')) ?? [];
  if (example === undefined) throw new Error('docs/guide/testing.md has no JavaScript example');
  return example;
}

/** A busy machine needs longer to start a control plane than runners allow by default. */
const JEST = ['node_modules/jest/bin/jest.js', '--testTimeout=60000'];
const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--hookTimeout=60000', '--testTimeout=60000'];
const JEST_SUMMARY = /^Tests: +1 passed, 1 total$/m;
const VITEST_SUMMARY = /^ *Tests +1 passed \(1\)$/m;
const NODE_SUMMARY = /^# pass 1$/m;

const PROJECTS = [
  { runner: 'jest', type: 'module', command: ['--experimental-vm-modules', ...JEST], imports: '', summary: JEST_SUMMARY },
  { runner: 'jest', type: 'commonjs', command: JEST, imports: '', summary: JEST_SUMMARY },
  {
    runner: 'vitest',
    type: 'module',
    command: VITEST,
    imports: "import { afterAll, beforeAll, test } from 'vitest';\n",
    summary: VITEST_SUMMARY,
  },
  { runner: 'vitest', type: 'commonjs', command: [...VITEST, '--globals'], imports: '', summary: VITEST_SUMMARY },
  {
    runner: 'node-test',
    type: 'module',
    command: ['--test', '--test-reporter=tap'],
    imports: "import { after as afterAll, before as beforeAll, test } from 'node:test';\n",
    summary: NODE_SUMMARY,
  },
  {
    runner: 'node-test',
    type: 'commonjs',
    command: ['--test', '--test-reporter=tap'],
    imports: "const { after: afterAll, before: beforeAll, test } = require('node:test');\n",
    summary: NODE_SUMMARY,
  },
];

test.each(PROJECTS)('$runner runs the package in a project of type $type', async ({ runner, type, command, imports, summary }) => {
  const project = path.join(folder, `${runner}-${type}`);
  mkdirSync(project);
  symlinkSync(modules, path.join(project, 'node_modules'), 'dir');
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ private: true, type }));
  const example = type === 'module' ? guideExample() : readRepositoryFile('test/e2e/fixtures/commonjs-example.cjs');
  writeFileSync(path.join(project, 'example.test.js'), imports + example);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, command, { cwd: project, env: environment });
  expect(stdout + stderr).toMatch(summary);
});

test('stop() removes the temporary folders of the control planes', () => {
  expect(readdirSync(folder).filter((name) => name.startsWith('control-plane-'))).toEqual([]);
});
