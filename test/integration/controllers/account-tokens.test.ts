/**
 * Service account tokens in Secrets: written as by upstream's controllers, and valid until their Secret is
 * deleted.
 */
import { resourceOf } from '../../../shared/client/rest/resource';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { waitUntil } from '../../support/programs';
import { replayControllers } from '../../support/scenarios/replay-controllers';
import { useSimulatedCluster } from '../../support/scenarios/use-simulated-cluster';

describe('account tokens match the recording', () => replayControllers('account-tokens'));

describe('account tokens with platform names:', () => {
  const SECRETS = resourceOf('core.v1.Secret');
  const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
  const REVIEWS = resourceOf('authentication.v1.TokenReview');
  const { cluster, client } = useSimulatedCluster();

  async function reviewToken(token: string): Promise<JsonObject | undefined> {
    return objectAt(await client().of(REVIEWS).review({ metadata: {}, spec: { token } }), 'status');
  }

  const waitFor = <T>(description: string, condition: () => Promise<T | undefined | false>): Promise<T> =>
    waitUntil(description, condition, { timeoutMs: 15_000, clock: cluster().clock });

  test.each(['platform.io', 'kubernetes.io'])(
    'a token in a Secret of type %s/service-account-token authenticates its account until the Secret is deleted',
    async (prefix) => {
      const name = prefix.split('.', 1)[0] ?? '';
      const secrets = client().of(SECRETS).namespace('default');
      await client().of(ACCOUNTS).namespace('default').create({ metadata: { name } });
      const annotations = { [`${prefix}/service-account.name`]: name };
      await secrets.create({ metadata: { name, annotations }, type: `${prefix}/service-account-token` });
      const text = await waitFor('the token', async () => stringAt(objectAt((await secrets.get(name)).body, 'data'), 'token'));
      const token = Buffer.from(text, 'base64').toString();
      expect(await reviewToken(token)).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:default:${name}`, groups: expect.arrayContaining(['system:serviceaccounts']) as unknown },
      });
      await secrets.delete(name);
      await waitFor('the token to be refused', async () => (await reviewToken(token))?.['authenticated'] !== true);
    },
  );
});
