/**
 * Part of the build: emits the type declarations of the package's entry points, each from its file alone, since they
 * reference no other module.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import ts from 'typescript';
import { root } from './repository.mjs';

for (const name of ['index', 'api']) {
  const file = path.join(root, 'deploy/embedded', `${name}.ts`);
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, 'utf8'), { fileName: file });
  for (const { messageText } of diagnostics) process.stderr.write(`${file}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}\n`);
  if (diagnostics.length > 0) process.exitCode = 1;
  writeFileSync(path.join(root, 'dist/deploy/embedded', `${name}.d.ts`), outputText);
}
