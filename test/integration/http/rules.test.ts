/**
 * Replays the recorded answers to good and bad objects of two areas with real requests: codes, warnings and causes are what the server sends, and what clients go
 * by besides is there: the reason of the code, the object's name and kind, and a message that holds every cause.
 */
import { KINDS, storedRowOf, type KindRow } from '../../../shared/api/kinds';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import { recordingsIn } from '../../replay/recording';
import { listOf, number, oneOf, shape, text } from '../../replay/shape';
import type { KindHead } from '../../support/recorded-rules';
import { replayKinds, type KindServer, type Told } from '../../support/replay-kinds';
import { call, json, startFixture, warningsOf, type Answer } from './fixture';

/** The reason that clients tell each code by. */
const REASONS: Readonly<Record<number, string>> = { 400: 'BadRequest', 422: 'Invalid' };

const isCause = shape({ reason: text, message: text }, { field: text });
const isStatus = shape(
  {
    kind: oneOf('Status'),
    apiVersion: oneOf('v1'),
    metadata: shape({}),
    status: oneOf('Failure'),
    message: text,
    reason: text,
    code: number,
  },
  { details: shape({ name: text, kind: text, causes: listOf(isCause) }, { group: text }) },
);

replayKinds([...recordingsIn('core'), ...recordingsIn('networking')], openKind);

async function openKind(kind: KindHead): Promise<KindServer> {
  const row = rowOf(kind);
  const fixture = await startFixture();
  await call(fixture, '/api/v1/namespaces', { method: 'POST', body: JSON.stringify({ metadata: { name: 'ns' } }), local: true });
  const { apiVersion, resource } = kind;
  const root = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}${row.namespaced ? '/namespaces/ns' : ''}/${resource}`;
  const write = async (method: string, path: string, sent: JsonObject, dryRun: boolean): Promise<Told> => {
    const target = `${path}${dryRun ? '?dryRun=All' : ''}`;
    return toldBy(row, await call(fixture, target, { method, body: stringifyJson(sent), local: true }));
  };
  return {
    create: (sent, dryRun) => write('POST', root, sent, dryRun),
    update: (name, sent, dryRun, part) => write('PUT', `${root}/${name}${part === undefined ? '' : `/${part}`}`, sent, dryRun),
    shows: () => true,
    close: () => fixture.stop(),
  };
}

function rowOf({ resource, apiVersion }: KindHead): KindRow {
  const row = KINDS.find((candidate) => candidate.resource === resource && apiVersionOf(candidate) === apiVersion);
  if (row === undefined) throw new Error(`no kind ${resource} of ${apiVersion}`);
  return row;
}

/** An answer, and everything checked of it that does not depend on the case. */
function toldBy(row: KindRow, answer: Answer): Told {
  const warnings = warningsOf(answer);
  if (answer.status < 400) {
    const { kind, apiVersion, ...object }: JsonObject = JSON.parse(answer.text);
    expect([apiVersion, kind]).toEqual([apiVersionOf(row), row.kind]);
    return { code: answer.status, causes: [], warnings, object };
  }
  const status: unknown = json(answer);
  if (!isStatus(status)) throw new Error(`no Status: ${answer.text}`);
  expect([status.code, status.reason]).toEqual([answer.status, REASONS[answer.status]]);
  const { message, details } = status;
  if (details === undefined) return { code: answer.status, message, causes: [], warnings };
  // Whatever version was written, the rules are those of the stored one.
  const stored = storedRowOf(row);
  expect([details.kind, details.group ?? '']).toEqual([stored.kind, stored.group]);
  const causes = details.causes.map(({ field = '', reason, message: said }) => [field, reason, said] as const);
  expect(message).toBe(messageOf(stored, details.name, causes));
  return { code: answer.status, message, causes, warnings };
}

function messageOf(row: KindRow, name: string, causes: Told['causes']): string {
  const said = [...new Set(causes.map(([field, , text]) => `${field}: ${text}`))];
  const type = row.group === '' ? row.kind : `${row.kind}.${row.group}`;
  return `${type} ${JSON.stringify(name)} is invalid: ${said.length === 1 ? said.join('') : `[${said.join(', ')}]`}`;
}
