import { createHmac } from 'node:crypto';
import type { CoreV1ConfigMap, CoreV1Secret, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { parseSigningToken } from './bootstrap-token';
import { reconcileSignatures } from './cluster-info-signatures';
import type { ConfigMap } from '../../shared/client/rest/typed-objects';

const NOW = Date.UTC(2026, 0, 1);
const KUBECONFIG = 'kind: Config\n';

function secret(id: string, data: Readonly<Record<string, string | null>> = {}, metadata: MetaV1ObjectMeta = {}) {
  const fields = { 'token-id': id, 'token-secret': '0123456789abcdef', 'usage-bootstrap-signing': 'true', ...data };
  const encoded = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, Buffer.from(value).toString('base64')]] : [],
  );
  return apiObject<CoreV1Secret>({
    metadata: { namespace: 's', name: `bootstrap-token-${id}`, uid: 'u', ...metadata },
    data: Object.fromEntries(encoded),
  });
}

const info = (data: Record<string, string> = { kubeconfig: KUBECONFIG }, more: CoreV1ConfigMap = {}) =>
  apiObject<CoreV1ConfigMap>({ metadata: { namespace: 'p', name: 'cluster-info', resourceVersion: '7' }, data, ...more });

const reconcile = (clusterInfo: ConfigMap | undefined, secrets: readonly ReturnType<typeof secret>[], now: number) =>
  reconcileSignatures(clusterInfo, secrets, 'token', now);

/** As a client computes it to verify. */
function signature(id: string, payload = KUBECONFIG, key = `${id}.0123456789abcdef`): string {
  const header = Buffer.from(`{"alg":"HS256","kid":"${id}"}`).toString('base64url');
  const text = `${header}.${Buffer.from(payload).toString('base64url')}`;
  return `${header}..${createHmac('sha256', key).update(text).digest('base64url')}`;
}

test('reconcileSignatures signs cluster-info with every token and updates the version that was read', () => {
  expect(reconcile(info(), [secret('abcdef'), secret('000000')], NOW)).toEqual({
    action: {
      type: 'update',
      body: {
        metadata: { namespace: 'p', name: 'cluster-info', resourceVersion: '7' },
        data: { kubeconfig: KUBECONFIG, 'jws-kubeconfig-abcdef': signature('abcdef'), 'jws-kubeconfig-000000': signature('000000') },
      },
    },
  });
});

test('reconcileSignatures with the key form "secret" signs with the secret part of the token, as upstream clients verify it', () => {
  expect(reconcileSignatures(info(), [secret('abcdef')], 'secret', NOW).action).toMatchObject({
    body: { data: { 'jws-kubeconfig-abcdef': signature('abcdef', KUBECONFIG, '0123456789abcdef') } },
  });
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['adds a missing signature', {}],
  ['replaces a forged signature', { 'jws-kubeconfig-abcdef': 'a..b' }],
  ['replaces a signature of earlier content', { 'jws-kubeconfig-abcdef': signature('abcdef', 'before') }],
  ['removes a signature without a token', { 'jws-kubeconfig-abcdef': signature('abcdef'), 'jws-kubeconfig-unknown': signature('unknown') }],
])('reconcileSignatures %s', (_title, existing) => {
  const { action } = reconcile(info({ kubeconfig: KUBECONFIG, other: 'o', ...existing }), [secret('abcdef')], NOW);
  expect(action).toMatchObject({
    body: { data: { kubeconfig: KUBECONFIG, other: 'o', 'jws-kubeconfig-abcdef': signature('abcdef') } },
  });
  expect(JSON.stringify(action)).not.toContain('unknown');
});

test('reconcileSignatures does nothing when all signatures are valid', () => {
  const data = { kubeconfig: KUBECONFIG, 'jws-kubeconfig-abcdef': signature('abcdef') };
  expect(reconcile(info(data), [secret('abcdef')], NOW)).toEqual({ action: { type: 'none' } });
});

test('reconcileSignatures does nothing for a cluster-info ConfigMap that is missing, being deleted or without a kubeconfig', () => {
  const tokens = [secret('abcdef')];
  const none = { action: { type: 'none' } };
  expect(reconcile(undefined, tokens, NOW)).toEqual(none);
  expect(reconcile(info({ 'jws-kubeconfig-unknown': 'x' }), tokens, NOW)).toEqual(none);
  expect(reconcile(apiObject({ metadata: { name: 'cluster-info' } }), tokens, NOW)).toEqual(none);
  expect(reconcile(info(undefined, { metadata: { name: 'cluster-info', deletionTimestamp: 't' } }), tokens, NOW)).toEqual(none);
});

test('reconcileSignatures reports an immutable cluster-info only when a signature has to change', () => {
  expect(reconcile(info(undefined, { immutable: true }), [secret('abcdef')], NOW).action).toEqual({ type: 'immutable' });
  expect(reconcile(info(undefined, { immutable: true }), [], NOW).action).toEqual({ type: 'none' });
});

test('reconcileSignatures drops a signature when its token expires', () => {
  const tokens = [secret('aaaaaa', { expiration: '2026-01-01T00:00:09Z' }), secret('bbbbbb', { expiration: '2026-01-01T00:00:03Z' })];
  expect(reconcile(info(), tokens, NOW).requeueAfterMs).toBe(3_000);
  const later = reconcile(info(), tokens, NOW + 3_000);
  expect(later.requeueAfterMs).toBe(6_000);
  expect(later.action).toMatchObject({ body: { data: { kubeconfig: KUBECONFIG, 'jws-kubeconfig-aaaaaa': signature('aaaaaa') } } });
  expect(JSON.stringify(later)).not.toContain('bbbbbb');
});

test('reconcileSignatures ignores a token that is being deleted', () => {
  expect(reconcile(info(), [secret('abcdef', {}, { deletionTimestamp: 't' })], NOW)).toEqual({ action: { type: 'none' } });
});

test.each<[string, ReturnType<typeof secret>]>([
  ['its name is not bootstrap-token- with six lower-case letters or digits', secret('abcdef', {}, { name: 'abcdef' })],
  ['its name is not bootstrap-token- with six lower-case letters or digits', secret('abcde')],
  ['its name is not bootstrap-token- with six lower-case letters or digits', secret('abcdef', {}, { name: 'bootstrap-token-abcdef\n' })],
  ['its token-id differs from the ID in its name', secret('abcdef', { 'token-id': 'abcdeg' })],
  ['its token-id differs from the ID in its name', secret('abcdef', { 'token-id': null })],
  ['it has no token-secret', secret('abcdef', { 'token-secret': '' })],
  ['its expiration is not a time', secret('abcdef', { expiration: 'tomorrow' })],
])('parseSigningToken rejects a bootstrap token because %s', (error, invalid) => {
  expect(parseSigningToken(invalid)).toEqual({ type: 'invalid', error });
  expect(reconcile(info(), [invalid], NOW).action).toEqual({ type: 'none' });
});

test('parseSigningToken ignores a token when usage-bootstrap-signing is not true, even if its name is invalid', () => {
  for (const usage of ['false', 'True', '1', '']) {
    expect(parseSigningToken(secret('abcde', { 'usage-bootstrap-signing': usage }))).toEqual({ type: 'none' });
  }
});
