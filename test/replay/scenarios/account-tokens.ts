/** Secrets that hold tokens of service accounts: how they are filled, and when they go. */
import type { Body } from '../reference';
import { create, onceFilled, patch, remove, type Act, type Look, type Scenario, type ScenarioStep } from './scenario';

const LOOKS: readonly Look[] = [
  { path: 'secrets' },
  { path: 'serviceaccounts', members: ['secrets'] },
  { path: 'events', members: ['involvedObject', 'reason', 'type'] },
];
const TYPE = 'kubernetes.io/service-account-token';
const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';

const account = (name: string, more: Body = {}): Act => create('serviceaccounts', { metadata: { name }, ...more });
const secret = (name: string, of: string, more: Body = {}, metadata: Body = {}): Act =>
  create('secrets', { metadata: { name, ...metadata, annotations: { [NAME]: of, ...annotationsOf(metadata) } }, type: TYPE, ...more });
const change = (name: string, body: Body): Act => patch(`secrets/${name}`, body);

function annotationsOf(metadata: Body): Body {
  const { annotations } = metadata;
  return typeof annotations === 'object' && annotations !== null && !Array.isArray(annotations) ? annotations : {};
}

const scenario = (name: string, steps: readonly ScenarioStep[]): Scenario => ({ name, looks: LOOKS, steps });

export const ACCOUNT_TOKENS: readonly Scenario[] = [
  scenario('tk-ordinary', [
    { title: 'a Secret for an account', acts: [account('a'), secret('s', 'a')] },
    { title: 'another one', acts: [secret('t', 'a', {}, { labels: { l: 'm' }, annotations: { other: 'o' } })] },
    { title: 'the Secret is deleted', acts: [remove('secrets/s')] },
    { title: 'the account is deleted', acts: [remove('serviceaccounts/a')] },
  ]),
  scenario('tk-nobody', [
    { title: 'an account that is not there', acts: [secret('s', 'nobody')] },
    { title: 'and comes later', acts: [account('nobody'), secret('s', 'nobody')] },
  ]),
  scenario('tk-another', [
    { title: 'the id of another account', acts: [account('a'), secret('s', 'a', {}, { annotations: { [UID]: 'another' } })] },
    {
      title: 'the Secret of an account that comes again',
      // One that nobody has filled by then would belong to the next account.
      acts: [secret('t', 'a'), onceFilled('secrets/t', remove('serviceaccounts/a')), account('a')],
    },
    { title: 'an empty id', acts: [secret('u', 'a', {}, { annotations: { [UID]: '' } })] },
  ]),
  scenario('tk-partly', [
    {
      title: 'data of its own',
      acts: [account('a'), secret('s', 'a', { stringData: { extra: 'x', token: 'mine', namespace: 'else', 'ca.crt': 'none' } })],
    },
    { title: 'the token is taken away', acts: [change('s', { data: { token: null } })] },
    { title: 'the token is changed', acts: [change('s', { stringData: { token: 'changed' } })] },
    { title: 'the token is empty', acts: [change('s', { data: { token: '' } })] },
    { title: 'the certificates are taken away', acts: [change('s', { data: { 'ca.crt': null } })] },
    { title: 'the certificates are changed', acts: [change('s', { stringData: { 'ca.crt': 'x' } })] },
    { title: 'the namespace is taken away', acts: [change('s', { data: { namespace: null } })] },
    { title: 'the namespace is changed', acts: [change('s', { stringData: { namespace: 'x' } })] },
    { title: 'the namespace is empty', acts: [change('s', { data: { namespace: '' } })] },
    { title: 'all is taken away', acts: [change('s', { data: null })] },
  ]),
  scenario('tk-annotations', [
    { title: 'a Secret', acts: [account('a'), account('b'), secret('s', 'a')] },
    { title: 'the id is taken away', acts: [change('s', { metadata: { annotations: { [UID]: null } } })] },
    {
      title: 'the id is taken away together with the token',
      acts: [change('s', { metadata: { annotations: { [UID]: null } }, data: { token: null } })],
    },
    { title: 'the id changes', acts: [change('s', { metadata: { annotations: { [UID]: 'x' } } })] },
    { title: 'another Secret', acts: [secret('t', 'a')] },
    { title: 'its account changes', acts: [change('t', { metadata: { annotations: { [NAME]: 'b' } } })] },
  ]),
  scenario('tk-references', [
    { title: 'an account that names its Secret', acts: [account('a', { secrets: [{ name: 's' }, { name: 'other' }] }), secret('s', 'a')] },
    { title: 'a Secret that nobody names', acts: [secret('t', 'a')] },
    { title: 'the named one is deleted', acts: [remove('secrets/s')] },
    { title: 'the other one is deleted', acts: [remove('secrets/t')] },
    {
      title: 'a named one of another type is deleted',
      acts: [create('secrets', { metadata: { name: 'other' } }), remove('secrets/other')],
    },
  ]),
  scenario('tk-unchangeable', [
    { title: 'a Secret that cannot be changed', acts: [account('a'), secret('s', 'a', { immutable: true })] },
    { title: 'its account is deleted', acts: [remove('serviceaccounts/a')] },
  ]),
  scenario('tk-held', [
    { title: 'a Secret that is held', acts: [account('a'), secret('s', 'a', {}, { finalizers: ['example.com/held'] })] },
    { title: 'its account is deleted', acts: [remove('serviceaccounts/a')] },
    { title: 'it is let go', acts: [change('s', { metadata: { finalizers: null } })] },
    {
      title: 'an account that is held',
      acts: [account('b', { metadata: { name: 'b', finalizers: ['example.com/held'] } }), secret('t', 'b')],
    },
    { title: 'which is deleted', acts: [remove('serviceaccounts/b')] },
    { title: 'a Secret for it while it goes', acts: [secret('u', 'b')] },
    { title: 'which is let go', acts: [patch('serviceaccounts/b', { metadata: { finalizers: null } })] },
  ]),
  scenario('tk-types', [
    {
      title: 'another type',
      acts: [account('a'), create('secrets', { metadata: { name: 's', annotations: { [NAME]: 'a' } }, type: 'Opaque' })],
    },
    { title: 'no account', acts: [create('secrets', { metadata: { name: 't' }, type: TYPE })] },
  ]),
];
