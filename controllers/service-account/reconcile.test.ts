import { apiObject } from '../../shared/client/rest/api-object';
import { missingAccount } from './reconcile';

const namespace = apiObject({ metadata: { name: 'n' } });
const terminating = apiObject({ metadata: { name: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' } });
const account = apiObject({ metadata: { namespace: 'n', name: 'default' } });

test('missingAccount returns the default ServiceAccount for an active namespace without one, and nothing for other namespaces', () => {
  expect(missingAccount(namespace, undefined)).toEqual({ metadata: { namespace: 'n', name: 'default' } });
  expect(missingAccount(namespace, account)).toBeUndefined();
  expect(missingAccount(terminating, undefined)).toBeUndefined();
  expect(missingAccount(undefined, undefined)).toBeUndefined();
});
