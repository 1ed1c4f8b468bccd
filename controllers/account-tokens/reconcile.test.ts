import { apiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { accountOf, filled, needOf, withoutReference } from './reconcile';

const SPELLINGS = ['platform.io', 'kubernetes.io'];
const encoded = (text: string): string => Buffer.from(text).toString('base64');
const WHOLE = { token: encoded('t'), namespace: encoded('n'), 'ca.crt': encoded('PEM') };

function secret(data: JsonObject | undefined, annotations: JsonObject = {}, more: JsonObject = {}, prefix = 'platform.io') {
  return apiObject({
    metadata: { namespace: 'n', name: 's', uid: 'x', annotations: { [`${prefix}/service-account.name`]: 'a', ...annotations } },
    type: `${prefix}/service-account-token`,
    ...(data === undefined ? {} : { data }),
    ...more,
  });
}

const need = (found: ReturnType<typeof secret>, uid: string | undefined = 'u', root: string | undefined = 'PEM') =>
  needOf(found, uid, root, SPELLINGS);
const owned = (uid: string) => ({ 'platform.io/service-account.uid': uid });

test('needOf leaves a complete token Secret alone, with or without the uid annotation', () => {
  expect(need(secret(WHOLE, owned('u')))).toEqual({ type: 'none' });
  expect(need(secret(WHOLE))).toEqual({ type: 'none' });
  expect(need(secret({ ...WHOLE, token: encoded('mine'), namespace: encoded('else'), more: '' }))).toEqual({ type: 'none' });
});

test.each<[string, JsonObject | undefined, boolean]>([
  ['no data', undefined, true],
  ['an empty token', { ...WHOLE, token: '' }, true],
  ['an empty namespace', { ...WHOLE, namespace: '' }, false],
  ['another CA certificate', { ...WHOLE, 'ca.crt': encoded('other') }, false],
])('needOf asks to fill a token Secret with %s, and reports it as stuck when it is immutable', (_title, data, needsToken) => {
  expect(need(secret(data))).toEqual({ type: 'fill', needsToken });
  expect(need(secret(data, {}, { immutable: true }))).toEqual({ type: 'stuck' });
});

test('needOf does not ask for a CA certificate when the controller has none', () => {
  const { 'ca.crt': _, ...rest } = WHOLE;
  expect(needOf(secret(rest), 'u', undefined, SPELLINGS)).toEqual({ type: 'none' });
});

test('needOf deletes a token Secret whose ServiceAccount is deleted or has another uid', () => {
  expect(needOf(secret(WHOLE, owned('u')), undefined, 'PEM', SPELLINGS)).toMatchObject({ type: 'delete' });
  expect(need(secret(WHOLE, owned('earlier')))).toMatchObject({ type: 'delete' });
  expect(need(secret(WHOLE, owned('')))).toEqual({ type: 'none' });
  const going = apiObject({ ...secret(undefined).body, metadata: { name: 's', deletionTimestamp: 't' } });
  expect(needOf(going, undefined, 'PEM', SPELLINGS)).toEqual({ type: 'none' });
});

test('filled sets only the missing data and annotations of a token Secret', () => {
  const owner = { name: 'a', uid: 'u' };
  expect(filled(secret({ more: 'm' }, { other: 'o' }), owner, 'PEM', 't')).toMatchObject({
    metadata: { annotations: { other: 'o', 'platform.io/service-account.name': 'a', 'platform.io/service-account.uid': 'u' } },
    data: { ...WHOLE, more: 'm' },
  });
  const kept = { token: encoded('mine'), namespace: encoded('else'), 'ca.crt': encoded('theirs') };
  expect(filled(secret(kept), owner, undefined, undefined)).toMatchObject({ data: kept });
});

test('filled writes annotations in the spelling of the type of the Secret; accountOf reads either spelling', () => {
  const other = secret(undefined, { 'platform.io/service-account.name': 'b' }, {}, 'kubernetes.io');
  expect(accountOf(other, SPELLINGS)).toBe('a');
  expect(filled(other, { name: 'a', uid: 'u' }, 'PEM', 't')).toMatchObject({
    metadata: { annotations: { 'kubernetes.io/service-account.name': 'a', 'kubernetes.io/service-account.uid': 'u' } },
  });
  const mixed = secret(
    undefined,
    { 'kubernetes.io/service-account.name': '', 'platform.io/service-account.name': 'b' },
    {},
    'kubernetes.io',
  );
  expect(accountOf(mixed, SPELLINGS)).toBe('b');
});

test('withoutReference removes the reference to the named Secret and no other field of the ServiceAccount', () => {
  const account = (...names: string[]) =>
    apiObject({ metadata: { name: 'a' }, automountServiceAccountToken: false, secrets: names.map((name) => ({ name })) });
  expect(withoutReference(account('s', 'other'), 's')).toEqual(account('other').body);
  expect(withoutReference(account('s'), 's')).toEqual({ metadata: { name: 'a' }, automountServiceAccountToken: false });
  expect(withoutReference(account('other'), 's')).toBeUndefined();
  expect(withoutReference(apiObject({ metadata: { name: 'a' } }), 's')).toBeUndefined();
});
