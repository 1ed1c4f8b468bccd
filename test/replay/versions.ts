/**
 * Asks the reference server anew what it answers to the requests of the recording versions/requests:
 *   node deploy/scripts/run.mjs test/replay/versions.js
 * The reference stands at https://127.0.0.1:16443 (token admintoken, override with REFERENCE_URL and REFERENCE_TOKEN); a step that is to be
 * recorded for the first time has code 0. Steps keep an answer where they have one or are new reads.
 */
import { request } from 'node:https';
import type { JsonObject, JsonValue } from '../../shared/values/json';
import { isRecordedCase, masked, type RecordedCase, type RecordedStep } from '../support/recorded-versions';
import { casesOf, writeRecording } from './recording';

const MEDIA: Readonly<Record<string, string>> = {
  apply: 'application/apply-patch+yaml',
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

interface Answered {
  readonly code: number;
  readonly warnings: readonly string[];
  readonly object: JsonObject;
}

function call({ method, path, type, accept }: RecordedStep, body: JsonValue | undefined): Promise<Answered> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${process.env['REFERENCE_TOKEN'] ?? 'admintoken'}`,
    'user-agent': 'vt/1',
    ...(body === undefined ? {} : { 'content-type': MEDIA[type ?? ''] ?? 'application/json', 'content-length': Buffer.byteLength(text) }),
    ...(accept === undefined ? {} : { accept }),
  };
  return new Promise((resolve, reject) => {
    const url = new URL(path, process.env['REFERENCE_URL'] ?? 'https://127.0.0.1:16443');
    const sent = request(url, { method, rejectUnauthorized: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const object: JsonObject = JSON.parse(Buffer.concat(chunks).toString());
        const warnings = response.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === 'warning');
        resolve({ code: response.statusCode ?? 0, warnings, object });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

async function record({ name, steps }: RecordedCase): Promise<RecordedCase> {
  const recorded: RecordedStep[] = [];
  const objects: JsonObject[] = [];
  for (const step of steps) {
    const body = typeof step.body === 'string' ? objects[objects.length - 1 - Number(step.body.replace('$last', ''))] : step.body;
    const { code, warnings, object } = await call(step, body);
    objects.push(object);
    const { code: _, warnings: __, message: ___, answer, ...asked } = step;
    const keepsAnswer = code < 400 && (answer !== undefined || step.method === 'GET');
    recorded.push({
      ...asked,
      code,
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(code >= 400 && typeof object['message'] === 'string' ? { message: object['message'] } : {}),
      ...(keepsAnswer ? { answer: masked(object) } : {}),
    });
  }
  return { name, steps: recorded };
}

async function main(): Promise<void> {
  const namespace = { method: 'POST', path: '/api/v1/namespaces', code: 0 };
  await call(namespace, { metadata: { name: 'versions-test' } });
  const recorded: RecordedCase[] = [];
  for (const asked of casesOf('versions/requests', isRecordedCase)) recorded.push(await record(asked));
  writeRecording('versions/requests', recorded);
}

void main();
