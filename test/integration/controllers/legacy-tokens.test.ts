/**
 * Unused legacy service account tokens over the years: the cleaner runs once at each point in time, against an API
 * server.
 */
import { cleanLegacyTokens } from '../../../controllers/legacy-tokens/controller';
import { resourceOf } from '../../../shared/client/rest/resource';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { silentLogger } from '../../../shared/runtime/logger';
import { ManualClock } from '../../support/clock/manual-clock';
import { waitUntil } from '../../support/programs';
import { useSimulatedCluster } from '../../support/scenarios/use-simulated-cluster';

const SECRETS = resourceOf('core.v1.Secret');
const ACCOUNTS = resourceOf('core.v1.ServiceAccount');
const NAMESPACE = 'default';
const DAY_MS = 86_400_000;

const { cluster, client } = useSimulatedCluster(() => ({ controllerArgs: ['--controllers=-*'] }));

const secrets = () => client().of(SECRETS).namespace(NAMESPACE);
const accounts = () => client().of(ACCOUNTS).namespace(NAMESPACE);

/** Runs the cleaner once, `days` from now; returns the labels of each token Secret. */
async function secretLabelsAfterDays(days: number): Promise<Record<string, Readonly<Record<string, string>> | undefined>> {
  const clock = new ManualClock(Date.now() + days * DAY_MS);
  const { signal } = new AbortController();
  const settings = { legacyTokenPeriodMs: 365 * DAY_MS };
  const context = { client: client(), clock, logger: silentLogger, names: GENERATED_NAMES.platform, settings, signal };
  const list = async () => (await secrets().list({ fieldSelector: 'type=platform.io/service-account-token' })).items;
  const account = await accounts().get('old');
  await cleanLegacyTokens(context, { secrets: await list(), account: () => account, pods: () => [] });
  return Object.fromEntries((await list()).map(({ name, metadata }) => [name, metadata.labels]));
}

test('the cleaner invalidates an unused token of an account after a year, deletes it a year later and keeps others', async () => {
  const systemMaps = client().of(resourceOf('core.v1.ConfigMap')).namespace('platform-system');
  await waitUntil('uses to be recorded', () => systemMaps.get('platform-apiserver-legacy-service-account-token-tracking'), {
    timeoutMs: 15_000,
    clock: cluster().clock,
  });
  await accounts().create({ metadata: { name: 'old' }, secrets: [{ name: 'auto-created' }] });
  for (const name of ['auto-created', 'by-hand']) {
    const annotations = { 'platform.io/service-account.name': 'old' };
    await secrets().create({ metadata: { name, annotations }, type: 'platform.io/service-account-token' });
  }
  expect(await secretLabelsAfterDays(300)).toEqual({ 'auto-created': undefined, 'by-hand': undefined });
  const labelsAfterAYear = await secretLabelsAfterDays(400);
  const invalidSince = new Date(Date.now() + 400 * DAY_MS).toISOString().slice(0, 10);
  expect(labelsAfterAYear).toEqual({ 'auto-created': { 'platform.io/legacy-token-invalid-since': invalidSince }, 'by-hand': undefined });
  expect(Object.keys(await secretLabelsAfterDays(700))).toEqual(['auto-created', 'by-hand']);
  expect(Object.keys(await secretLabelsAfterDays(800))).toEqual(['by-hand']);
});
