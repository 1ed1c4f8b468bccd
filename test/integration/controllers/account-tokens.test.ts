/** Tokens of accounts that are kept in Secrets: filled as by the reference's controllers, and good for as long as their Secret holds them. */
import { knownResource } from '../../../shared/client/resource';
import type { RestClient } from '../../../shared/client/rest-client';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { adminClient, startControllers } from '../../support/control-plane';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer, type ProgramProcess } from '../../support/programs';
import { replayControllers } from '../../support/replay-controllers';

describe('as recorded', () => replayControllers('account-tokens'));

describe('with names of our own', () => {
  const SECRETS = knownResource('secrets');
  const ACCOUNTS = knownResource('serviceaccounts');
  const REVIEWS = knownResource('tokenreviews.authentication.platform.io');
  const folder = temporaryFolder('account-tokens');
  let server: ApiServer;
  let client: RestClient;
  let controllers: ProgramProcess;

  beforeAll(async () => {
    server = await startApiServer({ folder, securePort: await freePort() });
    client = adminClient([server.address], server.certificates);
    controllers = startControllers(server);
  }, 60_000);

  afterAll(async () => {
    await controllers.stop();
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }, 60_000);

  async function reviewed(token: string): Promise<JsonObject | undefined> {
    return objectAt(await client.review(REVIEWS, { metadata: {}, spec: { token } }), 'status');
  }

  test.each(['platform.io', 'kubernetes.io'])(
    'a token in a Secret of the type of %s opens the server until the Secret goes',
    async (prefix) => {
      const name = prefix.split('.', 1)[0] ?? '';
      const place = { namespace: 'default', name };
      await client.create(ACCOUNTS, { metadata: place });
      const annotations = { [`${prefix}/service-account.name`]: name };
      await client.create(SECRETS, { metadata: { ...place, annotations }, type: `${prefix}/service-account-token` });
      const text = await waitUntil('the token', async () => stringAt(objectAt((await client.get(SECRETS, place)).body, 'data'), 'token'));
      const token = Buffer.from(text, 'base64').toString();
      expect(await reviewed(token)).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:default:${name}`, groups: expect.arrayContaining(['system:serviceaccounts']) as unknown },
      });
      await client.delete(SECRETS, place);
      await waitUntil('the token to be worth nothing', async () => (await reviewed(token))?.['authenticated'] !== true);
    },
  );
});
