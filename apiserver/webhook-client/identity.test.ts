/**
 * Replays the credentials that webhooks of release 1.31.1 received (webhook-credentials/*), over HTTPS with a server
 * that records them.
 */
import { unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readKubeconfigUsers } from '../../shared/client/kubeconfig/kubeconfig-users';
import { systemClock } from '../../shared/runtime/clock';
import { ManualClock } from '../../test/support/clock/manual-clock';
import type { Body } from '../../test/replay/json-response';
import {
  credentialRecordings,
  targetName,
  startCredentialServer,
  resolveTarget,
  writeCredentialFiles,
  type WebhookTarget,
} from '../../test/replay/formats/webhook-credentials';
import { useClosable, useFolder, useResource } from '../../test/support/use-resource';
import { WebhookClient } from './client';
import { createIdentify } from './identity';
import { readWebhookTarget } from './webhook-target';
import type { Reply } from './reply';

const folder = useFolder('webhook-identity');
const server = useClosable(() => startCredentialServer('127.0.0.1'));
/** The paths of the kubeconfigs by the names of the recordings. */
const kubeconfigs = useResource(() => writeCredentialFiles(folder, server().port));

function clientWith(kubeconfig: string, clock = systemClock): WebhookClient {
  return new WebhookClient({
    resolve: () => ({ host: '127.0.0.1', port: server().port }),
    clock,
    identify: createIdentify(readKubeconfigUsers(kubeconfigs().get(kubeconfig) ?? ''), clock),
  });
}

const REVIEW = Buffer.from('{"request":{"uid":"u"}}');

function callServer(client: WebhookClient, target: WebhookTarget): Promise<Reply> {
  const { caBundle } = server();
  const clientConfig = 'url' in target ? target : { service: { namespace: target.namespace, name: target.service, port: target.port } };
  return client.call(readWebhookTarget({ ...clientConfig, caBundle }), REVIEW, { query: '?timeout=5s', timeoutMs: 5_000 });
}

/** The credentials of targets to which upstream's client sends others, because it does not compare hosts in lower case. */
const DEVIATIONS: Readonly<Record<string, Body>> = { 'https://LOCALHOST:<port>/': { authorization: 'Bearer for localhost:<port>' } };

/** Errors with a wording different from upstream's, by the name of the Service that is called. */
const OUR_MESSAGES: Readonly<Record<string, string>> = {
  'token-file-missing': 'cannot read the token: ',
  'certificate-file-missing': 'cannot read <folder>/none: ',
  'exec-fails': '/bin/sh ended with 3',
  'exec-without-command': 'has no command',
  'exec-without-version': 'has no apiVersion',
};

/** `isCallFailure` by a part of upstream's message, which differs by the phase in which the call failed. */
const CALL_FAILURE_BY_PHASE: Readonly<Record<string, boolean>> = { 'could not get REST client': false, 'failed to call webhook': true };

describe.each([...credentialRecordings()])('the webhook credentials of the kubeconfig %s', (kubeconfig, { cases }) => {
  test.each(cases.map((recorded) => [targetName(recorded.target), recorded] as const))(
    'sent to %s are those of release 1.31.1',
    async (name, recorded) => {
      const target = resolveTarget(recorded.target, server().port);
      const masked = (text: string): string => text.replaceAll(`:${server().port}`, ':<port>');
      const client = clientWith(kubeconfig);
      server().seen.splice(0);
      const reply = await callServer(client, target);
      client.close();
      if (recorded.message === undefined) {
        expect(JSON.parse(masked(JSON.stringify(server().seen)))).toEqual([DEVIATIONS[name] ?? recorded.seen]);
        return;
      }
      expect(server().seen).toEqual([]);
      const error: unknown = expect.stringContaining(expectedMessage(target, recorded.message));
      expect(reply).toEqual({ error, isCallFailure: expectedCallFailure(target, recorded.message) });
    },
  );
});

/** This implementation may detect a malformed certificate or exec configuration before it connects. */
function expectedCallFailure(target: WebhookTarget, message: string): unknown {
  if ('service' in target && /^(?:certificate-malformed|exec-without-command)$/.test(target.service)) return expect.any(Boolean);
  return Object.entries(CALL_FAILURE_BY_PHASE).find(([phase]) => message.includes(phase))?.[1];
}

function expectedMessage(target: WebhookTarget, message: string): string {
  if ('service' in target && target.service === 'certificate-malformed') return 'PEM';
  const ourMessage = 'service' in target ? OUR_MESSAGES[target.service] : undefined;
  return ourMessage?.replace('<folder>', folder) ?? message.replace(/.*(?:could not get REST client): /, '');
}

test('the files of a client certificate are read again after a minute, and a missing file is an error', async () => {
  const clock = new ManualClock();
  const identify = createIdentify(readKubeconfigUsers(kubeconfigs().get('credentials') ?? ''), clock);
  const currentIdentity = () => identify('certificate-files.kinds.svc:443');
  const first = await currentIdentity();
  writeFileSync(path.join(folder, 'client.crt'), 'another');
  expect(currentIdentity()).toEqual({ ...first, onUnauthorized: expect.any(Function) });
  clock.advance(60_000);
  expect(currentIdentity()).toMatchObject({ pair: { cert: 'another' } });
  unlinkSync(path.join(folder, 'client.crt'));
  clock.advance(60_000);
  expect(currentIdentity()).toMatchObject({ error: expect.stringContaining('client.crt'), isCallFailure: false });
});

test('a request fails when its credentials take longer than the timeout', async () => {
  const clock = new ManualClock();
  const client = new WebhookClient({
    resolve: () => ({ host: '127.0.0.1', port: server().port }),
    clock,
    identify: () => new Promise(() => undefined),
  });
  const reply = callServer(client, { url: `https://127.0.0.1:${server().port}/` });
  clock.advance(5_000);
  expect(await reply).toEqual({
    error: `Post "https://127.0.0.1:${server().port}/?timeout=5s": context deadline exceeded`,
    isCallFailure: true,
  });
});

test.each([
  ['kind: Pod', 'is a Pod, not a Config'],
  ['users: [{name: a, user: {token: t}}, {name: a}]', 'names the user "a" twice'],
  ['users: [{name: a, user: {token: 5}}]', 'has a token that is no text'],
  ['a: [', 'is not YAML'],
])('the kubeconfig %j is rejected with an error that it %s', (text, error) => {
  const file = path.join(folder, 'kubeconfig');
  writeFileSync(file, text);
  expect(() => readKubeconfigUsers(file)).toThrow(error);
});

test.each(['', '{}', 'users: []', 'current-context: x', 'users: [{user: {token: t}}]'])(
  'a kubeconfig without a current user is accepted: %j',
  (text) => {
    const file = path.join(folder, 'kubeconfig');
    writeFileSync(file, text);
    expect(readKubeconfigUsers(file).current).toBeUndefined();
  },
);
