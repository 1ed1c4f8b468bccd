/**
 * The files that `npm pack` puts into the package: the compiled programs, the data that they read, and the declarations
 * of the exported types.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { isObject, type JsonValue } from '../../../shared/values/json';
import { repository } from '../../support/repository';

function listPackedFiles(): readonly string[] {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const report: JsonValue = JSON.parse(text);
  const [pack] = Array.isArray(report) ? report : [];
  const files = isObject(pack) && Array.isArray(pack['files']) ? pack['files'] : [];
  return files.flatMap((file) => (isObject(file) && typeof file['path'] === 'string' ? [file['path']] : []));
}

const files = listPackedFiles();

test('the package contains the programs, their data and the declarations', () => {
  const programs = [
    'embedded/index.js',
    'embedded/index.d.ts',
    'embedded/api.d.ts',
    'embedded/start.js',
    'local/main.js',
    'client/index.js',
  ];
  const needed = [
    'package.json',
    'README.md',
    'LICENSE',
    'dist/apiserver/main.js',
    'dist/controllers/main.js',
    'dist/apiserver/openapi/documents/descriptions.json',
    'dist/.types/deploy/client/index.d.ts',
    'dist/.types/shared/client/rest/rest-client.d.ts',
  ];
  expect(files).toEqual(expect.arrayContaining([...needed, ...programs.map((file) => `dist/deploy/${file}`)]));
  expect(files.every((file) => existsSync(path.join(repository, file)))).toBe(true);
});

test('the package contains no tests, generators or whole programs', () => {
  const others = files.filter(
    (file) =>
      !/^(package[.]json|README[.]md|LICENSE|dist\/(apiserver|controllers|deploy|shared)\/.*[.](js|json|d[.]ts)|dist\/[.]types\/.*[.]d[.]ts)$/.test(
        file,
      ),
  );
  expect(others).toEqual([]);
  expect(files.filter((file) => /[.]test[.]|\/contract\/|[.]whole[.]|\/generate\//.test(file))).toEqual([]);
});
