import type { CoreV1Secret, CoreV1ServiceAccount } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { accountNameOf, populatedSecret, reconcileSecret, withoutSecretReference } from './reconcile';

const PREFIXES = ['platform.io', 'kubernetes.io'];
const encodeBase64 = (text: string): string => Buffer.from(text).toString('base64');
const COMPLETE = { token: encodeBase64('t'), namespace: encodeBase64('n'), 'ca.crt': encodeBase64('PEM') };

type Data = CoreV1Secret['data'];

function secret(data: Data, annotations: Record<string, string> = {}, more: CoreV1Secret = {}, prefix = 'platform.io') {
  return apiObject<CoreV1Secret>({
    metadata: { namespace: 'n', name: 's', uid: 'x', annotations: { [`${prefix}/service-account.name`]: 'a', ...annotations } },
    type: `${prefix}/service-account-token`,
    ...(data === undefined ? {} : { data }),
    ...more,
  });
}

const reconcile = (observed: ReturnType<typeof secret>) => reconcileSecret(observed, { accountUid: 'u', rootCertificate: 'PEM' }, PREFIXES);
const reconcileWithoutAccount = (observed: ReturnType<typeof secret>) =>
  reconcileSecret(observed, { accountUid: undefined, rootCertificate: 'PEM' }, PREFIXES);
const owned = (uid: string) => ({ 'platform.io/service-account.uid': uid });

test('reconcileSecret leaves a complete token Secret alone, with or without the uid annotation', () => {
  expect(reconcile(secret(COMPLETE, owned('u')))).toEqual({ type: 'none' });
  expect(reconcile(secret(COMPLETE))).toEqual({ type: 'none' });
  expect(reconcile(secret({ ...COMPLETE, token: encodeBase64('mine'), namespace: encodeBase64('else'), more: '' }))).toEqual({
    type: 'none',
  });
});

test.each<[string, Data, boolean]>([
  ['no data', undefined, true],
  ['an empty token', { ...COMPLETE, token: '' }, true],
  ['an empty namespace', { ...COMPLETE, namespace: '' }, false],
  ['another CA certificate', { ...COMPLETE, 'ca.crt': encodeBase64('other') }, false],
])('reconcileSecret updates a token Secret with %s, unless it is immutable', (_title, data, needsToken) => {
  expect(reconcile(secret(data))).toEqual({ type: 'update', needsToken });
  expect(reconcile(secret(data, {}, { immutable: true }))).toEqual({ type: 'immutable' });
});

test('reconcileSecret requires no CA certificate when the controller has none', () => {
  const { 'ca.crt': _, ...rest } = COMPLETE;
  expect(reconcileSecret(secret(rest), { accountUid: 'u', rootCertificate: undefined }, PREFIXES)).toEqual({ type: 'none' });
});

test('reconcileSecret deletes a token Secret when its ServiceAccount is deleted or has another uid', () => {
  expect(reconcileWithoutAccount(secret(COMPLETE, owned('u')))).toMatchObject({ type: 'delete' });
  expect(reconcile(secret(COMPLETE, owned('earlier')))).toMatchObject({ type: 'delete' });
  expect(reconcile(secret(COMPLETE, owned('')))).toEqual({ type: 'none' });
});

test('reconcileSecret does nothing for a token Secret that is being deleted', () => {
  const terminating = apiObject<CoreV1Secret>({ ...secret(undefined).body, metadata: { name: 's', deletionTimestamp: 't' } });
  expect(reconcileWithoutAccount(terminating)).toEqual({ type: 'none' });
});

test('populatedSecret sets the given data, the missing namespace and the annotations of a token Secret', () => {
  const owner = { name: 'a', uid: 'u' };
  const tokenData = { rootCertificate: 'PEM', token: 't' };
  expect(populatedSecret(secret({ more: 'm' }, { other: 'o' }), owner, tokenData)).toMatchObject({
    metadata: { annotations: { other: 'o', 'platform.io/service-account.name': 'a', 'platform.io/service-account.uid': 'u' } },
    data: { ...COMPLETE, more: 'm' },
  });
  const existing = { token: encodeBase64('mine'), namespace: encodeBase64('else'), 'ca.crt': encodeBase64('theirs') };
  expect(populatedSecret(secret(existing), owner, { rootCertificate: undefined, token: undefined })).toMatchObject({ data: existing });
});

test('populatedSecret writes annotations in the spelling of the type of the Secret; accountNameOf reads either spelling', () => {
  const other = secret(undefined, { 'platform.io/service-account.name': 'b' }, {}, 'kubernetes.io');
  expect(accountNameOf(other, PREFIXES)).toBe('a');
  expect(populatedSecret(other, { name: 'a', uid: 'u' }, { rootCertificate: 'PEM', token: 't' })).toMatchObject({
    metadata: { annotations: { 'kubernetes.io/service-account.name': 'a', 'kubernetes.io/service-account.uid': 'u' } },
  });
  const mixed = secret(
    undefined,
    { 'kubernetes.io/service-account.name': '', 'platform.io/service-account.name': 'b' },
    {},
    'kubernetes.io',
  );
  expect(accountNameOf(mixed, PREFIXES)).toBe('b');
});

test('withoutSecretReference removes the reference to the named Secret and no other field of the ServiceAccount', () => {
  const account = (...names: string[]) =>
    apiObject<CoreV1ServiceAccount>({
      metadata: { name: 'a' },
      automountServiceAccountToken: false,
      secrets: names.map((name) => ({ name })),
    });
  expect(withoutSecretReference(account('s', 'other'), 's')).toEqual(account('other').body);
  expect(withoutSecretReference(account('s'), 's')).toEqual({ metadata: { name: 'a' }, automountServiceAccountToken: false });
  expect(withoutSecretReference(account('other'), 's')).toBeUndefined();
  expect(withoutSecretReference(apiObject({ metadata: { name: 'a' } }), 's')).toBeUndefined();
});
