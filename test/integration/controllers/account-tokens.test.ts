/** Service account tokens in Secrets: filled in as by the reference's controllers, and valid for as long as their Secret holds them. */
import { resourceOf } from '../../../shared/client/rest/resource';
import type { RestClient } from '../../../shared/client/rest/rest-client';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { adminClient } from '../../support/control-plane';
import { waitUntil } from '../../support/programs';
import { replayControllers } from '../../support/replay-controllers';
import { startSimulatedCluster, type SimulatedCluster } from '../../support/simulated-cluster';

describe('account tokens match the recording', () => replayControllers('account-tokens'));

describe('account tokens with platform names:', () => {
  const SECRETS = resourceOf('core.v1.Secret');
  const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
  const REVIEWS = resourceOf('authentication.v1.TokenReview');
  let cluster: SimulatedCluster;
  let client: RestClient;

  beforeAll(async () => {
    cluster = await startSimulatedCluster();
    client = adminClient([cluster.address], cluster.certificates);
  }, 60_000);

  afterAll(async () => {
    client.close();
    await cluster.stop();
  }, 60_000);

  async function reviewed(token: string): Promise<JsonObject | undefined> {
    return objectAt(await client.review(REVIEWS, { metadata: {}, spec: { token } }), 'status');
  }

  const until = <T>(what: string, condition: () => Promise<T | undefined | false>): Promise<T> =>
    waitUntil(what, condition, 15_000, cluster.clock);

  test.each(['platform.io', 'kubernetes.io'])(
    'a token in a Secret of type %s/service-account-token authenticates its account until the Secret is deleted',
    async (prefix) => {
      const name = prefix.split('.', 1)[0] ?? '';
      const place = { namespace: 'default', name };
      await client.create(ACCOUNTS, { metadata: place });
      const annotations = { [`${prefix}/service-account.name`]: name };
      await client.create(SECRETS, { metadata: { ...place, annotations }, type: `${prefix}/service-account-token` });
      const text = await until('the token', async () => stringAt(objectAt((await client.get(SECRETS, place)).body, 'data'), 'token'));
      const token = Buffer.from(text, 'base64').toString();
      expect(await reviewed(token)).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:default:${name}`, groups: expect.arrayContaining(['system:serviceaccounts']) as unknown },
      });
      await client.delete(SECRETS, place);
      await until('the token to be refused', async () => (await reviewed(token))?.['authenticated'] !== true);
    },
  );
});
