/**
 * Replays a selection of the validation recordings `core` and `networking` with HTTP requests. Besides the recorded code, warnings and
 * causes, a rejection must have the fields that clients rely on: the reason of the code, the name and kind of the
 * object, and a message with every cause.
 */
import { STORED_KINDS, storedRowOf, type KindRow } from '../../../shared/api/kinds';
import { apiVersionOf } from '../../../shared/api/identity/identity';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import { REQUESTS, type KindCase, type KindHead } from '../../replay/formats/kind-case';
import { listRecordings } from '../../replay/recording';
import { replayKindCases, type KindServer, type KindWriteOptions, type KindWriteResult } from '../../replay/formats/replay-kind-cases';
import { listOf, number, oneOf, shape, text } from '../../replay/shape';
import { type ApiResponse } from './api-call';
import { useServer } from './fixture';

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

const api = useServer();
beforeAll(() => api.post('/api/v1/namespaces', { metadata: { name: 'ns' } }, { local: true }));

replayKindCases([...listRecordings('core'), ...listRecordings('networking')], { openServer: openKind, select: selectCases });

/**
 * One case for each form of its responses: the tests of the write path, such as core-answers.test.ts, compare those of
 * all cases. Every case of a version that is not the stored one, because they do not see objects in that version.
 */
function selectCases(head: KindHead, cases: readonly KindCase[]): readonly KindCase[] {
  const row = rowOf(head);
  return storedRowOf(row) === row ? [...new Map(cases.map((kindCase) => [responseForm(kindCase), kindCase])).values()] : cases;
}

/** For each request its code, whether there is a message or a warning, the reasons, and whether there are several causes. */
function responseForm(kindCase: KindCase): string {
  const forms = REQUESTS.map((request) => {
    const response = kindCase[request];
    if (response === undefined || response === 'same') return response;
    const { code, message, causes = [], warnings = [] } = response;
    const reasons = new Set(causes.map(([, reason]) => reason));
    return [code, message !== undefined, warnings.length > 0, [...reasons].toSorted(), causes.length > 1];
  });
  return JSON.stringify(forms);
}

async function openKind(kind: KindHead): Promise<KindServer> {
  const row = rowOf(kind);
  const { apiVersion, resource } = kind;
  const root = `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}${row.namespaced ? '/namespaces/ns' : ''}/${resource}`;
  const write = async (method: string, path: string, sent: JsonObject, { dryRun }: KindWriteOptions): Promise<KindWriteResult> => {
    const target = `${path}${dryRun === true ? '?dryRun=All' : ''}`;
    return checkedResult(row, await api.call(target, { method, body: stringifyJson(sent), local: true }));
  };
  return {
    create: (sent, options = {}) => write('POST', root, sent, options),
    update: (name, sent, options = {}) =>
      write('PUT', `${root}/${name}${options.subresource === undefined ? '' : `/${options.subresource}`}`, sent, options),
    hasApiObjects: () => true,
    // Recordings of two versions of a kind use the same names.
    close: async () => void (await api.delete(root, { local: true })),
  };
}

function rowOf({ resource, apiVersion }: KindHead): KindRow {
  const row = STORED_KINDS.find((candidate) => candidate.resource === resource && apiVersionOf(candidate) === apiVersion);
  if (row === undefined) throw new Error(`no kind ${resource} of ${apiVersion}`);
  return row;
}

/** Parses a response and checks what does not depend on the case. */
function checkedResult(row: KindRow, response: ApiResponse): KindWriteResult {
  const warnings = response.warnings;
  if (response.status < 400) {
    const { kind, apiVersion, ...object }: JsonObject = JSON.parse(response.text);
    expect([apiVersion, kind]).toEqual([apiVersionOf(row), row.kind]);
    return { code: response.status, causes: [], warnings, object };
  }
  const status: unknown = response.json;
  if (!isStatus(status)) throw new Error(`no Status: ${response.text}`);
  expect([status.code, status.reason]).toEqual([response.status, REASONS[response.status]]);
  const { message, details } = status;
  if (details === undefined) return { code: response.status, message, causes: [], warnings };
  // Objects are validated in the stored version.
  const stored = storedRowOf(row);
  expect([details.kind, details.group ?? '']).toEqual([stored.kind, stored.group]);
  const causes = details.causes.map(({ field = '', reason, message: causeMessage }) => [field, reason, causeMessage] as const);
  expect(message).toBe(messageOf(stored, details.name, causes));
  return { code: response.status, message, causes, warnings };
}

function messageOf(row: KindRow, name: string, causes: KindWriteResult['causes']): string {
  const messages = [...new Set(causes.map(([field, , causeMessage]) => `${field}: ${causeMessage}`))];
  const type = row.group === '' ? row.kind : `${row.kind}.${row.group}`;
  return `${type} ${JSON.stringify(name)} is invalid: ${messages.length === 1 ? messages.join('') : `[${messages.join(', ')}]`}`;
}
