import { createHmac } from 'node:crypto';
import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import * as signing from './cluster-info-signatures';
import { signerOf } from './bootstrap-token';

const NOW = Date.UTC(2026, 0, 1);
const KUBECONFIG = 'kind: Config\n';

function secret(id: string, data: JsonObject = {}, metadata: JsonObject = {}) {
  const said = { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...data };
  const encoded = Object.entries(said).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, Buffer.from(value).toString('base64')]] : [],
  );
  return apiObject({
    metadata: { namespace: 's', name: `bootstrap-token-${id}`, uid: 'u', ...metadata },
    data: Object.fromEntries(encoded),
  });
}

const info = (data: JsonObject = { kubeconfig: KUBECONFIG }, more: JsonObject = {}) =>
  apiObject({ metadata: { namespace: 'p', name: 'cluster-info', resourceVersion: '7' }, data, ...more });

const signingOf = (map: Parameters<typeof signing.signingOf>[0], secrets: readonly ReturnType<typeof secret>[], now: number) =>
  signing.signingOf(map, secrets, 'token', now);

/** As whoever joins would make it. */
function signature(id: string, payload = KUBECONFIG, key = `${id}.0123456789abcdef`): string {
  const header = Buffer.from(`{"alg":"HS256","kid":"${id}"}`).toString('base64url');
  const text = `${header}.${Buffer.from(payload).toString('base64url')}`;
  return `${header}..${createHmac('sha256', key).update(text).digest('base64url')}`;
}

test('signingOf signs cluster-info with every token and updates the version that was read', () => {
  expect(signingOf(info(), [secret('abcdef'), secret('000000')], NOW)).toEqual({
    action: {
      type: 'update',
      object: {
        metadata: { namespace: 'p', name: 'cluster-info', resourceVersion: '7' },
        data: { kubeconfig: KUBECONFIG, 'jws-kubeconfig-abcdef': signature('abcdef'), 'jws-kubeconfig-000000': signature('000000') },
      },
    },
  });
});

test('signingOf with the key form "secret" signs with the secret part of the token, as upstream clients verify it', () => {
  expect(signing.signingOf(info(), [secret('abcdef')], 'secret', NOW).action).toMatchObject({
    object: { data: { 'jws-kubeconfig-abcdef': signature('abcdef', KUBECONFIG, '0123456789abcdef') } },
  });
});

test.each<[string, JsonObject]>([
  ['adds a missing signature', {}],
  ['replaces a forged signature', { 'jws-kubeconfig-abcdef': 'a..b' }],
  ['replaces a signature of earlier content', { 'jws-kubeconfig-abcdef': signature('abcdef', 'before') }],
  ['removes a signature without a token', { 'jws-kubeconfig-abcdef': signature('abcdef'), 'jws-kubeconfig-nobody': signature('nobody') }],
])('signingOf %s', (_title, there) => {
  const { action } = signingOf(info({ kubeconfig: KUBECONFIG, other: 'o', ...there }), [secret('abcdef')], NOW);
  expect(action).toMatchObject({
    object: { data: { kubeconfig: KUBECONFIG, other: 'o', 'jws-kubeconfig-abcdef': signature('abcdef') } },
  });
  expect(JSON.stringify(action)).not.toContain('nobody');
});

test('signingOf does nothing when all signatures are valid', () => {
  const there = { kubeconfig: KUBECONFIG, 'jws-kubeconfig-abcdef': signature('abcdef') };
  expect(signingOf(info(there), [secret('abcdef')], NOW)).toEqual({ action: { type: 'none' } });
});

test('signingOf does nothing without a cluster-info ConfigMap or without a kubeconfig in it', () => {
  const [token, nothing] = [[secret('abcdef')], { action: { type: 'none' } }];
  expect(signingOf(undefined, token, NOW)).toEqual(nothing);
  expect(signingOf(info({ 'jws-kubeconfig-nobody': 'x' }), token, NOW)).toEqual(nothing);
  expect(signingOf(apiObject({ metadata: { name: 'cluster-info' } }), token, NOW)).toEqual(nothing);
  expect(signingOf(info(undefined, { metadata: { name: 'cluster-info', deletionTimestamp: 't' } }), token, NOW)).toEqual(nothing);
});

test('signingOf reports an immutable cluster-info as stuck only when a signature has to change', () => {
  expect(signingOf(info(undefined, { immutable: true }), [secret('abcdef')], NOW).action).toEqual({ type: 'stuck' });
  expect(signingOf(info(undefined, { immutable: true }), [], NOW).action).toEqual({ type: 'none' });
});

test('signingOf drops a signature when its token expires', () => {
  const tokens = [secret('aaaaaa', { expiration: '2026-01-01T00:00:09Z' }), secret('bbbbbb', { expiration: '2026-01-01T00:00:03Z' })];
  expect(signingOf(info(), tokens, NOW).endsAfterMs).toBe(3_000);
  const later = signingOf(info(), tokens, NOW + 3_000);
  expect(later.endsAfterMs).toBe(6_000);
  expect(later.action).toMatchObject({ object: { data: { kubeconfig: KUBECONFIG, 'jws-kubeconfig-aaaaaa': signature('aaaaaa') } } });
  expect(JSON.stringify(later)).not.toContain('bbbbbb');
});

test('signingOf ignores a token that is being deleted', () => {
  expect(signingOf(info(), [secret('abcdef', {}, { deletionTimestamp: 't' })], NOW)).toEqual({ action: { type: 'none' } });
});

test.each<[string, ReturnType<typeof secret>]>([
  ['its name is not bootstrap-token- and six lower-case letters or digits', secret('abcdef', {}, { name: 'abcdef' })],
  ['its name is not bootstrap-token- and six lower-case letters or digits', secret('abcde')],
  ['its name is not bootstrap-token- and six lower-case letters or digits', secret('abcdef', {}, { name: 'bootstrap-token-abcdef\n' })],
  ['its token-id is not that of its name', secret('abcdef', { 'token-id': 'abcdeg' })],
  ['its token-id is not that of its name', secret('abcdef', { 'token-id': null })],
  ['it has no token-secret', secret('abcdef', { 'token-secret': '' })],
  ['its expiration is no time', secret('abcdef', { expiration: 'tomorrow' })],
])('signerOf rejects a bootstrap token because %s', (problem, broken) => {
  expect(signerOf(broken)).toEqual({ type: 'broken', problem });
  expect(signingOf(info(), [broken], NOW).action).toEqual({ type: 'none' });
});

test('signerOf ignores a token whose usage-bootstrap-signing is not true, even if its name is invalid', () => {
  for (const usage of ['false', 'True', '1', '']) {
    expect(signerOf(secret('abcde', { 'usage-bootstrap-signing': usage }))).toEqual({ type: 'none' });
  }
});
