/**
 * Records digests of the reference server's OpenAPI documents (test/support/openapi-digests.ts):
 *   node deploy/scripts/run.mjs test/replay/openapi.js
 * A line is a name, its digest in version 2 and the one in version 3; `-` = not in that version. reference-documents.test.ts compares ours with them.
 */
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { digestsOf, type Digests } from '../support/openapi-digests';
import { writeRecording } from './recording';
import { ask, hangUp } from './reference';

async function document(path: string): Promise<JsonObject> {
  const { bytes } = await ask('GET', path, { accept: 'application/json' });
  const value: JsonValue = JSON.parse(bytes.toString());
  if (!isObject(value)) throw new Error(`${path} is no object`);
  return value;
}

async function version3(): Promise<Digests> {
  const all: Digests[] = [];
  for (const entry of Object.values(objectAt(await document('/openapi/v3'), 'paths') ?? {})) {
    if (isObject(entry)) all.push(digestsOf(await document(stringAt(entry, 'serverRelativeURL') ?? '')));
  }
  return {
    paths: Object.assign({}, ...all.map(({ paths }) => paths)) as Record<string, string>,
    definitions: Object.assign({}, ...all.map(({ definitions }) => definitions)) as Record<string, string>,
  };
}

function joined(v2: Readonly<Record<string, string>>, v3: Readonly<Record<string, string>>): string[][] {
  const names = [...new Set([...Object.keys(v2), ...Object.keys(v3)])].sort();
  return names.map((name) => [name, v2[name] ?? '-', v3[name] ?? '-']);
}

async function main(): Promise<void> {
  const [v2, v3] = [digestsOf(await document('/openapi/v2')), await version3()];
  writeRecording('openapi/paths', joined(v2.paths, v3.paths));
  writeRecording('openapi/definitions', joined(v2.definitions, v3.definitions));
}

main()
  .finally(hangUp)
  .catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    process.exitCode = 1;
  });
