/** Metrics of recorded requests, compared with the reference server: families, and series that grow with each step. */
import { X509Certificate } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { NO_OVERRIDES } from '../../../apiserver/admission/plugins/plugin-overrides';
import { parseServiceRanges } from '../../../apiserver/allocation/ranges';
import { featureGates } from '../../../shared/cli/feature-gates';
import { seriesGrowth, readExposition, type Exposition } from '../../support/exposition';
import { growthByRequest, isCausedByRequest, isMetricFamily } from '../../replay/requests/metric-growth';
import { requestSteps } from '../../replay/requests/request-step';
import {
  EMPTY_FAMILIES,
  isSeriesDeviation,
  MISSING_FAMILIES,
  SERIES_DEVIATIONS,
  UNCOUNTED_STEPS,
} from '../../support/deviations/metric-deviations';
import { useResource } from '../../support/use-resource';
import { readCases } from '../../replay/recording';
import { listOf, number, shape, text, tupleOf } from '../../replay/shape';
import { useServer } from './fixture';
import { serviceAccountOptions } from './fixture-options';

const RECORDED = readCases('metrics/steps', shape({ step: text, code: number, grown: listOf(tupleOf(text, number)) }));

const ranges = parseServiceRanges('10.96.0.0/16');
if (typeof ranges === 'string') throw new Error(ranges);
const api = useServer({
  naming: 'kubernetes',
  plugins: NO_OVERRIDES,
  gates: featureGates(new Map()),
  serviceRanges: ranges,
  serviceAccounts: serviceAccountOptions(),
});
const scrape = async (): Promise<Exposition> => readExposition(await api.metrics());
const backgroundGrowth = async (): Promise<readonly string[]> => [...seriesGrowth(await scrape(), await scrape()).keys()];

interface Step {
  readonly code: number;
  readonly grown: readonly (readonly [string, number])[];
}

/** The last exposition, and the growth of the series at each step. */
const counted = useResource(async () => {
  await api.waitForServerObjects();
  let background = await backgroundGrowth();
  // The server's own writes at startup may still add series of creates.
  while (background.some((series) => isCausedByRequest(series) && series.includes('CREATE'))) background = await backgroundGrowth();
  const steps = new Map<string, Step>();
  let last = await scrape();
  for (const step of requestSteps('metrics/requests').steps) {
    const before = last;
    const { status: code } = await api.callStep(step, { 'user-agent': 'recorder' });
    if (step.name === 'a definition') await api.waitUntilServed('/apis/counted.example.com/v1/things');
    last = await scrape();
    steps.set(step.name, { code, grown: growthByRequest(before, last, new Set(background)) });
  }
  return { steps, last };
});

/** A write that is rejected on cached state is retried on state from the store, so plug-ins may be called twice. */
const LOWEST_REJECTION_CODE = 400;

/** The server renews its own Lease in the background. */
const LEASE_EVENTS = /_events_received_total\{resource="leases\./;

function comparable(code: number, grown: readonly (readonly [string, number])[]): readonly (readonly [string, number])[] {
  return grown
    .filter(([series]) => isCausedByRequest(series) && !isSeriesDeviation(series) && !LEASE_EVENTS.test(series))
    .map(([series, increase]) => [series, code >= LOWEST_REJECTION_CODE ? Math.min(increase, 1) : increase]);
}

test.each(RECORDED.map((recorded) => [recorded.step, recorded] as const))('the step "%s" adds to the recorded series', (step, recorded) => {
  const { code, grown = [] } = counted().steps.get(step) ?? {};
  expect(code).toBe(recorded.code);
  if (!UNCOUNTED_STEPS.has(step)) expect(comparable(recorded.code, grown)).toEqual(comparable(recorded.code, recorded.grown));
});

const missing = new Set(MISSING_FAMILIES.flatMap(({ names }) => names));
const families = readCases('metrics/families', isMetricFamily);

test.each(families.filter(({ name }) => !missing.has(name)).map((family) => [family.name, family] as const))(
  'the family %s is as recorded',
  (name, family) => {
    expect(counted().last.families.get(name)).toEqual(EMPTY_FAMILIES.has(name) ? { ...family, labels: [] } : family);
  },
);

it('the missing families are those of the table of deviations, none of which is stable or beta upstream', () => {
  const names = new Map(families.map(({ name, stability }) => [name, stability]));
  const stableMissing = [...missing].filter((name) => names.get(name) === 'STABLE' || names.get(name) === 'BETA');
  expect(stableMissing).toEqual([]);
  expect([...missing].filter((name) => !names.has(name) || counted().last.families.has(name))).toEqual([]);
});

it('the series that are left out of the comparison exist', () => {
  const grownSeries = [
    ...RECORDED.flatMap(({ grown: recorded }) => recorded),
    ...[...counted().steps.values()].flatMap(({ grown }) => grown),
  ].map(([series]) => series);
  expect(SERIES_DEVIATIONS.filter(({ series }) => !grownSeries.some((name) => series.test(name)))).toEqual([]);
});

it('/metrics/slis is as recorded', async () => {
  const { families: shown } = readExposition((await api.get('/metrics/slis')).text);
  expect([...shown.values()]).toEqual(
    readCases('metrics/slis', isMetricFamily).map((family) => ({ ...family, stability: shown.get(family.name)?.stability })),
  );
});

it('no series appears twice', async () => {
  const lines = (await api.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
  expect(series.length).toBe(new Set(series).size);
});

it('the expirations of the serving certificate and of the client authority are those of the files in use', async () => {
  const lines = (await api.metrics()).split('\n').filter((line) => line.startsWith('tls_certificate_expiration_timestamp_seconds{'));
  const { validTo } = new X509Certificate(api.authority.certificate);
  expect(lines).toContain(`tls_certificate_expiration_timestamp_seconds{certificate="client-ca"} ${Date.parse(validTo) / 1000}`);
  expect(lines.map((line) => /"(.*)"/.exec(line)?.[1])).toEqual(['serving', 'client-ca']);
});

it('metrics are compressed on request', async () => {
  const packed = await api.get('/metrics', { headers: { 'accept-encoding': 'gzip' } });
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  expect(readExposition(gunzipSync(packed.body).toString()).families.size).toBe(counted().last.families.size);
});
