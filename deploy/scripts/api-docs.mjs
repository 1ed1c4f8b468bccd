/**
 * Part of the build: the scripts of the API documentation page, compressed beside apiserver/api-docs/api-docs.js: the
 * page's own, bundled, and the stand-alone script of Redoc.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { root } from './repository.mjs';

const target = path.join(root, 'dist/apiserver/api-docs');
/** The only thing that Redoc loads from another host; the page's policy would block it. */
const REMOTE_IMAGE = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

const { outputFiles } = await build({
  entryPoints: [path.join(root, 'apiserver/api-docs/browser/page.ts')],
  write: false,
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  format: 'iife',
  minify: true,
  logLevel: 'warning',
});
writeScript('browser/page.js.gz', outputFiles[0].text);

const redoc = readFileSync(path.join(root, 'node_modules/redoc/bundles/redoc.standalone.js'), 'utf8');
if (!redoc.includes(REMOTE_IMAGE)) throw new Error(`redoc.standalone.js no longer contains ${REMOTE_IMAGE}`);
writeScript('redoc.js.gz', redoc.replaceAll(REMOTE_IMAGE, 'data:,').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));

function writeScript(name, text) {
  const file = path.join(target, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, gzipSync(text, { level: 9 }));
}
