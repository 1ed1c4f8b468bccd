/**
 * Records digests of a server's OpenAPI documents (formats `openapi-paths` and `openapi-definitions`). A line is a name
 * with its digests in version 2 and version 3; `-` when a version lacks it.
 */
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../../../shared/values/json';
import { digestsOf, type Digests } from '../../formats/openapi-digests';
import { readRecording } from '../../recording';
import { anything, oneOf, shape, text } from '../../shape';
import type { ReferenceServer } from '../reference-server';

const isHead = shape({ format: oneOf('openapi-paths', 'openapi-definitions'), about: text });

export async function recordOpenApi(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head } = readRecording(recording, isHead, anything);
  const v2 = digestsOf(await documentAt(server, '/openapi/v2'));
  const v3 = await digestsOfVersion3(server);
  const part = head.format === 'openapi-paths' ? 'paths' : 'definitions';
  return [head, ...mergeDigests(v2[part], v3[part])];
}

async function documentAt(server: ReferenceServer, path: string): Promise<JsonObject> {
  const { bytes } = await server.send({ method: 'GET', path, headers: { accept: 'application/json' } });
  const value: JsonValue = JSON.parse(bytes.toString());
  if (!isObject(value)) throw new Error(`${path} is not an object`);
  return value;
}

/** The digests of all documents of version 3. */
async function digestsOfVersion3(server: ReferenceServer): Promise<Digests> {
  const digests: Digests[] = [];
  for (const entry of Object.values(objectAt(await documentAt(server, '/openapi/v3'), 'paths') ?? {})) {
    if (isObject(entry)) digests.push(digestsOf(await documentAt(server, stringAt(entry, 'serverRelativeURL') ?? '')));
  }
  return {
    paths: Object.assign({}, ...digests.map(({ paths }) => paths)) as Record<string, string>,
    definitions: Object.assign({}, ...digests.map(({ definitions }) => definitions)) as Record<string, string>,
  };
}

/** Lines of the recording, in the order of the names. */
function mergeDigests(v2: Readonly<Record<string, string>>, v3: Readonly<Record<string, string>>): string[][] {
  const names = [...new Set([...Object.keys(v2), ...Object.keys(v3)])].sort();
  return names.map((name) => [name, v2[name] ?? '-', v3[name] ?? '-']);
}
