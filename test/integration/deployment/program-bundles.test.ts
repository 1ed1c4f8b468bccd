/**
 * The bundle that the build makes of each program, and its V8 code cache: this Node accepts the cache with the flags
 * that start the programs.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { NODE_ARGUMENTS } from '../../../deploy/cluster/node-arguments';
import { repository } from '../../support/repository';

const inDist = (file: string): string => path.join(repository, 'dist', file);

test.each([
  ['program', 'apiserver/main.js'],
  ['program', 'controllers/main.js'],
  ['program', 'deploy/cli/main.js'],
  ['thread', 'apiserver/server/wiring/write-worker.js'],
  ['thread', 'apiserver/openapi/parts/part-worker.js'],
  ['thread', 'shared/serialization/yaml/yaml-worker.js'],
])('the V8 code cache of the %s %s is accepted', (kind, module) => {
  const words = [...NODE_ARGUMENTS, inDist('test/support/code-cache-verdict.js'), kind, inDist(module)];
  expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).toBe('accepted');
});

test.each(['apiserver', 'controllers', 'deploy/cli'])('%s also runs from its modules', (program) => {
  const helpOf = (file: string): string => execFileSync(process.execPath, [inDist(`${program}/${file}`), '--help'], { encoding: 'utf8' });
  expect(helpOf('start.js')).toBe(helpOf('main.js'));
});
