/**
 * The worker thread of yaml-pool.ts: parses each text that it receives and posts the result, as JSON text where that is
 * exact.
 */
import { parentPort } from 'node:worker_threads';
import type { JsonValue } from '../../values/json';
import { ParseError } from '../json/parse-error';
import { composeYaml } from './yaml-document';
import type { YamlWorkerResult } from './yaml-pool';

function composeResult(text: unknown): YamlWorkerResult {
  try {
    const document = composeYaml(typeof text === 'string' ? text : '');
    const json = stringifyExactly(document.value);
    return json === undefined ? { document } : { json, duplicates: document.duplicates };
  } catch (error) {
    if (error instanceof ParseError) return { error: error.message };
    throw error;
  }
}

/** `undefined` when the value has numbers that JSON.parse does not restore (bigint, -0). */
function stringifyExactly(value: JsonValue): string | undefined {
  let isExact = true;
  const text = JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'bigint' && !Object.is(member, -0)) return member;
    isExact = false;
    return null;
  });
  return isExact ? text : undefined;
}

parentPort?.on('message', (text: unknown) => parentPort?.postMessage(composeResult(text)));
