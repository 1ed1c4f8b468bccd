/** What becomes, over the years, of tokens that an earlier release made: one look of the cleaner at a time, against a real server. */
import { look } from '../../../controllers/legacy-tokens/controller';
import { knownResource } from '../../../shared/client/resource';
import type { RestClient } from '../../../shared/client/rest-client';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { silentLogger } from '../../../shared/runtime/logger';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { adminClient } from '../../support/control-plane';
import { ManualClock } from '../../support/manual-clock';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer } from '../../support/programs';

const [SECRETS, ACCOUNTS] = [knownResource('secrets'), knownResource('serviceaccounts')];
const folder = temporaryFolder('legacy-tokens');
const DAY_MS = 86_400_000;
let server: ApiServer;
let client: RestClient;

beforeAll(async () => {
  server = await startApiServer({ folder, securePort: await freePort() });
  client = adminClient([server.address], server.certificates);
}, 60_000);

afterAll(async () => {
  client.close();
  await server.process.stop();
  removeFolder(folder);
}, 60_000);

async function lookAfter(days: number): Promise<Record<string, JsonObject | undefined>> {
  const clock = new ManualClock(Date.now() + days * DAY_MS);
  const { signal } = new AbortController();
  const settings = { legacyTokenPeriodMs: 365 * DAY_MS };
  const context = { client, clock, logger: silentLogger, names: GENERATED_NAMES.platform, settings, signal };
  const list = async () =>
    (await client.list(SECRETS, { namespace: 'default', fieldSelector: 'type=platform.io/service-account-token' })).items;
  const account = await client.get(ACCOUNTS, { namespace: 'default', name: 'old' });
  await look(
    context,
    await list(),
    () => account,
    () => [],
  );
  return Object.fromEntries((await list()).map(({ name, body }) => [name, objectAt(objectAt(body, 'metadata'), 'labels')]));
}

test('a token that nobody uses is out of use after a year, and gone after two', async () => {
  await waitUntil('uses to be recorded', () =>
    client.get(knownResource('configmaps'), {
      namespace: 'platform-system',
      name: 'platform-apiserver-legacy-service-account-token-tracking',
    }),
  );
  await client.create(ACCOUNTS, { metadata: { namespace: 'default', name: 'old' }, secrets: [{ name: 'made' }] });
  for (const name of ['made', 'by-hand']) {
    const annotations = { 'platform.io/service-account.name': 'old' };
    await client.create(SECRETS, { metadata: { namespace: 'default', name, annotations }, type: 'platform.io/service-account-token' });
  }
  expect(await lookAfter(300)).toEqual({ made: undefined, 'by-hand': undefined });
  const marked = await lookAfter(400);
  const day = new Date(Date.now() + 400 * DAY_MS).toISOString().slice(0, 10);
  expect(marked).toEqual({ made: { 'platform.io/legacy-token-invalid-since': day }, 'by-hand': undefined });
  expect(Object.keys(await lookAfter(700))).toEqual(['by-hand', 'made']);
  expect(Object.keys(await lookAfter(800))).toEqual(['by-hand']);
});
