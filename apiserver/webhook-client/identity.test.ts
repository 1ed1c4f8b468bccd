/** Replays the credentials that webhooks received from release 1.31.1 (webhook-credentials/*), over HTTPS with a server that keeps them. */
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readKubeconfigUsers } from '../../shared/client/kubeconfig/kubeconfig-users';
import { systemClock } from '../../shared/runtime/clock';
import { ManualClock } from '../../test/support/manual-clock';
import type { Body } from '../../test/replay/reference';
import {
  credentialRecordings,
  nameOf,
  startCredentialServer,
  targetAt,
  writeCredentialFiles,
  type CredentialServer,
  type Target,
} from '../../test/replay/webhook-credentials';
import { WebhookClient } from './client';
import { identify } from './identity';
import { targetOf } from './webhook-target';
import type { Reply } from './reply';

let folder: string;
let files: ReadonlyMap<string, string>;
let server: CredentialServer;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'webhook-identity-'));
  server = await startCredentialServer('127.0.0.1');
  files = await writeCredentialFiles(folder, server.port);
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

function clientOf(set: string, clock = systemClock): WebhookClient {
  return new WebhookClient({
    resolve: () => ({ host: '127.0.0.1', port: server.port }),
    clock,
    identify: identify(readKubeconfigUsers(files.get(set) ?? ''), clock),
  });
}

const REVIEW = Buffer.from('{"request":{"uid":"u"}}');

function ask(client: WebhookClient, target: Target): Promise<Reply> {
  const { caBundle } = server;
  const place = 'url' in target ? target : { service: { namespace: target.namespace, name: target.service, port: target.port } };
  return client.ask(targetOf({ ...place, caBundle }), REVIEW, { query: '?timeout=5s', timeoutMs: 5_000 });
}

/** Host names are compared without regard to case here. */
const SEEN_HERE: Readonly<Record<string, Body>> = { 'https://LOCALHOST:<port>/': { authorization: 'Bearer for localhost:<port>' } };

/** Errors that are worded differently here. */
const WORDS: Readonly<Record<string, string>> = {
  'token-file-missing': 'cannot read the token: ',
  'certificate-file-missing': 'cannot read <folder>/none: ',
  'exec-fails': '/bin/sh ended with 3',
  'exec-without-command': 'has no command',
  'exec-without-version': 'has no apiVersion',
};

const PHASES: Readonly<Record<string, boolean>> = { 'could not get REST client': false, 'failed to call webhook': true };

describe.each([...credentialRecordings()])('%s', (set, { cases }) => {
  test.each(cases.map((recorded) => [nameOf(recorded.target), recorded] as const))('%s', async (name, recorded) => {
    const target = targetAt(recorded.target, server.port);
    const masked = (text: string): string => text.replaceAll(`:${server.port}`, ':<port>');
    const client = clientOf(set);
    server.seen.splice(0);
    const reply = await ask(client, target);
    client.close();
    if (recorded.message === undefined) {
      expect(JSON.parse(masked(JSON.stringify(server.seen)))).toEqual([SEEN_HERE[name] ?? recorded.seen]);
      return;
    }
    expect(server.seen).toEqual([]);
    const fault: unknown = expect.stringContaining(wordsFor(target, recorded.message));
    expect(reply).toEqual({ fault, asked: isOnTheWay(target, recorded.message) });
  });
});

/** This server may detect a malformed certificate or program before it connects. */
function isOnTheWay(target: Target, message: string): unknown {
  if ('service' in target && /^(?:certificate-malformed|exec-without-command)$/.test(target.service)) return expect.any(Boolean);
  return Object.entries(PHASES).find(([phase]) => message.includes(phase))?.[1];
}

function wordsFor(target: Target, message: string): string {
  if ('service' in target && target.service === 'certificate-malformed') return 'PEM';
  const ours = 'service' in target ? WORDS[target.service] : undefined;
  return ours?.replace('<folder>', folder) ?? message.replace(/.*(?:could not get REST client): /, '');
}

test('a replaced client certificate is presented within a minute', async () => {
  const clock = new ManualClock();
  const users = readKubeconfigUsers(files.get('credentials') ?? '');
  const shown = identify(users, clock);
  const first = await shown('certificate-files.kinds.svc:443');
  writeFileSync(path.join(folder, 'client.crt'), 'another');
  expect(shown('certificate-files.kinds.svc:443')).toEqual({ ...first, refused: expect.any(Function) });
  clock.advance(60_000);
  expect(shown('certificate-files.kinds.svc:443')).toMatchObject({ pair: { cert: 'another' } });
  unlinkSync(path.join(folder, 'client.crt'));
  clock.advance(60_000);
  expect(shown('certificate-files.kinds.svc:443')).toMatchObject({ asked: false });
});

test('a request fails when its credentials take longer than the timeout', async () => {
  const clock = new ManualClock();
  const client = new WebhookClient({
    resolve: () => ({ host: '127.0.0.1', port: server.port }),
    clock,
    identify: () => new Promise(() => undefined),
  });
  const reply = ask(client, { url: `https://127.0.0.1:${server.port}/` });
  clock.advance(5_000);
  expect(await reply).toEqual({ fault: `Post "https://127.0.0.1:${server.port}/?timeout=5s": context deadline exceeded`, asked: true });
});

test.each([
  ['kind: Pod', 'is a Pod and no Config'],
  ['users: [{name: a, user: {token: t}}, {name: a}]', 'names the user "a" twice'],
  ['users: [{name: a, user: {token: 5}}]', 'has a token that is no text'],
  ['a: [', 'is not YAML'],
])('an invalid kubeconfig is rejected: %s', (text, fault) => {
  const file = path.join(folder, 'odd');
  writeFileSync(file, text);
  expect(() => readKubeconfigUsers(file)).toThrow(fault);
});

test.each(['', '{}', 'users: []', 'current-context: x', 'users: [{user: {token: t}}]'])(
  'a kubeconfig without a current user is accepted: %j',
  (text) => {
    const file = path.join(folder, 'odd');
    writeFileSync(file, text);
    expect(readKubeconfigUsers(file).current).toBeUndefined();
  },
);
