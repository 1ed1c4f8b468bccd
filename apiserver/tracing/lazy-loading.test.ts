/** The OpenTelemetry modules are loaded only when tracing is configured. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { repository } from '../../test/support/repository';

const HOOK = path.join(repository, 'test/support/typescript-hook.cjs');
const PROGRAM = path.join(repository, 'apiserver/program.ts');
const LIST = `require(${JSON.stringify(PROGRAM)}); console.log(JSON.stringify(Object.keys(require.cache)))`;

it('the API server program does not load tracing modules before tracing is configured', () => {
  const loaded: unknown = JSON.parse(execFileSync(process.execPath, ['-r', HOOK, '-e', LIST], { encoding: 'utf8' }));
  const files = Array.isArray(loaded) ? loaded.map((file) => path.relative(repository, String(file))) : [];
  expect(files).toContain(path.join('apiserver', 'program.ts'));
  // prom-client depends on the OpenTelemetry API package, which has no effect by itself.
  const heavy = files.filter((file) => /^apiserver\/tracing\/|@grpc|@opentelemetry\/(?!api\/)/.test(file));
  expect(heavy).toEqual([]);
});
