/** Takes recorded steps of admission and compares what comes of them. Starts no server. */
import type { RecordedStep } from '../../replay/admission-recorded';
import { call, json, type Fixture } from './fixture';

interface Outcome {
  readonly code: number;
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly object?: unknown;
  readonly warnings?: readonly string[];
}

/** What this server answers, as the recorder has it. */
export async function taken(fixture: Fixture, { method, path, type, body: sent, as, answer }: RecordedStep): Promise<Outcome> {
  const got = await call(fixture, path, {
    method,
    headers: { 'content-type': type ?? 'application/json', ...(as === undefined ? {} : { 'impersonate-user': as }) },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
  const object = json(got);
  const header = String(got.headers['warning'] ?? '');
  const warnings = [...header.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => quoted.replace(/\\(.)/g, '$1'));
  return {
    code: got.status,
    ...(answer.object === undefined
      ? { message: firstLine(object['message']), reason: object['reason'] }
      : { object: unplaced(reduced(object)) }),
    ...(answer.warnings === undefined ? {} : { warnings }),
  };
}

/** What was recorded, where a server's own addresses do not matter. */
export const expected = ({ answer }: RecordedStep): Outcome => ({
  ...answer,
  ...(answer.object === undefined ? { message: firstLine(answer.message) } : { object: unplaced(answer.object) }),
});

/** What follows is a difference in the notation of another language. */
const firstLine = (said: unknown): string => String(said).split('\n', 1)[0] ?? '';

function reduced(object: Readonly<Record<string, unknown>>): unknown {
  const annotations = (object['metadata'] as { readonly annotations?: unknown } | undefined)?.annotations ?? null;
  const kept: Record<string, unknown> = { annotations };
  for (const member of ['spec', 'secrets', 'value', 'overhead']) if (object[member] !== undefined) kept[member] = object[member];
  return JSON.parse(JSON.stringify(kept).replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-*'));
}

/** Services get an address of the server's own range. */
const unplaced = (object: unknown): unknown => JSON.parse(JSON.stringify(object).replace(/"10\.[0-9.]+"/g, '"<address>"'));
