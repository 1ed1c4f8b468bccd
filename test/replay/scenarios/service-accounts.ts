/** What every namespace gets, and what comes back. */
import { create, patch, remove, type Scenario } from './scenario';

const LOOKS = [{ path: 'serviceaccounts' }, { path: 'configmaps', members: [] }];

export const SERVICE_ACCOUNTS: readonly Scenario[] = [
  {
    name: 'accounts',
    looks: LOOKS,
    steps: [
      { title: 'a new namespace', acts: [] },
      { title: 'its account is deleted', acts: [remove('serviceaccounts/default')] },
      { title: 'its account is changed', acts: [patch('serviceaccounts/default', { metadata: { labels: { a: 'b' } } })] },
      { title: 'its root certificate is deleted', acts: [remove('configmaps/kube-root-ca.crt')] },
      {
        title: 'its root certificate is changed',
        acts: [patch('configmaps/kube-root-ca.crt', { metadata: { labels: { a: 'b' }, annotations: null }, data: { x: 'y' } })],
      },
      { title: 'another account', acts: [create('serviceaccounts', { metadata: { name: 'another' } })] },
    ],
  },
];
