/** A REST client over the in-memory API server, with a manual clock. */
import { CredentialSource } from '../../../shared/client/kubeconfig/credential-source';
import { RestClient } from '../../../shared/client/rest/rest-client';
import type { Dialect } from '../../../shared/names/dialect';
import { FakeApi } from './fake-api';
import { FixedRandom } from '../clock/fixed-random';
import { ManualClock } from '../clock/manual-clock';

/** `dialect`: `platform` by default. Several clients may share one `api` and one `clock`. */
export function fakeClient(options: { readonly api?: FakeApi; readonly clock?: ManualClock; readonly dialect?: Dialect } = {}) {
  const api = options.api ?? new FakeApi();
  const clock = options.clock ?? new ManualClock();
  const random = new FixedRandom();
  const client = new RestClient({
    transport: api,
    credentials: new CredentialSource({ type: 'none' }, clock),
    dialect: options.dialect ?? 'platform',
    userAgent: 'test',
    clock,
    random,
  });
  return { api, clock, random, client };
}
