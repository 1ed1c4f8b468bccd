/** The files of the npm package: the programs, the data that they read, and the declarations of the exported types. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { installPackage, PACKAGE, packPackage } from '../../support/installed-package';
import { useFolder, useResource } from '../../support/use-resource';

const folder = useFolder('contents');
const files = useResource(() =>
  execFileSync('tar', ['-tzf', packPackage(folder)], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, '')),
);

test('the package contains the programs, their data, the declarations and the licences', () => {
  expect(files()).toEqual(
    expect.arrayContaining([
      'package.json',
      'README.md',
      'LICENSE',
      'THIRD-PARTY-NOTICES',
      'dist/apiserver/main.js',
      'dist/controllers/main.js',
      'dist/deploy/cli/main.js',
      'dist/deploy/embedded/start.js',
      'dist/deploy/embedded/index.js',
      'dist/deploy/embedded/index.d.ts',
      'dist/deploy/embedded/api.d.ts',
      'dist/deploy/client/index.js',
      'dist/apiserver/openapi/documents/descriptions.json',
      'dist/apiserver/api-docs/redoc.js.gz',
      'dist/apiserver/api-docs/browser/page.js.gz',
      'dist/vendor/etcd3/proto/rpc.proto',
      'dist/.types/deploy/client/index.d.ts',
      'dist/.types/shared/client/rest/rest-client.d.ts',
    ]),
  );
});

test('the package contains no tests, generators or source maps', () => {
  expect(files().filter((file) => /[.]test[.]|\/contract\/|[.]whole[.]|\/generate\/|[.]map$/.test(file))).toEqual([]);
});

test('the package contains fewer than 30 files of code besides the chunks', () => {
  expect(files().filter((file) => file.endsWith('.js') && !file.startsWith('dist/chunks/')).length).toBeLessThan(30);
});

const installed = useResource(() => path.join(installPackage(folder, []), PACKAGE));
const read = (name: string): string => readFileSync(path.join(installed(), name), 'utf8');

test('the package depends on the packages with native code only', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({
    dependencies: { lmdb: expect.any(String) as unknown, 'fs-native-extensions': expect.any(String) as unknown },
    bin: { platform: 'dist/deploy/cli/main.js' },
  });
  expect(Object.keys((JSON.parse(read('package.json')) as { dependencies: object }).dependencies)).toHaveLength(2);
});

test('the package names the licences of the packages that it contains', () => {
  for (const name of ['express', 'etcd3', '@opentelemetry/core', 'commander', 'pino', 'redoc'])
    expect(read('THIRD-PARTY-NOTICES')).toContain(`\n${name} `);
  // Of a package that the script of Redoc contains.
  expect(read('THIRD-PARTY-NOTICES')).toContain('\n * react-dom.production.min.js');
});
